/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the groups that plan.c made. */
#include "components/perf_event/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "components/perf_event/census.h"
#include "components/perf_event/fast.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/spread.h"
#include "components/perf_event/state.h"
#include "components/perf_event/tally.h"

#define PE_SLOTS_CONFIG 0x400 /* fixed counter 3 of Ice Lake and later */
#define PE_OFFLINE      1     /* no code of PAPI's, which are negative */

/* Privilege levels to count at, after the name, the domain and the kind. */
static void set_levels(struct perf_event_attr *attr, const struct pe_event *e,
		       unsigned domain)
{
	unsigned levels = e->code.levels;

	if (levels == PE_LEVELS_BY_DOMAIN && e->code.side == PE_SIDE_NONE)
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
		if (e->code.side == PE_SIDE_KERNEL ||
		    e->code.side == PE_SIDE_FAULTS)
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
	int leader = i || pe_group_lead(g) ? pe_group_leader(g) : -1;
	const struct pe_event *e = pe_event_of(s, g->members[i]);
	struct perf_event_attr wish = *attr;

	g->fds[i] = -1;
	if (set_wishes(s, &wish))
		g->fds[i] = pe_sys_open_event(e, &wish, g->pid, g->cpu, leader);
	if (g->fds[i] < 0)
		g->fds[i] = pe_sys_open_event(e, attr, g->pid, g->cpu, leader);
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

/*
 * Whether the group is to have its counters or to fail: a name asks for it, or
 * its times cannot tell that it had to wait. Only what leads can be pinned, and
 * the others are with it.
 */
static bool is_pinned(const struct slice *s, const struct pe_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (pe_event_of(s, g->members[i])->pinned ||
		    pe_plan_is_pinned(s, g, g->members[i]))
			return true;
	return false;
}

/*
 * As the head of @g. What counts a CPU does not begin at an exec: the kernel
 * enables the events of the task that calls it [perf_event_enable_on_exec()].
 */
static void set_leading(const struct slice *s, const struct pe_group *g,
			bool disabled, struct perf_event_attr *attr)
{
	bool on_exec = s->opt.on_exec && g->pid >= 0;

	attr->disabled = disabled || on_exec;
	attr->enable_on_exec = on_exec;
	attr->pinned = is_pinned(s, g);
}

static int open_member(struct slice *s, struct pe_group *g, size_t i,
		       bool disabled)
{
	const struct pe_event *e = pe_event_of(s, g->members[i]);
	struct perf_event_attr attr = pe_attr_of(s, g->members[i]);
	const struct pe_slice *ps = s->priv;

	pe_plan_set_pmu(g, e, &attr);
	if (s->opt.per_thread && e->code.place != PE_UNCORE)
		pe_census_set_attr(&attr, pe_census_is_first(ps, g));
	if (i == 0 && !pe_group_lead(g))
		set_leading(s, g, disabled, &attr);
	if (g->pid < 0) /* there is no task whose children could inherit */
		attr.inherit = 0;
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

	if (!s->opt.multiplex || !g->class || s->opt.inherit || g->topdown ||
	    s->thresholds[g->members[0]])
		return;
	set_leading(s, g, disabled, &attr);
	g->lead_fd = pe_sys_open(&attr, g->pid, g->cpu, -1);
	if (g->lead_fd < 0) {
		/* Without permission it rings late while in the kernel. */
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		g->lead_fd = pe_sys_open(&attr, g->pid, g->cpu, -1);
	}
	g->clocked = g->lead_fd >= 0;
}

/*
 * Intel's metrics are parts of the slots, and the kernel refuses them unless
 * slots lead the group [intel_pmu_hw_config()]. Who did not ask for slots does
 * not see them.
 */
static void open_slots(struct slice *s, struct pe_group *g, bool disabled)
{
	struct perf_event_attr attr = pe_attr_of(s, g->members[0]);

	if (pe_event_of(s, g->members[0])->topdown != PE_METRIC)
		return;
	attr.config = PE_SLOTS_CONFIG;
	set_leading(s, g, disabled, &attr);
	g->lead_fd = pe_sys_open(&attr, g->pid, g->cpu, -1);
	g->slotted = g->lead_fd >= 0;
}

/* A clock that an event cannot be grouped with is given up. */
static int open_first(struct slice *s, struct pe_group *g, bool disabled)
{
	int error;

	open_slots(s, g, disabled);
	open_clock(s, g, disabled);
	error = open_member(s, g, 0, disabled);
	if (error && g->clocked) {
		close(g->lead_fd);
		g->clocked = false;
		error = open_member(s, g, 0, disabled);
	}
	return error;
}

/* Whether event @position opens by itself, so that the group is at fault. */
static bool opens_alone(struct slice *s, size_t position,
			const struct pe_group *like)
{
	struct pe_group g = { .pid = like->pid,
			      .cpu = like->cpu,
			      .pmu = like->pmu,
			      .topdown = like->topdown };
	bool opens = pe_group_append(&g, position) == 0 &&
		     open_first(s, &g, true) == 0;

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
		slice_fail(s, err, "the counters cannot be enabled");
	return err;
}

static int open_group(struct slice *s, struct pe_group *g, bool disabled)
{
	int error = open_first(s, g, disabled);

	if (error == ENODEV)
		return PE_OFFLINE;
	if (error)
		return pe_why(s, g->members[0], error, true);
	for (size_t i = 1; i < g->n; i++) {
		error = open_member(s, g, i, disabled);
		if (error)
			return pe_why(s, g->members[i], error,
				      !opens_alone(s, g->members[i], g));
	}
	if (g->n + pe_group_lead(g) > 1 && !disabled &&
	    !(s->opt.on_exec && g->pid >= 0))
		return reschedule(s, g);
	return 0;
}

/* Give up group @k, whose CPU has gone since the list of CPUs was read. */
static int drop_group(struct slice *s, struct pe_slice *ps, size_t k)
{
	struct pe_group *g = &ps->groups[k];
	int err = 0;

	for (size_t i = 0; i < g->n && !err; i++)
		if (--ps->sums[g->members[i]].places == 0)
			err = pe_why(s, g->members[i], ENODEV, true);
	pe_group_fini(g);
	ps->n_groups--;
	memmove(g, g + 1, (ps->n_groups - k) * sizeof(*g));
	return err;
}

int pe_open_groups(struct slice *s, struct pe_slice *ps, bool disabled)
{
	size_t k = 0;
	int err = 0;

	while (k < ps->n_groups && !err) {
		err = open_group(s, &ps->groups[k], disabled);
		if (err == PE_OFFLINE)
			err = drop_group(s, ps, k);
		else
			k++;
	}
	return err;
}
