/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Presets on modelled machines: what a table defines is counted as a whole, or
 * is not said to be available; and every machine finds its own table.
 */
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

/*
 * libpfm4 has the names of one architecture, so tables of others are here only
 * if they are written by number.
 */
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
	{ "neoverse-v2", "arm_v2", false, 55 },
	{ "big-little", "arm_mixed", false, 6 },
	{ "apple-m1", "apple_m1", false, 25 },
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

static void run_machine(const struct row *row)
{
	struct registry *registry;
	struct events *events;
	struct machine files;
	size_t n;

	if (row->by_name)
		setenv("LIBPFM_FORCE_PMU", row->pmu, 1);
	machine_open(&files, mk_machine_find(row->machine)->files);
	mk_boot(row->machine, files.root, 2);
	mk->privileged = true;
	assert_int_equal(registry_open(components, 1, files.root, &registry),
			 0);
	assert_int_equal(events_open(registry, &events), 0);
	assert_string_equal(registry->components[0]->pmu, row->pmu);
	n = count_presets(events, registry->components[0], row->machine);
	events_close(events);
	registry_close(registry);
	machine_close(&files);
	if (n < row->at_least)
		fail_msg("%s: %zu presets are available, not %zu", row->machine,
			 n, row->at_least);
}

static void test_presets_are_available(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pid_t child;
		int status;

		if (!mk_machine_find(rows[i].machine))
			fail_msg("no machine is called %s", rows[i].machine);
#ifndef __x86_64__
		if (rows[i].by_name) /* libpfm4 is another architecture's */
			continue;
#endif
		child = fork(); /* libpfm4 is initialised once a process */
		assert_true(child >= 0);
		if (child == 0) {
			run_machine(&rows[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		failed += status != 0;
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets_are_available),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
