/* SPDX-License-Identifier: BSD-3-Clause */
/* A measured machine as a model: what each number of the file is taken from. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/format.h"
#include "simpmu/model/params.h"

#include "testing.h"

struct found {
	const char *name;
	double value, nominal;
	bool stable;
};

static const struct found plain[] = {
	{ "line_bytes", 64, 64, true },
	{ "L1D_sets", 64, NAN, true },
	{ "L1D_ways", 8, 8, true },
	{ "L1_lat", 4, NAN, true },
	{ "L2_sets", 700, 2048, false }, /* the machine knows better */
	{ "L2_ways", 8, 8, true },
	{ "L2_lat", 13.8, NAN, true },
	{ "L2_read", 32, NAN, true },
	{ "L3_read", 27.4, NAN, false },
	{ "mem_read", 7, NAN, false },
	{ "L3_bytes", 3 << 20, 32 << 20, false }, /* others have the rest */
	{ "L3_lat", 48.2, NAN, false },           /* unsure, but all there is */
	{ "STLB_entries", NAN, NAN, false },
	{ "Mem_lat", 473.2, NAN, false },
	{ "clock_hz", 3.664e9, 2.6e9, true },
	{ "issue_width", 6, NAN, true },
	{ "L1_min", 0.333, NAN, true },
	{ "FP_sqrt_min", 0.2, NAN, true },
};

static void fill(struct machine *m, const struct found *found, size_t n)
{
	*m = (struct machine){ .name = strdup("box"),
			       .cpu = strdup("AMD EPYC"),
			       .vendor = strdup("AuthenticAMD"),
			       .kernel = strdup(""),
			       .family = 0x19,
			       .model = 0x11 };
	for (size_t i = 0; i < n; i++) {
		struct machine_constant *c = machine_add(
			m, found[i].name, found[i].value, "", "a way");

		assert_non_null(c);
		c->nominal = found[i].nominal;
		c->stable = found[i].stable;
	}
}

static char *write_model(const struct machine *m)
{
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(machine_write_model(m, NULL, to), 0);
	fclose(to);
	return text;
}

static void parse_model(const struct machine *m, struct params *params)
{
	struct params_error error = { 0 };
	char *text = write_model(m);

	if (!params_parse(params, text, &error))
		fail_msg("line %u: %s in\n%s", error.line, error.text, text);
	free(text);
}

TEST(test_what_is_certain_comes_before_what_the_machine_says)
{
	struct machine m;
	struct params p;

	fill(&m, plain, sizeof(plain) / sizeof(plain[0]));
	parse_model(&m, &p);
	assert_int_equal(p.l2_line_time, 200);
	assert_int_equal(p.l3_line_time, 234);
	assert_int_equal(p.dram_line_time, 914);
	assert_int_equal(p.l1d_misses, 24);
	assert_string_equal(p.name, "box");
	assert_int_equal(p.l1d.sets, 64);
	assert_int_equal(p.l1d.ways, 8);
	assert_int_equal(p.l1d.latency, 4);
	assert_int_equal(p.l2.sets, 2048);
	assert_int_equal(p.l2.latency, 14);
	assert_int_equal(p.l3.sets * p.l3.ways, (3 << 20) / 64);
	assert_int_equal(p.l3.latency, 48);
	assert_int_equal(p.dram_latency, 473);
	assert_int_equal(p.clock_mhz, 3664);
	assert_int_equal(p.issue_width, 6);
	assert_int_equal(p.ports[UNIT_LOAD], 3);
	machine_fini(&m);
}

