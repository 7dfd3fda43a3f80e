/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of machines: which file holds, and whose place they take. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/cpu.h"
#include "machine/machine.h"
#include "measure/metrics.h"

static void write_file(char *path, const char *text)
{
	FILE *to = fdopen(mkstemp(path), "w");

	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static void test_shipped_ones_by_the_pmu(void **state)
{
	static const struct {
		int line;
		const char *pmu;
		const char *name;
		bool guess;
	} rows[] = {
		{ __LINE__, "sim-icx", "icx", false },
		{ __LINE__, "icx", "icx", false },
		{ __LINE__, "sim-hsw-ep", "hsw-ep", false },
		{ __LINE__, "sim-p3", "p3", false },
		{ __LINE__, "sim-icxx", "generic", true },
		{ __LINE__, "sim-ic", "generic", true },
		{ __LINE__, "amd64_fam19h_zen4", "generic", true },
		{ __LINE__, "", "generic", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct constants c;
		struct diag diag = { 0 };

		CHECK_AT(rows[i].line,
			 constants_open(&c, NULL, rows[i].pmu, &diag) == 0);
		CHECK_AT(rows[i].line, strcmp(c.name, rows[i].name) == 0);
		CHECK_AT(rows[i].line, c.is_guess == rows[i].guess);
		CHECK_AT(rows[i].line, !c.is_users);
		constants_fini(&c);
	}
}

/* Table 1 of the 2011 paper, asked for by its name; a file goes first. */
static void test_shipped_ones_by_name(void **state)
{
	struct constants c;
	struct diag diag = { 0 };

	(void)state;
	assert_int_equal(constants_open(&c, "opteron-8358", "sim-icx", &diag),
			 0);
	assert_string_equal(c.name, "opteron-8358");
	assert_true(constants_get(&c, "Mem_lat") == 540);
	assert_true(constants_get(&c, "FP_div_lat") == 38);
	assert_true(isnan(constants_get(&c, "L1I_lat")));
	assert_false(c.is_users);
	constants_fini(&c);
	assert_int_not_equal(constants_open(&c, "opteron", "sim-icx", &diag),
			     0);
}

/* Every model's constants are in every file, or a model has no value there. */
static void test_shipped_ones_are_complete(void **state)
{
	static const char *const names[] = {
		"clock_hz",   "line_bytes",   "issue_width", "BR_lat",
		"BR_min",     "BR_miss_lat",  "L1_lat",      "L1_min",
		"L1I_lat",    "L2_lat",       "L3_lat",      "Mem_lat",
		"Mem_min",    "FP_lat",       "FP_min",      "FP_div_lat",
		"FP_div_min", "TLB_data_lat", "TLB_ins_lat",
	};

	(void)state;
	for (const struct embedded *f = machine_files; f->file; f++) {
		char pmu[32];
		struct constants c;
		struct diag diag = { 0 };
		unsigned roofs = 0;

		/* what the 2011 paper's Table 1 has of it, and no more */
		if (strcmp(f->file, "opteron-8358.txt") == 0)
			continue;
		snprintf(pmu, sizeof(pmu), "%.*s", (int)strlen(f->file) - 4,
			 f->file);
		assert_int_equal(constants_open(&c, NULL, pmu, &diag), 0);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!(constants_get(&c, names[i]) > 0))
				fail_msg("%s has no %s", f->file, names[i]);
		for (size_t i = 0; i < c.defs->n_constants; i++) {
			const char *name = c.defs->constants[i].name;

			roofs |= strncmp(name, "flops_", 6) == 0;
			roofs |= 2u * (strncmp(name, "bytes_", 6) == 0);
		}
		assert_int_equal(roofs, 3);
		constants_fini(&c);
	}
}

static void test_users_file_as_text_and_as_json(void **state)
{
	static const char *const texts[] = {
		"#define L1_lat 7\n#define Mem_lat 3*L1_lat\n",
		"{\"constants\":[{\"name\":\"L1_lat\",\"value\":7,"
		"\"unit\":\"cycles\"},{\"name\":\"x\",\"value\":null},"
		"{\"name\":\"Mem_lat\",\"value\":21}]}\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[] = "/tmp/assay-constants-XXXXXX";
		struct constants c;
		struct diag diag = { 0 };

		write_file(path, texts[i]);
		assert_int_equal(constants_open(&c, path, "sim-icx", &diag), 0);
		assert_true(c.is_users && !c.is_guess);
		assert_true(constants_get(&c, "L1_lat") == 7);
		assert_true(constants_get(&c, "Mem_lat") == 21);
		assert_true(isnan(constants_get(&c, "x")));
		constants_fini(&c);
		unlink(path);
	}
}

static void test_bad_files_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"x, y\n",
		"#define\n",
		"{}",
		"{\"constants\":[}",
		"{\"constants\":[]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char path[] = "/tmp/assay-constants-XXXXXX";
		struct constants c;
		struct diag diag = { 0 };

		write_file(path, texts[i]);
		if (constants_open(&c, path, "", &diag) != PAPI_EINVAL)
			fail_msg("'%s' was taken", texts[i]);
		assert_true(*diag.text);
		constants_fini(&c);
		unlink(path);
	}
}

