/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules from a report to advice. Each looks at one thing and says one
 * sentence with the number that made it speak; the table orders them.
 */

#include "cli/advice.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define MOST_NOTES 5

/* Below this, starting the program is most of what was counted. */
#define SHORT_RUN_S 0.01

static const char *about_exit(struct report *r)
{
	if (r->exit == 0)
		return NULL;
	return report_text(r,
			   "the program failed (exit status %d): what was "
			   "counted is the way to its failure",
			   r->exit);
}

static const char *about_unmeasured(struct report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_events; i++)
		n += r->events[i].quality == REPORT_NONE;
	if (n == 0)
		return NULL;
	if (strcmp(r->pmu.kind, "none") == 0)
		return report_text(r, "hardware events need a PMU: `assay "
				      "doctor` says why there is none and "
				      "what would help");
	return report_text(r,
			   "%zu event%s had no value: `assay explain "
			   "NAME` says what %s",
			   n, n == 1 ? "" : "s",
			   n == 1 ? "it needs" : "they need");
}

static const char *about_scaled(struct report *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality == REPORT_SCALED)
			return report_text(r, "there were more events than "
					      "counters: ask for fewer with "
					      "-e to have them counted "
					      "exactly");
	return NULL;
}

static const char *about_short(struct report *r)
{
	if (!r->time.native || !(r->time.wall_s.value < SHORT_RUN_S))
		return NULL;
	return report_text(r,
			   "it ran %.1f ms: much of this is starting and "
			   "linking the program; give it more work",
			   1e3 * r->time.wall_s.value);
}

static const char *about_waiting(struct report *r)
{
	double busy = r->time.user_s.value + r->time.system_s.value;
	double share = busy / r->time.wall_s.value;
	bool waited = r->resources.voluntary_switches >
		      r->resources.involuntary_switches;

	if (!r->time.native || !(share < 0.7) ||
	    r->time.wall_s.value < SHORT_RUN_S)
		return NULL;
	if (waited)
		return report_text(r,
				   "it was on a CPU %.0f %% of the time "
				   "and waited the rest: look at input, "
				   "output and locks before the processor",
				   100 * share);
	return report_text(r,
			   "it was on a CPU %.0f %% of the time because "
			   "others had the CPUs too: wall time says more "
			   "about them",
			   100 * share);
}

static const char *about_system(struct report *r)
{
	double busy = r->time.user_s.value + r->time.system_s.value;
	double share = r->time.system_s.value / busy;
	double faults =
		(double)(r->resources.minor_faults + r->resources.major_faults);

	if (!r->time.native || !(share > 0.2) || busy < SHORT_RUN_S)
		return NULL;
	return report_text(r,
			   "%.0f %% of its CPU time is the kernel's, with "
			   "%.0f page faults a second: look at system "
			   "calls and at first touches of memory",
			   100 * share, faults / r->time.wall_s.value);
}

static const char *about_disk(struct report *r)
{
	if (r->resources.major_faults == 0)
		return NULL;
	return report_text(r,
			   "%llu page faults were read from disk: run it "
			   "again with warm caches",
			   (unsigned long long)r->resources.major_faults);
}

static const char *about_repeats(struct report *r)
{
	if (r->runs > 1 || !r->time.native)
		return NULL;
	return report_text(r, "one run says nothing of the spread: -r 5 "
			      "repeats it and shows mean and range");
}

static const char *about_simulation(struct report *r)
{
	if (r->time.native)
		return NULL;
	return report_text(r, "counts are the same in every run; for times on "
			      "this machine use --pmu none");
}

/* A metric that is poor speaks for itself; the worst are named. */
static const char *about_poor(struct report *r)
{
	const struct report_metric *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->n_metrics; i++) {
		if (r->metrics[i].verdict != REPORT_POOR)
			continue;
		n++;
		if (!first)
			first = &r->metrics[i];
	}
	if (!first)
		return NULL;
	return report_text(r,
			   "%zu metric%s poor: `assay explain %s` says "
			   "what that means and what to measure next",
			   n, n == 1 ? " is" : "s are", first->name);
}

static const char *(*const rules[])(struct report *) = {
	about_exit,       about_unmeasured, about_poor, about_scaled,
	about_waiting,    about_system,     about_disk, about_short,
	about_simulation, about_repeats,
};

int advice_add(struct report *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const char *note = rules[i](r);

		if (note && *note && report_add_note(r, note))
			return PAPI_ENOMEM;
		if (r->n_notes == MOST_NOTES)
			break;
	}
	return 0;
}
