/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel wrote into the rings, as assay/record.h tells it. The
 * layouts are those of perf_event_open(2) for the fields that recorder.c asks
 * for: identity, address, process, thread, time, registers, stack.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "components/perf_event/recorder.h"

#if defined(__x86_64__)
#include <asm/perf_regs.h>

/* In the order of the kernel's numbers: what DWARF calls each. */
static const struct {
	unsigned bit;
	unsigned dwarf;
} registers[] = {
	{ PERF_REG_X86_AX, 0 },   { PERF_REG_X86_BX, 3 },
	{ PERF_REG_X86_CX, 2 },   { PERF_REG_X86_DX, 1 },
	{ PERF_REG_X86_SI, 4 },   { PERF_REG_X86_DI, 5 },
	{ PERF_REG_X86_BP, 6 },   { PERF_REG_X86_SP, 7 },
	{ PERF_REG_X86_IP, 16 },  { PERF_REG_X86_R8, 8 },
	{ PERF_REG_X86_R9, 9 },   { PERF_REG_X86_R10, 10 },
	{ PERF_REG_X86_R11, 11 }, { PERF_REG_X86_R12, 12 },
	{ PERF_REG_X86_R13, 13 }, { PERF_REG_X86_R14, 14 },
	{ PERF_REG_X86_R15, 15 },
};

#define PC_REGISTER 16
#define SP_REGISTER 7
#define N_REGISTERS (sizeof(registers) / sizeof(registers[0]))

const uint64_t pe_register_mask =
	1ULL << PERF_REG_X86_AX | 1ULL << PERF_REG_X86_BX |
	1ULL << PERF_REG_X86_CX | 1ULL << PERF_REG_X86_DX |
	1ULL << PERF_REG_X86_SI | 1ULL << PERF_REG_X86_DI |
	1ULL << PERF_REG_X86_BP | 1ULL << PERF_REG_X86_SP |
	1ULL << PERF_REG_X86_IP | 1ULL << PERF_REG_X86_R8 |
	1ULL << PERF_REG_X86_R9 | 1ULL << PERF_REG_X86_R10 |
	1ULL << PERF_REG_X86_R11 | 1ULL << PERF_REG_X86_R12 |
	1ULL << PERF_REG_X86_R13 | 1ULL << PERF_REG_X86_R14 |
	1ULL << PERF_REG_X86_R15;

static unsigned dwarf_number(size_t i)
{
	return registers[i].dwarf;
}
#elif defined(__aarch64__)
/* x0 to x30, the stack pointer and the program counter: as DWARF has them. */
#define PC_REGISTER 32
#define SP_REGISTER 31
#define N_REGISTERS 33

const uint64_t pe_register_mask = (1ULL << N_REGISTERS) - 1;

static unsigned dwarf_number(size_t i)
{
	return (unsigned)i;
}
#else
/* recorder.c refuses stacks, which alone have registers with them. */
#define PC_REGISTER 0
#define SP_REGISTER 0
#define N_REGISTERS 0

const uint64_t pe_register_mask = 0;

static unsigned dwarf_number(size_t i)
{
	return (unsigned)i;
}
#endif

/* Bytes behind every record that is no sample: who, when, of which event. */
#define TRAILER 24

/* A record that is being taken apart; reads beyond its end give 0. */
struct cursor {
	const char *at, *end;
};

static uint64_t next_word(struct cursor *c)
{
	uint64_t word = 0;

	if (c->end - c->at >= (long)sizeof(word)) {
		memcpy(&word, c->at, sizeof(word));
		c->at += sizeof(word);
	} else {
		c->at = c->end;
	}
	return word;
}

static int32_t next_half(struct cursor *c)
{
	int32_t half = 0;

	if (c->end - c->at >= (long)sizeof(half)) {
		memcpy(&half, c->at, sizeof(half));
		c->at += sizeof(half);
	}
	return half;
}

