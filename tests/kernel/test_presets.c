/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Presets on modelled machines: what a table defines is counted as a whole, or
 * is not said to be available, with as many counters as there may be; and every
 * machine finds its own table.
 */
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <sys/wait.h>

#include "base/array.h"
#include "core/registry.h"
#include "event/preset.h"
#include "event/resolve.h"
#include "tests/kernel/rig.h"

#define PRESET(i) ((int)((unsigned)PAPI_PRESET_MASK | (unsigned)(i)))

struct row {
	const char *machine;
	const char *pmu;
	bool by_name;    /* its table needs libpfm4's names */
	size_t at_least; /* presets that can be counted */
};

/* libpfm4 has the names of one architecture; tables of others have numbers. */
static const struct row rows[] = {
	{ "skylake-sp", "skx", true, 70 },
	{ "skylake-sp-no-ht", "skx", true, 70 },
	{ "skylake-sp-quiet", "skx", true, 70 },
	{ "icelake-sp", "icx", true, 70 },
	{ "sapphire-rapids-2s", "spr", true, 65 },
	{ "alder-lake", "adl", false, 30 },
	{ "zen2", "amd64_fam17h_zen2", true, 35 },
	{ "zen3", "amd64_fam19h_zen3", true, 40 },
	{ "zen4-2s", "amd64_fam19h_zen4", true, 45 },
	{ "zen5", "amd64_fam1ah_zen5", false, 45 },
	{ "neoverse-n1", "arm_n1", false, 50 },
	{ "neoverse-v1", "arm_v1", false, 50 },
	{ "neoverse-v2", "arm_v2", false, 55 },
	{ "big-little", "arm_mixed", false, 6 },
	{ "apple-m1", "apple_m1", false, 25 },
	{ "power9", "power9", false, 50 },
	{ "power10", "power10", false, 40 },
	{ "kvm-guest", "icx", true, 60 },
};

static const struct component_ops *const components[] = {
	&perf_event_component,
};

/* Whether a preset is made of the kernel's generic events. */
static bool is_generic(struct component *c, const struct recipe *recipe)
{
	const struct event *event =
		component_event(c, recipe->natives[0].event);

	return strncmp(event->name, "perf::", 6) == 0;
}

/*
 * How many presets are available. What the machine's own table defines must
 * be; the kernel has generic events that a PMU lacks.
 */
static size_t count_presets(struct events *events, struct component *c,
			    const char *machine)
{
	size_t n = 0;

	for (int i = 0; i < PRESET_COUNT; i++) {
		const struct recipe *recipe;
		const char *why = "";

		if (events_plan(events, PRESET(i), &recipe, NULL))
			continue;
		if (events_available(events, PRESET(i), &why) == 0)
			n++;
		else if (!is_generic(c, recipe))
			fail_msg("%s: %s: %s", machine, preset_info[i].name,
				 why);
	}
	return n;
}

/* One machine, and what is known of its events. */
struct bench {
	struct machine files;
	struct registry *registry;
	struct events *events;
	struct component *component;
};

/* With @counters that can be programmed, or 0: as many as it has. */
static void open_bench(struct bench *b, const struct row *row,
		       unsigned counters)
{
	if (row->by_name)
		setenv("LIBPFM_FORCE_PMU", row->pmu, 1);
	machine_open(&b->files, mk_machine_find(row->machine)->files);
	mk_boot(row->machine, b->files.root, 2);
	mk->privileged = true;
	for (size_t i = 0; i < mk->n_pmus && counters; i++)
		if (mk->pmus[i].kind.driver < MK_UNCORE)
			mk->pmus[i].kind.general = counters;
	assert_int_equal(
		registry_open(components, 1, b->files.root, &b->registry), 0);
	assert_int_equal(events_open(b->registry, &b->events), 0);
	b->component = b->registry->components[0];
}

static void close_bench(struct bench *b)
{
	events_close(b->events);
	registry_close(b->registry);
	machine_close(&b->files);
}

/*
 * C6: the kernel's references and misses of "the cache" are those of L3 on
 * Intel only, and its loads are all accesses elsewhere.
 */
