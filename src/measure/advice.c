/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules from a report to advice. Each looks at one thing and says one
 * sentence with the number that made it speak; the table orders them.
 */

#include "measure/counting.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define MOST_NOTES 5

/* Below this, starting the program is most of what was counted. */
#define SHORT_RUN_S 0.01

/* Fewer page faults from disk than this are the program's own file. */
#define MANY_DISK_FAULTS 10

/* Whether no event that was asked for has a value. */
static bool is_uncounted(const struct report *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality != REPORT_NONE)
			return false;
	return r->n_events > 0;
}

static const char *about_exit(struct report *r)
{
	if (r->exit == 0)
		return NULL;
	return report_text(
		r, "the program's exit status is %d%s", r->exit,
		is_uncounted(r) ? "" : ": if it failed, the counts end there");
}

static const char *about_unmeasured(struct report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_events; i++)
		n += r->events[i].quality == REPORT_NONE;
	if (n == 0)
		return NULL;
	if (strcmp(r->pmu.kind, "none") == 0)
		return report_text(
			r, "hardware events need a PMU: `assay doctor` says "
			   "why there is none and how to fix that");
	return report_text(r,
			   "%zu event%s had no value: `assay explain "
			   "NAME` says what %s",
			   n, n == 1 ? "" : "s",
			   n == 1 ? "it needs" : "they need");
}

static const char *about_scaled(struct report *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality == REPORT_SCALED &&
		    r->events[i].running_ns < r->events[i].enabled_ns)
			return report_text(
				r, "there were more events than counters: "
				   "--no-multiplex runs the program several "
				   "times and counts each event all the time");
	return NULL;
}

static const char *about_short(struct report *r)
{
	if (!r->time.native || !(r->time.wall_s.value < SHORT_RUN_S))
		return NULL;
	return report_text(r,
			   "it ran for %.1f ms, much of it start-up and "
			   "dynamic linking; give it more work",
			   1e3 * (double)r->time.wall_s.value);
}

/* Seconds on a CPU. */
static double busy_s(const struct report *r)
{
	return (double)(r->time.user_s.value + r->time.system_s.value);
}

static const char *about_waiting(struct report *r)
{
	double busy = busy_s(r);
	double share = busy / (double)r->time.wall_s.value;
	bool waited = r->resources.voluntary_switches >
		      r->resources.involuntary_switches;

	if (!r->time.native || !(share < 0.7) ||
	    r->time.wall_s.value < SHORT_RUN_S)
		return NULL;
	if (waited)
		return report_text(
			r,
			"it ran on a CPU %.0f %% of the time and waited "
			"otherwise: look at I/O and locks first",
			100 * share);
	return report_text(
		r,
		"it ran on a CPU only %.0f %% of the time because others used "
		"the CPUs, too: wall time depends on them",
		100 * share);
}

static const char *about_system(struct report *r)
{
	double busy = busy_s(r);
	double share = (double)r->time.system_s.value / busy;
	double faults =
		(double)(r->resources.minor_faults + r->resources.major_faults);

	if (!r->time.native || !(share > 0.2) || busy < SHORT_RUN_S)
		return NULL;
	return report_text(r,
			   "%.0f %% of its CPU time was spent in the kernel, "
			   "with %.0f page faults per second: look at system "
			   "calls and first-touch page faults",
			   100 * share, faults / (double)r->time.wall_s.value);
}

static const char *about_disk(struct report *r)
{
	if (!r->time.native || r->resources.major_faults < MANY_DISK_FAULTS)
		return NULL;
	return report_text(r,
			   "%llu page faults were served from disk: run it "
			   "again with warm caches",
			   (unsigned long long)r->resources.major_faults);
}

static const char *about_repeats(struct report *r)
{
	if (r->attached || r->runs > 1 || !r->time.native)
		return NULL;
	return report_text(r, "one run does not show the spread: -r 5 repeats "
			      "it and reports mean and range");
}

/* By a signal that a program does not cause by itself: it comes at any time. */
static bool was_interrupted(const struct report *r)
{
	switch (r->exit - 128) {
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
	case SIGKILL:
	case SIGALRM:
	case SIGTERM:
		return true;
	default:
		return false;
	}
}

