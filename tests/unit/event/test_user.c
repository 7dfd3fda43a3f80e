/* SPDX-License-Identifier: BSD-3-Clause */
/* User-defined events, from a file to a plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/event/toy.h"

/* A file with @text; the path is removed by drop(). */
static const char *file_with(const char *text)
{
	static char path[] = "/tmp/assay-test-XXXXXX";
	int fd;
	FILE *file;

	strcpy(path + sizeof("/tmp/assay-test-") - 1, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
	return path;
}

static void load(struct toys *t, const char *text)
{
	struct diag diag = { 0 };
	const char *path = file_with(text);
	int err = events_load_file(t->events, path, &diag);

	unlink(path);
	if (err)
		fail_msg("%zu:%zu: %s", diag.line, diag.column, diag.text);
}

static const struct recipe *plan_of(struct toys *t, const char *name)
{
	const struct recipe *plan = NULL;
	struct diag diag = { 0 };

	if (events_plan(t->events, code_of(t, name), &plan, &diag))
		fail_msg("%s: %s", name, diag.text);
	return plan;
}

static double value_of(const struct recipe *plan, const double *counts)
{
	assert_non_null(plan->eval);
	return plan->eval(plan->program, counts);
}

TEST(test_a_file_of_2011)
{
	static const double counts[] = { 200, 10, 1000 };
	const struct recipe *plan;
	struct toys t;

	toys_open(&t);
	load(&t, "#define BR_lat 5\n"
		 "#define BR_miss_lat 45\n"
		 "Branch_cat, PAPI_BR_INS|BR_lat|*|PAPI_BR_MSP|BR_miss_lat|*|+|"
		 "PAPI_TOT_INS|/, UNIT, \"cycles\"\n");
	plan = plan_of(&t, "Branch_cat");
	assert_int_equal(plan->n, 3);
	assert_string_equal(plan->unit, "cycles");
	assert_false(plan->is_count);
	assert_true(value_of(plan, counts) == 1.45);
	assert_true((unsigned)plan->code >> 30 == 3);
	assert_int_equal(events_available(t.events, plan->code, NULL), 0);
	toys_close(&t);
}

TEST(test_definitions_build_on_each_other)
{
	static const double counts[] = { 3, 6, 12 };
	const struct recipe *plan;
	struct toys t;

	toys_open(&t);
	load(&t, "one, perf::CYCLES|perf::INSTRUCTIONS|+\n"
		 "two, one * 2 - 'perf::CYCLES'\n"
		 "three, two / one + PAPI_BR_INS\n"
		 "EVENT,four,DERIVED_SUB,two,one\n");
	plan = plan_of(&t, "two"); /* (a+b)*2 - a = a + 2b */
	assert_int_equal(plan->n, 2);
	assert_int_equal(plan->weights[0], 1);
	assert_int_equal(plan->weights[1], 2);
	plan = plan_of(&t, "three"); /* 15/9 + 12 */
	assert_int_equal(plan->n, 3);
	assert_true(fabs(value_of(plan, counts) - (15.0 / 9 + 12)) < 1e-12);
	plan = plan_of(&t, "four"); /* a + 2b - a - b */
	assert_int_equal(plan->weights[0], 0);
	assert_int_equal(plan->weights[1], 1);
	toys_close(&t);
}

TEST(test_what_cannot_be_planned)
{
	static const struct {
		int line;
		const char *name;
		int want;
		const char *part; /* of the sentence */
	} rows[] = {
		{ __LINE__, "self", PAPI_EINVAL, "terms of itself" },
		{ __LINE__, "ping", PAPI_EINVAL, "terms of itself" },
		{ __LINE__, "unknown", PAPI_ENOEVNT, "NO_SUCH" },
		{ __LINE__, "through", PAPI_ENOEVNT, "NO_SUCH" },
		{ __LINE__, "number", PAPI_EINVAL, "no event" },
		{ __LINE__, "missing", PAPI_ENOEVNT, "PAPI_CA_SNP" },
		{ __LINE__, "disabled", PAPI_ECMP_DISABLED, "not there" },
	};
	struct toys t;

	toys_open(&t);
	load(&t, "self, self+1\n"
		 "ping, pong\n"
		 "pong, ping\n"
		 "unknown, NO_SUCH\n"
		 "through, unknown * 2\n"
		 "number, 1+2\n"
		 "missing, PAPI_CA_SNP\n"
		 "disabled, off::x\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct recipe *plan = NULL;
		struct diag diag = { 0 };
		int code = code_of(&t, rows[i].name);

		for (int again = 0; again < 2; again++) {
			CHECK_AT(rows[i].line,
				 events_plan(t.events, code, &plan, &diag) ==
					 rows[i].want);
			CHECK_AT(rows[i].line,
				 strstr(diag.text, rows[i].part) && !plan);
		}
	}
	toys_close(&t);
}

/* Each line doubles the formula; and each is one level deeper. */
TEST(test_explosions_are_refused)
{
	char text[8192], *end = text;
	const struct recipe *plan;
	struct diag diag = { 0 };
	struct toys t;

	end += sprintf(end, "e0, perf::CYCLES|2|/\n");
	for (int i = 1; i < 40; i++)
		end += sprintf(end, "e%d, e%d+e%d\n", i, i - 1, i - 1);
	end += sprintf(end, "d0, 'perf::CYCLES'\n");
	for (int i = 1; i < 200; i++)
		end += sprintf(end, "d%d, d%d+1\n", i, i - 1);
	toys_open(&t);
	load(&t, text);
	assert_int_equal(
		events_plan(t.events, code_of(&t, "e39"), &plan, &diag),
		PAPI_ENOMEM);
	assert_non_null(strstr(diag.text, "too large"));
	assert_int_equal(
		events_plan(t.events, code_of(&t, "d199"), &plan, &diag),
		PAPI_EINVAL);
	/* one that was too deep below another is fine by itself */
	assert_int_equal(
		events_plan(t.events, code_of(&t, "d99"), &plan, &diag),
		PAPI_EINVAL);
	for (int i = 0; i < 60; i++) {
		char name[16];

		sprintf(name, "d%d", i);
		plan_of(&t, name);
	}
	toys_close(&t);
}

TEST(test_a_bad_file_leaves_nothing)
{
	struct diag diag = { 0 };
	const char *path;
	int code, err;
	struct toys t;

	toys_open(&t);
	path = file_with("good, perf::CYCLES|1|*\nbad, perf::CYCLES|+\n");
	err = events_load_file(t.events, path, &diag);
	unlink(path);
	assert_int_equal(err, PAPI_EINVAL);
	assert_string_equal(diag.file, path);
	assert_int_equal(diag.line, 2);
	assert_int_equal(diag.column, 19);
	assert_int_equal(events_find(t.events, "good", &code, NULL),
			 PAPI_ENOEVNT);
	assert_int_equal(events_load_file(t.events, "/no/such/file", &diag),
			 PAPI_ESYS);
	assert_int_equal(events_load_file(t.events, "/", &diag), PAPI_ESYS);
	toys_close(&t);
}

TEST(test_a_later_file_comes_over_an_earlier)
{
	const struct recipe *before, *after;
	struct toys t;

	toys_open(&t);
	load(&t, "mine, perf::CYCLES|2|*\n");
	before = plan_of(&t, "mine");
	load(&t, "mine, perf::CYCLES|3|*\n");
	after = plan_of(&t, "mine");
	assert_int_equal(before->weights[0], 2); /* still there for its users */
	assert_int_equal(after->weights[0], 3);
	assert_int_not_equal(before->code, after->code);
	toys_close(&t);
}

TEST(test_a_file_overrides_presets_of_its_pmu)
{
	struct toys t;

	toys_open(&t);
	load(&t, "CPU,other\n"
		 "PRESET,PAPI_TOT_CYC,NOT_DERIVED,NO_SUCH\n"
		 "CPU,toy\n" /* the PMU is called toy-one */
		 "PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::CYCLES,in:bytes\n"
		 "PRESET,PAPI_NEW_ONE,NOT_DERIVED,perf::CYCLES\n"
		 "CPU,toy-one\n"
		 "PRESET,PAPI_CA_SNP,DERIVED_SUB,PAPI_BR_INS,PAPI_BR_MSP,"
		 "LDESC,\"Mine, now\"\n");
	assert_int_equal(plan_of(&t, "PAPI_TOT_CYC")->n, 1);
	assert_int_equal(plan_of(&t, "PAPI_TOT_INS")->n, 2);
	assert_int_equal(plan_of(&t, "PAPI_TOT_INS")->natives[1].component, 1);
	assert_int_equal(plan_of(&t, "PAPI_CA_SNP")->weights[1], -1);
	/* a preset that PAPI 7.0 does not have is a user's event */
	assert_true((unsigned)code_of(&t, "PAPI_NEW_ONE") >> 30 == 3);
	toys_close(&t);
}

TEST(test_info_of_a_user_event)
{
	PAPI_event_info_t info;
	struct toys t;

	toys_open(&t);
	load(&t, "ipc, PAPI_TOT_INS/PAPI_TOT_CYC, UNIT, \"1\", LDESC, \"How "
		 "many, on average\"\n");
	assert_int_equal(events_info(t.events, code_of(&t, "ipc"), &info), 0);
	assert_string_equal(info.symbol, "ipc");
	assert_string_equal(info.long_descr, "How many, on average");
	assert_string_equal(info.postfix, "N0|N1|/|");
	assert_int_equal(info.count, 2);
	/* as written, but for the order of what + and * join */
	load(&t, "turned, PAPI_TOT_INS - (PAPI_TOT_CYC + 2*PAPI_BR_INS/"
		 "guard(PAPI_BR_MSP, -(PAPI_TOT_CYC-1)*3))\n");
	assert_int_equal(events_info(t.events, code_of(&t, "turned"), &info),
			 0);
	assert_string_equal(info.postfix,
			    "N0|2|N2|*|N3|N1|1|-|neg|3|*|guard|/|N1|+|-|");
	toys_close(&t);
}

TEST(test_the_environment_names_files)
{
	const char *path = file_with("from_env, perf::CYCLES|5|*\n");
	struct diag diag = { 0 };
	struct toys t;
	int code;

	setenv("PAPI_USER_EVENTS_FILE", path, 1);
	toys_open(&t);
	assert_int_equal(plan_of(&t, "from_env")->weights[0], 5);
	assert_null(events_environment_diag(t.events));
	toys_close(&t);
	unlink(path);
	toys_open(&t);
	assert_non_null(events_environment_diag(t.events));
	assert_string_equal(events_environment_diag(t.events)->file, path);
	toys_close(&t);
	unsetenv("PAPI_USER_EVENTS_FILE");

	path = file_with("CPU,toy\nPRESET,PAPI_TOT_CYC,oops\n");
	setenv("PAPI_CSV_EVENT_FILE", path, 1);
	toys_open(&t);
	assert_int_equal(events_environment_diag(t.events)->line, 2);
	assert_int_equal(events_find(t.events, "nope", &code, &diag),
			 PAPI_ENOEVNT);
	assert_non_null(strstr(diag.text, "; "));
	assert_non_null(strstr(diag.text, ":2: "));
	assert_int_equal(plan_of(&t, "PAPI_TOT_CYC")->n, 1);
	toys_close(&t);
	unsetenv("PAPI_CSV_EVENT_FILE");
	unlink(path);
}

RUN_ALL_TESTS
