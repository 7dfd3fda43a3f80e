/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads and stores by width, in x86 assembly, to one line that stays in the
 * first-level cache; and accesses that are special.
 */
#include <math.h>

#include "kernels/loop.h"

/*
 * Eight registers and eight places: loads whose result is not used, or is
 * there already, may be left out by what translates code.
 */
#define EIGHT(op, a, b, c, d, e, f, g, h, apart)                               \
	PLACE(op, a, 0, apart)                                                 \
	PLACE(op, b, 1, apart)                                                 \
	PLACE(op, c, 2, apart)                                                 \
	PLACE(op, d, 3, apart)                                                 \
	PLACE(op, e, 4, apart)                                                 \
	PLACE(op, f, 5, apart)                                                 \
	PLACE(op, g, 6, apart)                                                 \
	PLACE(op, h, 7, apart)
#define PLACE(op, r, i, apart) op " " #i "*" #apart "(%[m]), %%" r "\n"

LOOP(load_1, "",
     EIGHT("movb", "al", "bl", "cl", "dl", "sil", "dil", "r8b", "r9b", 8), "")
LOOP(load_2, "",
     EIGHT("movw", "ax", "bx", "cx", "dx", "si", "di", "r8w", "r9w", 8), "")
LOOP(load_4, "",
     EIGHT("movl", "eax", "ebx", "ecx", "edx", "esi", "edi", "r8d", "r9d", 8),
     "")
