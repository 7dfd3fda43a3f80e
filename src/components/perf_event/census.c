/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a ring on each CPU, reads the records of threads that ended, and adds
 * up each thread's counts. Inheritance itself is the kernel's.
 */
#include "components/perf_event/census.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "components/perf_event/ring.h"

/*
 * Pages of a ring, a power of two; a page has 85 records. All rings together
 * may have so many, and one no more than the next. Anybody may lock the usual
 * number on each CPU [perf_event_mlock_kb].
 */
#define ALL_PAGES      8192
#define MOST_PAGES     1024
#define USUAL_PAGES    128
#define FEW_PAGES      8

#define LONGEST_RECORD 64 /* of those asked for */

struct person {
	pid_t pid, tid;
	pid_t parent; /* the thread that made it; 0: not known */
	char name[16];
	struct count *counts; /* NULL: it has not ended */
};

struct pe_census {
	struct pe_ring *rings; /* one for each CPU */
	size_t n_rings;
	uint64_t *ids; /* the kernel's, of each group's event */
	int unlike_fd; /* the event that is not inherited */
	struct person *people;
	size_t n;
	uint64_t lost; /* records */
	bool was_full; /* a ring: then some may be lost */
	bool no_memory;
	bool any_born;
	bool any_told;
};

void pe_census_set_attr(struct perf_event_attr *attr, bool first)
{
	attr->inherit_stat = 1;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER;
	attr->sample_id_all = 1;
	attr->watermark = 1; /* there is nobody to wake */
	attr->wakeup_watermark = UINT32_MAX;
	attr->comm = first;
	attr->task = first;
}

bool pe_census_is_first(const struct pe_slice *ps, const struct pe_group *g)
{
	for (size_t k = 0; k < ps->n_groups && &ps->groups[k] != g; k++)
		if (ps->groups[k].cpu == g->cpu)
			return false;
	return true;
}

static const struct pe_group *first_on(const struct pe_slice *ps, int cpu)
{
	const struct pe_group *g = ps->groups;

	while (g->cpu != cpu)
		g++;
	return g;
}

static size_t most_pages(const struct pe_slice *ps)
{
	size_t cpus = ps->n_groups / ps->n + 1, pages = MOST_PAGES;

	while (pages > USUAL_PAGES && pages * cpus > ALL_PAGES)
		pages /= 2;
	return pages;
}

/* A buffer for the CPU of @g, or that of another event there. */
static int open_ring(struct pe_slice *ps, const struct pe_group *g)
{
	struct pe_census *c = ps->census;
	struct pe_ring *ring = &c->rings[c->n_rings];

	if (!pe_census_is_first(ps, g))
		return ioctl(g->fds[0], PERF_EVENT_IOC_SET_OUTPUT,
			     first_on(ps, g->cpu)->fds[0])
			       ? err_from_errno(errno)
			       : 0;
	if (!pe_ring_open(ring, g->fds[0], most_pages(ps)) &&
	    !pe_ring_open(ring, g->fds[0], USUAL_PAGES) &&
	    !pe_ring_open(ring, g->fds[0], FEW_PAGES))
		return err_from_errno(errno);
	c->n_rings++;
	return 0;
}

int pe_census_begin(struct pe_slice *ps)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct pe_census *c = calloc(1, sizeof(*c));

	if (!c)
		return PAPI_ENOMEM;
	ps->census = c;
	c->unlike_fd = pe_sys_open(&attr, ps->slice->opt.tid, -1, -1);
	if (c->unlike_fd < 0)
		return slice_fail(ps->slice, err_from_errno(errno),
				  "the process cannot be counted");
	return 0;
}

