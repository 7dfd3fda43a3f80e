/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which groups a slice's events make, and opening them. As few groups as
 * possible, since each costs a system call to read: software events go in with
 * the first hardware group of their target.
 */
#include "components/perf_event/open.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "components/perf_event/census.h"
#include "components/perf_event/fast.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/spread.h"
#include "components/perf_event/state.h"
#include "components/perf_event/tally.h"

#define CLASS_CORE 1 /* HARDWARE, HW_CACHE and RAW events share a PMU */

/* Which PMU's counters an event takes; 0: none. */
static uint32_t class_of(const struct pe_event *e)
{
	if (e->code.place == PE_SOFTWARE)
		return 0;
	if (e->code.place == PE_CORE && e->code.type < PERF_TYPE_MAX)
		return CLASS_CORE;
	return e->code.type;
}

static bool fits(const struct slice *s, const struct pe_group *g, pid_t pid,
		 int cpu, uint32_t class)
{
	if (g->pid != pid || g->cpu != cpu || s->opt.per_thread)
		return false;
	if (s->opt.multiplex) /* the kernel rotates groups, not events */
		return class == 0 && g->class == 0;
	return class == 0 || g->class == 0 || g->class == class;
}

static int plan_one(struct slice *s, struct pe_slice *ps, size_t position,
		    pid_t pid, int cpu)
{
	uint32_t class = class_of(pe_event_of(s, position));
	struct pe_group *g = NULL;

	for (size_t i = 0; i < ps->n_groups && !g; i++) {
		if (fits(s, &ps->groups[i], pid, cpu, class))
			g = &ps->groups[i];
	}
	if (!g) {
		if (array_grow(&ps->groups, ps->n_groups, sizeof(*g)))
			return PAPI_ENOMEM;
		g = &ps->groups[ps->n_groups++];
		*g = (struct pe_group){ .pid = pid, .cpu = cpu };
	}
	if (class)
		g->class = class;
	return pe_group_append(g, position);
}

/* Plan @pid for each CPU of a list such as "0-3,28". */
static int plan_cpus(struct slice *s, struct pe_slice *ps, size_t position,
		     pid_t pid, const char *list)
{
	int err = 0;

	while (*list && !err) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long cpu = first; cpu <= last && !err; cpu++)
			err = plan_one(s, ps, position, pid, (int)cpu);
		list = *end == ',' ? end + 1 : end;
	}
	return err;
}

/* On every CPU: @pid, or whatever runs there (-1). */
static int plan_all_cpus(struct slice *s, struct pe_slice *ps, size_t position,
			 pid_t pid)
{
	char *online =
		fs_read(s->component->fs, "sys/devices/system/cpu/online");
	int err = plan_cpus(s, ps, position, pid, online ? online : "0");

	free(online);
	return err;
}

static int plan_event(struct slice *s, struct pe_slice *ps, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);

	if (e->cpu >= 0)
		return plan_one(s, ps, position, -1, e->cpu);
	if (s->opt.target == TARGET_CPU)
		return plan_one(s, ps, position, -1, s->opt.cpu);
	if (e->code.place == PE_UNCORE)
		return plan_cpus(s, ps, position, -1, e->cpus ? e->cpus : "0");
	if (s->opt.per_thread)
		return plan_all_cpus(s, ps, position, s->opt.tid);
	if (s->opt.target == TARGET_TASK)
		return plan_one(s, ps, position, s->opt.tid, -1);
	if (s->opt.granularity == PAPI_GRN_SYS)
		return plan_all_cpus(s, ps, position, -1);
	if (s->opt.granularity == PAPI_GRN_SYS_CPU)
		return plan_one(s, ps, position, -1, sched_getcpu());
	return plan_one(s, ps, position, 0, -1);
}

/*
 * The order within a group: hardware before software, since what leads decides
 * where the group is scheduled, and those with a threshold first of each.
 */
static int rank(const struct slice *s, size_t position)
{
	bool software = class_of(pe_event_of(s, position)) == 0;

	return (software ? 2 : 0) + (s->thresholds[position] ? 0 : 1);
}

