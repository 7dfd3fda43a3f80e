/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of counts: written, read, damaged, and of another plan. */
#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/counts.h"
#include "bundle/request.h"
#include "tests/unit/testing.h"

static const struct kernel_machine machine = {
	.line_bytes = 64,
	.page_bytes = 4096,
	.l1d = { 32768, 8, 4 },
	.l3 = { 1 << 25, 16, 70 },
	.dtlb = { 64, 4 },
	.lru = true,
	.l1_alone = true,
	.waits = true,
	.history = 129,
	.ras = 16,
};

static const char head[] = COUNTS_MAGIC "assay 0.1.0\n"
					"where x86_64, Linux 6.1\n"
					"cpu A Processor\n"
					"pmu hw 4 zen4\n";

/* A file of two units: @rest comes after the units. */
static char *file_of(const char *rest)
{
	const struct kernel *kernel = kernels_find("branch/1");
	struct experiment_unit units[] = {
		{ .kernel = kernel, .point = { .times = 100 } },
		{ .kernel = kernel, .point = { .times = 200 } },
	};
	struct strbuf text = { 0 };

	strbuf_add(&text, head);
	counts_geometry(&text, &machine);
	strbuf_add(&text, "repeats 2\nevent A\nevent B\nevent C\n"
			  "refused 2 it has no such event\n"
			  "set 0\nset 1\n");
	counts_unit(&text, &units[0], &machine);
	counts_unit(&text, &units[1], &machine);
	strbuf_addf(&text, "counts\n%s", rest);
	strbuf_addf(&text, "end %016" PRIx64 "\n",
		    request_hash(HASH_START, text.text, text.len));
	return strbuf_take(&text);
}

static int parse(const char *text, struct counts *counts, struct diag *diag)
{
	char *copy = strdup(text);
	int err = counts_parse(copy, strlen(copy), counts, diag);

	free(copy);
	return err;
}

#define WHOLE                                                                  \
	"c 0 0 1 2 .\nc 0 1 3 4 .\nc 1 1 7 8 .\n"                              \
	"c 1 0 5 6 .\n"

TEST(test_counts_are_those_written)
{
	char *text = file_of(WHOLE);
	struct counts c;
	struct diag diag = { .text = "" };

	assert_int_equal(parse(text, &c, &diag), 0);
	assert_int_equal(c.n_units, 2);
	assert_string_equal(c.units[0].kernel->name, "branch/1");
	assert_int_equal(c.units[1].point.times, 200);
	assert_int_equal(c.result->n_events, 3);
	assert_string_equal(c.result->events[2].reason, "it has no such event");
	assert_int_equal(c.result->counters, 4);
	assert_true(experiment_count(c.result, 0, 0, 0) == 1);
	assert_true(experiment_count(c.result, 0, 1, 0) == 2);
	assert_true(experiment_count(c.result, 0, 1, 1) == 4);
	assert_true(experiment_count(c.result, 1, 0, 1) == 7);
	assert_true(isnan(experiment_count(c.result, 1, 0, 2)));
	assert_memory_equal(&c.machine.l3, &machine.l3, sizeof(machine.l3));
	assert_int_equal(c.machine.ras, 16);
	assert_true(c.machine.l1_alone && c.machine.waits);
	assert_string_equal(c.kind, "hw");
	assert_string_equal(c.model, "zen4");
	assert_null(c.left_out);
	counts_fini(&c);
	free(text);
}

TEST(test_refused_unit_keeps_its_reason)
{
	char *text = file_of("c 0 0 1 2 .\nc 0 1 3 4 .\nx 1 it crashed .\n");
	struct counts c;
	struct diag diag = { .text = "" };

	assert_int_equal(parse(text, &c, &diag), 0);
	assert_null(c.result->reasons[0]);
	assert_string_equal(c.result->reasons[1], "it crashed");
	counts_fini(&c);
	free(text);
}