int pe_census_open(struct pe_slice *ps)
{
	struct pe_census *c = ps->census;
	int err = 0;

	c->rings = calloc(ps->n_groups, sizeof(*c->rings));
	c->ids = calloc(ps->n_groups, sizeof(*c->ids));
	if (!c->rings || !c->ids)
		return PAPI_ENOMEM;
	for (size_t k = 0; k < ps->n_groups && !err; k++) {
		const struct pe_group *g = &ps->groups[k];

		err = open_ring(ps, g);
		if (!err && ioctl(g->fds[0], PERF_EVENT_IOC_ID, &c->ids[k]))
			err = err_from_errno(errno);
	}
	if (err)
		slice_fail(ps->slice, err,
			   "the kernel refuses a buffer for per-thread counts; "
			   "raise the limit on locked memory with: ulimit -l");
	return err;
}

void pe_census_close(struct pe_slice *ps)
{
	struct pe_census *c = ps->census;

	if (!c)
		return;
	for (size_t i = 0; i < c->n_rings; i++)
		pe_ring_close(&c->rings[i], pe_slice_is_stale(ps));
	for (size_t i = 0; i < c->n; i++)
		free(c->people[i].counts);
	if (c->unlike_fd >= 0)
		close(c->unlike_fd);
	free(c->people);
	free(c->rings);
	free(c->ids);
	free(c);
	ps->census = NULL;
}

static struct person *find(const struct pe_census *c, pid_t tid)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->people[i].tid == tid)
			return &c->people[i];
	return NULL;
}

static struct person *find_or_add(struct pe_census *c, pid_t pid, pid_t tid)
{
	struct person *p = find(c, tid);

	if (p)
		return p;
	if (array_grow(&c->people, c->n, sizeof(*c->people))) {
		c->no_memory = true;
		return NULL;
	}
	p = &c->people[c->n++];
	*p = (struct person){ .pid = pid, .tid = tid };
	return p;
}

static pid_t low(uint64_t word)
{
	return (pid_t)(uint32_t)word;
}

static pid_t high(uint64_t word)
{
	return (pid_t)(uint32_t)(word >> 32);
}

static size_t group_of(const struct pe_slice *ps, uint64_t id)
{
	size_t k = 0;

	while (k < ps->n_groups && ps->census->ids[k] != id)
		k++;
	return k;
}

/* pid and tid, value, enabled, running, id */
static void take_counts(struct pe_slice *ps, const struct pe_record *r)
{
	struct pe_census *c = ps->census;
	size_t k = r->n == 5 ? group_of(ps, r->words[4]) : ps->n_groups;
	struct person *p;
	struct count *to;

	if (k == ps->n_groups)
		return;
	p = find_or_add(c, low(r->words[0]), high(r->words[0]));
	if (p && !p->counts)
		p->counts = calloc(ps->n, sizeof(*p->counts));
	if (!p || !p->counts) {
		c->no_memory = true;
		return;
	}
	c->any_told = true;
	to = &p->counts[ps->groups[k].members[0]];
	to->value += r->words[1];
	to->running_ns += r->words[3];
	if (to->enabled_ns < r->words[2])
		to->enabled_ns = r->words[2];
}

/* pid and tid, then the name, then the id */
static void take_name(struct pe_census *c, const struct pe_record *r)
{
	struct person *p;

	if (r->n < 2)
		return;
	p = find_or_add(c, low(r->words[0]), high(r->words[0]));
	if (p)
		snprintf(p->name, sizeof(p->name), "%.*s",
			 (int)((r->n - 1) * sizeof(*r->words)),
			 (const char *)&r->words[1]);
}

/* pid and parent's, tid and parent's, time, id */
static void take_birth(struct pe_census *c, const struct pe_record *r)
{
	struct person *p;

	if (r->n < 2)
		return;
	c->any_born = true;
	p = find_or_add(c, low(r->words[0]), low(r->words[1]));
	if (p)
		p->parent = high(r->words[1]);
}

/*
 * Who was given no name has its parent's. That is looked up in the end: which
 * comes first, a birth or the name of a parent on another CPU, is chance.
 */
