/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Validation: the experiment, and what its counts say.
 *
 * For each event its kernel is run for 0, 1, 10, ... occurrences. Zero gives
 * the overhead: of the interface, and of the way into the kernel and out of
 * it. What an occurrence is made of is counted in the object code.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <assay/assay.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "kernels/gpu/driver.h"
#include "lab/experiment.h"
#include "measure/pmu.h"
#include "validate/sample.h"
#include "validate/validate.h"

#define PATTERN_SIZE    3 /* 1000 occurrences */
#define SCATTERED_PAGES 6 /* for each that a cache holds */
#define EVENTS_MOST     64

/* Counted beside events that these add to. */
#define MISPREDICTIONS "PAPI_BR_MSP"

/* Counted and kept by size; the last one is for no occurrence. */
struct plan {
	struct experiment_unit *units;
	size_t n;
	/* Of each event: unit by pattern and size, plus one for none. */
	size_t (*unit_of)[PATTERN_COUNT][VALIDATE_SIZES + 1];
};

/* The events. */

/* "gpu" and "software": every event of that kind that there is a check of. */
static int add_kind(const struct console *console, struct validation *v,
		    bool (*is_kind)(const struct validate_check *))
{
	for (size_t i = 0; i < validate_checks_n; i++) {
		struct validate_event *event = &v->events[v->n];

		if (!is_kind(&validate_checks[i]))
			continue;
		event->check = &validate_checks[i];
		event->name = strdup(validate_checks[i].event);
		v->n++;
		if (!event->name)
			return say_no_memory(console);
	}
	return 0;
}

/* The preset that @text, "EVENT" or "EVENT=PRESET", is checked as. */
static const char *preset_of(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals ? equals + 1 : text;
}

static int unknown_preset(const struct console *console, const char *name)
{
	struct nearest near;
	const char *hint;

	nearest_init(&near, name);
	for (size_t i = 0; i < validate_checks_n; i++)
		nearest_add(&near, validate_checks[i].event);
	hint = nearest_text(&near, "");
	say_error_hint(console,
		       hint ? hint
			    : "EVENT=PRESET validates an event as if it were "
			      "that preset",
		       "no kernel predicts '%s'", name);
	return CMD_USAGE;
}

int validate_check_events(const struct console *console,
			  const struct validate_options *o)
{
	for (size_t i = 0; i < o->n_events; i++)
		if (!validate_find(preset_of(o->events[i])) &&
		    strcmp(o->events[i], "gpu") != 0 &&
		    strcmp(o->events[i], "software") != 0)
			return unknown_preset(console, preset_of(o->events[i]));
	return 0;
}

/* What is counted, and as what it is checked. */
static int add_named(const struct console *console, struct validation *v,
		     const char *text)
{
	const char *equals = strchr(text, '=');
	struct validate_event *event = &v->events[v->n];

	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		event->rows[i].verdict = VERDICT_NONE;
	event->check = validate_find(preset_of(text));
	if (!event->check)
		return unknown_preset(console, preset_of(text));
	event->name =
		equals ? strndup(text, (size_t)(equals - text)) : strdup(text);
	v->n++;
	return event->name ? 0 : say_no_memory(console);
}

static int choose_events(const struct console *console,
			 const struct validate_options *o, struct validation *v)
{
	size_t n = o->n_events;
	int status = 0;

	if (n == 0) /* the presets come first */
		while (n < validate_checks_n &&
		       strncmp(validate_checks[n].event, "PAPI_", 5) == 0)
			n++;

	if (n > EVENTS_MOST)
		return say_usage(console, "at most %d events at a time",
				 EVENTS_MOST);
	v->events = calloc(n + validate_checks_n + 1, sizeof(*v->events));
	if (!v->events)
		return say_no_memory(console);
	if (n == 1 && o->gpu && strcmp(o->events[0], "gpu") == 0)
		return add_kind(console, v, validate_is_gpu);
	if (n == 1 && o->software && strcmp(o->events[0], "software") == 0)
		return add_kind(console, v, validate_is_software);
	for (size_t i = 0; i < n && !status; i++)
		status = add_named(console, v,
				   o->n_events ? o->events[i]
					       : validate_checks[i].event);
	return status;
}

/* Units. */