static const char *about_simulation(struct report *r)
{
	if (r->time.native || is_uncounted(r))
		return NULL;
	if (r->attached)
		return "counts cover the time from attaching to the end, so "
		       "they differ between runs";
	if (r->varies)
		return report_text(r,
				   "counts may differ between runs: the "
				   "program used %s; for times on this machine "
				   "use --pmu none",
				   r->varies);
	if (was_interrupted(r))
		return report_text(r,
				   "counts depend on when signal %d came; "
				   "for times on this machine use --pmu "
				   "none",
				   r->exit - 128);
	return report_text(r, "counts are the same in every run; for times on "
			      "this machine use --pmu none");
}

/*
 * What a poor metric suggests, and what to measure next. In the order in
 * which they usually matter; of those about one thing only the first speaks.
 */
static const struct {
	const char *metric;
	const char *about;
	const char *advice;
} remedies[] = {
	{ "loads_per_tlb_miss", "tlb",
	  "each access touches another page: traverse memory in order, or use "
	  "huge pages; next: -e PAPI_TLB_DM,PAPI_TLB_IM" },
	{ "l1_hit_rate", "cache",
	  "data leaves the cache before it is reused: change the order of "
	  "loops, or block them; next: -g cache" },
	{ "ls_per_d1_miss", "cache",
	  "data leaves the cache before it is reused: change the order of "
	  "loops, or block them; next: -g cache" },
	{ "l2_hit_rate", "cache",
	  "the data in use is larger than the caches: block loops; next: -g "
	  "bandwidth" },
	{ "branches_mispredicted", "branches",
	  "branch outcomes look random: sort the data or compute both sides "
	  "without a branch; next: -g branches" },
	{ "ipc", "cycles",
	  "the processor waits more than it works; next: -g cycles shows what "
	  "for" },
	{ "computation_intensity", "flops",
	  "there is little arithmetic per memory access: keep values in "
	  "registers, fuse loops; next: -g \"floating point\"" },
	{ "fma_percentage", "flops",
	  "no multiply and add are fused: build with -march=native (or -mfma) "
	  "if this is where the time goes" },
};

static const struct report_metric *find_metric(const struct report *r,
					       const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return &r->metrics[i];
	return NULL;
}

/* Whether an earlier row has spoken about the same thing. */
static bool spoke_before(const struct report *r, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		const struct report_metric *m =
			find_metric(r, remedies[k].metric);

		if (m && m->verdict == REPORT_POOR &&
		    strcmp(remedies[k].about, remedies[i].about) == 0)
			return true;
	}
	return false;
}

/* Advice on arithmetic is for programs that do some: one in 20, say. */
static bool is_beside_the_point(const struct report *r, size_t i)
{
	const struct report_metric *flops = find_metric(r, "fp_operations");

	if (strcmp(remedies[i].about, "flops") != 0)
		return false;
	for (size_t k = 0; flops && k < r->n_events; k++)
		if (strcmp(r->events[k].name, "PAPI_TOT_INS") == 0)
			return flops->number.value * 20 <
			       r->events[k].number.value;
	return false;
}

static int add_remedies(struct report *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
		const struct report_metric *m =
			find_metric(r, remedies[i].metric);
		const char *note;

		if (!m || m->verdict != REPORT_POOR || spoke_before(r, i) ||
		    is_beside_the_point(r, i))
			continue;
		note = report_text(r, "%s is poor: %s",
				   *m->text ? m->text : m->name,
				   remedies[i].advice);
		if (report_add_note(r, note))
			return PAPI_ENOMEM;
		if (r->n_notes == MOST_NOTES)
			break;
	}
	return 0;
}

typedef const char *(*rule)(struct report *);

/* Before what the metrics suggest, and after it. */
static const rule first_rules[] = {
	about_exit,
	about_unmeasured,
	about_scaled,
};

static const rule last_rules[] = {
	about_waiting, about_system,     about_disk,
	about_short,   about_simulation, about_repeats,
};

static int apply(const rule *rules, size_t n, struct report *r)
{
	for (size_t i = 0; i < n && r->n_notes < MOST_NOTES; i++) {
		const char *note = rules[i](r);

		if (note && *note && report_add_note(r, note))
			return PAPI_ENOMEM;
	}
	return 0;
}

int advice_add(struct report *r)
{
	int err = apply(first_rules, ARRAY_SIZE(first_rules), r);

	if (!err)
		err = add_remedies(r);
	if (!err)
		err = apply(last_rules, ARRAY_SIZE(last_rules), r);
	return err;
}