static const char *name_of(const struct pe_census *c, const struct person *p)
{
	for (size_t steps = 0; p && steps <= c->n; steps++) {
		if (*p->name)
			return p->name;
		p = p->parent ? find(c, p->parent) : NULL;
	}
	return "";
}

static void add_record(struct pe_slice *ps, const struct pe_record *r)
{
	switch (r->type) {
	case PERF_RECORD_READ:
		take_counts(ps, r);
		break;
	case PERF_RECORD_COMM:
		take_name(ps->census, r);
		break;
	case PERF_RECORD_FORK:
		take_birth(ps->census, r);
		break;
	case PERF_RECORD_LOST:
		ps->census->lost += r->n > 1 ? r->words[1] : 1;
		break;
	default:
		break;
	}
}

void pe_census_drain(struct pe_slice *ps)
{
	struct pe_census *c = ps->census;
	struct pe_record record;

	for (size_t i = 0; i < c->n_rings; i++) {
		if (pe_ring_is_full(&c->rings[i], LONGEST_RECORD))
			c->was_full = true;
		while (pe_ring_next(&c->rings[i], &record))
			add_record(ps, &record);
	}
}

void pe_census_settle(const struct pe_slice *ps, struct count *counts)
{
	for (size_t i = 0; i < ps->n; i++) {
		struct count *c = &counts[i];

		if (pe_event_of(ps->slice, i)->code.place == PE_SOFTWARE ||
		    (int64_t)(c->enabled_ns - c->running_ns) < 0)
			c->enabled_ns = c->running_ns;
	}
}

/* Who has ended takes its counts away from the first one's. */
static void subtract(struct count *from, const struct person *p, size_t n)
{
	for (size_t i = 0; p->counts && i < n; i++) {
		const struct count *c = &p->counts[i];

		from[i].value -= c->value;
		from[i].enabled_ns -= c->enabled_ns;
		from[i].running_ns -= c->running_ns;
	}
}

static int visit_all(struct pe_slice *ps, struct count *first,
		     thread_visitor visit, void *data)
{
	struct pe_census *c = ps->census;
	pid_t tid = ps->slice->opt.tid;
	const struct person *leader = find(c, tid);
	struct thread_counts t = { .pid = tid, .tid = tid, .counts = first };
	int err;

	t.name = name_of(c, leader);
	for (size_t i = 0; i < c->n; i++)
		subtract(first, &c->people[i], ps->n);
	pe_census_settle(ps, first);
	err = visit(&t, data);
	for (size_t i = 0; i < c->n && !err; i++) {
		const struct person *p = &c->people[i];

		if (!p->counts)
			continue;
		pe_census_settle(ps, p->counts);
		t = (struct thread_counts){ p->pid, p->tid, name_of(c, p),
					    p->counts };
		err = visit(&t, data);
	}
	return err;
}

int pe_slice_threads(struct slice *s, thread_visitor visit, void *data)
{
	struct pe_slice *ps = s->priv;
	struct pe_census *c = ps->census;
	OWNED struct count *first = NULL;

	if (!c)
		return slice_fail(
			s, PAPI_ENOSUPP,
			"per-thread counts require an EventSet that is "
			"attached to another process and inherited");
	pe_census_drain(ps);
	if (c->no_memory)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	if (c->lost || c->was_full)
		return slice_fail(s, PAPI_ECLOST,
				  "more threads ended at the same time than "
				  "fit in the kernel's buffer");
	if (c->any_born && !c->any_told)
		return slice_fail(s, PAPI_ENOSUPP,
				  "this kernel does not report a thread's "
				  "counts when it ends; newer ones do");
	first = calloc(ps->n, sizeof(*first));
	if (!first)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	for (size_t i = 0; i < ps->n; i++) {
		const struct count *now = &ps->now[i], *idle = &ps->idle[i];

		first[i].value = now->value - idle->value;
		first[i].enabled_ns = now->enabled_ns - idle->enabled_ns;
		first[i].running_ns = now->running_ns - idle->running_ns;
	}
	return visit_all(ps, first, visit, data);
}
