/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which groups a slice's events make, and where each is opened. As few groups
 * as possible, since each costs a system call to read: software events go in
 * with the first hardware group of their target.
 *
 * An event may be in several groups, and is their sum: on every CPU; in every
 * box of an uncore PMU; and a generic event of a task, on a processor with
 * several kinds of cores, on each kind.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "components/perf_event/cpus.h"
#include "components/perf_event/open.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/state.h"

#ifndef PERF_PMU_TYPE_SHIFT /* headers before Linux 5.13 */
#define PERF_PMU_TYPE_SHIFT 32
#endif

#define CLASS_CORE 1 /* HARDWARE, HW_CACHE and RAW events share a PMU */

/* Where one group of an event is to be. */
struct where {
	pid_t pid;
	int cpu;
	uint32_t class; /* whose counters it takes; 0: nobody's */
	uint32_t pmu;   /* as in struct pe_group */
};

static bool is_hybrid(const struct slice *s)
{
	return pe_state_of(s->component)->pmus.cores > 1;
}

/* Which PMU's counters an event takes; 0: none. */
static uint32_t class_of(const struct slice *s, const struct pe_event *e)
{
	if (e->code.place == PE_SOFTWARE)
		return 0;
	if (e->code.place == PE_CORE && e->code.type < PERF_TYPE_MAX &&
	    !is_hybrid(s))
		return CLASS_CORE;
	return e->code.type + CLASS_CORE; /* RAW and HARDWARE too: not 0 */
}

/* Linux before 4.13 reads no groups that are inherited [perf_event_alloc()]. */
static bool can_group(const struct slice *s)
{
	struct pe_state *state = pe_state_of(s->component);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.read_format = PE_GROUP_FORMAT,
		.inherit = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	if (!s->opt.inherit)
		return true;
	if (!state->groups_tried) {
		fd = pe_sys_open(&attr, 0, -1, -1);
		state->no_inherited_groups = fd < 0 && errno == EINVAL;
		if (fd >= 0)
			close(fd);
		state->groups_tried = true;
	}
	return !state->no_inherited_groups;
}

static bool fits(const struct slice *s, const struct pe_group *g,
		 const struct where *w, const struct pe_event *e)
{
	if (g->pid != w->pid || g->cpu != w->cpu || s->opt.per_thread ||
	    !can_group(s) || (g->pmu != w->pmu && g->pmu && w->pmu))
		return false;
	if (s->opt.multiplex) /* the kernel rotates groups, not events */
		return (w->class == 0 && g->class == 0) ||
		       (e->topdown && g->topdown && g->class == w->class);
	return w->class == 0 || g->class == 0 || g->class == w->class;
}

static struct pe_group *add_group(struct pe_slice *ps, const struct where *w)
{
	struct pe_group *g;

	if (array_grow(&ps->groups, ps->n_groups, sizeof(*g)))
		return NULL;
	g = &ps->groups[ps->n_groups++];
	*g = (struct pe_group){ .pid = w->pid, .cpu = w->cpu };
	return g;
}

static int plan_one(struct slice *s, struct pe_slice *ps, size_t position,
		    const struct where *w)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct pe_group *g = NULL;

	for (size_t i = 0; i < ps->n_groups && !g; i++) {
		if (fits(s, &ps->groups[i], w, e))
			g = &ps->groups[i];
	}
	if (!g)
		g = add_group(ps, w);
	if (!g)
		return PAPI_ENOMEM;
	if (w->class)
		g->class = w->class;
	if (w->pmu)
		g->pmu = w->pmu;
	g->topdown |= e->topdown != PE_NO_TOPDOWN;
	return pe_group_append(g, position);
}

/* Plan it on each CPU of @list on which an event of its kind can be. */
static int plan_cpus(struct slice *s, struct pe_slice *ps, size_t position,
		     struct where w, const char *list)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct pe_cpus walk = { list, 0, 0, false };
	int err = 0;

	for (int i = 0; !err && pe_cpus_next(&walk, &w.cpu); i++)
		if ((e->code.place != PE_CORE || !e->cpus ||
		     pe_cpus_have(e->cpus, w.cpu)) &&
		    (e->socket < 0 || e->socket == i))
			err = plan_one(s, ps, position, &w);
	return err;
}

/* On every CPU: @w->pid, or whatever runs there (-1). */
static int plan_all_cpus(struct slice *s, struct pe_slice *ps, size_t position,
			 const struct where *w)
{
	OWNED char *online =
		fs_read(s->component->fs, "sys/devices/system/cpu/online");

	return plan_cpus(s, ps, position, *w, online ? online : "0");
}

/* In every box that has the event, and in each for every package. */
static int plan_boxes(struct slice *s, struct pe_slice *ps, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct where w = { -1, -1, class_of(s, e), 0 };
	int err = 0;

	if (e->n_boxes == 0)
		return plan_cpus(s, ps, position, w, e->cpus ? e->cpus : "0");
	for (size_t i = 0; i < e->n_boxes && !err; i++) {
		w.pmu = e->boxes[i].type;
		w.class = w.pmu + CLASS_CORE;
		err = plan_cpus(s, ps, position, w, e->boxes[i].cpus);
	}
	return err;
}

/*
 * Whether the kernel lets a generic event name its PMU in the upper half of
 * config: Intel since Linux 5.13, Arm since 6.6 [PERF_PMU_TYPE_SHIFT].
 */
