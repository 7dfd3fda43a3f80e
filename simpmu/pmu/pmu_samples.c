/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples for a program outside: where each threshold was crossed, appended
 * to a file; see wire.h for its records.
 *
 * What is mapped where is told when a sample first needs it, or, if stacks are
 * to be unwound, all code there is. A map that changed (a library that was
 * closed and another loaded in its place) differs from what was told and is
 * told again, so nobody has to watch the guest map memory.
 *
 * With stacks a sample waits until its thread stops, before the next
 * instruction or at the end of the block: only then are all registers in
 * memory. Who unwinds has to allow for a call or return in between.
 *
 * Times are of one clock for all programs of the control file: each adds what
 * its threads have executed since its last sample. Threads take turns, so that
 * is the order in which things happened, and the same in each run.
 *
 * Records gather in memory and are written at safe points every few ms. A
 * process that is killed loses those, and nothing else.
 */
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

_Static_assert(WIRE_TRAPS == ENGINE_TRAPS, "each sampled event has a trap");

#define BUFFER_BYTES (256u << 10)
#define STACK_BYTES  (32u << 10) /* most of a stack that is kept */
#define MAX_TOLD     256u
#define MAX_PENDING  32u
#define MAX_SEGMENTS 512u

struct pending {
	uint32_t set, event;
	unsigned tid;
	uint64_t address;
	uint64_t time;
};

static struct {
	int fd; /* 0: not open */
	char path[4096];
	bool begun;
	uint32_t used; /* bytes of the buffer */
	uint32_t held; /* samples in it */
	uint32_t lost;
	struct wire_control *shared; /* has the clock; NULL: times are 0 */
	uint64_t ticked;             /* of this process, that is in the clock */
	struct host_segment told[MAX_TOLD];
	uint32_t n_told;
	struct pending pending[MAX_PENDING];
	uint32_t n_pending;
	uint64_t buffer[BUFFER_BYTES / 8];
} samples;

/* What the process has executed, in the unit of the clock. */
static uint64_t executed(void)
{
	uint64_t totals[TALLY_COUNT];

	engine_process_totals(totals);
	return totals[samples.shared->clock_unit == WIRE_CLOCK_CYCLES
			      ? TALLY_CYCLES
			      : TALLY_INS];
}

