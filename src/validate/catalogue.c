/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Validation by the whole catalogue: every kernel that says something of what a
 * preset means is counted, and what the event counts in all of them together
 * must be that. One kernel a preset shows that a counter counts something; only
 * many show that it leaves nothing out and counts nothing else. Where kernels
 * contradict, the kinds of instructions or accesses that explain it are named.
 *
 * The kernels, their slopes and what they should be come from src/classify; how
 * explanations are chosen is analysis/departure.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/departure.h"
#include "base/strbuf.h"
#include "classify/classify.h"
#include "console/console.h"
#include "validate/sample.h"
#include "validate/validate.h"

/*
 * How often @part is counted by @whole: the same for each of its concepts, or
 * NaN. 0 if it has none of them.
 */
static double share_of(size_t part, size_t whole)
{
	double share = NAN;

	for (size_t i = 0; i < CONCEPT_COUNT; i++) {
		double mine = classify_term_weight(part, i);
		double its;

		if (mine == 0)
			continue;
		its = classify_term_weight(whole, i) / mine;
		if (!isnan(share) && fabs(share - its) > 1e-9)
			return NAN;
		share = its;
	}
	return share;
}

static void add_amount(struct strbuf *text, double amount, double error)
{
	int over, under;

	departure_fraction(amount, fmin(error, 0.005), &over, &under);
	if (under == 1)
		strbuf_addf(text, "%d", over);
	else if (under)
		strbuf_addf(text, "%d/%d", over, under);
	else
		strbuf_addf(text, "%.4g", amount);
}

/* What is counted of the claim where no other term is about it: mostly 1. */
static double base_of(size_t claim, const struct departure *d)
{
	for (size_t k = 0; k < d->n; k++)
		if (d->term[k] == claim)
			return 1 + d->amount[k];
	return 1;
}

/* "floating-point multiplications: 5/9 counted for each" */
static void add_term(struct strbuf *text, size_t claim,
		     const struct departure *d, size_t k)
{
	size_t term = d->term[k];
	double share = share_of(term, claim);
	double counted =
		d->amount[k] + (term == claim ? 1 : share * base_of(claim, d));

	strbuf_addf(text, "%s%s: ", text->len ? "; " : "",
		    classify_term_text(term));
	if (fabs(share) > 0 && fabs(counted) <= 0.02) {
		strbuf_add(text, "not counted");
	} else if (fabs(share) > 0) { /* false for NaN */
		add_amount(text, counted, d->error[k]);
		strbuf_add(text, " counted for each");
		if (fabs(share - 1) > 1e-9)
			strbuf_addf(text, ", instead of %g", share);
	} else {
		add_amount(text, fabs(d->amount[k]), d->error[k]);
		strbuf_add(text, d->amount[k] > 0 ? " too many for each"
						  : " too few for each");
	}
}

/* "counts 1.5 for each iteration of branch/1, where 1 is expected" */
static void add_kernel(struct strbuf *text, const struct classification *c,
		       size_t event, size_t claim, size_t bench)
{
	size_t benches = c->plan->n_benches;

	strbuf_addf(text, "%.6g per iteration of %s instead of %.6g",
		    c->slope[event * benches + bench],
		    c->plan->benches[bench].name,
		    c->terms.value[claim * benches + bench]);
}

static char *describe(const struct classification *c, size_t event,
		      size_t claim, const struct departure *d)
{
	struct strbuf text = { 0 };

	for (size_t k = 0; k < d->n; k++)
		add_term(&text, claim, d, k);
	if (d->left > 0) {
		strbuf_add(&text, d->n ? "; that does not explain everything: "
				       : "no kind of instruction or access "
					 "explains it: ");
		add_kernel(&text, c, event, claim, d->n ? d->rest : d->worst);
	}
	strbuf_addf(&text, " (%zu of %zu kernels differ, most: ", d->off,
		    d->kernels);
	add_kernel(&text, c, event, claim, d->worst);
	strbuf_add(&text, ")");
	return strbuf_take(&text);
}

/*
 * Terms that no explanation is made of: those that no kernel makes count,
 * cycles by what they are spent on, and what never retires.
 */
static unsigned char *bar_terms(const struct classification *c)
{
	unsigned char *barred = malloc(c->terms.n + 1);

	for (size_t t = 0; barred && t < c->terms.n; t++)
		barred[t] = c->terms.barred[t] || classify_term_is_cycles(t);
	return barred;
}

