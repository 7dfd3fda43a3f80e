/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading counters in user space, by the pages that userpage.h reads.
 *
 * Only the counted thread may do so, and only while the event has a counter.
 */
#include "components/perf_event/fast.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "components/perf_event/state.h"
#include "components/perf_event/userpage.h"

unsigned long pe_thread(void)
{
	static atomic_ulong count;
	static _Thread_local unsigned long self;

	if (!self)
		self = atomic_fetch_add(&count, 1) + 1;
	return self;
}

bool pe_fast_wanted(const struct slice *s)
{
	if (s->opt.target != TARGET_SELF || s->opt.inherit || s->opt.on_exec ||
	    s->opt.multiplex ||
	    (s->opt.granularity && s->opt.granularity != PAPI_GRN_THR))
		return false;
	/*
	 * With several kinds of cores the thread may be on another one between
	 * learning its counter and reading it, where there may be none such.
	 */
	if (pe_state_of(s->component)->pmus.cores > 1)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct pe_event *e = pe_event_of(s, i);

		/* read() resets slots and metrics, and no page tells of it */
		if (e->code.place != PE_CORE || e->topdown || s->thresholds[i])
			return false;
	}
	return true;
}

void pe_fast_set_attr(struct perf_event_attr *attr)
{
#if defined(__aarch64__)
	attr->config1 |= 2; /* "rdpmc" in the PMU's format, Linux 5.17 */
#else
	(void)attr;
#endif
}

static bool can_read(const struct perf_event_mmap_page *page)
{
	return page->cap_user_rdpmc && page->pmc_width && page->pmc_width <= 64;
}

void pe_fast_open(struct pe_slice *ps)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!pe_fast_wanted(ps->slice))
		return;
	ps->pages = calloc(ps->n, sizeof(*ps->pages));
	if (!ps->pages)
		return; /* reading by system call will do */
	for (size_t k = 0; k < ps->n_groups; k++) {
		const struct pe_group *g = &ps->groups[k];

		for (size_t i = 0; i < g->n; i++) {
			void *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED,
					  g->fds[i], 0);

			if (page == MAP_FAILED) {
				pe_fast_close(ps);
				return;
			}
			ps->pages[g->members[i]] = page;
			if (!can_read(page)) {
				pe_fast_close(ps);
				return;
			}
		}
	}
}

void pe_fast_close(struct pe_slice *ps)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!ps->pages)
		return;
	/* A child of fork() does not have them: they are not copied. */
	for (size_t i = 0; i < ps->n && !pe_slice_is_stale(ps); i++)
		if (ps->pages[i])
			munmap(ps->pages[i], bytes);
	free(ps->pages);
	ps->pages = NULL;
}

bool pe_fast_read(struct pe_slice *ps)
{
	if (!ps->pages || ps->thread != pe_thread())
		return false;
	for (size_t i = 0; i < ps->n; i++)
		if (!pe_page_read(ps->pages[i], &ps->now[i]))
			return false;
	return true;
}
