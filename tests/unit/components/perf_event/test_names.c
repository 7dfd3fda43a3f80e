/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of events on machines whose sysfs was written by hand after the
 * kernel's documentation, not captured: an Ice Lake server with its uncore, a
 * Zen 3 server, a Neoverse N1, and a virtual machine without a PMU.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "components/components.h"
#include "components/perf_event/event.h"
#include "tests/unit/testing.h"

static const struct fs icx = { .root = FIXTURES "/perf_event/icx" };
static const struct fs zen3 = { .root = FIXTURES "/perf_event/zen3" };
static const struct fs n1 = { .root = FIXTURES "/perf_event/n1" };
static const struct fs none = { .root = FIXTURES "/perf_event/none" };

static struct component *machine(const struct fs *fs)
{
	struct component *c = component_new(&perf_event_component);

	assert_non_null(c);
	assert_int_equal(component_probe(c, fs), 0);
	assert_false(c->disabled);
	return c;
}

/* libpfm4 looks at the real CPU; its tables are tested with this one. */
static int force_icx(void **state)
{
	(void)state;
	return setenv("LIBPFM_FORCE_PMU", "icx", 1);
}

TEST(test_encodings)
{
	static const struct {
		int line;
		const struct fs *fs;
		const char *name;
		uint32_t type;
		uint64_t config, config1;
		unsigned levels;
	} rows[] = {
		{ __LINE__, &icx, "cycles", PERF_TYPE_HARDWARE, 0, 0, 0 },
		{ __LINE__, &icx, "instructions:u", PERF_TYPE_HARDWARE, 1, 0,
		  PE_USER },
		{ __LINE__, &icx, "perf::BRANCH-MISSES:k=1", PERF_TYPE_HARDWARE,
		  5, 0, PE_KERNEL },
		{ __LINE__, &icx, "cycles:k=0", PERF_TYPE_HARDWARE, 0, 0,
		  PE_USER },
		{ __LINE__, &icx, "cycles:u=0", PERF_TYPE_HARDWARE, 0, 0,
		  PE_KERNEL },
		{ __LINE__, &icx, "cycles:h=0", PERF_TYPE_HARDWARE, 0, 0, 0 },
		{ __LINE__, &icx, "cycles:u=1:k=0:h=0", PERF_TYPE_HARDWARE, 0,
		  0, PE_USER },
		{ __LINE__, &icx, "cs", PERF_TYPE_SOFTWARE, 3, 0, 0 },
		{ __LINE__, &icx, "migrations:uk", PERF_TYPE_SOFTWARE, 4, 0,
		  PE_USER | PE_KERNEL },
		{ __LINE__, &icx, "L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
		  0x10000, 0, 0 },
		{ __LINE__, &icx, "dTLB-store-misses", PERF_TYPE_HW_CACHE,
		  0x10103, 0, 0 },
		{ __LINE__, &icx, "r1c2", PERF_TYPE_RAW, 0x1c2, 0, 0 },
		{ __LINE__, &icx, "r0x1C2:u=1:k=1", PERF_TYPE_RAW, 0x1c2, 0,
		  PE_USER | PE_KERNEL },
		{ __LINE__, &icx, "cpu/event=0x3c,umask=0/", PERF_TYPE_RAW,
		  0x3c, 0, 0 },
		{ __LINE__, &icx, "cpu/event=0xc4,umask=0x11,cmask=1,inv/u",
		  PERF_TYPE_RAW, 0x18011c4, 0, PE_USER },
		{ __LINE__, &icx, "cpu/mem-loads/", PERF_TYPE_RAW, 0x1cd, 3,
		  0 },
		{ __LINE__, &icx, "cpu/mem-loads,ldlat=30/", PERF_TYPE_RAW,
		  0x1cd, 30, 0 },
		{ __LINE__, &icx, "cpu/mem-param,ldlat=0x1f/", PERF_TYPE_RAW,
		  0x1cd, 31, 0 },
		{ __LINE__, &icx, "cpu/config=0x53003c,config1=7/",
		  PERF_TYPE_RAW, 0x53003c, 7, 0 },
		{ __LINE__, &icx, "slots", PERF_TYPE_RAW, 0x400, 0, 0 },
		{ __LINE__, &icx, "slots:u", PERF_TYPE_RAW, 0x400, 0, PE_USER },
		{ __LINE__, &icx, "uncore_imc_0/cas_count_read/", 30, 0xf04, 0,
		  0 },
		{ __LINE__, &icx, "uncore_cha_0/event=0x34,umask=0xc001ff/", 40,
		  0xc0010000ff34, 0, 0 },
		{ __LINE__, &icx, "power/energy-pkg/", 28, 2, 0, 0 },
		{ __LINE__, &icx, "energy-pkg", 28, 2, 0, 0 },
		{ __LINE__, &zen3, "cpu/event=0x1cf,umask=1/", PERF_TYPE_RAW,
		  0x1000001cf, 0, 0 },
		{ __LINE__, &zen3, "amd_df/event=0x1107/", 11,
		  0x0800000100000007, 0, 0 },
		{ __LINE__, &n1, "armv8_pmuv3_0/inst_retired/", PERF_TYPE_RAW,
		  8, 0, 0 },
		{ __LINE__, &n1, "inst_retired", PERF_TYPE_RAW, 8, 0, 0 },
		{ __LINE__, &n1, "armv8_pmuv3_0/event=0x11,long/",
		  PERF_TYPE_RAW, 0x11, 1, 0 },
		{ __LINE__, &n1, "arm_cmn_0/type=5,eventid=0x2/", 12, 0x20005,
		  0, 0 },
		{ __LINE__, &icx, "icx::BR_INST_RETIRED:COND", PERF_TYPE_RAW,
		  0x11c4, 0, 0 },
		{ __LINE__, &icx, "BR_INST_RETIRED:COND:u=1", PERF_TYPE_RAW,
		  0x11c4, 0, PE_USER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct component *c = machine(rows[i].fs);
		struct diag diag = { 0 };
		const struct pe_event *e;
		size_t at;
		int err = component_find_event(c, rows[i].name, &at, &diag);

		if (err)
			fail_msg("row at line %d: %s gives %d: %s",
				 rows[i].line, rows[i].name, err, diag.text);
		e = c->events[at]->data;
		CHECK_AT(rows[i].line, e->code.type == rows[i].type);
		if (e->code.config != rows[i].config)
			fail_msg("row at line %d: config %llx", rows[i].line,
				 (unsigned long long)e->code.config);
		CHECK_AT(rows[i].line, e->code.config1 == rows[i].config1);
		CHECK_AT(rows[i].line, e->code.levels == rows[i].levels);
		component_free(c);
	}
}

TEST(test_refusals_say_what_and_where)
{
	static const struct {
		int line;
		const char *name;
		int code;
		size_t column;
		const char *word;
	} rows[] = {
		{ __LINE__, "nonsense", PAPI_ENOEVNT, 0, "nonsense" },
		{ __LINE__, "", PAPI_ENOEVNT, 0, "" },
		{ __LINE__, "page faults", PAPI_ENOEVNT, 0, "" },
		{ __LINE__, "r", PAPI_ENOEVNT, 0, "" },
		{ __LINE__, "r11111222223333344", PAPI_EINVAL, 2, "16 digits" },
		{ __LINE__, "cycles:", PAPI_EINVAL, 7, "colon" },
		{ __LINE__, "cycles:x", PAPI_EINVAL, 8, "modifier" },
		{ __LINE__, "cycles:u:", PAPI_EINVAL, 10, "modifier" },
		{ __LINE__, "cycles:u=2", PAPI_EINVAL, 8, "modifier" },
		{ __LINE__, "cycles:u=0:k=0", PAPI_EINVAL, 8, "no privilege" },
		{ __LINE__, "cycles:u=1:u=0", PAPI_EINVAL, 8, "no privilege" },
		{ __LINE__, "cycles:pppp", PAPI_EINVAL, 8, "modifier" },
		{ __LINE__, "cpu/event=0x3c", PAPI_EINVAL, 15, "slash" },
		{ __LINE__, "gpu/event=0x3c/", PAPI_ENOEVNT, 0, "gpu" },
		{ __LINE__, "cpu/evnt=1/", PAPI_EINVAL, 5, "evnt" },
		{ __LINE__, "cpu/event=1,umsk=2/", PAPI_EINVAL, 13, "umsk" },
		{ __LINE__, "cpu/event=0x100/", PAPI_EINVAL, 5, "too large" },
		{ __LINE__, "cpu/event=/", PAPI_EINVAL, 5, "number" },
		{ __LINE__, "cpu/event=-1/", PAPI_EINVAL, 5, "number" },
		{ __LINE__, "cpu//", PAPI_EINVAL, 5, "empty" },
		{ __LINE__, "cpu/,/", PAPI_EINVAL, 5, "empty" },
		{ __LINE__, "cpu/../", PAPI_EINVAL, 5, "term" },
		{ __LINE__, "cpu/event=1/z", PAPI_EINVAL, 13, "modifier" },
		{ __LINE__, "cpu/mem-param/", PAPI_EINVAL, 5, "ldlat" },
		{ __LINE__, "icx::BR_INST_RETIRED:NOPE", PAPI_EATTR, 0,
		  "BR_INST" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct component *c = machine(&icx);
		struct diag diag = { 0 };
		size_t at = 0;
		int err = component_find_event(c, rows[i].name, &at, &diag);

		if (err != rows[i].code || !strstr(diag.text, rows[i].word) ||
		    (rows[i].column && diag.column != rows[i].column))
			fail_msg("row at line %d: %s gives %d at %zu: %s",
				 rows[i].line, rows[i].name, err, diag.column,
				 diag.text);
		component_free(c);
	}
}

TEST(test_two_names_of_one_event_are_one)
{
	static const char *const names[][2] = {
		{ "page-faults", "perf::PERF_COUNT_SW_PAGE_FAULTS" },
		{ "cpu-cycles", "cycles" },
		{ "r4c4", "cpu/event=0xc4,umask=0x4/" },
		{ "icx::BR_INST_RETIRED:COND", "r11c4" },
		{ "slots", "cpu/slots/" },
		{ "cycles:u", "cycles:u=1" },
	};
	struct component *c = machine(&icx);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t a = 0, b = 1;

		assert_int_equal(component_find_event(c, names[i][0], &a, NULL),
				 0);
		assert_int_equal(component_find_event(c, names[i][1], &b, NULL),
				 0);
		assert_int_equal(a, b);
	}
	component_free(c);
}

TEST(test_levels_make_another_event)
{
	struct component *c = machine(&icx);
	size_t a = 0, b = 0;

	assert_int_equal(component_find_event(c, "cycles", &a, NULL), 0);
	assert_int_equal(component_find_event(c, "cycles:k", &b, NULL), 0);
	assert_int_not_equal(a, b);
	component_free(c);
}

static bool is_listed(struct component *c, const char *name)
{
	size_t n = component_event_count(c);

	for (size_t i = 0; i < n; i++) {
		const struct event *e = component_event(c, i);

		if (!strcmp(e->name, name))
			return !e->hidden;
	}
	return false;
}

TEST(test_all_kinds_are_listed)
{
	struct component *c = machine(&icx);

	/* found before it is listed, under another name */
	assert_int_equal(
		component_find_event(c, "faults", &(size_t){ 0 }, NULL), 0);
	assert_true(is_listed(c, "perf::PAGE-FAULTS"));
	assert_true(is_listed(c, "perf::LLC-LOAD-MISSES"));
	assert_true(is_listed(c, "cpu/mem-loads/"));
	assert_true(is_listed(c, "uncore_imc_0/cas_count_read/"));
	assert_true(is_listed(c, "power/energy-pkg/"));
	assert_true(is_listed(c, "icx::BR_INST_RETIRED"));
	assert_false(is_listed(c, "cpu/mem-param/")); /* wants a value */
	component_free(c);
}

TEST(test_masks_have_their_event_as_parent)
{
	struct component *c = machine(&icx);
	size_t parent = 0, mask = 0;

	component_event_count(c);
	assert_int_equal(
		component_find_event(c, "icx::BR_INST_RETIRED", &parent, NULL),
		0);
	assert_int_equal(component_list_masks(c, parent), 0);
	assert_int_equal(component_find_event(c, "icx::BR_INST_RETIRED:COND",
					      &mask, NULL),
			 0);
	assert_int_equal(component_event(c, mask)->parent, parent);
	assert_false(component_event(c, mask)->hidden);
	component_free(c);
}

TEST(test_units_come_with_their_scale)
{
	struct component *c = machine(&icx);
	size_t i;

	assert_int_equal(component_find_event(c, "power/energy-pkg/", &i, NULL),
			 0);
	assert_string_equal(component_event(c, i)->unit, "2.32831e-10 Joules");
	assert_int_equal(component_find_event(c, "task-clock", &i, NULL), 0);
	assert_string_equal(component_event(c, i)->unit, "ns");
	component_free(c);
}

TEST(test_the_cores_pmu_is_known)
{
	static const struct {
		const struct fs *fs;
		const char *pmu;
		unsigned counters;
	} rows[] = { { &icx, "icx", 12 },
		     { &zen3, "amd64_fam19h_zen3", 6 },
		     { &n1, "arm_n1", 7 },
		     { &none, NULL, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct component *c = machine(rows[i].fs);

		if (rows[i].pmu)
			assert_string_equal(c->pmu, rows[i].pmu);
		else
			assert_null(c->pmu);
		assert_int_equal(c->counters, rows[i].counters);
		component_free(c);
	}
}

RUN_ALL_TESTS_WITH(force_icx, NULL)