int pe_open_plan(struct slice *s, struct pe_slice *ps)
{
	int err = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct pe_event *e = pe_event_of(s, i);

		if (e->error)
			return slice_fail(s, e->error, "%s: %s",
					  pe_event_name(s, i), e->why);
		if (class_of(e))
			ps->hardware = true;
	}
	for (int turn = 0; turn < 4; turn++)
		for (size_t i = 0; i < s->n && !err; i++)
			if (rank(s, i) == turn)
				err = plan_event(s, ps, i);
	return err;
}

/* Privilege levels to count at, after the name, the domain and the kind. */
static void set_levels(struct perf_event_attr *attr, const struct pe_event *e,
		       unsigned domain)
{
	unsigned levels = e->code.levels;

	if (e->code.side == PE_SIDE_NONE)
		return;
	if (levels == PE_LEVELS_BY_DOMAIN) {
		if (!domain)
			domain = PAPI_DOM_USER;
		levels = (domain & PAPI_DOM_USER ? PE_USER : 0) |
			 (domain & PAPI_DOM_KERNEL ? PE_KERNEL : 0) |
			 (domain & PAPI_DOM_SUPERVISOR ? PE_HYPERVISOR : 0);
		/*
		 * A context switch happens in the kernel whoever causes it:
		 * excluding the kernel would make the count 0, always.
		 */
		if (e->code.side != PE_SIDE_USER)
			levels |= PE_USER | PE_KERNEL;
	}
	attr->exclude_user = !(levels & PE_USER);
	attr->exclude_kernel = !(levels & PE_KERNEL);
	attr->exclude_hv = !(levels & PE_HYPERVISOR);
}

struct perf_event_attr pe_attr_of(const struct slice *s, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = e->code.type,
		.config = e->code.config,
		.config1 = e->code.config1,
		.config2 = e->code.config2,
		.read_format = PE_GROUP_FORMAT,
		.inherit = s->opt.inherit,
	};

	set_levels(&attr, e, s->opt.domain);
	/*
	 * Guests are not what is measured; Apple's driver, and hosts of guests
	 * with a mediated PMU, refuse events that would count them. PMUs
	 * outside the cores refuse to exclude anything.
	 */
	attr.exclude_guest =
		e->code.place == PE_CORE && !(e->code.sides & PE_GUEST);
	attr.exclude_host = e->code.sides == PE_GUEST;
	if (s->thresholds[position])
		pe_sampling_set_attr(s, position, &attr);
	return attr;
}

bool pe_attr_with_less(struct perf_event_attr *attr, const struct pe_event *e)
{
	if (e->code.side != PE_SIDE_FAULTS || attr->exclude_kernel ||
	    e->code.levels != PE_LEVELS_BY_DOMAIN)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return true;
}

/* Ask for what makes reads cheap. False: nothing does. */
static bool set_wishes(const struct slice *s, struct perf_event_attr *attr)
{
	if (pe_tally_wanted(s)) {
		pe_tally_set_attr(attr);
		return true;
	}
	if (!pe_state_of(s->component)->user_access || !pe_fast_wanted(s))
		return false;
	pe_fast_set_attr(attr);
	return true;
}

/* With all that is wished, and without if that is refused. */
static int open_wished(struct slice *s, struct pe_group *g, size_t i,
		       struct perf_event_attr *attr)
{
	int leader = i || g->clocked ? pe_group_leader(g) : -1;
	struct perf_event_attr wish = *attr;

	g->fds[i] = -1;
	if (set_wishes(s, &wish))
		g->fds[i] = pe_sys_open(&wish, g->pid, g->cpu, leader);
	if (g->fds[i] < 0)
		g->fds[i] = pe_sys_open(attr, g->pid, g->cpu, leader);
	return g->fds[i] < 0 ? errno : 0;
}

/* And then with less of what is counted, if that is refused. */
static int open_attr(struct slice *s, struct pe_group *g, size_t i,
		     struct perf_event_attr *attr)
{
	int error = open_wished(s, g, i, attr);

	if (error == EINVAL && attr->exclude_guest) {
		attr->exclude_guest = 0; /* a PMU that knows no guests */
		error = open_wished(s, g, i, attr);
		if (error)
			attr->exclude_guest = 1;
	}
	if ((error == EACCES || error == EPERM) &&
	    pe_attr_with_less(attr, pe_event_of(s, g->members[i])))
		error = open_wished(s, g, i, attr);
	return error;
}