static void refused(const char *text, const char *words)
{
	struct counts c;
	struct diag diag = { .text = "" };

	assert_int_equal(parse(text, &c, &diag), PAPI_EINVAL);
	if (!strstr(diag.text, words))
		fail_msg("'%s' lacks '%s'", diag.text, words);
}

/* Every single byte that is changed, and every cut, is noticed. */
TEST(test_damage_is_noticed)
{
	char *text = file_of(WHOLE);
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		struct counts c;
		struct diag diag = { .text = "" };
		char *copy = strdup(text);

		copy[i] ^= 1;
		assert_int_equal(parse(copy, &c, &diag), PAPI_EINVAL);
		assert_true(*diag.text);
		copy[i] = '\0';
		assert_int_equal(parse(copy, &c, &diag), PAPI_EINVAL);
		free(copy);
	}
	free(text);
	refused("", "not what a bundle");
	refused("assay-counts 2\n", "another version");
	refused(COUNTS_MAGIC, "before its last line");
}

/* A right checksum does not make wrong lines right. */
TEST(test_lines_are_checked)
{
	static const struct {
		const char *rest, *words;
	} wrong[] = {
		{ "", "counts are missing" },
		{ "c 0 0 1 2 .\n", "counts are missing" },
		{ WHOLE "c 2 0 1 2 .\n", "c 2 0" },
		{ WHOLE "c 0 2 1 2 .\n", "c 0 2" },
		{ WHOLE "c 0 0 1 .\n", "c 0 0 1" },
		{ WHOLE "c 0 0 1 2 3 .\n", "c 0 0 1 2 3" },
		{ WHOLE "c 0 0 1 2\n", "c 0 0 1 2" },
		{ WHOLE "x 2 no .\n", "x 2" },
		{ WHOLE "event D\n", "event D" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *text = file_of(wrong[i].rest);

		refused(text, wrong[i].words);
		free(text);
	}
}

/* A kernel that is expected to count something else here is left out. */
TEST(test_other_kernels_are_left_out)
{
	char *text = file_of(WHOLE), *last, *unit = strstr(text, "unit ");
	struct counts c;
	struct diag diag = { .text = "" };

	unit = strchr(unit, '\n') - 1;
	*unit = *unit == '0' ? '1' : '0';
	last = strstr(text, "\nend ") + 1;
	snprintf(last, 22, "end %016" PRIx64 "\n",
		 request_hash(HASH_START, text, (size_t)(last - text)));
	assert_int_equal(parse(text, &c, &diag), 0);
	assert_int_equal(c.n_units, 1);
	assert_string_equal(c.left_out, "branch/1");
	assert_true(experiment_count(c.result, 0, 0, 0) == 5);
	counts_fini(&c);
	free(text);
}

/* Whatever a kernel is run at is taken back. */
TEST(test_every_point_is_known)
{
	struct kernel_point points[128];
	struct strbuf text = { 0 };
	struct counts c;
	struct diag diag = { .text = "" };
	size_t units = 0;

	strbuf_add(&text, head);
	counts_geometry(&text, &machine);
	strbuf_add(&text, "repeats 1\nevent A\nset 0\n");
	for (size_t k = 0; k < kernels_count(); k++) {
		struct experiment_unit unit = { .kernel = kernels_get(k) };
		size_t n = kernel_points(unit.kernel, &machine, points, 128);

		for (size_t i = 0; i < n; i++) {
			unit.point = points[i];
			counts_unit(&text, &unit, &machine);
			units++;
		}
	}
	strbuf_add(&text, "counts\n");
	for (size_t i = 0; i < units; i++)
		strbuf_addf(&text, "c %zu 0 1 .\n", i);
	strbuf_addf(&text, "end %016" PRIx64 "\n",
		    request_hash(HASH_START, text.text, text.len));
	assert_int_equal(parse(text.text, &c, &diag), 0);
	assert_null(c.left_out);
	assert_int_equal(c.n_units, units);
	counts_fini(&c);
	strbuf_fini(&text);
}

RUN_ALL_TESTS