/* The text at the cursor, if it ends within the record. */
static const char *rest_as_text(const struct cursor *c)
{
	return memchr(c->at, 0, (size_t)(c->end - c->at)) ? c->at : "";
}

static void copy_out(const struct pe_recorder_ring *ring, uint64_t from,
		     char *to, size_t n)
{
	size_t at = from & (ring->bytes - 1);
	size_t first = ring->bytes - at < n ? ring->bytes - at : n;

	memcpy(to, ring->data + at, first);
	memcpy(to + first, ring->data, n - first);
}

static uint64_t time_of(const char *record)
{
	const struct perf_event_header *head = (const void *)record;
	uint64_t time = 0;
	/* samples: behind identity, address, process and thread */
	size_t at = head->type == PERF_RECORD_SAMPLE
			    ? sizeof(*head) + 24
			    : head->size - (size_t)TRAILER + 8;

	if (at + sizeof(time) <= head->size)
		memcpy(&time, record + at, sizeof(time));
	return time;
}

/* Hold the record at the ring's @tail. */
static int hold(struct pe_recording *r, const struct pe_recorder_ring *ring,
		uint64_t tail, const struct perf_event_header *head)
{
	struct pe_held held;

	if (r->used + head->size > r->capacity) {
		size_t capacity = (r->used + head->size) * 2;
		char *bytes = realloc(r->bytes, capacity);

		if (!bytes)
			return PAPI_ENOMEM;
		r->bytes = bytes;
		r->capacity = capacity;
	}
	if (array_grow(&r->held, r->n_held, sizeof(held)))
		return PAPI_ENOMEM;
	copy_out(ring, tail, r->bytes + r->used, head->size);
	held.at = r->used;
	held.time = time_of(r->bytes + r->used);
	r->held[r->n_held++] = held;
	r->used += head->size; /* a multiple of 8 */
	return 0;
}