/* Only what leads can be pinned, and the others are with it. */
static bool has_pinned(const struct slice *s, const struct pe_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (pe_event_of(s, g->members[i])->pinned)
			return true;
	return false;
}

static int open_member(struct slice *s, struct pe_group *g, size_t i,
		       bool disabled)
{
	struct perf_event_attr attr = pe_attr_of(s, g->members[i]);
	const struct pe_slice *ps = s->priv;

	if (s->opt.per_thread &&
	    pe_event_of(s, g->members[i])->code.place != PE_UNCORE)
		pe_census_set_attr(&attr, pe_census_is_first(ps, g));

	if (i == 0 && !g->clocked) {
		attr.disabled = disabled || s->opt.on_exec;
		attr.enable_on_exec = s->opt.on_exec;
		attr.pinned = has_pinned(s, g);
	}
	if (pe_group_is_alone(g))
		attr.read_format = PE_ALONE_FORMAT;
	return open_attr(s, g, i, &attr);
}

/*
 * Put a clock at the head of a group that will take turns, to see how much the
 * turns differ. Where the kernel refuses, the group has none.
 */
static void open_clock(struct slice *s, struct pe_group *g, bool disabled)
{
	struct perf_event_attr attr = pe_spread_clock(s);

	if (!s->opt.multiplex || !g->class || s->opt.inherit ||
	    s->thresholds[g->members[0]])
		return;
	attr.disabled = disabled || s->opt.on_exec;
	attr.enable_on_exec = s->opt.on_exec;
	g->clock_fd = pe_sys_open(&attr, g->pid, g->cpu, -1);
	if (g->clock_fd < 0) {
		/* Without permission it rings late while in the kernel. */
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		g->clock_fd = pe_sys_open(&attr, g->pid, g->cpu, -1);
	}
	g->clocked = g->clock_fd >= 0;
}

/* Whether event @position opens by itself, so that the group is at fault. */
static bool opens_alone(struct slice *s, size_t position,
			const struct pe_group *like)
{
	struct pe_group g = { .pid = like->pid, .cpu = like->cpu };
	bool opens = pe_group_append(&g, position) == 0 &&
		     open_member(s, &g, 0, true) == 0;

	pe_group_fini(&g);
	return opens;
}

/*
 * Schedule a complete group anew. A sibling that joins an enabled leader of
 * another PMU stays inactive for now: seen on Linux 6.18, where page-faults
 * behind task-clock read 0.
 */
static int reschedule(struct slice *s, const struct pe_group *g)
{
	int err = pe_group_control(g, PERF_EVENT_IOC_DISABLE);

	if (!err)
		err = pe_group_control(g, PERF_EVENT_IOC_ENABLE);
	if (err)
		slice_fail(s, err, "the counters cannot be switched on");
	return err;
}

/* A clock that an event cannot be grouped with is given up. */
static int open_first(struct slice *s, struct pe_group *g, bool disabled)
{
	int error;

	open_clock(s, g, disabled);
	error = open_member(s, g, 0, disabled);
	if (error && g->clocked) {
		close(g->clock_fd);
		g->clocked = false;
		error = open_member(s, g, 0, disabled);
	}
	return error;
}

static int open_group(struct slice *s, struct pe_group *g, bool disabled)
{
	int error = open_first(s, g, disabled);

	if (error)
		return pe_why(s, g->members[0], error, true);
	for (size_t i = 1; i < g->n; i++) {
		error = open_member(s, g, i, disabled);
		if (error)
			return pe_why(s, g->members[i], error,
				      !opens_alone(s, g->members[i], g));
	}
	if (g->n + pe_group_lead(g) > 1 && !disabled && !s->opt.on_exec)
		return reschedule(s, g);
	return 0;
}

int pe_open_groups(struct slice *s, struct pe_slice *ps, bool disabled)
{
	int err = 0;

	for (size_t k = 0; k < ps->n_groups && !err; k++)
		err = open_group(s, &ps->groups[k], disabled);
	return err;
}