static void choose_unit(void)
{
	uint32_t none = WIRE_CLOCK_UNKNOWN;

	__atomic_compare_exchange_n(&samples.shared->clock_unit, &none,
				    engine_selected() & PART_CYCLE
					    ? WIRE_CLOCK_CYCLES
					    : WIRE_CLOCK_INSTRUCTIONS,
				    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Add what was executed since the last time to the clock, and read it. */
static uint64_t tick(void)
{
	uint64_t now, step;

	if (!samples.shared)
		return 0;
	choose_unit();
	now = executed();
	step = now > samples.ticked ? now - samples.ticked : 0;
	samples.ticked += step;
	return __atomic_add_fetch(&samples.shared->clock, step,
				  __ATOMIC_RELAXED);
}

void samples_open(const char *control, struct wire_control *shared)
{
	static const char suffix[] = WIRE_SAMPLES_SUFFIX;
	char *path = samples.path;
	size_t n = 0, k = 0;

	samples.shared = shared;
	if (samples.fd > 0 || !control)
		return;
	while (control[n] && n < sizeof(samples.path) - sizeof(suffix)) {
		path[n] = control[n];
		n++;
	}
	for (; k < sizeof(suffix); k++)
		path[n + k] = suffix[k];
	samples.fd = host_open_append(path);
	if (samples.fd < 0)
		samples.fd = 0;
}

uint32_t samples_flush(void)
{
	struct wire_chunk *chunk = (struct wire_chunk *)samples.buffer;
	uint32_t lost;

	if (samples.used > sizeof(*chunk)) {
		*chunk = (struct wire_chunk){
			.magic = WIRE_CHUNK_MAGIC,
			.bytes = samples.used - (uint32_t)sizeof(*chunk),
			.pid = host_pid(),
		};
		if (samples.fd <= 0 ||
		    !host_append(samples.fd, samples.path, samples.buffer,
				 samples.used)) {
			samples.lost += samples.held;
			samples.n_told = 0; /* what was told is lost as well */
			samples.begun = false;
		}
	}
	samples.used = 0;
	samples.held = 0;
	lost = samples.lost;
	samples.lost = 0;
	return lost;
}

/* Room for a record of @bytes, its head filled in. */
static void *add_record(uint32_t kind, size_t bytes)
{
	uint32_t padded = ((uint32_t)bytes + 7u) & ~7u;
	struct wire_record *record;

	if (samples.used + padded > BUFFER_BYTES)
		samples.lost = samples_flush();
	if (!samples.used)
		samples.used = sizeof(struct wire_chunk);
	record = (struct wire_record *)((char *)samples.buffer + samples.used);
	((uint64_t *)record)[padded / 8 - 1] = 0;
	record->kind = kind;
	record->bytes = padded;
	samples.used += padded;
	return record;
}

/* A record with @text behind its @bytes. */
static void *add_text_record(uint32_t kind, size_t bytes, const char *text)
{
	size_t n = 0;
	char *record;

	while (text[n])
		n++;
	record = add_record(kind, bytes + n + 1);
	for (size_t i = 0; i <= n; i++)
		record[bytes + i] = text[i];
	return record;
}

static void begin(void)
{
	if (samples.begun)
		return;
	samples.begun = true;
	samples.n_told = 0;
	add_text_record(WIRE_REC_BEGIN, sizeof(struct wire_record),
			host_program());
}

static bool is_told(const struct host_segment *s)
{
	for (uint32_t i = 0; i < samples.n_told; i++) {
		const struct host_segment *t = &samples.told[i];

		if (t->start == s->start && t->end == s->end &&
		    t->offset == s->offset && t->path == s->path)
			return true;
	}
	return false;
}

/* Those that @s took the place of would else be taken for told later. */
static void forget_below(const struct host_segment *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < samples.n_told; i++) {
		const struct host_segment *t = &samples.told[i];

		if (t->end <= s->start || t->start >= s->end)
			samples.told[kept++] = *t;
	}
	samples.n_told = kept;
}

static void tell(const struct host_segment *s)
{
	struct wire_map *map;

	if (is_told(s))
		return;
	map = add_text_record(WIRE_REC_MAP, sizeof(*map),
			      s->path ? s->path : "");
	map->start = s->start;
	map->end = s->end;
	map->offset = s->offset;
	forget_below(s);
	if (samples.n_told == MAX_TOLD)
		samples.n_told = 0; /* telling twice does no harm */
	samples.told[samples.n_told++] = *s;
}

static void tell_place(uint64_t address)
{
	struct host_segment s;

	if (host_segment_at(address, &s))
		tell(&s);
}

static void tell_all(void)
{
	static struct host_segment all[MAX_SEGMENTS];
	size_t n = host_segments(all, MAX_SEGMENTS);

	for (size_t i = 0; i < n; i++)
		tell(&all[i]);
}

static void fill(struct wire_sample *sample, const struct pending *p)
{
	sample->set = p->set;
	sample->event = p->event;
	sample->tid = pmu.lwp[p->tid];
	sample->stack_bytes = 0;
	sample->address = p->address;
	sample->time = p->time;
	samples.held++;
}

static void write_plain(const struct pending *p)
{
	const size_t bytes = offsetof(struct wire_sample, registers);

	begin();
	tell_place(p->address);
	fill(add_record(WIRE_REC_SAMPLE, bytes), p);
}

static void write_stack(const struct pending *p)
{
	static uint64_t stack[STACK_BYTES / 8];
	uint64_t registers[WIRE_REGISTERS];
	struct wire_sample *sample;
	size_t bytes;

	begin();
	tell_place(p->address);
	tell_all();
	host_registers(p->tid, registers);
	bytes = host_peek(registers[7], stack, sizeof(stack)) & ~(size_t)7;
	sample = add_record(WIRE_REC_SAMPLE, sizeof(*sample) + bytes);
	fill(sample, p);
	sample->stack_bytes = (uint32_t)bytes;
	for (unsigned i = 0; i < WIRE_REGISTERS; i++)
		sample->registers[i] = registers[i];
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *)(sample + 1))[i] = stack[i];
}

void samples_take(const struct pmu_set *set, uint32_t event, unsigned tid,
		  uint64_t address)
{
	struct pending p = { (uint32_t)set->control, event, tid, address,
			     tick() };

	if (!(set->flags & WIRE_STACKS))
		write_plain(&p);
	else if (samples.n_pending < MAX_PENDING)
		samples.pending[samples.n_pending++] = p;
	else
		samples.lost++;
}

void samples_end(void)
{
	unsigned n;
	const struct engine_taken *all = engine_taken_lines(&n);

	if (samples.fd <= 0)
		return;
	tick();
	for (unsigned i = 0; i < n; i++) {
		struct wire_taken *t;

		if (!all[i].count)
			continue;
		begin();
		tell_all();
		t = add_record(WIRE_REC_TAKEN, sizeof(*t));
		t->line = all[i].line;
		t->bytes = pmu.line_bytes;
		t->address = all[i].address;
		t->pc = all[i].pc;
		t->count = all[i].count;
	}
}

void samples_stop(unsigned tid)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < samples.n_pending; i++) {
		if (samples.pending[i].tid == tid)
			write_stack(&samples.pending[i]);
		else
			samples.pending[kept++] = samples.pending[i];
	}
	samples.n_pending = kept;
}

void samples_forget(void)
{
	samples.ticked = 0;
	samples.used = 0;
	samples.held = 0;
	samples.lost = 0;
	samples.n_pending = 0;
	samples.begun = false;
}

/* What was gathered, and executed so far, is the parent's to tell. */
void samples_fork(void)
{
	samples_forget();
	if (samples.shared)
		samples.ticked = executed();
}