TEST(test_no_machine_has_more_of_its_last_cache_than_there_is)
{
	static const struct found rows[] = {
		{ "line_bytes", 64, 64, true },
		{ "L3_bytes", 50 << 20, 32 << 20, false },
		{ "L3_lat", 50, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.l3.sets * p.l3.ways, (32 << 20) / 64);
	machine_fini(&m);
}

/* Cycles of a piece of code on one side of boundaries, and across them. */
static void assert_blocks(double inside, double across_32, double across_64,
			  uint32_t block, uint32_t time)
{
	const struct found rows[] = {
		{ "BR_lat", 1, NAN, true },
		{ "code_min", inside, NAN, true },
		{ "code_32_min", across_32, NAN, true },
		{ "code_64_min", across_64, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.fetch_block, block);
	assert_int_equal(p.block_time, time);
	machine_fini(&m);
}

TEST(test_blocks_of_code_are_those_whose_boundaries_cost_time)
{
	assert_blocks(1, 1, 2, 64, 100);
	assert_blocks(1, 2.5, 2.5, 32, 150);
	assert_blocks(1, 1, 1, 0, 0);
	assert_blocks(1, NAN, NAN, 0, 0);
}

TEST(test_loads_and_stores_that_slow_each_other_share_ports)
{
	struct found rows[] = {
		{ "L1_min", 1 / 3.0, NAN, true },
		{ "store_min", 0.5, NAN, true },
		{ "load_store_min", 1 / 3.0, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.ports[UNIT_MEMORY], 3);
	machine_fini(&m);
	rows[2].value = 0.25;
	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.ports[UNIT_MEMORY], 0);
	machine_fini(&m);
}

TEST(test_vectors_may_be_loaded_by_fewer_ports)
{
	struct found rows[] = {
		{ "L1_min", 0.25, NAN, true },
		{ "load_vec_min", 0.5, NAN, true },
		{ "vec_add_lat", 2, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.vector_loads, 2);
	assert_int_equal(p.insn[INSN_VEC].latency, 2);
	machine_fini(&m);
	rows[1].value = 0.25;
	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.vector_loads, 0);
	machine_fini(&m);
}

/* As a guest on an EPYC (Zen 5) was told: 128 entries in 16 sets of 8. */
TEST(test_a_tlb_holds_what_it_was_seen_to_hold)
{
	static const struct found rows[] = {
		{ "DTLB_entries", 96, 96, true },
		{ "STLB_entries", 4288, 128, false },
		{ "STLB_ways", NAN, 8, false },
		{ "STLB_sets", NAN, 16, false },
		{ "STLB_lat", 7, NAN, true },
		{ "STLB_L2_lat", 2.2, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.stlb.sets, 512); /* a power of two */
	assert_int_equal(p.stlb.ways, 8);
	assert_int_equal(p.stlb_overlap, 5);
	machine_fini(&m);
}

/* Bytes a cycle by narrow loads and stores, from the second cache. */
static void assert_narrow(double read, double write, uint32_t replay,
			  uint32_t store_line_time)
{
	const struct found rows[] = {
		{ "line_bytes", 64, 64, true },
		{ "L1_min", 0.5, NAN, true },
		{ "store_vec_min", 1, NAN, true },
		{ "L2_read", 46, NAN, true },
		{ "L2_write", 20, NAN, true },
		{ "L2_read_16", read, NAN, true },
		{ "L2_write_16", write, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.replay, replay);
	assert_int_equal(p.store_line_time, store_line_time);
	assert_int_equal(p.l2_write_time, 181); /* 64 / 20 - 64 / 46 */
	machine_fini(&m);
}

TEST(test_narrow_loads_that_take_twice_as_long_run_twice)
{
	assert_narrow(15.4, 12.8, 1, 100);
	assert_narrow(32, 16, 0, 0);
}

/* As measured on a guest on an EPYC (Zen 5). */
TEST(test_a_machine_is_what_was_measured_of_it)
{
	static const struct found rows[] = {
		{ "line_bytes", 64, 64, true },
		{ "L1I_sets", NAN, 64, false },
		{ "L1I_ways", 8, 8, false },
		{ "L2_lat", 14, NAN, true },
		{ "L1_lat", 4, NAN, true },
		{ "L1_min", 0.25, NAN, true },
		{ "load_vec_min", 0.5, NAN, true },
		{ "L2_read", 62.7, NAN, false },
		{ "L2_read_16", 32, NAN, true }, /* by two ports, and no more */
		{ "int_add_min", 0.195, NAN, true },
		{ "int_move_min", 0.151, NAN, true },
		{ "int_shift_min", 0.333, NAN, true },
		{ "nop_min", 0.131, NAN, true },
		{ "BR_2048_min", 1.417, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.replay, 0);
	assert_int_equal(p.vector_loads, 2);
	assert_int_equal(p.ports[UNIT_INT], 5);
	assert_int_equal(p.ports[UNIT_SHIFT], 3);
	assert_int_equal(p.insn[INSN_MOVE].unit, UNIT_NONE);
	/* two jumps a line, from L2 in 14 cycles */
	assert_int_equal(p.l1i_misses, 5);
	machine_fini(&m);
}

TEST(test_calls_faster_than_a_load_show_a_stack_engine)
{
	for (unsigned fast = 0; fast < 2; fast++) {
		struct found rows[] = {
			{ "L1_lat", 5, NAN, true },
			{ "call_min", fast ? 2 : 6.5, NAN, true },
		};
		struct machine m;
		struct params p;

		fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
		m.family = 0; /* nobody knows it */
		parse_model(&m, &p);
		assert_int_equal(p.stack_engine, fast);
		machine_fini(&m);
	}
}

TEST(test_lines_written_to_memory_take_what_reading_does_not)
{
	static const struct found rows[] = {
		{ "line_bytes", 64, 64, true },
		{ "mem_read", 4, NAN, true },          /* 16 cycles a line */
		{ "mem_write", 2, NAN, true },         /* 32: 16 more */
		{ "mem_copy", 128 / 40.0, NAN, true }, /* 40: 8 more than two */
		{ "mem_write_nt", 2.5, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.dram_line_time, 1600);
	assert_int_equal(p.dram_write_time, 800);
	assert_int_equal(p.past_time, 2560);
	machine_fini(&m);
}

static void assert_near(double jumps_128, double jumps_512, double jumps_2048,
			uint32_t near, uint32_t far_time)
{
	const struct found rows[] = {
		{ "BR_lat", 1, NAN, true },
		{ "BR_128_min", jumps_128, NAN, true },
		{ "BR_512_min", jumps_512, NAN, true },
		{ "BR_2048_min", jumps_2048, NAN, true },
	};
	struct machine m;
	struct params p;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_int_equal(p.taken_near, near);
	assert_int_equal(p.taken_far_time, far_time);
	machine_fini(&m);
}

TEST(test_more_jumps_than_are_near_take_longer)
{
	assert_near(1, 2, 2, 256, 200);
	assert_near(2, 2, 2.1, 64, 210);
	assert_near(1, 1, 2, 1024, 200);
	assert_near(1, 1, 1, 0, 0);
}

TEST(test_what_was_not_found_is_not_made_up)
{
	struct params base, p;
	struct machine m;

	fill(&m, plain, sizeof(plain) / sizeof(plain[0]));
	parse_model(&m, &p);
	assert_true(params_builtin(&base, "icx"));
	assert_int_equal(p.stlb.sets, 0);
	/* no interval is shorter than a cycle */
	assert_int_equal(p.insn[INSN_FSQRT_D].interval, 1);
	/* as in the model that it starts from */
	assert_int_equal(p.l1i.sets, base.l1i.sets);
	assert_int_equal(p.ports[UNIT_FP], base.ports[UNIT_FP]);
	machine_fini(&m);
}

/* As it was measured on a Xeon whose neighbours were busy. */
TEST(test_a_failed_measurement_of_the_second_tlb_is_left_out)
{
	static const struct found rows[] = {
		{ "line_bytes", 64, 64, true },
		{ "DTLB_entries", 97, NAN, false },
		{ "STLB_entries", 0, NAN, false },
		{ "TLB_data_lat", 7, NAN, false },
	};
	struct params base, p;
	struct machine m;

	fill(&m, rows, sizeof(rows) / sizeof(rows[0]));
	parse_model(&m, &p);
	assert_true(params_builtin(&base, "icx"));
	assert_int_equal(p.stlb.sets, base.stlb.sets);
	assert_int_equal(p.stlb.ways, base.stlb.ways);
	assert_int_equal(p.walk_latency, base.walk_latency);
	machine_fini(&m);
}

TEST(test_buffers_are_those_of_the_family)
{
	struct params base, p;
	struct machine m;
	char *text;

	fill(&m, plain, sizeof(plain) / sizeof(plain[0]));
	parse_model(&m, &p);
	assert_int_equal(p.rob, 320);
	assert_int_equal(p.l3_kind, L3_VICTIM);
	text = write_model(&m);
	assert_non_null(strstr(text, "rob = 320  # Zen 4"));
	free(text);
	m.family = 99;
	parse_model(&m, &p);
	assert_true(params_builtin(&base, "icx"));
	assert_int_equal(p.rob, base.rob);
	machine_fini(&m);
}

TEST(test_a_machine_without_figures_is_still_a_model)
{
	struct machine m;
	struct params p;

	fill(&m, NULL, 0);
	parse_model(&m, &p);
	assert_int_equal(p.l3_kind, L3_NONE);
	machine_fini(&m);
}

RUN_ALL_TESTS
