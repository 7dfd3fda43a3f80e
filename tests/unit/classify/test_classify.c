/* SPDX-License-Identifier: BSD-3-Clause */
/* Made-up events, counted as the kernels say they should be. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "classify/inside.h"
#include "tests/unit/testing.h"
#include "write/document.h"
#include "write/html.h"

enum event {
	COND,
	ALIAS,
	TRIPLE,
	SUM,
	NOISY,
	DEAD,
	CONSTANT,
	STRANGE,
	TWICE_STRANGE,
	BIASED, /* 2 % more than it should be */
	SKIPS,  /* 3 % less */
	FULL,   /* counts no further than 900 */
	DEAF,   /* shows nothing below 600 */
	LEAK,   /* has a part of another */
	REFUSED,
	EVENTS
};

static const char *const names[EVENTS] = {
	"E_COND",  "E_ALIAS",    "E_TRIPLE",  "E_SUM",           "E_NOISY",
	"E_DEAD",  "E_CONSTANT", "E_STRANGE", "E_TWICE_STRANGE", "E_BIASED",
	"E_SKIPS", "E_FULL",     "E_DEAF",    "E_LEAK",          "E_REFUSED",
};

static const struct kernel_machine machine = {
	.lru = true,
	.in_order = true,
	.line_bytes = 64,
	.page_bytes = 4096,
	.l1d = { 49152, 12 },
	.l2 = { 1310720, 20 },
	.l3 = { 50331648, 12 },
};

static struct classify_plan plan;
static struct experiment_event events[EVENTS];
static struct experiment_result result;
static struct classification c;

static double count_of(enum event e, size_t unit, const double *expect)
{
	double times = (double)plan.units[unit].point.times;

	switch (e) {
	case COND:
	case ALIAS:
		return expect[CONCEPT_BR_COND] * times + 3;
	case TRIPLE:
		return 3 * expect[CONCEPT_BR_TAKEN] * times;
	case SUM:
		return (expect[CONCEPT_BR_COND_EXEC] +
			expect[CONCEPT_BR_DIRECT]) *
		       times;
	case NOISY:
		return expect[CONCEPT_BR_COND] * times *
		       (1 + 0.25 * sin((double)unit * 7.7));
	case CONSTANT:
		return 5;
	case STRANGE:
		return (7 + fmod((double)plan.units[unit].kernel->name[7], 5)) *
		       times;
	case TWICE_STRANGE:
		return 2 * count_of(STRANGE, unit, expect);
	case BIASED:
		return 1.02 * expect[CONCEPT_BR_COND] * times;
	case SKIPS:
		return 0.97 * expect[CONCEPT_BR_TAKEN] * times;
	case FULL:
		return fmin(expect[CONCEPT_BR_COND] * times, 900);
	case DEAF:
		return expect[CONCEPT_BR_COND] * times < 600
			       ? 0
			       : expect[CONCEPT_BR_COND] * times;
	case LEAK:
		return count_of(STRANGE, unit, expect) +
		       0.3 * expect[CONCEPT_BR_COND] * times;
	case REFUSED:
		return NAN;
	default:
		return 0;
	}
}

static int set_up(void **state)
{
	static const char *const patterns[] = { "branch/?", "branch/amplifier",
						"branch/4a", NULL };
	double expect[CONCEPT_COUNT];

	(void)state;
	if (classify_plan_make(&plan, &machine, (char *const *)patterns))
		return -1;
	for (size_t e = 0; e < EVENTS; e++)
		events[e].name = (char *)names[e];
	events[REFUSED].reason = (char *)"it was refused";
	result = (struct experiment_result){
		.events = events,
		.n_events = EVENTS,
		.n_units = plan.n_units,
		.repeats = 1,
		.sets = 1,
		.counters = 8,
		.counts = calloc(plan.n_units * EVENTS, sizeof(double)),
	};
	for (size_t u = 0; u < plan.n_units; u++) {
		kernel_expect(plan.units[u].kernel, &plan.units[u].point,
			      &machine, expect, NULL);
		for (size_t e = 0; e < EVENTS; e++)
			result.counts[u * EVENTS + e] =
				count_of((enum event)e, u, expect);
	}
	return classify(&c, &plan, &result);
}