/*
 * What starting and stopping adds to a count: the median over all kernels. And
 * by how much that differs from one to another, as a standard deviation, by
 * the median of the differences: loads hardly do, cycles do. @error, if not
 * NULL, is the median's own.
 */
static double overhead_of(const struct classification *c, size_t event,
			  double *work, double *deviation, double *error)
{
	size_t benches = c->plan->n_benches, n = 0;
	double overhead;

	for (size_t b = 0; b < benches; b++) {
		const struct slope *line = &c->slopes[event * benches + b];

		if (c->plan->benches[b].n > 1 && isfinite(line->intercept))
			work[n++] = line->intercept;
	}
	overhead = n ? sample_median(work, n) : 0;
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(work[i] - overhead);
	*deviation = n ? 1.4826 * sample_median(work, n) : 0;
	/* of normal numbers the median varies sqrt(pi / 2) as much as the mean
	 */
	if (error)
		*error = n ? 1.2533 * *deviation / sqrt((double)n) : 0;
	return overhead;
}

/*
 * What an event counts in one iteration of each kernel, and the errors of that
 * behind it, to be freed. Where a kernel has one length only, there is no line
 * to take it from: overhead is taken off, and what is not known of it is part
 * of the error.
 */
static double *slopes_of(const struct classification *c, size_t event)
{
	size_t benches = c->plan->n_benches;
	double *slopes = malloc((2 * benches + 1) * sizeof(*slopes));
	double *errors;
	double overhead, deviation;

	if (!slopes)
		return NULL;
	errors = slopes + benches;
	overhead = overhead_of(c, event, slopes, &deviation, NULL);
	for (size_t b = 0; b < benches; b++) {
		const struct classify_bench *bench = &c->plan->benches[b];
		double times = (double)bench->point.times;

		slopes[b] = c->slope[event * benches + b];
		errors[b] = c->error[event * benches + b];
		if (bench->n > 1)
			continue;
		slopes[b] -= overhead / times;
		errors[b] = isfinite(errors[b])
				    ? hypot(errors[b], deviation / times)
				    : deviation / times;
	}
	return slopes;
}

static int find(const struct classification *c, size_t i, size_t claim,
		double tolerance, struct departure *d)
{
	size_t benches = c->plan->n_benches;
	double *slopes = slopes_of(c, i);
	unsigned char *barred = bar_terms(c);
	struct evidence e = { .slope = slopes,
			      .error = slopes ? slopes + benches : NULL,
			      .n = benches };
	int err = slopes && barred
			  ? departure_find(&e, &c->terms.x[claim], c->terms.x,
					   c->terms.n, barred, tolerance, d)
			  : PAPI_ENOMEM;

	free(slopes);
	free(barred);
	return err;
}

/*
 * The most that starting, stopping and the way into a kernel can add to an
 * event: something for each of their instructions, of which none is arithmetic
 * on floating-point numbers. INFINITY where that is no bound.
 */
static double most_overhead(size_t claim, double instructions)
{
	enum concept first =
		claim < CONCEPT_COUNT
			? (enum concept)claim
			: composites[claim - CONCEPT_COUNT].terms[0].concept;

	if (classify_term_is_cycles(claim) || isnan(instructions))
		return INFINITY;
	return concepts[first].family == FAMILY_FP ? 0 : instructions;
}

/* What starting and stopping adds to counts of @event; NaN: it is not known. */
static double overhead_in(const struct classification *c, size_t event,
			  double *error)
{
	double *work = malloc((c->plan->n_benches + 1) * sizeof(*work));
	double deviation;
	double overhead =
		work && !c->events[event].reason
			? overhead_of(c, event, work, &deviation, error)
			: NAN;

	free(work);
	return overhead;
}

/* Standard errors of two medians that may differ: as departure.c has it. */
#define OVERHEAD_ERRORS 4

