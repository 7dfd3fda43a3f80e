/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Page faults, in front of a program: those that its threads really have. A
 * thread's are counted when it next calls the kernel.
 */
#include <sys/resource.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

/* How many of the faults @e counts. */
static uint64_t part_of(const struct mk_event *e, uint64_t minor,
			uint64_t major)
{
	if (e->attr.type != PERF_TYPE_SOFTWARE || e->attr.exclude_user)
		return 0;
	switch (e->attr.config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		return minor + major;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return minor;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return major;
	default:
		return 0;
	}
}

void mk_count_faults(void)
{
	int self = mk_task_self();
	struct mk_task *t = &mk->tasks[self];
	struct rusage now = { 0 };
	uint64_t minor, major;

	raw_call(SYS_getrusage, RUSAGE_THREAD, (long)&now, 0, 0, 0, 0);
	minor = (uint64_t)now.ru_minflt - t->minor;
	major = (uint64_t)now.ru_majflt - t->major;
	t->minor += minor;
	t->major += major;
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];
		uint64_t n = part_of(e, minor, major);

		if (!e->used || e->task != self || e->state != MK_ACTIVE)
			continue;
		e->base += n;
		for (; n > 0 && e->attr.sample_period == 1; n--)
			mk_sample(i);
	}
}
