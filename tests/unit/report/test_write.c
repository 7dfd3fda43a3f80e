/* SPDX-License-Identifier: BSD-3-Clause */
/* One report through every writer: what must be found in each. */
#include "tests/unit/testing.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"
#include "tests/unit/full.h"
#include "write/html.h"

#define ONE(v)                                                                 \
	{                                                                      \
		(v), NAN, NAN, NAN                                             \
	}

static const char *const words[] = { "./a.out", "x, \"y\"", NULL };

static struct report_event events[] = {
	{ .name = "PAPI_TOT_INS",
	  .text = "Instructions completed",
	  .unit = "",
	  .source = "sim",
	  .number = ONE(1234567),
	  .error = 0,
	  .enabled_ns = 100,
	  .running_ns = 100,
	  .quality = REPORT_COUNTED,
	  .simulated = true },
	{ .name = "PAPI_L1_DCM",
	  .text = "",
	  .unit = "",
	  .source = "perf_event",
	  .number = ONE(5000),
	  .error = 50,
	  .enabled_ns = 100,
	  .running_ns = 25,
	  .quality = REPORT_SCALED },
	{ .name = "PAPI_TOT_CYC",
	  .text = "",
	  .unit = "",
	  .source = "",
	  .number = ONE(NAN),
	  .error = NAN,
	  .quality = REPORT_NONE,
	  .reason = "there is no PMU, and nothing stands for it" },
	{ .name = "PAPI_REF_CYC",
	  .text = "",
	  .unit = "",
	  .source = "",
	  .number = ONE(NAN),
	  .error = NAN,
	  .quality = REPORT_NONE,
	  .reason = "there is no PMU, and nothing stands for it" },
};

static struct report_metric metrics[] = {
	{ .name = "ipc",
	  .text = "Instructions per cycle",
	  .unit = "",
	  .number = ONE(0.5),
	  .scaled = true,
	  .error = 0.125,
	  .verdict = REPORT_POOR,
	  .threshold = "good >= 2, poor < 1",
	  .goal = ">= 2",
	  .formula = "PAPI_TOT_INS / PAPI_TOT_CYC" },
	{ .name = "mips",
	  .text = "",
	  .unit = "",
	  .number = ONE(NAN),
	  .verdict = REPORT_NO_VERDICT,
	  .formula = "",
	  .reason = "times are not this machine's" },
};

static const char *notes[] = { "measure PAPI_L2_DCM next" };

static struct report sample(void)
{
	return (struct report){
		.command = words,
		.exit = 3,
		.runs = 1,
		.task = { -1, 0, 4711, 0 },
		.machine = { "Test CPU", "Test", "6.1", "KVM", 2 },
		.pmu = { "sim", "icx", 8, NULL },
		.time = { ONE(1.5), ONE(1.25), ONE(0.25), false },
		.resources = { 2048, 10, 1, 2, 3 },
		.events = events,
		.n_events = 4,
		.metrics = metrics,
		.n_metrics = 2,
		.notes = notes,
		.n_notes = 1,
	};
}

static char *written(const struct report *r, const char *format,
		     const struct report_style *style)
{
	char *out = NULL;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	assert_non_null(to);
	assert_int_equal(
		format_write(format_find(report_formats, format), r, style, to),
		0);
	fclose(to);
	return out;
}

static void expect(const char *text, const char *part)
{
	assert_non_null(text);
	if (!strstr(text, part))
		fail_msg("not found: %s\nin:\n%s", part, text);
}

TEST(test_json_says_null_and_why)
{
	struct report_style style = { .width = 80 };
	struct report r = sample();
	char *out = written(&r, "json", &style);

	expect(out, "\"assay\": 1");
	expect(out, "\"command\": [ \"./a.out\", \"x, \\\"y\\\"\" ]");
	expect(out, "\"name\": \"PAPI_TOT_INS\", \"value\": 1234567,");
	expect(out, "\"quality\": \"scaled\", \"enabled_ns\": 100, "
		    "\"running_ns\": 25, \"stderr\": 50");
	expect(out, "\"name\": \"PAPI_TOT_CYC\", \"value\": null");
	expect(out, "\"reason\": \"there is no PMU, and");
	expect(out, "\"virtual\": true");
	expect(out, "\"native\": false");
	expect(out, "\"verdict\": \"poor\", \"threshold\": \"good >= 2, "
		    "poor < 1\"");
	expect(out, "\"verdict\": null");
	free(out);
}