static int tear_down(void **state)
{
	(void)state;
	classification_fini(&c);
	classify_plan_fini(&plan);
	free(result.counts);
	return 0;
}

static void test_each_is_called_what_it_is(void **state)
{
	static const struct {
		int line;
		enum event event;
		const char *class;
	} rows[] = {
		{ __LINE__, COND, "BR_COND" },
		{ __LINE__, ALIAS, "BR_COND" },
		{ __LINE__, TRIPLE, "scaled" },
		{ __LINE__, SUM, "sum" },
		{ __LINE__, NOISY, "noisy" },
		{ __LINE__, DEAD, "dead" },
		{ __LINE__, CONSTANT, "not exercised" },
		{ __LINE__, STRANGE, "unclassified" },
		{ __LINE__, TWICE_STRANGE, "scaled" },
		{ __LINE__, BIASED, "scaled" },
		{ __LINE__, SKIPS, "scaled" },
		{ __LINE__, FULL, "BR_COND" },
		{ __LINE__, DEAF, "BR_COND" },
		{ __LINE__, LEAK, "sum" },
		{ __LINE__, REFUSED, "not counted" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_AT(rows[i].line,
			 strcmp(classify_class(&c.events[rows[i].event]),
				rows[i].class) == 0);
	assert_true(c.events[COND].confidence > 0.999);
	assert_true(c.events[COND].noise < 1e-9);
}

static void check_formula(enum event e, const char *should)
{
	char *formula = classify_formula(&c, &c.events[e]);

	assert_string_equal(formula, should);
	free(formula);
}

static void test_formulas(void **state)
{
	(void)state;
	check_formula(COND, "BR_COND");
	check_formula(TRIPLE, "3 BR_TAKEN");
	check_formula(SUM, "BR_COND_EXEC + BR_DIRECT");
	check_formula(TWICE_STRANGE, "2 E_STRANGE");
	check_formula(DEAD, "");
}

static void test_near_misses_have_a_scale_and_an_interval(void **state)
{
	(void)state;
	check_formula(BIASED, "1.02 BR_COND");
	check_formula(SKIPS, "0.97 BR_TAKEN");
	assert_int_equal(c.events[BIASED].by, BY_SCALE);
	assert_true(c.events[BIASED].formula.error[0] > 0 &&
		    c.events[BIASED].formula.error[0] < 0.002);
}

static void test_limits_of_counters_are_found(void **state)
{
	(void)state;
	assert_float_equal(c.events[FULL].full, 900, 0);
	assert_true(c.events[DEAF].deaf > 600 && c.events[DEAF].deaf < 1100);
	assert_true(isinf(c.events[COND].full) && c.events[COND].deaf == 0);
	assert_true(isinf(c.events[CONSTANT].full));
	assert_true(isinf(c.events[DEAD].full) && c.events[DEAD].deaf == 0);
}

static void test_a_part_of_another_event_is_found(void **state)
{
	(void)state;
	check_formula(LEAK, "E_STRANGE + 0.3 E_COND");
}

/* The verdict is the first, and has the best score of those not ruled out. */
static void test_runners_up_are_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < EVENTS; i++) {
		const struct classify_event *e = &c.events[i];

		for (size_t k = 1; k < e->n_candidates; k++)
			assert_true(e->candidates[k].ruled_out ||
				    e->candidates[k].score <=
					    e->candidates[0].score);
		if (!classify_is_known(e))
			continue;
		assert_true(e->n_candidates > 1);
		assert_int_equal(e->by, e->candidates[0].by);
		assert_false(e->candidates[0].ruled_out);
	}
	assert_int_equal(c.events[COND].by, BY_CONCEPT);
	assert_int_equal(c.events[TRIPLE].by, BY_CONCEPTS);
	assert_int_equal(c.events[TWICE_STRANGE].by, BY_MULTIPLE);
	assert_int_equal(c.events[DEAD].by, BY_COUNTS);
	assert_int_equal(c.events[NOISY].by, BY_REPEATS);
	assert_int_equal(c.events[STRANGE].by, BY_NOTHING);
}

static void test_families(void **state)
{
	(void)state;
	assert_int_equal(c.events[ALIAS].kin.head, COND);
	assert_true(c.events[ALIAS].kin.scale == 1);
	assert_int_equal(c.events[DEAD].kin.head, DEAD);
}