/* Something in every count that no instruction accounts for. */
static int judge_overhead(const struct classification *c, size_t i,
			  size_t claim, struct validate_event *event)
{
	/* the last event is instructions */
	double errors[2] = { 0, 0 };
	double most = most_overhead(claim, overhead_in(c, c->n - 1, errors));
	double overhead = overhead_in(c, i, errors + 1);
	double slack = fmax(0.5, OVERHEAD_ERRORS * hypot(errors[0], errors[1]));

	if (event->finding || !(overhead > most + slack)) /* false for NaN */
		return 0;
	event->verdict = VERDICT_FAIL;
	event->finding =
		str_format("%.6g in every count, of which the instructions "
			   "between start and stop explain at most %.6g",
			   overhead, most);
	return event->finding ? 0 : PAPI_ENOMEM;
}

static int judge_kernel(const struct console *console,
			const struct classification *c, size_t i,
			double tolerance, struct validate_event *event)
{
	size_t claim = classify_preset_term(event->check->event);
	struct departure d;
	int err;

	if (claim == c->terms.n || c->terms.barred[claim])
		return 0;
	if (c->events[i].shared) {
		event->verdict = VERDICT_FAIL;
		event->finding = strdup("what other threads of the process do "
					"is counted, too");
		return event->finding ? 0 : say_no_memory(console);
	}
	err = find(c, i, claim, tolerance, &d);
	if (!err) {
		event->kernels = d.kernels;
		event->kernels_off = d.off;
	}
	if (!err && d.off > 0) {
		event->verdict = VERDICT_FAIL;
		event->finding = describe(c, i, claim, &d);
		if (!event->finding)
			err = PAPI_ENOMEM;
	}
	if (!err)
		err = judge_overhead(c, i, claim, event);
	if (!err)
		return 0;
	return say_no_memory(console);
}

static int judge_all(const struct console *console,
		     const struct classify_plan *plan,
		     const struct experiment_result *result, double tolerance,
		     struct validation *v, const size_t *at)
{
	struct classification c = { 0 };
	int status = 0;
	int err = classify(&c, plan, result);

	if (err == PAPI_EINVAL) /* nothing was counted: the rows say why */
		return 0;
	if (err)
		return say_no_memory(console);
	/* the last one is there to compare with */
	for (size_t i = 0; i + 1 < c.n && !status; i++)
		status = judge_kernel(console, &c, i, tolerance,
				      &v->events[at[i]]);
	classification_fini(&c);
	return status;
}

/* Events that were counted and whose meaning is known, into @names and @at. */
static size_t choose(const struct validation *v, const char **names, size_t *at)
{
	size_t n = 0;

	for (size_t e = 0; e < v->n; e++) {
		const char *preset = v->events[e].check->event;

		if (v->events[e].verdict == VERDICT_NONE ||
		    classify_preset_term(preset) ==
			    CONCEPT_COUNT + composites_n)
			continue;
		names[n] = v->events[e].name;
		at[n++] = e;
	}
	return n;
}

static int run_catalogue(const struct console *console,
			 const struct validate_options *o, struct validation *v,
			 const char **names, const size_t *at, size_t n)
{
	struct classify_plan plan;
	struct experiment_result *result = NULL;
	struct experiment experiment = {
		.simulator = o->simulator,
		.worker = o->worker,
		.events = names,
		.n_events = n,
		.repeats = o->simulator && !o->simulator->noise ? 2 : 5,
		.what = "validating with all kernels",
	};
	double left = validate_time_left(o, v);
	int status;

	if (left <= 0) {
		v->cut_short = true;
		return 0;
	}

	if (classify_plan_make(&plan, &v->machine, o->kernels))
		return say_no_memory(console);
	experiment.budget_s = isinf(left) ? 0 : left;
	experiment.units = plan.units;
	experiment.n_units = plan.n_units;
	status = experiment_run(console, &experiment, &result);
	if (!status) {
		v->cut_short |= result->cut_short;
		status = judge_all(console, &plan, result, o->tolerance, v, at);
	}
	experiment_free(result);
	classify_plan_fini(&plan);
	return status;
}

int validate_by_catalogue(const struct console *console,
			  const struct validate_options *o,
			  struct validation *v)
{
	const char **names = calloc(v->n + 2, sizeof(*names));
	size_t *at = calloc(v->n + 1, sizeof(*at));
	size_t n = names && at ? choose(v, names, at) : 0;
	int status = 0;

	if (!names || !at) {
		status = say_no_memory(console);
	} else if (n > 0 && !o->gpu) {
		names[n] = "PAPI_TOT_INS";
		status = run_catalogue(console, o, v, names, at, n + 1);
	}
	free(names);
	free(at);
	return status;
}
