/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why the kernel would not open an event: what, why, and what to do about it.
 */
#include "components/perf_event/open.h"

#include <errno.h>
#include <string.h>

#include "components/perf_event/pmu.h"

#define PARANOID "proc/sys/kernel/perf_event_paranoid"

/* Whether what was refused would count a CPU, and not only a task. */
static bool is_for_cpu(const struct slice *s, const struct pe_event *e)
{
	return e->code.place == PE_UNCORE || e->cpu >= 0 ||
	       s->opt.target == TARGET_CPU ||
	       s->opt.granularity == PAPI_GRN_SYS ||
	       s->opt.granularity == PAPI_GRN_SYS_CPU;
}

/*
 * The level that allows it: 0 for a CPU, 1 for the kernel, 2 for a task at
 * user level [perf_allow_cpu(), perf_allow_kernel()].
 */
static long level_needed(const struct slice *s, size_t position)
{
	const struct pe_event *e = pe_event_of(s, position);
	struct perf_event_attr attr = pe_attr_of(s, position);

	if (is_for_cpu(s, e))
		return 0;
	return attr.exclude_kernel || pe_attr_with_less(&attr, e) ? 2 : 1;
}

static int no_permission(struct slice *s, size_t position, int error)
{
	const struct pe_event *e = pe_event_of(s, position);
	const char *name = pe_event_name(s, position);
	long level = -1, needed = level_needed(s, position);
	bool known = fs_read_long(s->component->fs, PARANOID, &level) == 0;

	if (!known || error == EPERM)
		return slice_fail(s, PAPI_EPERM,
				  "%s: the kernel does not allow it; a "
				  "container's seccomp profile may forbid "
				  "perf_event_open, or CAP_PERFMON is needed",
				  name);
	if (needed >= level)
		needed = level > -1 ? level - 1 : -1;
	return slice_fail(
		s, PAPI_EPERM,
		"%s: not allowed at kernel.perf_event_paranoid = %ld; to fix "
		"it: sysctl kernel.perf_event_paranoid=%ld, or give "
		"CAP_PERFMON%s",
		name, level, needed,
		needed == 1 && level == 2 && e->code.side == PE_SIDE_USER
			? ", or count in user space only"
			: "");
}

static int no_event(struct slice *s, size_t position, const char *name)
{
	const struct pe_event *e = pe_event_of(s, position);

	if (e->code.place == PE_CORE && !s->component->pmu)
		return slice_fail(s, PAPI_ENOEVNT, "%s: " PE_NO_PMU, name);
	return slice_fail(s, PAPI_ENOEVNT,
			  "%s: this machine's PMU cannot count it", name);
}

static int conflict(struct slice *s, const char *name)
{
	if (s->component->counters)
		return slice_fail(s, PAPI_ECNFLCT,
				  "%s cannot be counted together with the "
				  "others: the PMU has %u counters; to fix it: "
				  "multiplex, or use fewer events",
				  name, s->component->counters);
	return slice_fail(
		s, PAPI_ECNFLCT,
		"%s cannot be counted together with the others: not enough "
		"counters; to fix it: multiplex, or use fewer events",
		name);
}

static int refused(struct slice *s, size_t position, const char *name)
{
	const struct pe_event *e = pe_event_of(s, position);

	if (s->thresholds[position])
		return slice_fail(s, PAPI_EINVAL,
				  "%s: the PMU cannot interrupt at a threshold "
				  "of this event",
				  name);
	if (e->code.side == PE_SIDE_NONE && e->code.levels)
		return slice_fail(
			s, PAPI_EATTR,
			"%s: its PMU does not tell privilege levels apart; to "
			"fix it: leave out the level",
			name);
	if (e->code.place == PE_UNCORE && s->opt.target != TARGET_CPU)
		return slice_fail(
			s, PAPI_EINVAL,
			"%s: the kernel refuses these settings; the event "
			"counts for a whole CPU package, in all domains",
			name);
	return slice_fail(
		s, PAPI_EINVAL,
		"%s: the kernel refuses this encoding or these options", name);
}

int pe_why(struct slice *s, size_t position, int error, bool alone)
{
	const char *name = pe_event_name(s, position);

	if (!alone)
		return conflict(s, name);
	if (error == E2BIG && pe_event_of(s, position)->code.config3)
		return slice_fail(
			s, PAPI_ENOSUPP,
			"%s: its encoding needs config3, which this kernel does not have; Linux 6.3 does",
			name);
	switch (error) {
	case EACCES:
	case EPERM:
		return no_permission(s, position, error);
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return no_event(s, position, name);
	case EMFILE:
	case ENFILE:
		return slice_fail(s, PAPI_ESYS,
				  "%s: no file descriptor is left; to fix it: "
				  "ulimit -n, or close EventSets",
				  name);
	case ESRCH:
		return slice_fail(s, PAPI_EINVAL,
				  "%s: there is no thread or process %d", name,
				  (int)s->opt.tid);
	case ENOSYS:
		return slice_fail(s, PAPI_ENOSUPP,
				  "%s: this kernel has no perf_event_open",
				  name);
	case EOPNOTSUPP:
		return slice_fail(s, PAPI_ENOSUPP,
				  "%s: the PMU cannot count it in this way",
				  name);
	case ENOSPC:
	case EBUSY:
		return conflict(s, name);
	case EINVAL:
		return refused(s, position, name);
	default:
		return slice_fail(s, err_from_errno(error), "%s: %s", name,
				  strerror(error));
	}
}