/* A perfect CR scores 1 as CR and 0.607 as CE by the paper's Equation 1. */
static void test_paper_score_beside_ours(void **state)
{
	(void)state;
	assert_true(fabs(c.events[COND].goodness[1] - 1) < 1e-6);
	assert_true(fabs(c.events[COND].goodness[0] - 0.60653) < 1e-4);
}

static void test_held_out_kernels_build_nothing(void **state)
{
	struct classify_presets presets;
	bool found = false, missed = false;

	(void)state;
	assert_int_equal(classify_presets_make(&presets, &c), 0);
	for (size_t i = 0; i < presets.n; i++) {
		const struct classify_preset *p = &presets.items[i];

		if (strcmp(p->name, "PAPI_BR_CN") == 0) {
			found = true;
			assert_true(p->made && p->n == 1 && p->fits);
			assert_int_equal(p->event[0], COND);
			assert_true(p->held_out_bench < 1e-9);
		}
		if (strcmp(p->name, "PAPI_BR_MSP") == 0) {
			missed = true;
			assert_false(p->made);
		}
	}
	assert_true(found && missed);
	classify_presets_fini(&presets);
}

static void test_claims_are_checked(void **state)
{
	static const struct {
		int line;
		const char *claim, *verdict, *why;
	} rows[] = {
		{ __LINE__, "E_COND=BR_COND", "holds", "certain" },
		{ __LINE__, "E_COND=BR_TAKEN", "fails", "per iteration, not " },
		{ __LINE__, "E_BIASED=BR_COND", "fails", "1.02 BR_COND" },
		{ __LINE__, "E_COND=FP_ADD", "open", "no kernel" },
		{ __LINE__, "E_REFUSED=BR_COND", "open", "not counted" },
	};
	const struct console console = { .as = "test", .quiet = true };
	struct classify_claims claims = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			classify_claims_add(&claims, &console, rows[i].claim),
			0);
	assert_int_equal(classify_claims_verify(&claims, &c), CMD_LIMIT);
	for (size_t i = 0; i < claims.n; i++) {
		const struct classify_claim *claim = &claims.items[i];

		CHECK_AT(rows[i].line, strcmp(classify_claim_word(claim),
					      rows[i].verdict) == 0);
		CHECK_AT(rows[i].line, strstr(claim->why, rows[i].why) != NULL);
	}
	classify_claims_fini(&claims);
}

static char *written(int (*write)(const void *, const struct report_style *,
				  FILE *))
{
	const struct report_style style = { .width = 80, .verbose = true };
	struct classify_presets presets;
	const struct classified d = {
		.c = &c, .presets = &presets, .pmu = "sim", .model = "icx"
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(classify_presets_make(&presets, &c), 0);
	assert_int_equal(write(&d, &style, to), 0);
	fclose(to);
	classify_presets_fini(&presets);
	return text;
}

static int json_of(const void *what, const struct report_style *style, FILE *to)
{
	(void)style;
	return document_write_json(classify_describe, what, to);
}

static void test_json_keeps_the_contract(void **state)
{
	char *text = written(json_of);
	cJSON *json = cJSON_Parse(text), *event, *gone;

	(void)state;
	assert_non_null(json);
	event = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "events"), TRIPLE);
	assert_string_equal(cJSON_GetObjectItem(event, "class")->valuestring,
			    "scaled");
	assert_string_equal(cJSON_GetObjectItem(event, "formula")->valuestring,
			    "3 BR_TAKEN");
	assert_string_equal(
		cJSON_GetObjectItem(event, "decided_by")->valuestring,
		"formula of concepts");
	assert_string_equal(
		cJSON_GetObjectItem(event, "certainty")->valuestring,
		"certain");
	assert_true(cJSON_GetArraySize(
			    cJSON_GetObjectItem(event, "candidates")) > 1);
	assert_true(cJSON_IsNumber(cJSON_GetObjectItem(
		cJSON_GetObjectItem(event, "signature"), "branch/1")));
	assert_true(cJSON_IsNumber(cJSON_GetObjectItem(
		cJSON_GetObjectItem(event, "goodness"), "CE")));
	gone = cJSON_GetObjectItem(json, "unavailable_classes");
	assert_true(cJSON_IsArray(gone) && cJSON_GetArraySize(gone) > 0);
	cJSON_Delete(json);
	free(text);
}

