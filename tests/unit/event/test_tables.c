/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preset tables, as tables: every line is read, every name is a preset's,
 * every formula compiles, and libpfm4 knows every native event. libpfm4 has
 * only the PMUs of the architecture it was built for; for the others the
 * names it has there are in tests/fixtures/pfm.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "event/preset.h"
#include "event/tables.h"
#include "metric/defs.h"
#include "metric/set.h"
#include "tests/unit/testing.h"

/* What the issue asks for, at the least. */
static const char *const wanted_cpus[] = {
	"perf",
	"skx",
	"icx",
	"spr",
	"amd64_fam17h_zen2",
	"amd64_fam19h_zen3",
	"amd64_fam19h_zen4",
	"arm_n1",
	"arm_v1",
	"arm_ac57",
	"arm_ac72",
	"power9",
};

static struct defs *read_table(const struct preset_table *table)
{
	struct diag diag = { 0 };
	struct defs *defs = NULL;

	if (defs_parse(table->file, table->text, table->len, &defs, &diag))
		fail_msg("%s:%zu:%zu: %s", table->file, diag.line, diag.column,
			 diag.text);
	return defs;
}

static bool pfm_has_pmu(const char *cpu)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS &&
		    strcmp(info.name, cpu) == 0)
			return true;
	}
	return false;
}

static const char *encode(const char *cpu, const char *event)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	char *name = strstr(event, "::") ? strdup(event)
					 : str_format("%s::%s", cpu, event);
	int err = pfm_get_os_event_encoding(name, PFM_PLM3,
					    PFM_OS_PERF_EVENT_EXT, &arg);

	/* a PMU that libpfm4 knows and Linux does not count with: newer ones
	 * find no event then */
	if ((err == PFM_ERR_NOTSUPP || err == PFM_ERR_NOTFOUND) &&
	    pfm_find_event(name) >= 0)
		err = PFM_SUCCESS;
	free(name);
	return err == PFM_SUCCESS ? NULL : pfm_strerror(err);
}

/* Whether @event begins a line of tests/fixtures/pfm/@cpu.txt. */
static const char *look_up(const char *cpu, const char *event)
{
	char *path = str_format(FIXTURES "/pfm/%s.txt", cpu);
	FILE *names = fopen(path, "r");
	char line[256];
	const char *why = "there is no list of its events";

	while (names && fgets(line, sizeof(line), names)) {
		why = "not in the list";
		line[strcspn(line, " \n")] = '\0';
		if (strcmp(line, event) == 0) {
			why = NULL;
			break;
		}
	}
	if (names)
		fclose(names);
	free(path);
	return why;
}

/* What an EVENT line for one CPU names: rHEX, or "pmu/term=0x1,.../". */
static bool is_encoding(const struct defs *defs, const struct def *def)
{
	return !def->is_preset && def->derived == DERIVED_NOT &&
	       defs->sections[def->section].n > 0;
}

static const char *check_encoding(const char *text)
{
	size_t n = strlen(text);

	if (text[0] == 'r' && strspn(text + 1, "0123456789abcdef") == n - 1 &&
	    n > 1 && n <= 17)
		return NULL;
	if (strchr(text, '/') && text[n - 1] == '/' && strstr(text, "event="))
		return NULL;
	return "is not an encoding";
}

/* Whether @defs gives @name to an encoding for @cpu. */
static bool has_encoding(const struct defs *defs, const char *cpu,
			 const char *name)
{
	for (size_t i = 0; defs && i < defs->n; i++)
		if (is_encoding(defs, &defs->defs[i]) &&
		    strcmp(defs->defs[i].name, name) == 0 &&
		    defs_section_has(defs, defs->defs[i].section, cpu))
			return true;
	return false;
}

static const char *check_event(const struct defs *defs, const char *cpu,
			       const char *event)
{
	if (strncmp(event, "PAPI_", 5) == 0 || has_encoding(defs, cpu, event))
		return NULL;
	if (strcmp(cpu, "clx") == 0) /* libpfm4 calls it skx */
		cpu = "skx";
	if (strcmp(cpu, "sim") == 0) /* checked where the events are made */
		return NULL;
	return pfm_has_pmu(cpu) ? encode(cpu, event) : look_up(cpu, event);
}

static void check_def(const struct defs *defs, const struct def *def)
{
	const struct def_section *section = &defs->sections[def->section];
	enum preset preset;

	if (def->is_preset && !preset_find(def->name, &preset))
		fail_msg("%s:%zu: %s is no preset", defs->file, def->line,
			 def->name);
	for (size_t c = 0; c < section->n; c++) {
		for (size_t i = 0; i < def->n_bases; i++) {
			const char *why =
				is_encoding(defs, def)
					? check_encoding(def->bases[i])
					: check_event(defs, section->cpus[c],
						      def->bases[i]);

			if (why)
				fail_msg("%s:%zu: %s: %s: %s", defs->file,
					 def->line, section->cpus[c],
					 def->bases[i], why);
		}
	}
}

TEST(test_every_event_is_known)
{
	size_t n = 0;

	for (size_t t = 0; t < preset_table_count; t++) {
		struct defs *defs = read_table(&preset_tables[t]);

		for (size_t i = 0; i < defs->n; i++, n++)
			check_def(defs, &defs->defs[i]);
		defs_free(defs);
	}
	assert_true(n > 300);
}