static double value_of(const struct metrics *m, const char *name)
{
	const struct metric_file *file;
	const struct metric *metric = metrics_find(m, name, &file);
	double counts[64];

	assert_non_null(metric);
	for (size_t i = 0; i < file->set->names.n; i++)
		counts[i] = 1;
	return metric_eval(metric, counts);
}

/* Shipped formulas take the machine's; a user's only if both are the user's. */
static void test_whose_place_they_take(void **state)
{
	char metrics_path[] = "/tmp/assay-metrics-XXXXXX";
	char machine_path[] = "/tmp/assay-constants-XXXXXX";

	(void)state;
	write_file(metrics_path, "#define L1_lat 100\nmine, x*L1_lat\n");
	write_file(machine_path, "#define L1_lat 9\n");
	for (int users = 0; users < 2; users++) {
		struct metrics m = { 0 };
		struct constants c;
		struct diag diag = { 0 };

		assert_int_equal(constants_open(&c, users ? machine_path : NULL,
						"sim-icx", &diag),
				 0);
		m.constants = &c;
		assert_int_equal(metrics_load(&m, metrics_path, "", &diag), 0);
		assert_int_equal(metrics_init(&m, "", &diag), 0);
		assert_true(value_of(&m, "mine") == (users ? 9 : 100));
		/* L1, L2, L3 and memory: icx, or the file's own but for L1 */
		assert_true(value_of(&m, "lcpi_data") ==
			    (users ? 9 + 17 + 60 + 540 : 5 + 14 + 70 + 220));
		metrics_fini(&m);
		constants_fini(&c);
	}
	unlink(metrics_path);
	unlink(machine_path);
}

/* A folder for what `assay machine` keeps, and the file of this machine. */
static char data[] = "/tmp/assay-data-XXXXXX";

static void keep(const char *name, const char *text)
{
	char *path = machine_store_constants(name);
	char folder[sizeof(data) + 32];
	FILE *to;

	assert_non_null(path);
	snprintf(folder, sizeof(folder), "%s/assay", data);
	mkdir(folder, 0777);
	snprintf(folder, sizeof(folder), "%s/assay/machines", data);
	mkdir(folder, 0777);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
	free(path);
}

static void forget(const char *name)
{
	char *path = machine_store_constants(name);
	char folder[sizeof(data) + 32];

	unlink(path);
	free(path);
	snprintf(folder, sizeof(folder), "%s/assay/machines", data);
	rmdir(folder);
	snprintf(folder, sizeof(folder), "%s/assay", data);
	rmdir(folder);
}

static void test_what_was_measured_here_is_found(void **state)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu;
	struct utsname host;
	char text[256];

	(void)state;
	assert_int_equal(cpu_read(&fs, &cpu), 0);
	assert_int_equal(uname(&host), 0);
	for (unsigned other = 0; other < 2; other++) {
		struct constants c;
		struct diag diag = { 0 };

		snprintf(text, sizeof(text),
			 "#define cpu_family %u\n#define cpu_model %u\n"
			 "#define cpu_stepping %u\n#define L1_lat 77\n",
			 cpu.family, cpu.model + other, cpu.stepping);
		keep(host.nodename, text);
		assert_int_equal(constants_open(&c, NULL, "zen", &diag), 0);
		/* One of another processor is left alone. */
		assert_int_equal(c.is_guess, other);
		assert_int_equal(constants_get(&c, "L1_lat") == 77, !other);
		assert_false(c.is_users);
		constants_fini(&c);
		/* A model's constants are known. */
		assert_int_equal(constants_open(&c, NULL, "sim-icx", &diag), 0);
		assert_true(constants_get(&c, "L1_lat") == 5);
		constants_fini(&c);
	}
	forget(host.nodename);
}

static void test_a_damaged_one_is_named(void **state)
{
	struct constants c;
	struct diag diag = { 0 };

	(void)state;
	keep("sim-odd", "#define L1_lat 3\nwhat is this\n");
	assert_true(constants_open(&c, NULL, "sim-odd", &diag) < 0);
	assert_non_null(strstr(diag.text, "machines/sim-odd.txt:2: "));
	constants_fini(&c);
	keep("sim-odd", "#define L1_lat 3\n");
	assert_int_equal(constants_open(&c, NULL, "sim-odd", &diag), 0);
	assert_true(constants_get(&c, "L1_lat") == 3);
	constants_fini(&c);
	forget("sim-odd");
}

static int run_all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped_ones_by_the_pmu),
		cmocka_unit_test(test_shipped_ones_by_name),
		cmocka_unit_test(test_shipped_ones_are_complete),
		cmocka_unit_test(test_users_file_as_text_and_as_json),
		cmocka_unit_test(test_bad_files_are_refused),
		cmocka_unit_test(test_whose_place_they_take),
		cmocka_unit_test(test_what_was_measured_here_is_found),
		cmocka_unit_test(test_a_damaged_one_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	int failed;

	/* Not what the user has measured. */
	if (!mkdtemp(data))
		return 1;
	setenv("XDG_DATA_HOME", data, 1);
	failed = run_all();
	rmdir(data);
	return failed;
}