static void test_other_formats(void **state)
{
	char *text = written(classify_write_csv);

	(void)state;
	assert_non_null(strstr(text, "\nE_TRIPLE,scaled,"));
	free(text);
	text = written(classify_write_text);
	assert_non_null(strstr(text, "same as E_ALIAS"));
	assert_non_null(strstr(text, "decided by concept, confidence "));
	assert_non_null(strstr(text, ", name 20.0)"));
	assert_non_null(strstr(text, "\n    second: "));
	assert_non_null(strstr(text, " behind; its counts are "));
	assert_non_null(strstr(text, "BR_COND x 1.02 +- "));
	free(text);
	if (html_missing()) /* a build without the viewer writes no page */
		return;
	text = written(classify_write_html);
	assert_non_null(strstr(text, "E_COND"));
	assert_non_null(strstr(text, "Counts over iterations"));
	assert_non_null(strstr(text, "CR 1"));
	free(text);
}

/* Events of which there is more to say with many kernels, and repeats. */
enum {
	WHOLE,   /* cycles */
	PART,    /* the same where kernels state cycles, else fewer */
	CURVED,  /* bent, the same each time */
	VARYING, /* another number each time */
	STEPPED, /* one each time that data is not in L1D */
	MORE
};

static double repeated_count(size_t event, size_t unit, unsigned repeat,
			     double cycles)
{
	double times = (double)plan.units[unit].point.times;

	switch (event) {
	case WHOLE:
		return (isnan(cycles) ? 40 : cycles) * times;
	case PART:
		return (isnan(cycles) ? 20 : cycles) * times;
	case CURVED:
		return times * times / 1000;
	case STEPPED:
		return plan.units[unit].point.footprint > machine.l1d.bytes
			       ? times
			       : 0;
	default:
		return round(times * (3 + sin((double)unit * 7.7 +
					      (double)repeat * 2.2)));
	}
}

static int set_up_more(void **state)
{
	static const char *const patterns[] = { "branch/*", "int/*", "jump/*",
						"cache/read", NULL };
	static const char *const more[] = { "E_WHOLE", "E_PART", "E_CURVED",
					    "E_VARYING", "E_STEPPED" };
	double expect[CONCEPT_COUNT];

	(void)state;
	if (classify_plan_make(&plan, &machine, (char *const *)patterns))
		return -1;
	for (size_t e = 0; e < MORE; e++)
		events[e] =
			(struct experiment_event){ .name = (char *)more[e] };
	result = (struct experiment_result){
		.events = events,
		.n_events = MORE,
		.n_units = plan.n_units,
		.repeats = 2,
		.sets = 1,
		.counters = 8,
		.counts = calloc(plan.n_units * 2 * MORE, sizeof(double)),
	};
	for (size_t i = 0; i < plan.n_units * 2 * MORE; i++) {
		size_t unit = i / (2 * MORE);

		kernel_expect(plan.units[unit].kernel, &plan.units[unit].point,
			      &machine, expect, NULL);
		result.counts[i] =
			repeated_count(i % MORE, unit, (unsigned)(i / MORE % 2),
				       expect[CONCEPT_CYCLES]);
	}
	return classify(&c, &plan, &result);
}

static void test_part_does_not_claim_the_whole(void **state)
{
	(void)state;
	assert_string_equal(classify_class(&c.events[WHOLE]), "CYCLES");
	assert_string_equal(classify_class(&c.events[PART]), "unclassified");
	assert_true(classify_is_part(&c, PART, WHOLE));
	assert_false(classify_is_part(&c, WHOLE, PART));
}

/* Cycles by what they are spent on: counted as shares of what a kernel takes.
 */
enum {
	CYCLES,
	WAIT_L2,
	WAIT_ANY,
	IDLE,
	ACTIVE,
	HALF,  /* of the cycles, whatever these are spent on */
	TWICE, /* cycles, those that wait for L2 twice */
	BOTH,  /* idle ones and those that wait for L2 */
	SPENT
};