/* The same for the sets of metrics: what they say of one PMU, it has. */
static void check_metrics(const char *file, const char *cpu)
{
	const char *cpus[] = { cpu, NULL };
	char *path = str_format(FIXTURES "/../../share/metrics/%s.txt", file);
	struct metric_set *set = NULL;
	struct defs *defs = NULL;
	char *text;
	size_t len;

	assert_int_equal(file_read(path, &text, &len, NULL), 0);
	assert_int_equal(defs_parse(file, text, len, &defs, NULL), 0);
	assert_int_equal(metric_set_new(defs, cpus, &set, NULL), 0);
	for (size_t i = 0; i < set->names.n; i++) {
		const char *name = set->names.names[i];
		const char *why = NULL;

		if (strcmp(name, "#") != 0 && strcmp(name, "wall_s") != 0)
			why = check_event(NULL, cpu, name);
		if (why)
			fail_msg("%s: %s: %s: %s", file, cpu, name, why);
	}
	metric_set_free(set);
	defs_free(defs);
	free(text);
	free(path);
}

TEST(test_metric_sets_name_known_events)
{
	if (!pfm_has_pmu("icx"))
		skip(); /* libpfm4 is another architecture's */
	check_metrics("cycles", "core");
	check_metrics("cycles", "icx");
	check_metrics("bandwidth", "core");
	check_metrics("bandwidth", "amd64_fam10h_barcelona");
	check_metrics("bandwidth", "amd64_fam10h_shanghai");
	check_metrics("bandwidth", "amd64_fam10h_istanbul");
	check_metrics("power", "nhm");
	check_metrics("hpm", "amd64_fam17h_zen2");
	check_metrics("hpm", "amd64_fam19h_zen4");
}

/* A wrong name must be found out, or the test above shows nothing. */
TEST(test_a_wrong_event_is_found_out)
{
	assert_non_null(
		check_event(NULL, "icx", "BR_INST_RETIRED:NO_SUCH_MASK"));
	assert_non_null(check_event(NULL, "arm_n1", "NO_SUCH_EVENT"));
	assert_non_null(check_event(NULL, "perf", "perf::NO_SUCH_EVENT"));
}

static bool is_used(const struct defs *defs, const char *name)
{
	for (size_t i = 0; i < defs->n; i++)
		for (size_t b = 0; b < defs->defs[i].n_bases; b++)
			if (strcmp(defs->defs[i].bases[b], name) == 0)
				return true;
	return false;
}

TEST(test_every_encoding_is_used)
{
	for (size_t t = 0; t < preset_table_count; t++) {
		struct defs *defs = read_table(&preset_tables[t]);

		for (size_t i = 0; i < defs->n; i++)
			if (is_encoding(defs, &defs->defs[i]) &&
			    !is_used(defs, defs->defs[i].name))
				fail_msg("%s:%zu: %s is not used", defs->file,
					 defs->defs[i].line,
					 defs->defs[i].name);
		defs_free(defs);
	}
}

/* A name comes twice for one CPU only if a later section overrides it. */
TEST(test_no_preset_twice_in_a_section)
{
	for (size_t t = 0; t < preset_table_count; t++) {
		struct defs *defs = read_table(&preset_tables[t]);

		for (size_t i = 0; i < defs->n; i++) {
			const struct def *a = &defs->defs[i];

			for (size_t j = i + 1; j < defs->n; j++) {
				const struct def *b = &defs->defs[j];

				if (a->section == b->section &&
				    strcmp(a->name, b->name) == 0)
					fail_msg("%s:%zu: %s again", defs->file,
						 b->line, b->name);
			}
		}
		defs_free(defs);
	}
}

static size_t presets_for(const char *cpu)
{
	size_t n = 0;

	for (size_t t = 0; t < preset_table_count; t++) {
		struct defs *defs = read_table(&preset_tables[t]);

		for (size_t i = 0; i < defs->n; i++)
			n += defs->defs[i].section != 0 &&
			     defs_section_has(defs, defs->defs[i].section, cpu);
		defs_free(defs);
	}
	return n;
}

TEST(test_every_cpu_has_its_presets)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted_cpus); i++)
		if (presets_for(wanted_cpus[i]) < 25)
			fail_msg("%s has %zu presets", wanted_cpus[i],
				 presets_for(wanted_cpus[i]));
}

/* The list beside each table says for whom it is. */
TEST(test_tables_list_their_cpus)
{
	for (size_t t = 0; t < preset_table_count; t++) {
		const struct preset_table *table = &preset_tables[t];
		struct defs *defs = read_table(table);

		for (size_t i = 0; table->cpus[i]; i++) {
			bool found = false;

			for (size_t s = 1; s < defs->n_sections; s++)
				found |= defs_section_has(defs, s,
							  table->cpus[i]);
			if (!found)
				fail_msg("%s: no section for %s", table->file,
					 table->cpus[i]);
		}
		defs_free(defs);
	}
}

static int set_up(void **state)
{
	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return pfm_initialize() == PFM_SUCCESS ? 0 : -1;
}

RUN_ALL_TESTS_WITH(set_up, NULL)