static bool can_name_pmu(struct slice *s, uint32_t pmu)
{
	struct pe_state *state = pe_state_of(s->component);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES |
			  (uint64_t)pmu << PERF_PMU_TYPE_SHIFT,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	int fd;

	if (!state->extended_tried) {
		state->extended_tried = true;
		fd = pe_sys_open(&attr, 0, -1, -1);
		state->extended = fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return state->extended;
}

/* For a task: on the cores that there are. */
static int plan_task(struct slice *s, struct pe_slice *ps, size_t position,
		     pid_t pid)
{
	const struct pe_pmus *pmus = &pe_state_of(s->component)->pmus;
	const struct pe_event *e = pe_event_of(s, position);
	struct where w = { pid, -1, class_of(s, e), 0 };
	int err = 0;

	if (!pe_event_is_generic(e) || !is_hybrid(s))
		return plan_one(s, ps, position, &w);
	for (size_t i = 0; i < pmus->n && !err; i++) {
		if (!pmus->items[i].core)
			continue;
		w.pmu = pmus->items[i].type;
		w.class = w.pmu + CLASS_CORE;
		if (!can_name_pmu(s, w.pmu)) /* the kernel takes one of them */
			w.pmu = 0;
		err = plan_one(s, ps, position, &w);
		if (!w.pmu)
			break;
	}
	return err;
}

/*
 * For a task and, with inherit, its children. Of those only events on one CPU
 * have a ring that tells where they overflow.
 */
static int plan_family(struct slice *s, struct pe_slice *ps, size_t position,
		       pid_t pid)
{
	struct where w = { pid, -1, class_of(s, pe_event_of(s, position)), 0 };

	return s->opt.inherit && pe_sampling_wanted(s)
		       ? plan_all_cpus(s, ps, position, &w)
		       : plan_task(s, ps, position, pid);
}

static int plan_event(struct slice *s, struct pe_slice *ps, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct where w = { -1, s->opt.cpu, class_of(s, e), 0 };

	if (e->cpu >= 0) {
		w.cpu = e->cpu;
		return plan_one(s, ps, position, &w);
	}
	if (e->code.place == PE_UNCORE && s->opt.target != TARGET_CPU)
		return plan_boxes(s, ps, position);
	if (s->opt.target == TARGET_CPU)
		return plan_one(s, ps, position, &w);
	if (s->opt.per_thread) {
		w.pid = s->opt.tid;
		return plan_all_cpus(s, ps, position, &w);
	}
	if (s->opt.target == TARGET_TASK)
		return plan_family(s, ps, position, s->opt.tid);
	if (s->opt.granularity == PAPI_GRN_SYS)
		return plan_all_cpus(s, ps, position, &w);
	if (s->opt.granularity == PAPI_GRN_SYS_CPU) {
		w.cpu = sched_getcpu();
		return plan_one(s, ps, position, &w);
	}
	return plan_family(s, ps, position, 0);
}

/*
 * The order within a group: hardware before software, since what leads decides
 * where the group is scheduled, and those with a threshold first of each.
 * Intel's slots lead the metrics that are parts of them.
 */
static int rank(const struct slice *s, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);

	if (e->topdown == PE_SLOTS)
		return 0;
	return (class_of(s, e) == 0 ? 3 : 1) +
	       (s->thresholds[position] ? 0 : 1);
}

bool pe_plan_is_pinned(const struct slice *s, const struct pe_group *g,
		       size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);

	return (pe_event_is_partial(e) || (g->pmu && pe_event_is_generic(e))) &&
	       g->cpu < 0 && !s->opt.multiplex;
}

/* How many groups each event is in. */
static void count_places(const struct slice *s, struct pe_slice *ps)
{
	for (size_t k = 0; k < ps->n_groups; k++)
		for (size_t i = 0; i < ps->groups[k].n; i++) {
			struct pe_sum *sum =
				&ps->sums[ps->groups[k].members[i]];

			sum->places++;
			sum->apart =
				ps->groups[k].cpu >= 0 && ps->groups[k].pid < 0;
			sum->pinned = pe_plan_is_pinned(
				s, &ps->groups[k], ps->groups[k].members[i]);
		}
}

void pe_plan_set_pmu(const struct pe_group *g, const struct pe_event *e,
		     struct perf_event_attr *attr)
{
	if (g->pmu && e->n_boxes)
		attr->type = g->pmu;
	else if (g->pmu && pe_event_is_generic(e))
		attr->config |= (uint64_t)g->pmu << PERF_PMU_TYPE_SHIFT;
}

int pe_open_plan(struct slice *s, struct pe_slice *ps)
{
	int err = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct pe_event *e = pe_event_of(s, i);

		if (e->error)
			return slice_fail(s, e->error, "%s: %s",
					  pe_event_name(s, i), e->why);
		if (class_of(s, e))
			ps->hardware = true;
	}
	for (int turn = 0; turn < 5; turn++)
		for (size_t i = 0; i < s->n && !err; i++)
			if (rank(s, i) == turn)
				err = plan_event(s, ps, i);
	if (err)
		return err;
	count_places(s, ps);
	for (size_t k = 0; k < ps->n_groups; k++) {
		struct pe_group *g = &ps->groups[k];

		g->places = calloc(g->n, sizeof(*g->places));
		if (!g->places)
			return PAPI_ENOMEM;
	}
	return 0;
}