static double share_of(size_t event, enum kernel_bound bound)
{
	/* buffers fill while an integer unit has its hands full */
	double stalls = bound >= BOUND_INT   ? 0.75
			: bound == BOUND_ALU ? 0.6
					     : 0;

	switch (event) {
	case CYCLES:
		return 1;
	case WAIT_L2:
		return bound == BOUND_L2 ? 0.8 : 0;
	case WAIT_ANY:
		return stalls;
	case IDLE:
		return bound == BOUND_LOAD ? 0 : 0.95;
	case ACTIVE:
		return 1 - stalls;
	case TWICE:
		return share_of(CYCLES, bound) + share_of(WAIT_L2, bound);
	case BOTH:
		return share_of(IDLE, bound) + share_of(WAIT_L2, bound);
	default:
		return 0.5;
	}
}

static int set_up_spent(void **state)
{
	static const char *const patterns[] = { "nop*",       "int/*",
						"jump/*",     "fp/*",
						"load/*",     "code/*",
						"cache/read", NULL };
	static const char *const more[] = { "E_CYCLES", "E_L2",     "E_ANY",
					    "E_IDLE",   "E_ACTIVE", "E_HALF",
					    "E_TWICE",  "E_BOTH" };

	(void)state;
	if (classify_plan_make(&plan, &machine, (char *const *)patterns))
		return -1;
	for (size_t e = 0; e < SPENT; e++)
		events[e] =
			(struct experiment_event){ .name = (char *)more[e] };
	result = (struct experiment_result){
		.events = events,
		.n_events = SPENT,
		.n_units = plan.n_units,
		.repeats = 1,
		.sets = 1,
		.counters = 8,
		.counts = calloc(plan.n_units * SPENT, sizeof(double)),
	};
	for (size_t u = 0; u < plan.n_units; u++) {
		const struct experiment_unit *unit = &plan.units[u];
		double expect[CONCEPT_COUNT], cycles;

		kernel_expect(unit->kernel, &unit->point, &machine, expect,
			      NULL);
		cycles = expect[CONCEPT_CYCLES];
		cycles = isnan(cycles) ? 30 + (double)(u % 7) : cycles;
		for (size_t e = 0; e < SPENT; e++)
			result.counts[u * SPENT + e] =
				cycles * (double)unit->point.times *
				share_of(e,
					 kernel_bound(unit->kernel,
						      &unit->point, &machine));
	}
	return classify(&c, &plan, &result);
}

static void test_stalls_are_told_by_their_shares(void **state)
{
	(void)state;
	assert_string_equal(classify_class(&c.events[CYCLES]), "CYCLES");
	assert_string_equal(classify_class(&c.events[WAIT_L2]), "STALL_L2");
	assert_true(classify_counts(&c, WAIT_ANY,
				    classify_term_find("STALL_ISSUE")));
	assert_string_equal(classify_class(&c.events[IDLE]), "IDLE_LS");
	assert_true(c.events[WAIT_L2].confidence <= 0.99);
}

static void test_what_is_left_of_cycles_has_a_class(void **state)
{
	(void)state;
	assert_true(classify_counts(&c, ACTIVE,
				    classify_term_find("ISSUE_CYCLES")));
}

static const struct classify_preset *
find_preset(const struct classify_presets *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->items[i].name, name) == 0)
			return &p->items[i];
	return NULL;
}

static void test_presets_of_cycles_are_the_events_that_count_them(void **state)
{
	struct classify_presets presets;
	const struct classify_preset *p;

	(void)state;
	assert_int_equal(classify_presets_make(&presets, &c), 0);
	p = find_preset(&presets, "PAPI_TOT_CYC");
	assert_true(p && p->made && p->n == 1 && p->event[0] == CYCLES);
	p = find_preset(&presets, "PAPI_STL_ICY");
	assert_true(p && p->made && p->n == 1 && p->event[0] == WAIT_ANY);
	p = find_preset(&presets, "STALL_FP");
	assert_true(p && !p->made && classify_is_unavailable(p));
	classify_presets_fini(&presets);
}

static void check_sum(size_t event, const char *formula)
{
	char *text = classify_formula(&c, &c.events[event]);

	assert_string_equal(classify_class(&c.events[event]), "sum");
	assert_string_equal(text, formula);
	free(text);
}

/* Kernels that say how many cycles they take do not wait for L2. */
static void test_cycles_are_not_counted_twice(void **state)
{
	(void)state;
	check_sum(TWICE, "E_CYCLES + E_L2");
}