static void check_meaning(const struct bench *b, int i,
			  const struct recipe *recipe)
{
	static const char *const l3[] = { "PAPI_L3_TCA", "PAPI_L3_TCM",
					  "PAPI_L3_TCH", "PAPI_L1_DCR" };
	bool asked = false;

	for (size_t k = 0; k < ARRAY_SIZE(l3); k++)
		asked = asked || !strcmp(preset_info[i].name, l3[k]);
	if (asked && mk->pmus[0].kind.driver != MK_INTEL &&
	    is_generic(b->component, recipe))
		fail_msg("%s is the kernel's generic event",
			 preset_info[i].name);
}

/* C12: all misses are those of data and of instructions. */
static void check_l1(const struct bench *b)
{
	const struct recipe *all, *data, *code;

	if (events_plan(b->events, PAPI_L1_TCM, &all, NULL) ||
	    events_plan(b->events, PAPI_L1_DCM, &data, NULL) ||
	    events_plan(b->events, PAPI_L1_ICM, &code, NULL) ||
	    mk->pmus[0].kind.driver != MK_INTEL ||
	    is_generic(b->component, all))
		return;
	for (size_t i = 0; i < all->n; i++) {
		bool found = false;

		for (size_t k = 0; k < data->n + code->n; k++)
			found = found ||
				(k < data->n
					 ? data->natives[k].event
					 : code->natives[k - data->n].event) ==
					all->natives[i].event;
		if (!found)
			fail_msg("%s: L1_TCM is not L1_DCM and L1_ICM",
				 b->component->pmu);
	}
}

static void run_machine(const struct row *row)
{
	struct bench b;
	size_t n;

	open_bench(&b, row, 0);
	assert_string_equal(b.component->pmu, row->pmu);
	n = count_presets(b.events, b.component, row->machine);
	check_l1(&b);
	close_bench(&b);
	if (n < row->at_least)
		fail_msg("%s: %zu presets are available, not %zu", row->machine,
			 n, row->at_least);
}

/* The events of preset @name, open. */
static struct slice *open_recipe(const struct bench *b,
				 const struct recipe *recipe, const char *name)
{
	struct slice *s;

	assert_int_equal(slice_new(b->component, &s), 0);
	for (size_t k = 0; k < recipe->n; k++)
		slice_append(s, recipe->natives[k].event);
	if (slice_open(s))
		fail_msg("%s: %s", name, s->diag.text);
	return s;
}

/* C9: what is said to be available opens as a whole. */
static size_t check_whole(struct bench *b)
{
	size_t n = 0;

	for (int i = 0; i < PRESET_COUNT; i++) {
		const struct recipe *recipe;
		const char *why = "";

		if (events_plan(b->events, PRESET(i), &recipe, NULL))
			continue;
		check_meaning(b, i, recipe);
		if (events_available(b->events, PRESET(i), &why))
			continue;
		slice_free(open_recipe(b, recipe, preset_info[i].name));
		n++;
	}
	return n;
}

static void run_budgets(const struct row *row)
{
	static const unsigned budgets[] = { 1, 2, 4, 8 };
	size_t before = 0;

	for (size_t i = 0; i < ARRAY_SIZE(budgets); i++) {
		struct bench b;
		size_t n;

		open_bench(&b, row, budgets[i]);
		n = check_whole(&b);
		close_bench(&b);
		if (n < before)
			fail_msg("%s: %u counters: %zu presets", row->machine,
				 budgets[i], n);
		before = n;
	}
	assert_true(before >= row->at_least);
}

/* In a process of its own: libpfm4 is initialised once. Whether it failed. */
static bool is_failed(void (*run)(const struct row *row), const struct row *row)
{
	static bool in_child;
	pid_t child;
	int status;

	if (in_child) /* it failed there: the next test is the parent's */
		_exit(1);
	if (!mk_machine_find(row->machine))
		fail_msg("no machine is called %s", row->machine);
#ifndef __x86_64__
	if (row->by_name) /* libpfm4 is another architecture's */
		return false;
#endif
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		in_child = true;
		run(row);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status != 0;
}

static void on_each(void (*run)(const struct row *row))
{
	size_t failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		failed += is_failed(run, &rows[i]);
	assert_int_equal(failed, 0);
}

/* What the libpfm4 of run_old_names() does not know of. */
static const char *forgotten;