/*
 * Twice as many lines of one set as it has ways: whichever is replaced, the
 * least recently used or one by a bit for each line, none stays until it is its
 * turn again.
 */
static struct kernel_point conflict(uint64_t bytes, unsigned ways)
{
	uint64_t unit = ways ? bytes / ways : 0;

	return (struct kernel_point){ .footprint = unit * 2 * ways,
				      .unit = (uint32_t)unit };
}

/*
 * The set of a physical address is not known: one line of each page, of so many
 * pages that however they are scattered each set has more than twice its ways.
 */
static struct kernel_point conflict_by_pages(uint64_t bytes,
					     const struct kernel_machine *m)
{
	return (struct kernel_point){ .footprint = bytes * SCATTERED_PAGES,
				      .unit = (uint32_t)m->page_bytes };
}

static struct kernel_point point_of(const struct validate_check *check,
				    const struct kernel_machine *m)
{
	switch (check->part) {
	case PART_L1D:
		return conflict(m->l1d.bytes, m->l1d.ways);
	case PART_L2:
	case PART_L2_CODE:
		return conflict_by_pages(m->l2.bytes, m);
	case PART_DTLB:
		return conflict((uint64_t)m->dtlb.entries * m->page_bytes,
				m->dtlb.ways);
	case PART_L1I:
		return conflict(m->l1i.bytes, m->l1i.ways);
	default:
		return (struct kernel_point){ 0 };
	}
}

static bool is_same_point(const struct kernel_point *a,
			  const struct kernel_point *b)
{
	return a->times == b->times && a->footprint == b->footprint &&
	       a->unit == b->unit;
}

/* Which event counts mispredictions: of those that are validated, or the one
 * after them. */
static size_t misp_event(const struct validation *v)
{
	for (size_t e = 0; e < v->n; e++)
		if (strcmp(v->events[e].name, MISPREDICTIONS) == 0)
			return e;
	return v->n;
}

/* The unit for an event at @occurrences; shared by events of one kernel. */
static size_t need_unit(struct plan *plan, const struct validation *v, size_t e,
			enum experiment_pattern pattern, double occurrences)
{
	const struct validate_check *check = v->events[e].check;
	struct experiment_unit unit = {
		.kernel = kernels_find(check->kernel),
		.point = point_of(check, &v->machine),
		.pattern = pattern,
	};

	unit.point.times = (uint64_t)occurrences;
	if (check->source == FROM_CHANCE)
		unit.point.times *= 2;
	if (validate_is_gpu(check))
		unit.point.times *= DRIVER_WARPS;
	unit.events = UINT64_C(1) << e;
	if (check->restart > 0 && misp_event(v) < EVENTS_MOST)
		unit.events |= UINT64_C(1) << misp_event(v);
	for (size_t i = 0; i < plan->n; i++)
		if (plan->units[i].kernel == unit.kernel &&
		    plan->units[i].pattern == pattern &&
		    is_same_point(&plan->units[i].point, &unit.point)) {
			plan->units[i].events |= unit.events;
			return i;
		}
	plan->units[plan->n] = unit;
	return plan->n++;
}

static bool is_known(const struct validate_check *check,
		     const struct kernel_machine *m)
{
	return kernels_find(check->kernel) &&
	       (check->part == PART_NONE || point_of(check, m).unit > 0);
}

/* Whether so many are to be caused. */
static bool is_asked(const struct validate_check *check, size_t size)
{
	return check->most == 0 || validate_size(size) <= check->most;
}

static void plan_event(struct plan *plan, const struct validation *v, size_t e,
		       const struct validate_options *o)
{
	size_t(*of)[VALIDATE_SIZES + 1] = plan->unit_of[e];

	for (int p = 0; p < PATTERN_COUNT; p++)
		for (size_t i = 0; i <= VALIDATE_SIZES; i++)
			of[p][i] = SAMPLE_NONE;
	if (!is_known(v->events[e].check, &v->machine))
		return;
	for (int p = 0; p < (o->patterns ? PATTERN_COUNT : 1); p++) {
		enum experiment_pattern pattern = (enum experiment_pattern)p;

		of[p][VALIDATE_SIZES] = need_unit(plan, v, e, pattern, 0);
		for (size_t i = 0; i < o->sizes; i++)
			if ((p == PATTERN_START_STOP || i == PATTERN_SIZE) &&
			    is_asked(v->events[e].check, i))
				of[p][i] = need_unit(plan, v, e, pattern,
						     validate_size(i));
	}
}