TEST(test_csv_quotes_and_leaves_gaps)
{
	struct report_style style = { .width = 80 };
	struct report r = sample();
	char *out = written(&r, "csv", &style);

	expect(out, "section,name,value,unit,source,quality,stderr,");
	expect(out,
	       "event,PAPI_TOT_INS,1234567,,sim,counted,,100,100,,,,,,\r\n");
	expect(out, "event,PAPI_L1_DCM,5000,,perf_event,scaled,50,100,25,");
	expect(out, "event,PAPI_TOT_CYC,,,,none,,0,0,,,,,,"
		    "\"there is no PMU, and nothing stands for it\"\r\n");
	expect(out, "metric,ipc,0.5,");
	free(out);
}

TEST(test_openmetrics_leaves_out_what_has_no_value)
{
	struct report_style style = { .width = 80 };
	struct report r = sample();
	char *out = written(&r, "openmetrics", &style);

	expect(out, "# TYPE assay_event gauge\n");
	expect(out, "assay_event{program=\"./a.out\",event=\"PAPI_TOT_INS\"} "
		    "1234567\n");
	expect(out, "assay_time_seconds{program=\"./a.out\",kind=\"wall\"} "
		    "1.5\n");
	assert_null(strstr(out, "assay_event{program=\"./a.out\",event=\"PAPI_"
				"TOT_CYC"));
	expect(out, "assay_event_reason{program=\"./a.out\",event=\"PAPI_TOT_"
		    "CYC\",reason=\"there is no PMU, and nothing stands for "
		    "it\"} 1\n");
	expect(out, "assay_event_stderr{program=\"./a.out\",event=\"PAPI_L1_"
		    "DCM\"} 50\n");
	assert_null(strstr(out, "_stderr{program=\"./a.out\",event=\"PAPI_"
				"TOT_INS"));
	expect(out, "assay_metric_stderr{program=\"./a.out\",metric=\"ipc\"} "
		    "0.125\n");
	assert_string_equal(out + strlen(out) - strlen("# EOF\n"), "# EOF\n");
	free(out);
}

TEST(test_text_marks_what_was_not_simply_counted)
{
	struct report_style style = { .width = 80 };
	struct report r = sample();
	char *out = written(&r, "text", &style);

	expect(out, "exit 3");
	expect(out, "1,234,567 *  PAPI_TOT_INS");
	expect(out, "5,000  ~ PAPI_L1_DCM");
	expect(out, "counted 25 % of the time, +- 1 %");
	expect(out, "no value: PAPI_TOT_CYC, PAPI_REF_CYC\n");
	expect(out, "not this machine's speed");
	expect(out, "poor  want >= 2");
	expect(out, "no value: mips\n");
	expect(out, "times are not this machine's");
	expect(out, "- measure PAPI_L2_DCM next");
	assert_null(strchr(out, '\033'));
	free(out);
}

TEST(test_text_stays_within_its_width)
{
	struct report_style style = { .width = 60 };
	struct report r = sample();
	char *out;

	events[0].text = "a description that is much longer than what a "
			 "narrow terminal can show on one line";
	out = written(&r, "text", &style);
	events[0].text = "Instructions completed";
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "PAPI_TOT_INS") && strlen(line) > 60)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(out);
}

TEST(test_repeated_runs_show_their_spread)
{
	struct report_style style = { .width = 100, .unicode = true };
	struct report r = sample();
	char *out;

	r.runs = 5;
	r.time.wall_s = (struct report_number){ 2.0, 0.1, 1.9, 2.1 };
	out = written(&r, "text", &style);
	expect(out, "5 runs");
	expect(out, "± 5.0 %  (1.900 s … 2.100 s)");
	free(out);
	events[0].unit = "ns";
	events[0].number = (struct report_number){ 2e7, 1e6, 1.9e7, 2.1e7 };
	out = written(&r, "text", &style);
	events[0].unit = "";
	events[0].number = (struct report_number)ONE(1234567);
	expect(out, "± 5 %  (19.00 ms … 21.00 ms)");
	free(out);
	out = written(&r, "json", &style);
	expect(out, "\"wall_spread\": { \"stddev\": 0.1, \"min\": 1.9");
	free(out);
}

TEST(test_an_empty_report_can_be_written)
{
	struct report_style style = { .width = 80, .color = true };
	struct report r = { .pmu = { .kind = "none" } };

	for (const struct format *w = report_formats; w->name; w++)
		if (strcmp(w->name, "html") != 0 || !html_missing())
			free(written(&r, w->name, &style));
}

TEST(test_a_full_disk_is_noticed)
{
	struct report_style style = { .width = 80 };
	struct report r = sample();

	for (const struct format *w = report_formats; w->name; w++) {
		if (strcmp(w->name, "html") == 0 && html_missing())
			continue;
		for (int at_once = 0; at_once < 2; at_once++) {
			FILE *to = open_full(at_once);

			if (format_write(w, &r, &style, to) != PAPI_ESYS)
				fail_msg("%s, %d", w->name, at_once);
			fclose(to);
		}
	}
}

RUN_ALL_TESTS
