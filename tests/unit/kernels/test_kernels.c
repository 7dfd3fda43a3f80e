/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of kernels: names, points, and what they state. */
#include <math.h>
#include <string.h>

#include "kernels/kernel.h"
#include "tests/unit/testing.h"

static const struct kernel_machine machine = {
	.lru = true,
	.in_order = true,
	.line_bytes = 64,
	.page_bytes = 4096,
	.l1i = { 32 << 10, 8 },
	.l1d = { 48 << 10, 12 },
	.l2 = { 1280 << 10, 20 },
	.l3 = { 48 << 20, 12 },
	.l3_is_victim = true,
	.itlb = { 128, 8 },
	.dtlb = { 64, 4 },
	.stlb = { 2048, 16 },
	.history = 129,
	.ras = 16,
};

TEST(test_names_are_unique_and_found)
{
	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *kernel = kernels_get(i);

		assert_non_null(kernel->text);
		assert_non_null(kernel->run);
		assert_ptr_equal(kernels_find(kernel->name), kernel);
	}
	assert_null(kernels_find("no/such"));
	assert_null(kernels_get(kernels_count()));
}

/* The paper's Figure 11 has seven; all counts of validation are asked for. */
TEST(test_roles_go_with_what_kernels_are_for)
{
	size_t paper = 0, held_out = 0;

	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *k = kernels_get(i);

		paper += k->role == ROLE_PAPER;
		held_out += k->role == ROLE_HELD_OUT;
		assert_int_equal(k->role == ROLE_VALIDATE,
				 strncmp(k->name, "count/", 6) == 0 ||
					 strncmp(k->name, "software/", 9) == 0);
	}
	assert_int_equal(paper, 7);
	assert_true(held_out > 0);
}

TEST(test_concepts_and_composites_are_sound)
{
	for (int c = 0; c < CONCEPT_COUNT; c++) {
		assert_true(concepts[c].family < FAMILY_COUNT);
		for (int d = 0; d < c; d++) {
			assert_string_not_equal(concepts[c].name,
						concepts[d].name);
			assert_string_not_equal(concepts[c].symbol,
						concepts[d].symbol);
		}
	}
	for (size_t i = 0; i < composites_n; i++) {
		assert_true(composites[i].terms[0].weight != 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(composites[i].name,
						composites[k].name);
	}
}

/* Points have what the kernel uses, and memory for it is bounded. */
TEST(test_points_are_usable)
{
	struct kernel_point points[128];

	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *kernel = kernels_get(i);
		size_t n = kernel_points(kernel, &machine, points, 128);

		assert_in_range(n, 1, 128);
		for (size_t p = 0; p < n; p++) {
			assert_true(points[p].times > 0);
			if (kernel->uses & USES_FOOTPRINT)
				assert_true(points[p].footprint > 0);
			if (kernel->uses & USES_UNIT)
				assert_true(points[p].unit > 0);
			if (kernel->uses & USES_K)
				assert_true(points[p].k > 0);
			assert_in_range(kernel_memory(kernel, &points[p]), 0,
					256 << 20);
		}
		assert_int_equal(kernel_points(kernel, &machine, points, 0), 0);
	}
}

/* An emulated machine, or one in a container, says nothing of its caches. */
TEST(test_points_of_machines_with_unknown_caches)
{
	static const struct kernel_machine machines[] = {
		{ 0 },
		{ .line_bytes = 64, .page_bytes = 4096 },
		{ .line_bytes = 64, .page_bytes = 4096, .l1d = { 32768, 8 } },
		{ .line_bytes = 64,
		  .page_bytes = 4096,
		  .l1d = { 32768, 8 },
		  .l2 = { 1 << 20, 16 } },
	};
	struct kernel_point points[128];

	for (size_t m = 0; m < sizeof(machines) / sizeof(*machines); m++)
		for (size_t i = 0; i < kernels_count(); i++)
			assert_true(kernel_points(kernels_get(i), &machines[m],
						  points, 128) <= 128);
}