static int make_plan(const struct console *console, const struct validation *v,
		     const struct validate_options *o, struct plan *plan)
{
	size_t capacity = v->n * (VALIDATE_SIZES + 1 + 2 * PATTERN_COUNT) + 1;

	plan->units = calloc(capacity, sizeof(*plan->units));
	plan->unit_of = calloc(v->n + 1, sizeof(*plan->unit_of));
	if (!plan->units || !plan->unit_of)
		return say_no_memory(console);
	for (size_t e = 0; e < v->n; e++)
		plan_event(plan, v, e, o);
	return 0;
}

/* Rows. */

static struct validate_row row_of(const struct validate_check *check,
				  double predicted, double occurrences,
				  const struct sample *s, double overhead)
{
	double whole = predicted > 0 ? predicted : occurrences;
	struct validate_row row = {
		.predicted = predicted,
		.mean = s->mean,
		.variance = s->variance,
		.stddev = sqrt(s->variance),
		.min = s->min,
		.max = s->max,
		.overhead = overhead,
		.allowed = validate_allowed(check, predicted),
		.verdict = VERDICT_NONE,
	};

	row.error_pct = 100 * (s->mean - predicted) / whole;
	row.corrected_pct = 100 * (s->mean - overhead - predicted) / whole;
	return row;
}

/* Standard errors that a mean may be off: one in 16,000 is, by chance. */
#define ERRORS 4

/*
 * What a count may be off. Where all repeats gave the same at every size there
 * is no noise to hide in. Where they did not, a mean is as predicted if it is
 * so within the tolerance, a count, and what the noise leaves open.
 */
static double allowed_of(const struct validate_row *row, const struct sample *s,
			 const struct sample *none, double tolerance)
{
	return fmax(row->allowed, tolerance * row->predicted + 1 +
					  ERRORS * hypot(sample_error(s),
							 sample_error(none)));
}

static enum validate_verdict verdict_of(const struct validate_row *row,
					const struct sample *s)
{
	double off = fabs(row->mean - row->overhead - row->predicted);

	if (s->n == 0 || isnan(row->corrected_pct))
		return VERDICT_NONE;
	return off <= row->allowed + 1e-9 * row->predicted ? VERDICT_PASS
							   : VERDICT_FAIL;
}

static enum validate_class class_of(const struct validate_event *event,
				    size_t sizes)
{
	bool varies = false, overhead = false, off = false;

	if (event->verdict == VERDICT_NONE)
		return CLASS_UNKNOWN;
	for (size_t i = 0; i < sizes; i++) {
		const struct validate_row *row = &event->rows[i];

		if (row->verdict == VERDICT_NONE)
			continue;
		varies |= row->max > row->min;
		overhead |= row->overhead != 0;
		off |= fabs(row->corrected_pct) > 1e-9;
	}
	if (event->check->source == FROM_CHANCE)
		return CLASS_CHANCE;
	if (varies)
		return CLASS_VARYING;
	if (off)
		return CLASS_STABLE;
	return overhead ? CLASS_CONSTANT : CLASS_EXACT;
}

static void judge_row(struct validate_event *event, size_t sizes)
{
	event->verdict = VERDICT_NONE;
	for (size_t i = 0; i < sizes; i++)
		if (event->rows[i].verdict == VERDICT_FAIL ||
		    event->verdict == VERDICT_NONE)
			event->verdict = event->rows[i].verdict;
	event->class = class_of(event, sizes);
}

static int take_reason(const struct console *console,
		       struct validate_event *event, const char *reason)
{
	if (!reason || event->reason)
		return 0;
	event->reason = strdup(reason);
	return event->reason ? 0 : say_no_memory(console);
}

/* Whether repeats of one size differ. */
static bool is_noisy(const struct experiment_result *r, const size_t *units,
		     size_t e)
{
	for (size_t i = 0; i <= VALIDATE_SIZES; i++) {
		struct sample s = sample_of(r, units[i], e);

		if (s.n > 0 && s.max > s.min)
			return true;
	}
	return false;
}