static void test_exact_sum_is_no_share(void **state)
{
	(void)state;
	check_sum(BOTH, "E_L2 + E_IDLE");
}

/* No cause takes half of the cycles of every kernel. */
static void test_share_that_no_cause_has_is_no_stall(void **state)
{
	(void)state;
	assert_string_equal(classify_class(&c.events[HALF]), "unclassified");
}

static void test_curve_is_not_noise(void **state)
{
	(void)state;
	assert_true(c.events[CURVED].curved);
	assert_true(c.events[CURVED].noise < 1e-9);
	assert_string_equal(classify_class(&c.events[CURVED]), "unclassified");
	assert_string_equal(classify_class(&c.events[VARYING]), "noisy");
	assert_false(c.events[WHOLE].curved);
}

static void test_steps_where_data_leaves_a_cache(void **state)
{
	struct classify_steps steps[CLASSIFY_SWEEPS];

	(void)state;
	assert_int_equal(
		classify_steps_find(&c, STEPPED, steps, CLASSIFY_SWEEPS), 1);
	assert_string_equal(steps[0].kernel, "cache/read");
	assert_string_equal(steps[0].sign, "+00");
	assert_int_equal(steps[0].n, 4);
	assert_true(steps[0].level[0] == 0 && steps[0].level[3] == 1);
	assert_int_equal(classify_steps_find(&c, STEPPED, steps, 0), 0);
}

/* What is kept of @name, or "" */
static const char *kept(const char *name, char text[256])
{
	char *found = classify_recall("icx", name);

	snprintf(text, 256, "%s", found ? found : "");
	free(found);
	return text;
}

/* As if @n events had been counted, and @missing kernels had not run. */
static void remember(size_t n, size_t missing, enum classify_kind kind,
		     bool whole)
{
	struct classify_event changed[EVENTS];
	struct classification some = c;
	const struct classified d = {
		.c = &some, .pmu = "sim", .model = "icx", .whole = whole
	};

	memcpy(changed, c.events, sizeof(changed));
	changed[0].kind = kind;
	some.events = changed;
	some.n = n;
	some.missing = missing;
	assert_int_equal(classify_remember(&d), 0);
}

