/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the recording events, maps their pages, and turns a position in a page
 * into a count. A slice for which this is not possible is read by system call,
 * elsewhere.
 */
#include "components/perf_event/tally.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "components/perf_event/twins.h"

#define RECORD_BYTES 8   /* a header and nothing else */
#define LOOK_EVERY   64U /* reads */
#define WORTH        4   /* records that cost as much as a read */
#define TRIES        4   /* to read with no event meanwhile */

/*
 * Never reached: such an event is counted but writes nothing. There is no way
 * back to it from a period of 1: the kernel would take the next event for two,
 * may find that too many, and stop counting for a while
 * [perf_swevent_set_period(), perf_swevent_overflow()]. So the way back is to
 * open the events anew.
 */
#define ASLEEP (1ULL << 62)

struct pe_tally {
	struct pe_twins *twins; /* that write the records; NULL: the events */
	bool is_on;             /* records are written */
	bool is_synced;
	bool is_doubted; /* much had happened when it was last looked at */
	unsigned reads;  /* since it was last looked at */
	size_t rings;    /* buffers of an event */
	void **pages;    /* of all buffers, event by event */
	struct {
		uint64_t offset;   /* of the count from the records */
		uint64_t seen;     /* the head before a read */
		uint64_t reviewed; /* the head when it was last looked at */
	} at[];
};

/*
 * Those that happen one at a time and say where [kernel/events/core.c,
 * perf_swevent_event(): without registers there is no record]. Not the clocks.
 */
static bool is_tallied(const struct pe_event *e)
{
	if (e->code.type != PERF_TYPE_SOFTWARE)
		return false;
	switch (e->code.config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	default:
		return false;
	}
}

static bool is_possible(const struct slice *s)
{
	if (s->opt.target != TARGET_SELF || s->opt.on_exec ||
	    s->opt.multiplex ||
	    (s->opt.granularity && s->opt.granularity != PAPI_GRN_THR))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->thresholds[i] || !is_tallied(pe_event_of(s, i)))
			return false;
	return true;
}

bool pe_tally_wanted(const struct slice *s)
{
	return is_possible(s) && !s->opt.inherit;
}

static void set_period(struct perf_event_attr *attr, uint64_t period)
{
	attr->sample_period = period;
	attr->watermark = 1; /* there is nobody to wake */
	attr->wakeup_watermark = UINT32_MAX;
}

void pe_tally_set_attr(struct perf_event_attr *attr)
{
	set_period(attr, ASLEEP);
}

static void set_twin_attr(struct perf_event_attr *attr)
{
	set_period(attr, 1);
}

void pe_tally_open(struct pe_slice *ps)
{
	const struct slice *s = ps->slice;
	struct pe_tally *t;

	if (ps->n_groups != 1 || !is_possible(s))
		return;
	t = calloc(1, sizeof(*t) + ps->n * sizeof(*t->at));
	if (!t)
		return;
	if (s->opt.inherit)
		t->twins = pe_twins_new(s, set_twin_attr);
	t->rings = t->twins ? t->twins->cpus : 1;
	t->pages = calloc(ps->n * t->rings, sizeof(*t->pages));
	if (!t->pages || (s->opt.inherit && !t->twins)) {
		pe_twins_free(t->twins);
		free(t->pages);
		free(t);
		return;
	}
	ps->tally = t;
}