/* Mispredictions in @unit beyond those with no occurrence; NaN: not counted. */
static double mispredictions(const struct experiment_result *r,
			     const size_t *units, size_t size, size_t n)
{
	struct sample s = { .n = 0 }, none = { .n = 0 };

	if (n < r->n_events) {
		s = sample_of(r, units[size], n);
		none = sample_of(r, units[VALIDATE_SIZES], n);
	}
	return s.n > 0 && none.n > 0 ? s.median - none.median : NAN;
}

/* One way of reading, at every size that was counted. */
static void fill_rows(const struct validate_options *o, const size_t *units,
		      const struct experiment_result *r,
		      const struct kernel_code *code,
		      const struct validation *v, size_t e, int pattern)
{
	struct validate_event *event = &v->events[e];
	struct sample none = sample_of(r, units[VALIDATE_SIZES], e);
	bool noisy = is_noisy(r, units, e);

	for (size_t i = 0; i < o->sizes; i++) {
		struct sample s = sample_of(r, units[i], e);
		double asked = validate_size(i);
		struct validate_row row =
			row_of(event->check,
			       validate_predict(event->check, code, &v->machine,
						asked),
			       asked, &s, none.median);

		row.allowed =
			fmax(row.allowed,
			     validate_restarts(event->check,
					       mispredictions(r, units, i,
							      misp_event(v))));
		row.allowed += validate_slack(event->check, &v->machine,
					      pattern, asked);
		if (noisy)
			row.allowed = allowed_of(&row, &s, &none, o->tolerance);
		row.verdict = verdict_of(&row, &s);
		if (!is_asked(event->check, i))
			row = (struct validate_row){ .corrected_pct = NAN,
						     .verdict = VERDICT_NONE };
		if (pattern == PATTERN_START_STOP)
			event->rows[i] = row;
		if (i == PATTERN_SIZE)
			event->patterns[pattern] = row;
	}
}

/* Why an event has no verdict. */
static const char *why_none(const struct experiment_result *r, size_t e,
			    size_t unit)
{
	if (r->events[e].reason)
		return r->events[e].reason;
	if (unit == SAMPLE_NONE)
		return "this machine's geometry is not known";
	if (r->reasons[unit])
		return r->reasons[unit];
	return r->cut_short ? "there was no time for it" : NULL;
}

static int evaluate(const struct console *console,
		    const struct validate_options *o, const struct plan *plan,
		    const struct experiment_result *r,
		    const struct kernel_code *codes, struct validation *v)
{
	int status = 0;

	for (size_t e = 0; e < v->n && !status; e++) {
		struct validate_event *event = &v->events[e];

		for (int p = 0; p < PATTERN_COUNT; p++)
			fill_rows(o, plan->unit_of[e][p], r, &codes[e], v, e,
				  p);
		judge_row(event, o->sizes);
		if (event->verdict == VERDICT_NONE)
			status = take_reason(
				console, event,
				why_none(r, e, plan->unit_of[e][0][0]));
	}
	return status;
}

/* All of it. */

/*
 * A simulated machine gives the same each time, and three show it. A real one
 * is asked a hundred times.
 */
static unsigned repeats_of(const struct validate_options *o)
{
	if (o->repeats)
		return o->repeats;
	if (o->gpu) /* a second each, for a million turns */
		return 5;
	if (o->software) /* half a second each, for ten thousand */
		return 10;
	return o->simulator && !o->simulator->noise ? 3 : 100;
}

static bool is_proven(const struct validation *v, size_t sizes)
{
	bool any = false;

	for (size_t e = 0; e < v->n; e++)
		for (size_t i = 0; i < sizes; i++) {
			const struct validate_row *row = &v->events[e].rows[i];

			if (row->max > row->min)
				return false;
			any |= row->verdict != VERDICT_NONE;
		}
	return any;
}

double validate_time_left(const struct validate_options *options,
			  const struct validation *v)
{
	return options->budget_s > 0
		       ? options->budget_s -
				 (double)(clock_real_ns() - v->began_ns) * 1e-9
		       : INFINITY;
}