static void test_lesser_result_does_not_displace_a_better(void **state)
{
	char folder[] = "/tmp/assay-classify-XXXXXX", text[256], path[128];

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("XDG_STATE_HOME", folder, 1);
	snprintf(path, sizeof(path), "%s/assay/classify/icx.json", folder);

	remember(2, 3, CLASSIFY_DEAD, false);
	assert_string_equal(kept("E_COND", text),
			    "dead: it counted nothing in any kernel");
	/* more kernels */
	remember(2, 2, CLASSIFY_TERM, false);
	assert_non_null(strstr(kept("E_COND", text), "BR_COND: "));
	/* fewer; and as many with fewer events */
	remember(2, 3, CLASSIFY_DEAD, false);
	remember(1, 2, CLASSIFY_DEAD, false);
	assert_non_null(strstr(kept("E_COND", text), "BR_COND: "));
	/* other events come, those that were there stay */
	remember(EVENTS, 4, CLASSIFY_DEAD, false);
	assert_non_null(strstr(kept("E_COND", text), "BR_COND: "));
	assert_non_null(strstr(kept("E_TRIPLE", text), "3 BR_TAKEN"));
	remember(1, 2, CLASSIFY_NOT_COUNTED, false);
	assert_non_null(strstr(kept("E_TRIPLE", text), "3 BR_TAKEN"));
	/* as much as was known */
	remember(2, 2, CLASSIFY_DEAD, false);
	assert_string_equal(kept("E_COND", text),
			    "dead: it counted nothing in any kernel");
	/* the whole takes the place of all */
	remember(1, 9, CLASSIFY_NOISY, true);
	assert_string_equal(kept("E_COND", text), "noisy");
	assert_string_equal(kept("E_TRIPLE", text), "");

	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* Files and claims of older versions have the names that classes had then. */
static void test_first_names_of_classes_are_still_taken(void **state)
{
	(void)state;
	assert_int_equal(classify_term_find("VAIN_LOAD"),
			 CONCEPT_WRONG_PATH_LOAD);
	assert_int_equal(classify_term_find("BR_IN_VAIN"),
			 classify_term_find("BR_WRONG_PATH"));
	assert_string_equal(classify_current_name("unstirred"),
			    "not exercised");
	assert_string_equal(classify_current_name("dead"), "dead");
	assert_null(classify_current_name(NULL));
}

/* FULL as the difference of COND and an event that counts @share of it where
 * FULL says something, and a half elsewhere. */
static enum classify_by difference_of_full(double share)
{
	size_t benches = c.plan->n_benches;
	struct classify_event *e = &c.events[FULL];

	for (size_t b = 0; b < benches; b++) {
		double cond = c.slope[COND * benches + b];
		bool says = !isnan(c.slope[FULL * benches + b]);

		c.slope[TRIPLE * benches + b] = cond * (says ? share : 0.5);
		if (says)
			c.slope[FULL * benches + b] = cond * (1 - share);
	}
	e->kind = CLASSIFY_UNKNOWN;
	e->by = BY_NOTHING;
	e->n_candidates = 0;
	classify_try_differences(&c);
	return e->by;
}

/* Changes what was classified: to be the last. */
static void test_a_difference_takes_something_away(void **state)
{
	(void)state;
	assert_true(isfinite(c.events[FULL].full));
	assert_int_equal(difference_of_full(0), BY_NOTHING);
	assert_int_equal(difference_of_full(0.25), BY_DIFFERENCE);
}

/*
 * Another event has the counts of WAIT_ANY, but none in one kernel. Only if it
 * would show so few, there is something else in WAIT_ANY. Changes what was
 * classified: to be the last.
 */
static void test_a_counter_deaf_to_few_takes_no_name(void **state)
{
	size_t benches = c.plan->n_benches, silent = benches;
	struct classify_event *wait = &c.events[WAIT_ANY];
	struct classify_event *deaf = &c.events[HALF];

	(void)state;
	for (size_t b = 0; b < benches; b++) {
		c.slope[HALF * benches + b] = c.slope[WAIT_ANY * benches + b];
		if (c.slope[WAIT_ANY * benches + b] > SLOPE_PLAIN)
			silent = b;
	}
	assert_true(silent < benches);
	c.slope[HALF * benches + silent] = 0;
	deaf->kind = CLASSIFY_TERM;
	deaf->formula = wait->formula;

	deaf->least = 1e15;
	assert_int_equal(classify_settle_claims(&c), 0);
	assert_int_equal(wait->kind, CLASSIFY_TERM);
	deaf->least = 1;
	assert_int_equal(classify_settle_claims(&c), 0);
	assert_int_not_equal(wait->kind, CLASSIFY_TERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_names_of_classes_are_still_taken),
		cmocka_unit_test(test_each_is_called_what_it_is),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_near_misses_have_a_scale_and_an_interval),
		cmocka_unit_test(test_limits_of_counters_are_found),
		cmocka_unit_test(test_a_part_of_another_event_is_found),
		cmocka_unit_test(test_runners_up_are_kept),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_paper_score_beside_ours),
		cmocka_unit_test(test_held_out_kernels_build_nothing),
		cmocka_unit_test(test_claims_are_checked),
		cmocka_unit_test(test_json_keeps_the_contract),
		cmocka_unit_test(test_other_formats),
		cmocka_unit_test(test_lesser_result_does_not_displace_a_better),
		cmocka_unit_test(test_a_difference_takes_something_away),
	};

	const struct CMUnitTest more[] = {
		cmocka_unit_test(test_part_does_not_claim_the_whole),
		cmocka_unit_test(test_curve_is_not_noise),
		cmocka_unit_test(test_steps_where_data_leaves_a_cache),
	};

	const struct CMUnitTest spent[] = {
		cmocka_unit_test(test_stalls_are_told_by_their_shares),
		cmocka_unit_test(test_what_is_left_of_cycles_has_a_class),
		cmocka_unit_test(test_share_that_no_cause_has_is_no_stall),
		cmocka_unit_test(test_cycles_are_not_counted_twice),
		cmocka_unit_test(test_exact_sum_is_no_share),
		cmocka_unit_test(
			test_presets_of_cycles_are_the_events_that_count_them),
		cmocka_unit_test(test_a_counter_deaf_to_few_takes_no_name),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) +
	       cmocka_run_group_tests(more, set_up_more, tear_down) +
	       cmocka_run_group_tests(spent, set_up_spent, tear_down);
}