static size_t map_bytes(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

/* A child of fork() does not have them: they are not copied. */
static void unmap_pages(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;

	for (size_t i = 0; i < ps->n * t->rings; i++) {
		if (t->pages[i] && !pe_slice_is_stale(ps))
			munmap(t->pages[i], map_bytes());
		t->pages[i] = NULL;
	}
}

void pe_tally_close(struct pe_slice *ps)
{
	if (!ps->tally)
		return;
	unmap_pages(ps);
	pe_twins_free(ps->tally->twins);
	free(ps->tally->pages);
	free(ps->tally);
	ps->tally = NULL;
}

static bool start_records(const struct pe_slice *ps)
{
	uint64_t period = 1;

	for (size_t i = 0; i < ps->n; i++)
		if (ioctl(ps->groups->fds[i], PERF_EVENT_IOC_PERIOD, &period))
			return false;
	return true;
}

/*
 * Populated: the faults of touching the pages would be counted. Not writable:
 * then the kernel goes on writing when the buffer is full.
 */
static bool map_pages(struct pe_slice *ps)
{
	const struct pe_twins *twins = ps->tally->twins;
	const int *fds = twins ? twins->fds : ps->groups->fds;

	for (size_t i = 0; i < ps->n * ps->tally->rings; i++) {
		void *page;

		if (ps->tally->pages[i])
			continue;
		page = mmap(NULL, map_bytes(), PROT_READ,
			    MAP_SHARED | MAP_POPULATE, fds[i], 0);
		if (page == MAP_FAILED)
			return false;
		ps->tally->pages[i] = page;
	}
	return true;
}

static bool start_tally(struct pe_slice *ps)
{
	const struct pe_twins *twins = ps->tally->twins;

	return map_pages(ps) &&
	       (twins ? pe_twins_switch(twins, true) : start_records(ps));
}

/* Let records be written. Where the kernel refuses, never ask again. */
static bool wake(struct pe_slice *ps)
{
	if (!start_tally(ps)) {
		pe_tally_close(ps);
		return false;
	}
	ps->tally->is_on = true;
	return pe_slice_refresh(ps) == 0 && ps->tally && ps->tally->is_synced;
}

static inline uint64_t head_at(const void *mapped)
{
	const struct perf_event_mmap_page *page = mapped;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

static inline uint64_t only_head(const struct pe_tally *t, size_t i)
{
	return head_at(t->pages[i]);
}

static uint64_t head_of(const struct pe_tally *t, size_t i)
{
	uint64_t sum = 0;

	for (size_t k = i * t->rings; k < (i + 1) * t->rings; k++)
		sum += head_at(t->pages[k]);
	return sum;
}

/* Whether what happened since the last look is little for so many reads. */
static bool is_worth_it(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;
	uint64_t happened = 0;

	for (size_t i = 0; i < ps->n; i++) {
		uint64_t now = t->is_on ? head_of(t, i) / RECORD_BYTES
					: ps->reading->values[i];

		happened += now - t->at[i].reviewed;
		t->at[i].reviewed = now;
	}
	return happened <= (uint64_t)WORTH * LOOK_EVERY;
}

/* Let no records be written. */
static void sleep_again(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;

	if (!t->twins) {
		pe_slice_open_over(ps->slice);
		return;
	}
	for (size_t i = 0; i < ps->n; i++)
		t->at[i].reviewed += t->at[i].offset; /* as a count again */
	pe_twins_switch(t->twins, false);
	unmap_pages(ps);
	t->is_on = false;
	t->is_synced = false;
}

/*
 * After so many reads; true if the slice can be read without a call now. Much
 * may have happened once, as when many threads were created: that is no reason
 * to switch off and on again, which takes a millisecond for each 50 threads.
 */
static bool review(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;
	bool worth = is_worth_it(ps), was_doubted = t->is_doubted;

	t->reads = 0;
	t->is_doubted = !worth;
	if (worth || (t->is_on && !was_doubted))
		return t->is_on ? t->is_synced : wake(ps);
	if (t->is_on)
		sleep_again(ps);
	return false;
}

/*
 * The counts, if each stood so before and after the others were looked at. For
 * the innermost of loops, where most have one buffer an event.
 */
static inline bool read_heads(struct pe_slice *ps,
			      uint64_t (*head)(const struct pe_tally *, size_t))
{
	const struct pe_tally *t = ps->tally;
	uint64_t *values = ps->reading->values;
	size_t n = ps->n;

	for (size_t i = 0; i < n; i++)
		values[i] = head(t, i);
	for (size_t i = 0; i < n; i++) {
		if (head(t, i) != values[i])
			return false;
		values[i] = values[i] / RECORD_BYTES + t->at[i].offset;
	}
	return true;
}

bool pe_tally_read(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;

	if (++t->reads >= LOOK_EVERY) {
		if (!review(ps))
			return false;
	} else if (!t->is_synced) {
		return false;
	}
	return t->rings == 1 ? read_heads(ps, only_head)
			     : read_heads(ps, head_of);
}

/* Whether heads and counts of the kernel have grown alike. */
static bool agrees(const struct pe_slice *ps)
{
	const struct pe_tally *t = ps->tally;

	for (size_t i = 0; i < ps->n; i++)
		if (t->at[i].seen / RECORD_BYTES + t->at[i].offset !=
		    ps->now[i].value)
			return false;
	return true;
}

/* Go on from what the kernel said while the heads stood as last seen. */
static void sync_with(struct pe_slice *ps)
{
	struct pe_tally *t = ps->tally;

	if (t->is_synced && !agrees(ps)) {
		pe_tally_close(ps);
		return;
	}
	for (size_t i = 0; i < ps->n; i++) {
		t->at[i].offset =
			ps->now[i].value - t->at[i].seen / RECORD_BYTES;
		if (!t->is_synced)
			t->at[i].reviewed = t->at[i].seen / RECORD_BYTES;
	}
	t->is_synced = true;
}

static bool heads_stand(const struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		if (head_of(ps->tally, i) != ps->tally->at[i].seen)
			return false;
	return true;
}

int pe_tally_refresh(struct pe_slice *ps, int (*read)(struct pe_slice *ps))
{
	struct pe_tally *t = ps->tally;

	if (!t->is_on)
		return read(ps);
	for (int try = 0; try < TRIES; try++) {
		int err;

		for (size_t i = 0; i < ps->n; i++)
			t->at[i].seen = head_of(t, i);
		err = read(ps);
		if (err)
			return err;
		if (heads_stand(ps)) {
			sync_with(ps);
			return 0;
		}
	}
	t->is_synced = false;
	return 0;
}

void pe_tally_stop(struct pe_slice *ps)
{
	if (ps->tally->twins && ps->tally->is_on)
		sleep_again(ps);
}

bool pe_tally_stands(const struct pe_slice *ps)
{
	return ps->tally && ps->tally->is_synced && heads_stand(ps);
}
