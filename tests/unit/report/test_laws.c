/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts that contradict each other are found, and every format says so. */
#include "tests/unit/testing.h"

#include <math.h>
#include <string.h>

#include "report/laws.h"
#include "report/writer.h"
#include "write/html.h"

static int add_event(void *report, const char *name)
{
	struct report *r = report;
	struct report_event e = { .name = name,
				  .text = "",
				  .unit = "",
				  .source = "sim",
				  .number = { 10, NAN, NAN, NAN },
				  .error = NAN,
				  .quality = REPORT_COUNTED };

	for (size_t i = 0; i < r->n_events; i++)
		if (strcmp(r->events[i].name, name) == 0)
			return 0;
	e.name = report_text(r, "%s", name);
	return report_add_event(r, &e);
}

static void keep(void *last, const char *sentence)
{
	*(const char **)last = sentence;
}

static struct report_event *event(struct report *r, const char *name)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (strcmp(r->events[i].name, name) == 0)
			return &r->events[i];
	fail_msg("no event %s", name);
	return NULL;
}

static struct report counts(void)
{
	static const char *const command[] = { "a", NULL };
	struct report r = { .command = command,
			    .runs = 1,
			    .machine = { "a CPU", "its vendor", "a kernel",
					 NULL, 1 },
			    .pmu = { .kind = "sim", .model = "icx" } };

	assert_int_equal(add_event(&r, "sim::L1D:HIT"), 0);
	assert_int_equal(add_event(&r, "sim::L1D:MISS"), 0);
	assert_int_equal(add_event(&r, "sim::L1D:ACCESS"), 0);
	assert_int_equal(add_event(&r, "PAPI_BR_INS"), 0);
	assert_int_equal(add_event(&r, "PAPI_TOT_INS"), 0);
	event(&r, "sim::L1D:ACCESS")->number.value = 20;
	return r;
}

TEST(test_counts_that_agree_are_left_alone)
{
	struct report r = counts();
	const char *said = NULL;
	struct laws_result result = laws_check(&r, keep, &said);

	assert_int_equal(result.checked, 2);
	assert_int_equal(result.broken, 0);
	assert_null(said);
	assert_null(event(&r, "sim::L1D:HIT")->reason);
	report_fini(&r);
}

TEST(test_each_side_of_a_law_can_break_it)
{
	static const char *const names[] = { "sim::L1D:HIT", "sim::L1D:MISS",
					     "sim::L1D:ACCESS", "PAPI_BR_INS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct report r = counts();
		const char *said = NULL;

		event(&r, names[i])->number.value += 1;
		assert_int_equal(laws_check(&r, keep, &said).broken, 1);
		assert_non_null(strstr(said, names[i]));
		assert_string_equal(event(&r, names[i])->reason, said);
		report_fini(&r);
	}
}

TEST(test_every_law_of_the_simulated_pmu_can_break)
{
	struct report r = { .runs = 1 };
	const char *said = NULL;
	struct laws_result result;

	assert_int_equal(laws_events(add_event, &r), 0);
	/* each larger than all before it together: nothing is equal, and of
	 * two that are at most each other one is not */
	for (size_t i = 0; i < r.n_events; i++)
		r.events[i].number.value = powl(2, (long double)i);
	result = laws_check(&r, keep, &said);
	assert_true(result.checked >= 20);
	assert_true(result.broken >= 12);
	report_fini(&r);
}

TEST(test_scaled_and_missing_counts_are_not_judged)
{
	struct report r = counts();
	const char *said = NULL;

	event(&r, "sim::L1D:HIT")->number.value = 1000;
	event(&r, "sim::L1D:MISS")->quality = REPORT_SCALED;
	event(&r, "PAPI_BR_INS")->number.value = 1000;
	event(&r, "PAPI_TOT_INS")->reason = "1 process is missing";
	assert_int_equal(laws_check(&r, keep, &said).checked, 0);
	assert_null(said);
	report_fini(&r);
}

TEST(test_threads_must_add_up)
{
	struct report r = counts();
	const char *said = NULL;
	const long double right[] = { 4, 6 }, wrong[] = { 4, 5 };
	struct report_thread thread = { 1, "" };

	r.threads.asked = true;
	assert_int_equal(report_add_thread(&r, &thread), 0);
	assert_int_equal(report_add_thread(&r, &thread), 0);
	assert_int_equal(report_add_fold(&r, event(&r, "PAPI_BR_INS"), right),
			 0);
	assert_int_equal(report_add_fold(&r, event(&r, "PAPI_TOT_INS"), wrong),
			 0);
	assert_int_equal(laws_check(&r, keep, &said).broken, 1);
	assert_string_equal(said, "counts contradict each other: PAPI_TOT_INS "
				  "is 9 in all threads together, 10 in the "
				  "process");
	report_fini(&r);
}

static char *written(const struct report *r, const struct format *format)
{
	struct report_style style = { .width = 400 };
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	assert_non_null(to);
	assert_int_equal(format_write(format, r, &style, to), 0);
	fclose(to);
	return text;
}

TEST(test_every_format_says_so)
{
	struct report r = counts();
	const char *said = NULL;

	event(&r, "sim::L1D:HIT")->number.value += 1;
	laws_check(&r, keep, &said);
	for (const struct format *f = report_formats; f->name; f++) {
		char *text;

		if (strcmp(f->name, "html") == 0 && html_missing())
			continue;
		text = written(&r, f);
		if (!strstr(text, "contradict each other"))
			fail_msg("%s does not say so", f->name);
		free(text);
	}
	report_fini(&r);
}

RUN_ALL_TESTS