static int drain(struct pe_recording *r, struct pe_recorder_ring *ring)
{
	uint64_t head =
		__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	int err = 0;

	while (!err && tail < head) {
		struct perf_event_header record;

		copy_out(ring, tail, (char *)&record, sizeof(record));
		if (record.size < sizeof(record))
			break;
		err = hold(r, ring, tail, &record);
		tail += record.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct pe_held *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void take_registers(struct cursor *c, struct assay_record *out)
{
	if (next_word(c) == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	for (size_t i = 0; i < N_REGISTERS; i++) {
		unsigned number = dwarf_number(i);

		out->registers[number] = next_word(c);
		out->known |= 1ULL << number;
	}
	out->pc = out->registers[PC_REGISTER];
	out->stack_start = out->registers[SP_REGISTER];
}

static void take_stack(struct cursor *c, struct assay_record *out)
{
	uint64_t bytes = next_word(c), used;
	struct cursor behind;

	if (bytes == 0 || bytes > (uint64_t)(c->end - c->at))
		return;
	out->stack = c->at;
	behind = (struct cursor){ c->at + bytes, c->end };
	used = next_word(&behind);
	out->stack_bytes = (size_t)(used < bytes ? used : bytes);
	if (!out->known)
		out->stack_bytes = 0;
}

static const struct pe_recorded *find_event(const struct pe_recording *r,
					    uint64_t id)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->opened[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->n && r->opened[low].id == id ? &r->opened[low] : NULL;
}

static bool take_sample(const struct slice *s, struct cursor *c,
			struct assay_record *out)
{
	const struct pe_recording *r = pe_recording_of(s);
	uint64_t id = next_word(c);
	const struct pe_recorded *from = find_event(r, id);

	if (!from)
		return false;
	out->kind = ASSAY_RECORD_SAMPLE;
	out->event = from->event;
	out->address = next_word(c);
	out->pid = next_half(c);
	out->tid = next_half(c);
	next_word(c); /* the time */
	if (s->opt.stacks) {
		take_registers(c, out);
		take_stack(c, out);
	}
	return true;
}

static bool take_map(struct cursor *c, struct assay_record *out)
{
	out->kind = ASSAY_RECORD_MAP;
	out->pid = next_half(c);
	out->tid = next_half(c);
	out->start = next_word(c);
	out->end = out->start + next_word(c);
	out->offset = next_word(c);
	for (int i = 0; i < 4; i++)
		next_word(c); /* device, inode, generation, protection */
	out->text = rest_as_text(c);
	return true;
}

/* The name of a thread; at an exec, of the program. */
static bool take_name(struct cursor *c, unsigned misc, struct assay_record *out)
{
	out->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? ASSAY_RECORD_EXEC
						      : ASSAY_RECORD_NAME;
	out->pid = next_half(c);
	out->tid = next_half(c);
	out->text = rest_as_text(c);
	return true;
}

/* A new process; a thread has the maps of the one it is in. */
static bool take_fork(struct cursor *c, struct assay_record *out)
{
	out->kind = ASSAY_RECORD_FORK;
	out->pid = next_half(c);
	out->parent = next_half(c);
	out->tid = next_half(c);
	return out->pid != out->parent;
}

/* The kernel holds an event back: for the rest of a tick, or until the next. */
static bool take_throttle(const struct slice *s, struct cursor *c,
			  struct assay_record *out)
{
	const struct pe_recorded *from;

	next_word(c); /* the time */
	from = find_event(pe_recording_of(s), next_word(c));
	if (!from)
		return false;
	out->kind = ASSAY_RECORD_THROTTLED;
	out->event = from->event;
	return true;
}

static bool translate(const struct slice *s, const char *record,
		      struct assay_record *out)
{
	const struct perf_event_header *head = (const void *)record;
	struct cursor c = { record + sizeof(*head), record + head->size };

	if (head->type == PERF_RECORD_SAMPLE)
		return take_sample(s, &c, out);
	if (head->size < sizeof(*head) + TRAILER)
		return false;
	c.end -= TRAILER;
	switch (head->type) {
	case PERF_RECORD_MMAP2:
		return take_map(&c, out);
	case PERF_RECORD_COMM:
		return take_name(&c, head->misc, out);
	case PERF_RECORD_FORK:
		return take_fork(&c, out);
	case PERF_RECORD_THROTTLE: /* the end of it tells nothing more */
		return take_throttle(s, &c, out);
	case PERF_RECORD_LOST:
		next_word(&c);         /* the event's identity */
				       /* fall through */
	case PERF_RECORD_LOST_SAMPLES: /* by the hardware */
		out->kind = ASSAY_RECORD_LOST;
		out->lost = next_word(&c);
		return true;
	default:
		return false;
	}
}

/* Hand on what happened before @until; later ones may come from a ring yet. */
static int hand_on(struct slice *s, uint64_t until, assay_record_fn fn,
		   void *context)
{
	struct pe_recording *r = pe_recording_of(s);
	size_t i = 0;
	int err = 0;

	for (; !err && i < r->n_held && r->held[i].time < until; i++) {
		struct assay_record out = { .text = "",
					    .time = r->held[i].time };

		if (translate(s, r->bytes + r->held[i].at, &out))
			err = fn(context, &out);
	}
	memmove(r->held, r->held + i, (r->n_held - i) * sizeof(*r->held));
	r->n_held -= i;
	if (r->n_held == 0)
		r->used = 0;
	return err;
}

int pe_recorder_take(struct slice *s, assay_record_fn fn, void *context)
{
	struct pe_recording *r = pe_recording_of(s);
	uint64_t now = clock_real_ns();
	int err = 0;

	for (size_t i = 0; !err && i < r->n_rings; i++)
		err = drain(r, &r->rings[i]);
	if (err)
		return slice_fail(s, err, "out of memory");
	if (r->n_held > 1)
		qsort(r->held, r->n_held, sizeof(*r->held), by_time);
	return hand_on(s, now, fn, context);
}