/* Whether mispredictions have to be counted that nobody asked for. */
static bool adds_mispredictions(const struct validation *v)
{
	if (misp_event(v) < v->n || v->n == EVENTS_MOST)
		return false;
	for (size_t e = 0; e < v->n; e++)
		if (v->events[e].check->restart > 0)
			return true;
	return false;
}

static int count_all(const struct console *console,
		     const struct validate_options *o, struct validation *v)
{
	OWNED const char **names = calloc(v->n + 2, sizeof(*names));
	OWNED struct kernel_code *codes = calloc(v->n + 1, sizeof(*codes));
	struct experiment experiment = {
		.simulator = o->simulator,
		.worker = o->worker,
		.events = names,
		.n_events = v->n,
		.repeats = v->repeats,
		/* what is spent already is spent */
		.budget_s = o->budget_s > 0
				    ? fmax(validate_time_left(o, v), 1e-9)
				    : 0,
		.journal = o->journal,
		.what = "validating",
		.without_pmu = o->gpu || o->software,
	};
	struct experiment_result *result = NULL;
	struct plan plan = { 0 };
	int status = names && codes ? 0 : say_no_memory(console);

	for (size_t e = 0; e < v->n && !status; e++)
		names[e] = v->events[e].name;
	if (!status && adds_mispredictions(v))
		names[experiment.n_events++] = MISPREDICTIONS;
	if (!status)
		status = validate_read_codes(console, v, o->worker, codes);
	if (!status)
		status = make_plan(console, v, o, &plan);
	experiment.units = plan.units;
	experiment.n_units = plan.n;
	if (!status)
		status = o->gpu ? experiment_gpu_run(console, &experiment,
						     &result)
				: experiment_run(console, &experiment, &result);
	if (!status) {
		v->cut_short = result->cut_short;
		status = evaluate(console, o, &plan, result, codes, v);
	}
	experiment_free(result);
	free(plan.units);
	free(plan.unit_of);
	return status;
}

/* What results are kept under: the PMU's name, as the library has it. */
static void name_platform(const struct console *console,
			  const struct simulator_options *s, char *text,
			  size_t capacity)
{
	struct assay_pmu pmu = { .name = "" };

	if (s) {
		snprintf(text, capacity, "sim-%s", simulator_model(s->model));
		return;
	}
	snprintf(text, capacity, "hw");
	if (session_open(console))
		return;
	if (assay_get_pmu(&pmu) == PAPI_OK && *pmu.name)
		snprintf(text, capacity, "%s", pmu.name);
	PAPI_shutdown();
}

static void describe_place(bool simulated, char *text, size_t capacity)
{
	struct utsname names;

	if (uname(&names))
		return;
	snprintf(text, capacity, "%s%.32s, Linux %.64s",
		 simulated ? "simulated on " : "", names.machine,
		 names.release);
}

int validate_run(const struct console *console,
		 const struct validate_options *options,
		 struct validation **out)
{
	const struct simulator_options *s = options->simulator;
	struct validation *v = calloc(1, sizeof(*v));
	int status;

	if (!v)
		return say_no_memory(console);
	v->began_ns = clock_real_ns();
	describe_place(s != NULL, v->where, sizeof(v->where));
	if (options->worker)
		v->platform[0] = '\0'; /* it will tell */
	else if (options->gpu)
		snprintf(v->platform, sizeof(v->platform), "gpu");
	else if (options->software)
		snprintf(v->platform, sizeof(v->platform), "software");
	else
		name_platform(console, s, v->platform, sizeof(v->platform));
	v->repeats = repeats_of(options);
	status = choose_events(console, options, v);
	if (!status && options->worker) /* nothing is known of its caches */
		v->machine = (struct kernel_machine){ .page_bytes = 4096,
						      .history = 129 };
	else if (!status)
		status = experiment_machine(console, s != NULL,
					    s ? s->model : NULL, &v->machine);
	if (!status)
		status = count_all(console, options, v);
	if (status) {
		validate_free(v);
		return status;
	}
	v->proven = v->repeats > 1 && is_proven(v, options->sizes);
	*out = v;
	return 0;
}

void validate_free(struct validation *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n; i++) {
		free(v->events[i].name);
		free(v->events[i].reason);
		free(v->events[i].cause);
		free(v->events[i].finding);
	}
	free(v->events);
	free(v);
}
