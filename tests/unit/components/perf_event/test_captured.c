/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the component finds on machines that were captured, not written by
 * hand: an emulated Neoverse N1 with its PMU, and a guest without one.
 */
#include <linux/perf_event.h>

#include "components/components.h"
#include "components/perf_event/event.h"
#include "tests/unit/host/machine.h"
#include "tests/unit/testing.h"

static struct component *probe(const struct machine *m)
{
	struct component *c = component_new(&perf_event_component);

	assert_non_null(c);
	assert_int_equal(component_probe(c, &m->fs), 0);
	assert_false(c->disabled);
	return c;
}

static const struct pe_event *find(struct component *c, const char *name)
{
	struct diag diag = { 0 };
	size_t i;

	if (component_find_event(c, name, &i, &diag))
		fail_msg("%s: %s", name, diag.text);
	return component_event(c, i)->data;
}

TEST(test_the_emulated_n1_has_its_events)
{
	static const struct {
		int line;
		const char *name;
		uint64_t config, config1;
	} rows[] = {
		{ __LINE__, "armv8_pmuv3/inst_retired/", 0x08, 0 },
		{ __LINE__, "inst_retired", 0x08, 0 },
		{ __LINE__, "armv8_pmuv3/cpu_cycles/", 0x11, 0 },
		{ __LINE__, "armv8_pmuv3/stall_backend/", 0x24, 0 },
		{ __LINE__, "armv8_pmuv3/event=0x23,long=1/", 0x23, 1 },
		{ __LINE__, "armv8_pmuv3/event=0xffff,rdpmc=1/", 0xffff, 2 },
	};
	struct machine m;
	struct component *c;

	machine_open(&m, "qemu-virt-n1");
	c = probe(&m);
	assert_string_equal(c->pmu, "arm_n1");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pe_event *e = find(c, rows[i].name);

		CHECK_AT(rows[i].line, e->code.place == PE_CORE);
		CHECK_AT(rows[i].line, e->code.config == rows[i].config);
		CHECK_AT(rows[i].line, e->code.config1 == rows[i].config1);
	}
	component_free(c);
	machine_close(&m);
}

/* The kernel lists no more than the PMU has. */
TEST(test_the_emulated_n1_refuses_the_rest)
{
	static const char *const wrong[] = {
		"armv8_pmuv3/l1d_cache_refill/",
		"armv8_pmuv3/event=0x10000/",
		"armv8_pmuv3_0/inst_retired/",
	};
	struct machine m;
	struct component *c;

	machine_open(&m, "qemu-virt-n1");
	c = probe(&m);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag diag = { 0 };
		size_t event;

		if (!component_find_event(c, wrong[i], &event, &diag))
			fail_msg("%s is known", wrong[i]);
	}
	component_free(c);
	machine_close(&m);
}

TEST(test_a_guest_without_a_pmu_has_software_events)
{
	struct machine m;
	struct component *c;

	machine_open(&m, "epyc-genoa-firecracker");
	c = probe(&m);
	assert_null(c->pmu);
	assert_int_equal(find(c, "page-faults")->code.place, PE_SOFTWARE);
	component_free(c);
	machine_close(&m);
}

/* libpfm4 is not searched where no PMU of its tables is. */
TEST(test_a_guest_without_a_pmu_leaves_events_out_until_asked)
{
	struct machine m;
	struct component *c;
	size_t n;

	machine_open(&m, "epyc-genoa-firecracker");
	c = probe(&m);
	n = component_event_count(c);
	assert_non_null(component_left_out(c));
	assert_int_equal(component_list_left_out(c), 0);
	assert_null(component_left_out(c));
	assert_true(component_event_count(c) >= n);
	component_free(c);
	machine_close(&m);
}

TEST(test_a_machine_with_a_pmu_leaves_nothing_out)
{
	struct machine m;
	struct component *c;

	machine_open(&m, "icelake-sp");
	c = probe(&m);
	assert_null(component_left_out(c));
	component_free(c);
	machine_close(&m);
}

RUN_ALL_TESTS
