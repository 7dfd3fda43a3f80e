/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a count is off. The methodology's loop: where predicted and reported
 * differ, causes that are known are looked for, in the shape of the difference
 * and by counting events that are related.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "validate/validate.h"

/* What may disturb, and what it would mean. */
static const struct {
	const char *event;
	const char *meaning;
} related[] = {
	{ "PAPI_BR_MSP", "mispredicted branches, and instructions on the "
			 "wrong path after them" },
	{ "PAPI_L1_DCM", "data that was not in the first-level cache" },
	{ "PAPI_L1_ICM", "code that was not in the first-level cache" },
	{ "PAPI_TLB_DM", "pages that were not in the TLB" },
	{ "PAPI_PRF_DM", "prefetches" },
	{ "perf::PAGE-FAULTS", "page faults" },
	{ "sim::PAGE_TOUCHES:ANY", "pages touched for the first time" },
};

static double excess(const struct validate_row *r)
{
	return r->mean - r->overhead - r->predicted;
}

/* The largest size that was counted. */
static const struct validate_row *largest(const struct validate_event *event,
					  size_t *size)
{
	const struct validate_row *row = NULL;

	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		if (event->rows[i].verdict != VERDICT_NONE) {
			row = &event->rows[i];
			*size = i;
		}
	return row;
}

/* The same share at every size from a thousand on: it counts something else. */
static bool is_proportional(const struct validate_event *event, double share)
{
	for (size_t i = 3; i < VALIDATE_SIZES; i++) {
		const struct validate_row *r = &event->rows[i];

		if (r->verdict != VERDICT_NONE && r->predicted > 0 &&
		    fabs(excess(r) / r->predicted - share) > 0.001)
			return false;
	}
	return true;
}

/* The count that the largest sizes end at, however many occur; or NaN. */
static double stops_at(const struct validate_event *event)
{
	const struct validate_row *last = NULL, *before = NULL;

	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		if (event->rows[i].verdict != VERDICT_NONE) {
			before = last;
			last = &event->rows[i];
		}
	if (!before || last->mean > before->mean || before->mean <= 0 ||
	    last->predicted <= before->predicted)
		return NAN;
	return last->mean;
}

/* Of how many nothing is counted, although more are counted; 0: of none. */
static double is_deaf_to(const struct validate_event *event)
{
	double deaf = 0;
	bool counts = false;

	for (size_t i = 0; i < VALIDATE_SIZES; i++) {
		const struct validate_row *r = &event->rows[i];
		double counted = r->mean - r->overhead;

		if (r->verdict == VERDICT_NONE)
			continue;
		if (!counts && counted <= 0 && r->predicted >= 1)
			deaf = r->predicted;
		else
			counts |= counted > 0.5 * r->predicted;
	}
	return counts ? deaf : 0;
}

static void put_shape(const struct validate_event *event,
		      const struct validate_row *row, struct strbuf *text)
{
	double off = excess(row);
	double share = row->predicted > 0 ? off / row->predicted : 0;

	if (!isnan(stops_at(event)))
		strbuf_addf(text, "it stops at %.0f: the counter is full",
			    stops_at(event));
	else if (is_deaf_to(event) > 0)
		strbuf_addf(text,
			    "nothing is counted of up to %.0f: the counter "
			    "shows only larger counts",
			    is_deaf_to(event));
	else if (row->predicted + off <= 0.02 * row->predicted)
		strbuf_add(text, event->check->source == FROM_HISTORY
					 ? "almost nothing is counted: the "
					   "predictor learns the pattern"
					 : "almost nothing is counted: the "
					   "expected events do not occur, or "
					   "the event counts something else");
	else if (is_proportional(event, share) && fabs(share) > 1e-6)
		strbuf_addf(text,
			    "%.4g counts for each one predicted, at every "
			    "size: the event is defined differently, or its "
			    "counter is wrong",
			    1 + share);
	else if (row->max > row->min)
		strbuf_add(text, "it differs between repeats: something else "
				 "is running at the same time");
	else
		strbuf_addf(text, "%.4g counts too %s", fabs(off),
			    off > 0 ? "many" : "few");
}

/* Sizes at which related events are counted: not more than a thousand. */
#define RELATED_SIZES 4

/* Share of the difference, as squares, that a cause must account for. */
#define EXPLAINS 0.95

/* What is off at each of these sizes, and what a related event counts there. */
struct suspicion {
	size_t n;
	double off[RELATED_SIZES];
	double count[RELATED_SIZES];
};

/*
 * How much of the difference so many for each of the related event accounts
 * for, over all sizes; *@each is how many.
 */
