/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorders: what they refuse, with which code and sentence. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>
#include <assay/record.h>

#include "tests/unit/testing.h"

#define CLOCK "perf::TASK-CLOCK"

/* Presets over software events, so that there are formulas and sums. */
static const char presets[] =
	"CPU,perf\n"
	"PRESET,PAPI_TOT_INS,DERIVED_SUB,perf::MINOR-FAULTS,perf::MAJOR-FAULTS\n"
	"PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|2|*|N1|+,perf::PAGE-FAULTS,perf::TASK-CLOCK\n"
	"PRESET,PAPI_BR_INS,DERIVED_ADD,perf::MINOR-FAULTS,perf::MAJOR-FAULTS\n";

static char folder[] = "/tmp/assay-record-XXXXXX";
static char file[64], control[64];

/* With the simulated PMU beside the kernel's, for children. */
static int open_library(void **state)
{
	FILE *to;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof(file), "%s/presets.csv", folder);
	snprintf(control, sizeof(control), "%s/control", folder);
	to = fopen(file, "w");
	if (!to || fputs(presets, to) < 0 || fclose(to))
		return -1;
	setenv("PAPI_CSV_EVENT_FILE", file, 1);
	if (assay_simulate("icx", NULL, control))
		return -1;
	return PAPI_library_init(PAPI_VER_CURRENT) != (int)PAPI_VER_CURRENT;
}

static int close_library(void **state)
{
	(void)state;
	PAPI_shutdown();
	unlink(file);
	unlink(control);
	return rmdir(folder);
}

static int refuse_all(void *context, const struct assay_record *record)
{
	(void)context;
	(void)record;
	return -99;
}

static int code_of(const char *name)
{
	int code = PAPI_NULL;

	if (PAPI_event_name_to_code(name, &code) != PAPI_OK)
		fail_msg("%s: %s", name, assay_error());
	return code;
}

TEST(test_what_cannot_be_recorded)
{
	static const int nobody[] = { 99999999 };
	static const struct {
		int line;
		const char *events[10];
		uint64_t period;
		const int *threads;
		int code;
		const char *why;
	} rows[] = {
		{ __LINE__,
		  { CLOCK },
		  0,
		  NULL,
		  PAPI_EINVAL,
		  "the threshold must be above 0" },
		{ __LINE__,
		  { "PAPI_TOT_INS" },
		  9,
		  NULL,
		  PAPI_ENOSUPP,
		  "a formula over 2 events" },
		{ __LINE__,
		  { "PAPI_TOT_CYC" },
		  9,
		  NULL,
		  PAPI_ENOSUPP,
		  "a formula over 2 events" },
		{ __LINE__,
		  { "io::rchar" },
		  9,
		  NULL,
		  PAPI_ENOSUPP,
		  "events of component io cannot be sampled" },
		{ __LINE__,
		  { CLOCK, "sim::INST_RETIRED:ANY" },
		  9,
		  NULL,
		  PAPI_ECNFLCT,
		  "perf_event and of sim cannot be sampled" },
		{ __LINE__,
		  { CLOCK },
		  1000000,
		  nobody,
		  PAPI_ESYS,
		  "it has ended" },
		{ __LINE__,
		  { "sim::INST_RETIRED:ANY" },
		  9,
		  nobody,
		  PAPI_ENOSUPP,
		  "a running process cannot be moved" },
		{ __LINE__,
		  { "sim::INST_RETIRED:ANY", "sim::INST_RETIRED:NOP",
		    "sim::INST_RETIRED:BYTES", "sim::INST_RETIRED:REP",
		    "sim::INST_RETIRED:ANY", "sim::INST_RETIRED:NOP",
		    "sim::INST_RETIRED:BYTES", "sim::INST_RETIRED:REP",
		    "sim::INST_RETIRED:ANY" },
		  9,
		  NULL,
		  PAPI_ECNFLCT,
		  "samples at most" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct assay_record_event events[10];
		struct assay_recording what = { .events = events };
		struct assay_recorder *recorder = NULL;
		int err;

		for (; rows[i].events[what.n]; what.n++)
			events[what.n] = (struct assay_record_event){
				.code = code_of(rows[i].events[what.n]),
				.period = rows[i].period
			};
		what.pid = getpid();
		what.threads = rows[i].threads;
		what.n_threads = rows[i].threads ? 1 : 0;
		err = assay_recorder_open(&what, &recorder);
		if (err != rows[i].code || !strstr(assay_error(), rows[i].why))
			fail_msg("row at line %d: %d, %s", rows[i].line, err,
				 assay_error());
		CHECK_AT(rows[i].line, recorder == NULL);
	}
}

TEST(test_a_sum_is_recorded_by_its_parts)
{
	struct assay_record_event event = { .period = 1000 };
	struct assay_recording what = { .events = &event, .n = 1 };
	struct assay_recorder *recorder;
	uint64_t value = 1;

	event.code = code_of("PAPI_BR_INS");
	what.pid = getpid();
	if (assay_recorder_open(&what, &recorder))
		fail_msg("%s", assay_error());
	assert_string_equal(assay_recorder_source(recorder), "perf_event");
	assert_int_equal(assay_recorder_values(recorder, &value), PAPI_OK);
	assert_int_equal(value, 0); /* this process calls no exec */
	assert_int_equal(assay_recorder_take(recorder, NULL, NULL),
			 PAPI_EINVAL);
	assert_int_equal(assay_recorder_values(recorder, NULL), PAPI_EINVAL);
	assay_recorder_close(recorder);
}

TEST(test_nothing_is_no_recorder)
{
	uint64_t value;

	assert_int_equal(assay_recorder_take(NULL, refuse_all, NULL),
			 PAPI_EINVAL);
	assert_int_equal(assay_recorder_values(NULL, &value), PAPI_EINVAL);
	assert_string_equal(assay_recorder_source(NULL), "");
	assay_recorder_close(NULL);
}

TEST(test_a_histogram_that_cannot_be_written)
{
	static uint64_t buckets[4];
	PAPI_sprofil_t region = { buckets, sizeof(buckets),
				  (vptr_t)(size_t)open_library, 65536 };

	assert_int_equal(assay_profil_write("/nowhere/out", &region, 1,
					    PAPI_PROFIL_BUCKET_64, CLOCK, 9),
			 PAPI_ESYS);
	assert_non_null(strstr(assay_error(), "/nowhere/out"));
	assert_int_equal(assay_profil_write(file, &region, 1,
					    PAPI_PROFIL_BUCKET_64, CLOCK, 9),
			 PAPI_OK);
}

TEST(test_the_simulated_pmu_is_chosen_before)
{
	assert_int_equal(assay_simulate("icx", NULL, control), PAPI_EISRUN);
	assert_non_null(strstr(assay_error(), "before PAPI_library_init()"));
	assert_int_equal(assay_simulate("icx", NULL, NULL), PAPI_OK);
}

RUN_ALL_TESTS_WITH(open_library, close_library)