/* In front of the installed one. */
pfm_err_t pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os,
				    void *arg)
{
	static pfm_err_t (*real)(const char *, int, pfm_os_t, void *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pfm_get_os_event_encoding");
	if (forgotten && strstr(name, forgotten))
		return PFM_ERR_ATTR;
	return real(name, levels, os, arg);
}

static void run_old_names(const struct row *row)
{
	const struct recipe *recipe;
	const char *why = "";
	struct bench b;

	forgotten = ":REPLACEMENT"; /* of L1D */
	open_bench(&b, row, 0);
	if (events_available(b.events, PAPI_L1_DCM, &why))
		fail_msg("PAPI_L1_DCM: %s", why);
	assert_int_equal(events_plan(b.events, PAPI_L1_DCM, &recipe, NULL), 0);
	assert_true(is_generic(b.component, recipe));
	close_bench(&b);
}

/* C12: without a mask that an older libpfm4 lacks, the kernel's event will do
 */
TEST(test_masks_that_libpfm_does_not_know)
{
	assert_false(is_failed(run_old_names, &rows[0]));
}

/*
 * R8: presets that count something else than PAPI's count what is said of them,
 * by the encodings of the vendors' manuals, and docs/coming-from.md says so.
 */
static const struct difference {
	const char *machine;
	int preset;
	uint64_t configs[2];
	const char *processors, *name, *said;
} differences[] = {
	{ "zen3", PAPI_TLB_DM, { 0xf045 }, "Zen", "`TLB_DM`", "page walks" },
	{ "zen3", PAPI_TLB_IM, { 0x0f85 }, "Zen", "`TLB_IM`", "page walks" },
	{ "zen3",
	  PAPI_BR_MSP,
	  { 0x1000000c7 },
	  "Zen",
	  "`BR_MSP`",
	  "conditional" },
	{ "zen3", PAPI_L1_DCM, { 0x5f43 }, "Zen", "`L1_DCM`", "demand fills" },
	{ "skylake-sp",
	  PAPI_TLB_DM,
	  { 0x0e08, 0x0e49 },
	  "Intel",
	  "`TLB_DM`",
	  "completed page walks" },
	/* as PAPI: cycles of the thread, not of the core while it is idle */
	{ "power9", PAPI_TOT_CYC, { 0x600f4 }, NULL, NULL, NULL },
};

/* Whether a row of the table is for @d; rows without a processor go on. */
static bool is_said(const struct difference *d)
{
	FILE *f = fopen(FIXTURES "/../../docs/coming-from.md", "r");
	char line[1024], processors[1024] = "";
	bool said = false;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '|' && line[2] != '|')
			snprintf(processors, sizeof(processors), "%.*s",
				 (int)strcspn(line + 2, "|"), line + 2);
		said = said || (strstr(processors, d->processors) &&
				strstr(line, d->name) && strstr(line, d->said));
	}
	fclose(f);
	return said;
}

static bool is_open(uint64_t config)
{
	for (int i = 0; i < mk->n_events; i++)
		if (mk->events[i].used &&
		    mk->events[i].attr.type == PERF_TYPE_RAW &&
		    mk->events[i].attr.config == config)
			return true;
	return false;
}

static void check_difference(const struct bench *b, const struct difference *d)
{
	const char *name = preset_info[d->preset & PAPI_PRESET_AND_MASK].name;
	const struct recipe *recipe;
	struct slice *s;

	assert_int_equal(events_plan(b->events, d->preset, &recipe, NULL), 0);
	s = open_recipe(b, recipe, name);
	for (size_t k = 0; k < recipe->n; k++)
		if (!is_open(d->configs[k]))
			fail_msg("%s: %s does not count %llx", d->machine, name,
				 (unsigned long long)d->configs[k]);
	slice_free(s);
	if (d->name && !is_said(d))
		fail_msg("docs/coming-from.md does not say what %s is on %s",
			 name, d->processors);
}

static void run_differences(const struct row *row)
{
	struct bench b;

	open_bench(&b, row, 0);
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (strcmp(differences[i].machine, row->machine) == 0)
			check_difference(&b, &differences[i]);
	close_bench(&b);
}

TEST(test_presets_count_what_is_said)
{
	on_each(run_differences);
}

TEST(test_presets_are_available)
{
	on_each(run_machine);
}

TEST(test_presets_that_are_listed_fit)
{
	on_each(run_budgets);
}

RUN_ALL_TESTS