static double share_explained(const struct suspicion *s, double *each)
{
	double xy = 0, xx = 0, yy = 0;

	for (size_t i = 0; i < s->n; i++) {
		xy += s->count[i] * s->off[i];
		xx += s->count[i] * s->count[i];
		yy += s->off[i] * s->off[i];
	}
	*each = xx > 0 ? xy / xx : 0;
	return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

/* The first unit has no occurrence, the others one size each. */
static void suspect(const struct experiment_result *r,
		    const struct validate_event *event, size_t related_event,
		    struct suspicion *s)
{
	s->n = 0;
	for (size_t u = 1; u < r->n_units; u++) {
		double count = experiment_count(r, u, 0, related_event) -
			       experiment_count(r, 0, 0, related_event);

		if (event->rows[u - 1].verdict == VERDICT_NONE || isnan(count))
			continue;
		s->off[s->n] = excess(&event->rows[u - 1]);
		s->count[s->n++] = count;
	}
}

static void put_suspects(const struct experiment_result *r,
			 const struct validate_event *event,
			 struct strbuf *text)
{
	double best = EXPLAINS, each, times = 0;
	size_t cause = r->n_events;

	for (size_t i = 0; i < r->n_events; i++) {
		struct suspicion s;
		double share;

		if (strcmp(related[i].event, event->check->event) == 0)
			continue;
		suspect(r, event, i, &s);
		share = share_explained(&s, &each);
		if (share > best && fabs(each) > 0.01 && fabs(each) < 1000) {
			best = share;
			times = each;
			cause = i;
		}
	}
	if (cause < r->n_events)
		strbuf_addf(text,
			    "; %.3g for each of %s would explain %.1f %% of "
			    "it",
			    times, related[cause].meaning, 100 * best);
	else
		strbuf_add(text, "; no misprediction, miss, prefetch or page "
				 "fault explains it");
}

static const char no_time[] = "; there was no time to look for the cause";

/* Related events, with no occurrence and at sizes up to that which is off. */
static int put_related(const struct console *console,
		       const struct validate_options *o,
		       const struct validation *v,
		       const struct validate_event *event, size_t size,
		       struct strbuf *text)
{
	const char *names[ARRAY_SIZE(related)];
	struct kernel_point point = { .times = 0 };
	struct experiment_unit units[RELATED_SIZES + 1];
	struct experiment experiment = { .simulator = o->simulator,
					 .worker = o->worker,
					 .events = names,
					 .n_events = ARRAY_SIZE(related),
					 .units = units,
					 .n_units = size + 2,
					 .what = "looking for the cause" };
	double left = validate_time_left(o, v);
	struct experiment_result *r;
	int status;

	if (left <= 0) {
		strbuf_add(text, no_time);
		return 0;
	}
	experiment.budget_s = isinf(left) ? 0 : left;
	units[0] = (struct experiment_unit){ .kernel = kernels_find(
						     event->check->kernel) };
	kernel_points(units[0].kernel, &v->machine, &point, 1);
	for (size_t i = 0; i < experiment.n_units; i++) {
		units[i] = units[0];
		units[i].point = point;
		units[i].point.times = i ? (uint64_t)validate_size(i - 1) : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(related); i++)
		names[i] = related[i].event;
	status = experiment_run(console, &experiment, &r);
	if (status)
		return status;
	if (r->cut_short)
		strbuf_add(text, no_time);
	else
		put_suspects(r, event, text);
	experiment_free(r);
	return 0;
}

/* A shape that leaves nothing to explain. */
static bool is_conclusive(const struct validate_event *event)
{
	return !isnan(stops_at(event)) || is_deaf_to(event) > 0;
}

static int explain_event(const struct console *console,
			 const struct validate_options *o,
			 const struct validation *v,
			 struct validate_event *event)
{
	struct strbuf text = { 0 };
	size_t size = 0;
	const struct validate_row *row = largest(event, &size);
	int status = 0;

	if (!row)
		return 0;
	put_shape(event, row, &text);
	if (!is_conclusive(event))
		status = put_related(
			console, o, v, event,
			size < RELATED_SIZES ? size : RELATED_SIZES - 1, &text);
	event->cause = strbuf_take(&text);
	return status;
}

int validate_explain(const struct console *console,
		     const struct validate_options *options,
		     struct validation *v)
{
	int status = 0;

	for (size_t e = 0; e < v->n && !status; e++) {
		struct validate_event *event = &v->events[e];

		if (event->verdict == VERDICT_FAIL && !event->finding)
			status = explain_event(console, options, v, event);
		else if (event->check->source == FROM_HISTORY &&
			 v->machine.history >= 10)
			event->cause = str_format("the end of a loop of ten "
						  "iterations is predicted: "
						  "this predictor remembers %u",
						  v->machine.history);
	}
	return status;
}