LOOP(load_8, "",
     EIGHT("movq", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", 8), "")
LOOP(load_16, "",
     EIGHT("movups", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
	   "xmm7", 16),
     "")
LOOP(load_32, "",
     EIGHT("vmovups", "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6",
	   "ymm7", 32),
     "vzeroupper\n")
LOOP(split_load, "",
     EIGHT("movq 124+", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
	   128),
     "")
LOOP(store_1, "mov $1, %%rax\n", R8("movb %%al, (%[m])\n"), "")
LOOP(store_2, "mov $1, %%rax\n", R8("movw %%ax, (%[m])\n"), "")
LOOP(store_4, "mov $1, %%rax\n", R8("movl %%eax, (%[m])\n"), "")
LOOP(store_8, "mov $1, %%rax\n", R8("movq %%rax, (%[m])\n"), "")
LOOP(store_16, "pxor %%xmm0, %%xmm0\n", R8("movups %%xmm0, (%[m])\n"), "")
LOOP(store_32, "vpxor %%xmm0, %%xmm0, %%xmm0\n", R8("vmovups %%ymm0, (%[m])\n"),
     "vzeroupper\n")
LOOP(split_store, "mov $1, %%rax\n", R8("movq %%rax, 124(%[m])\n"), "")
LOOP(locked, "mov $1, %%rax\n", R4("lock addq %%rax, (%[m])\n"), "")
LOOP(fence, "", R4("mfence\n"), "")
LOOP(nt_store, "mov $1, %%rax\n", R8("movnti %%rax, (%[m])\n"), "sfence\n")

/*
 * Loads: @number of @width, each an instruction and a hit. Some processors
 * count them as moves, too.
 */
#define LOADS(id, words, function, width, need)                                \
	{                                                                      \
		.name = id, .text = words, .needs = need, .code = #function,   \
		.memory = loop_memory, .prepare = loop_prepare,                \
		.run = function, .none = LOOP_NONE & ~(1u << FAMILY_FP),       \
		.bound = BOUND_LOAD,                                           \
		.expect = EXPECT({ CONCEPT_INS, 10, 0 }, LOOP_BRANCH,          \
				 { CONCEPT_LOAD_INS, 8, 0 },                   \
				 { CONCEPT_LOAD_STORE_INS, 8, 0 },             \
				 { CONCEPT_LOAD_##width, 8, 0 },               \
				 { CONCEPT_L1D_LOAD_HIT, 8, 0 },               \
				 { CONCEPT_DTLB_LOAD_HIT, 8, 0 },              \
				 { CONCEPT_INT_ADD, 1, 0 },                    \
				 { CONCEPT_INT_MOVE, NAN, 0 },                 \
				 { CONCEPT_VEC_MOVE, NAN, 0 },                 \
				 { CONCEPT_VEC_INT, NAN, 0 }),                 \
	}

#define STORES(id, words, function, width, need)                               \
	{                                                                      \
		.name = id, .text = words, .needs = need, .code = #function,   \
		.memory = loop_memory, .prepare = loop_prepare,                \
		.run = function, .none = LOOP_NONE & ~(1u << FAMILY_FP),       \
		.bound = BOUND_STORE,                                          \
		.expect = EXPECT({ CONCEPT_INS, 10, 0 }, LOOP_BRANCH,          \
				 { CONCEPT_STORE_INS, 8, 0 },                  \
				 { CONCEPT_LOAD_STORE_INS, 8, 0 },             \
				 { CONCEPT_STORE_##width, 8, 0 },              \
				 { CONCEPT_L1D_STORE_HIT, 8, 0 },              \
				 { CONCEPT_DTLB_STORE_HIT, 8, 0 },             \
				 { CONCEPT_INT_ADD, 1, 0 },                    \
				 { CONCEPT_INT_MOVE, NAN, 0 },                 \
				 { CONCEPT_VEC_MOVE, NAN, 0 },                 \
				 { CONCEPT_VEC_INT, NAN, 0 }),                 \
	}

/* clang-format off */
static const struct kernel rows[] = {
	LOADS("load/1", "eight loads of 1 byte", load_1, 1, 0),
	LOADS("load/2", "eight loads of 2 bytes", load_2, 2, 0),
	LOADS("load/4", "eight loads of 4 bytes", load_4, 4, 0),
	LOADS("load/8", "eight loads of 8 bytes", load_8, 8, 0),
	LOADS("load/16", "eight loads of 16 bytes", load_16, 16, 0),
	LOADS("load/32", "eight loads of 32 bytes", load_32, 32, NEEDS_AVX),
	STORES("store/1", "eight stores of 1 byte", store_1, 1, 0),
	STORES("store/2", "eight stores of 2 bytes", store_2, 2, 0),
	STORES("store/4", "eight stores of 4 bytes", store_4, 4, 0),
	STORES("store/8", "eight stores of 8 bytes", store_8, 8, 0),
	STORES("store/16", "eight stores of 16 bytes", store_16, 16, 0),
	STORES("store/32", "eight stores of 32 bytes", store_32, 32, NEEDS_AVX),
	{
		.name = "load/split",
		.text = "eight loads across a line boundary",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.code = "split_load",
		.run = split_load,
		.none = LOOP_NONE,
		.expect = EXPECT({ CONCEPT_INS, 10, 0 },
			LOOP_BRANCH,
			{ CONCEPT_LOAD_INS, 8, 0 },
			{ CONCEPT_LOAD_STORE_INS, 8, 0 },
			{ CONCEPT_LOAD_8, 8, 0 },
			{ CONCEPT_SPLIT_LOAD, 8, 0 },
			{ CONCEPT_L1D_LOAD_HIT, 16, 0 },
			{ CONCEPT_DTLB_LOAD_HIT, NAN, 0 },
			{ CONCEPT_INT_ADD, 1, 0 },
			{ CONCEPT_INT_MOVE, NAN, 0 }),
	},
	{
		.name = "store/split",
		.text = "eight stores across a line boundary",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.code = "split_store",
		.run = split_store,
		.none = LOOP_NONE,
		.expect = EXPECT({ CONCEPT_INS, 10, 0 },
			LOOP_BRANCH,
			{ CONCEPT_STORE_INS, 8, 0 },
			{ CONCEPT_LOAD_STORE_INS, 8, 0 },
			{ CONCEPT_STORE_8, 8, 0 },
			{ CONCEPT_SPLIT_STORE, 8, 0 },
			{ CONCEPT_L1D_STORE_HIT, 16, 0 },
			{ CONCEPT_DTLB_STORE_HIT, NAN, 0 },
			{ CONCEPT_INT_ADD, 1, 0 },
			{ CONCEPT_INT_MOVE, NAN, 0 }),
	},
	{
		.name = "sync/lock",
		.text = "four locked additions to memory",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.run = locked,
		.none = LOOP_NONE,
		.expect = EXPECT({ CONCEPT_INS, 6, 0 },
			LOOP_BRANCH,
			{ CONCEPT_LOAD_INS, 4, 0 },
			{ CONCEPT_STORE_INS, 4, 0 },
			{ CONCEPT_LOAD_STORE_INS, 4, 0 },
			{ CONCEPT_LOAD_8, 4, 0 },
			{ CONCEPT_STORE_8, 4, 0 },
			{ CONCEPT_LOCKED, 4, 0 },
			{ CONCEPT_L1D_LOAD_HIT, 4, 0 },
			{ CONCEPT_L1D_STORE_HIT, 4, 0 },
			{ CONCEPT_INT_ADD, 5, 0 },
			{ CONCEPT_DTLB_LOAD_HIT, 4, 0 },
			{ CONCEPT_DTLB_STORE_HIT, 4, 0 }),
	},
	{
		.name = "sync/fence",
		.text = "four memory fences",
		.code = "fence",
		.run = fence,
		.none = LOOP_NONE,
		.expect = EXPECT({ CONCEPT_INS, 6, 0 },
			LOOP_BRANCH,
			{ CONCEPT_FENCE, 4, 0 },
			{ CONCEPT_INT_ADD, 1, 0 }),
	},
	{
		.name = "store/nt",
		.text = "eight non-temporal stores to one line",
		.memory = loop_memory,
		.prepare = loop_prepare,
		.code = "nt_store",
		.run = nt_store,
		.large = LARGE_DATA,
		.none = 1u << FAMILY_FP | 1u << FAMILY_SYSTEM,
		.expect = EXPECT({ CONCEPT_INS, 10, 0 },
			LOOP_BRANCH,
			{ CONCEPT_STORE_INS, 8, 0 },
			{ CONCEPT_LOAD_STORE_INS, 8, 0 },
			{ CONCEPT_STORE_8, 8, 0 },
			{ CONCEPT_NT_STORE, 8, 0 },
			{ CONCEPT_INT_ADD, 1, 0 },
			{ CONCEPT_INT_MOVE, NAN, 0 }),
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_x86_access, rows);