/* Table 1 of the 2018 paper, as it is printed there. */
TEST(test_branch_kernels_state_table_1)
{
	static const double table[7][5] = {
		{ 2, 2, 1.5, 0, 0 },     { 2, 2, 1, 0, 0 },
		{ 2, 2, 2, 0, 0 },       { 2, 2, 1.5, 0, 0.5 },
		{ 2.5, 2, 1.5, 0, 0.5 }, { 2, 2, 1, 1, 0 },
		{ 1, 1, 1, 0, 0 },
	};
	static const enum concept columns[5] = {
		CONCEPT_BR_COND_EXEC, CONCEPT_BR_COND, CONCEPT_BR_TAKEN,
		CONCEPT_BR_DIRECT, CONCEPT_BR_MISP
	};
	const struct kernel_point point = { .times = 1000 };

	for (int row = 0; row < 7; row++) {
		char name[] = "branch/1";
		double expect[CONCEPT_COUNT];

		name[7] = (char)('1' + row);
		kernel_expect(kernels_find(name), &point, &machine, expect,
			      NULL);
		for (int c = 0; c < 5; c++)
			assert_true(expect[columns[c]] == table[row][c]);
		assert_true(isnan(expect[CONCEPT_CYCLES]));
	}
}

/* A chase is served by the level that it fits, and by none on a ramp. */
TEST(test_chases_are_served_by_the_level_they_fit)
{
	static const struct {
		int line;
		uint64_t footprint;
		double l1, l2, l3, memory;
	} rows[] = {
		{ __LINE__, 32 << 10, 1, 0, 0, 0 },
		{ __LINE__, 48 << 10, 1, 0, 0, 0 },
		{ __LINE__, 50 << 10, NAN, NAN, NAN, NAN },
		{ __LINE__, 52 << 10, 0, 1, 0, 0 },
		{ __LINE__, 1 << 20, 0, 1, 0, 0 },
		{ __LINE__, 8 << 20, 0, 0, 1, 0 },
		{ __LINE__, 64 << 20, 0, 0, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kernel_point p = { .times = 1,
						.footprint = rows[i].footprint,
						.unit = 256 };
		double e[CONCEPT_COUNT];

		kernel_expect(kernels_find("cache/read"), &p, &machine, e,
			      NULL);
		if (isnan(rows[i].l1)) {
			assert_true(isnan(e[CONCEPT_L1D_LOAD_HIT]));
			continue;
		}
		assert_true(e[CONCEPT_L1D_LOAD_HIT] == rows[i].l1);
		assert_true(e[CONCEPT_L2_LOAD_HIT] == rows[i].l2);
		assert_true(e[CONCEPT_L3_LOAD_HIT] == rows[i].l3);
		assert_true(e[CONCEPT_MEM_LOAD] == rows[i].memory);
	}
}

/*
 * Which lines stay depends on what is replaced and, behind L1, on where pages
 * are: where that is not known, less is said, and nothing else.
 */
TEST(test_less_is_said_of_chases_where_replacement_or_pages_are_unknown)
{
	static const struct {
		int line;
		uint64_t footprint;
		bool lru, in_order;
		double l1, l2, l3, memory;
	} rows[] = {
		{ __LINE__, 52 << 10, true, true, 0, 1, 0, 0 },
		/* fewer than twice the ways of L1D: some may hit */
		{ __LINE__, 52 << 10, false, true, NAN, NAN, NAN, NAN },
		{ __LINE__, 96 << 10, false, true, 0, 1, 0, 0 },
		/* 256 pages of 320: some sets of L2 have too many */
		{ __LINE__, 1 << 20, true, true, 0, 1, 0, 0 },
		{ __LINE__, 1 << 20, true, false, NAN, NAN, NAN, NAN },
		{ __LINE__, 128 << 10, true, false, 0, 1, 0, 0 },
		/* 400 of 320: some have room; 1000: hardly one has */
		{ __LINE__, 1600 << 10, true, true, 0, 0, 1, 0 },
		{ __LINE__, 1600 << 10, true, false, NAN, NAN, NAN, NAN },
		{ __LINE__, 4000 << 10, true, false, 0, 0, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kernel_point p = { .times = 1,
						.footprint = rows[i].footprint,
						.unit = 256 };
		struct kernel_machine m = machine;
		double e[CONCEPT_COUNT];

		m.lru = rows[i].lru;
		m.in_order = rows[i].in_order;
		kernel_expect(kernels_find("cache/read"), &p, &m, e, NULL);
		if (isnan(rows[i].l1)) {
			assert_true(isnan(e[CONCEPT_L1D_LOAD_HIT]));
			assert_true(isnan(e[CONCEPT_L2_LOAD_HIT]));
			continue;
		}
		assert_true(e[CONCEPT_L1D_LOAD_HIT] == rows[i].l1);
		assert_true(e[CONCEPT_L2_LOAD_HIT] == rows[i].l2);
		assert_true(e[CONCEPT_L3_LOAD_HIT] == rows[i].l3);
		assert_true(e[CONCEPT_MEM_LOAD] == rows[i].memory);
	}
}

/* Elements that have their pointer twice; forget the second if @clear. */
static uint64_t written(const struct kernel_point *p, char *memory, bool clear)
{
	uint64_t n = 0;

	for (uint64_t at = 0; at < p->footprint; at += 64) {
		void **element = (void **)(void *)(memory + at);

		if (element[0] && element[1] == element[0])
			n++;
		if (clear)
			element[1] = NULL;
	}
	return n;
}

/* Once around, each element is written to, or none. */
TEST(test_chases_write_to_each_element_or_none)
{
	static const struct {
		int line;
		const char *kernel;
		uint32_t offset, pages_per_block;
		uint64_t written;
	} rows[] = {
		{ __LINE__, "prefetch/random", 0, 4, 0 },
		{ __LINE__, "prefetch/random-write", 0, 0, 1024 },
		{ __LINE__, "prefetch/random-write", 0, 4, 1024 },
		{ __LINE__, "cache/rotate", 3, 0, 0 },
		{ __LINE__, "cache/rotate-write", 0, 0, 1024 },
		{ __LINE__, "cache/rotate-write", 3, 0, 1024 },
	};
	static _Alignas(4096) char memory[1024 * 64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kernel *kernel = kernels_find(rows[i].kernel);
		struct kernel_run run = {
			.point = { .times = 1024,
				   .footprint = sizeof(memory),
				   .unit = 64,
				   .offset = rows[i].offset,
				   .pages_per_block = rows[i].pages_per_block },
			.memory = memory,
		};

		kernel_prepare(kernel, &run);
		CHECK_AT(rows[i].line, !run.failed);
		written(&run.point, memory, true);
		kernel->run(&run);
		CHECK_AT(rows[i].line,
			 written(&run.point, memory, false) == rows[i].written);
	}
}

#if defined(__x86_64__)
/* Against what the compiler's own library makes of the same questions. */
TEST(test_what_the_processor_lacks)
{
	bool avx512 = __builtin_cpu_supports("avx512f") &&
		      __builtin_cpu_supports("avx512dq");

	assert_int_equal(!kernel_lacks(NEEDS_AVX),
			 !!__builtin_cpu_supports("avx"));
	assert_int_equal(!kernel_lacks(NEEDS_AVX2),
			 !!__builtin_cpu_supports("avx2"));
	assert_int_equal(!kernel_lacks(NEEDS_FMA),
			 !!__builtin_cpu_supports("fma"));
	assert_int_equal(!kernel_lacks(NEEDS_AVX512), avx512);
	assert_int_equal(!kernel_lacks(NEEDS_POPCNT),
			 !!__builtin_cpu_supports("popcnt"));
}
#endif

RUN_ALL_TESTS
