/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Concepts by number, and the sums of them that have names of their own:
 * events of real machines often count such sums.
 */
#include "kernels/kernel.h"

const struct concept_info concepts[CONCEPT_COUNT] = {
#define CONCEPT(name, family, symbol, text)                                    \
	[CONCEPT_##name] = { #name, symbol, text, FAMILY_##family },
#include "kernels/concepts.def"
#undef CONCEPT
};

/* clang-format off */
#define T(name, weight) { CONCEPT_##name, weight }

/* The operations of one type and width; a multiply-add may weigh more. */
#define FP_KINDS(type, lanes, fma)                                             \
	T(FP_##type##_ADD, lanes), T(FP_##type##_MUL, lanes),                  \
	T(FP_##type##_FMA, (lanes) * (fma)), T(FP_##type##_DIV, lanes),        \
	T(FP_##type##_SQRT, lanes)

/* One operation of every type and width. */
#define FP_WIDTHS(kind)                                                        \
	T(FP_S1_##kind, 1), T(FP_D1_##kind, 1), T(FP_S128_##kind, 1),          \
	T(FP_D128_##kind, 1), T(FP_S256_##kind, 1), T(FP_D256_##kind, 1),      \
	T(FP_S512_##kind, 1), T(FP_D512_##kind, 1)

#define FP_PACKED_S                                                            \
	FP_KINDS(S128, 1, 1), FP_KINDS(S256, 1, 1), FP_KINDS(S512, 1, 1)
#define FP_PACKED_D                                                            \
	FP_KINDS(D128, 1, 1), FP_KINDS(D256, 1, 1), FP_KINDS(D512, 1, 1)

#define LOADS  T(LOAD_1, 1), T(LOAD_2, 1), T(LOAD_4, 1), T(LOAD_8, 1),         \
	       T(LOAD_16, 1), T(LOAD_32, 1)
#define STORES T(STORE_1, 1), T(STORE_2, 1), T(STORE_4, 1), T(STORE_8, 1),     \
	       T(STORE_16, 1), T(STORE_32, 1)
#define LOAD_BYTES  T(LOAD_1, 1), T(LOAD_2, 2), T(LOAD_4, 4), T(LOAD_8, 8),    \
		    T(LOAD_16, 16), T(LOAD_32, 32)
#define STORE_BYTES T(STORE_1, 1), T(STORE_2, 2), T(STORE_4, 4),               \
		    T(STORE_8, 8), T(STORE_16, 16), T(STORE_32, 32)
#define NOT_COND    T(BR_DIRECT, 1), T(BR_CALL, 1), T(BR_RET, 1),              \
		    T(BR_IND_JUMP, 1), T(BR_IND_CALL, 1)

#define GPU_GLOBALS T(GPU_LOAD, 1), T(GPU_STORE, 1), T(GPU_ATOMIC, 1),         \
		    T(GPU_REDUCE, 1)
#define GPU_SHAREDS T(GPU_LOAD_SH, 1), T(GPU_STORE_SH, 1), T(GPU_ATOMIC_SH, 1)

/* What a sum is of, and behind it a weight of 0. */
#define SUM(...) (const struct composite_term[]){ __VA_ARGS__, { 0 } }

const struct composite composites[] = {
	{ "BR_ALL", "branches of any kind", SUM(T(BR_COND, 1), NOT_COND) },
	{ "BR_NOT_TAKEN", "conditional branches not taken",
	  SUM(T(BR_COND, 1), T(BR_TAKEN, -1)) },
	{ "BR_NEAR_TAKEN", "taken branches of any kind",
	  SUM(T(BR_TAKEN, 1), NOT_COND) },
	{ "BR_UNCOND", "unconditional branches", SUM(NOT_COND) },
	{ "BR_CALLS", "calls", SUM(T(BR_CALL, 1), T(BR_IND_CALL, 1)) },
	{ "BR_INDIRECT", "indirect jumps and calls",
	  SUM(T(BR_IND_JUMP, 1), T(BR_IND_CALL, 1)) },
	{ "BR_WRONG_PATH", "conditional branches executed on the wrong path",
	  SUM(T(BR_COND_EXEC, 1), T(BR_COND, -1)) },
	{ "BR_NOT_TAKEN_EXEC", "conditional branches not taken, executed",
	  SUM(T(BR_COND_EXEC, 1), T(BR_TAKEN_EXEC, -1)) },
	{ "BR_MISP_ALL", "branches mispredicted",
	  SUM(T(BR_MISP, 1), T(BR_MISP_RET, 1), T(BR_MISP_IND, 1)) },
	{ "BR_MISP_NOT_TAKEN", "conditional branches mispredicted, not taken",
	  SUM(T(BR_MISP, 1), T(BR_MISP_TAKEN, -1)) },
	{ "BR_PREDICTED", "conditional branches predicted",
	  SUM(T(BR_COND, 1), T(BR_MISP, -1)) },
	{ "INS_NOT_BRANCH", "instructions that are not branches",
	  SUM(T(INS, 1), T(BR_COND, -1), T(BR_DIRECT, -1), T(BR_CALL, -1),
	        T(BR_RET, -1), T(BR_IND_JUMP, -1), T(BR_IND_CALL, -1)) },

	{ "LOADS", "memory operands read", SUM(LOADS) },
	{ "STORES", "memory operands written", SUM(STORES) },
	{ "ACCESSES", "memory operands", SUM(LOADS, STORES) },
	{ "LOAD_BYTES", "bytes read", SUM(LOAD_BYTES) },
	{ "STORE_BYTES", "bytes written", SUM(STORE_BYTES) },
	{ "SW_PREFETCH", "software prefetch instructions",
	  SUM(T(PREFETCH_T0, 1), T(PREFETCH_T1, 1), T(PREFETCH_NTA, 1),
	        T(PREFETCH_W, 1)) },
	{ "SYNC", "fences and locked instructions",
	  SUM(T(FENCE, 1), T(LOCKED, 1)) },

	{ "FP_S1", "scalar single-precision arithmetic",
	  SUM(FP_KINDS(S1, 1, 1)) },
	{ "FP_D1", "scalar double-precision arithmetic",
	  SUM(FP_KINDS(D1, 1, 1)) },
	{ "FP_S128", "single-precision arithmetic, 128 bits",
	  SUM(FP_KINDS(S128, 1, 1)) },
	{ "FP_D128", "double-precision arithmetic, 128 bits",
	  SUM(FP_KINDS(D128, 1, 1)) },
	{ "FP_S256", "single-precision arithmetic, 256 bits",
	  SUM(FP_KINDS(S256, 1, 1)) },
	{ "FP_D256", "double-precision arithmetic, 256 bits",
	  SUM(FP_KINDS(D256, 1, 1)) },
	{ "FP_S512", "single-precision arithmetic, 512 bits",
	  SUM(FP_KINDS(S512, 1, 1)) },
	{ "FP_D512", "double-precision arithmetic, 512 bits",
	  SUM(FP_KINDS(D512, 1, 1)) },
	{ "FP_SCALAR", "scalar arithmetic",
	  SUM(FP_KINDS(S1, 1, 1), FP_KINDS(D1, 1, 1)) },
	{ "FP_PACKED_S", "packed single-precision arithmetic",
	  SUM(FP_PACKED_S) },
	{ "FP_PACKED_D", "packed double-precision arithmetic",
	  SUM(FP_PACKED_D) },
	{ "FP_VECTOR", "packed arithmetic", SUM(FP_PACKED_S, FP_PACKED_D) },
	{ "FP_INS", "floating-point arithmetic instructions",
	  SUM(FP_KINDS(S1, 1, 1), FP_KINDS(D1, 1, 1), FP_PACKED_S, FP_PACKED_D,
	        T(FP_X87, 1)) },
	{ "SP_OPS", "single-precision operations",
	  SUM(FP_KINDS(S1, 1, 2), FP_KINDS(S128, 4, 2), FP_KINDS(S256, 8, 2),
	        FP_KINDS(S512, 16, 2)) },
	{ "DP_OPS", "double-precision operations",
	  SUM(FP_KINDS(D1, 1, 2), FP_KINDS(D128, 2, 2), FP_KINDS(D256, 4, 2),
	        FP_KINDS(D512, 8, 2)) },
	{ "FP_OPS", "floating-point operations",
	  SUM(FP_KINDS(S1, 1, 2), FP_KINDS(S128, 4, 2), FP_KINDS(S256, 8, 2),
	        FP_KINDS(S512, 16, 2), FP_KINDS(D1, 1, 2), FP_KINDS(D128, 2, 2),
	        FP_KINDS(D256, 4, 2), FP_KINDS(D512, 8, 2), T(FP_X87, 1)) },
	{ "FP_ADD", "floating-point additions",
	  SUM(FP_WIDTHS(ADD), T(FP_X87, 1)) },
	{ "FP_MUL", "floating-point multiplications", SUM(FP_WIDTHS(MUL)) },
	{ "FP_FMA", "floating-point multiply-adds", SUM(FP_WIDTHS(FMA)) },
	{ "FP_DIV", "floating-point divisions", SUM(FP_WIDTHS(DIV)) },
	{ "FP_SQRT", "floating-point square roots", SUM(FP_WIDTHS(SQRT)) },
	{ "FP_DIV_SQRT", "floating-point divisions and square roots",
	  SUM(FP_WIDTHS(DIV), FP_WIDTHS(SQRT)) },
	{ "VEC_ANY", "packed instructions",
	  SUM(FP_PACKED_S, FP_PACKED_D, T(VEC_INT, 1), T(VEC_MOVE, 1)) },
	{ "INT_ANY", "scalar integer arithmetic and logic",
	  SUM(T(INT_ADD, 1), T(INT_MUL, 1), T(INT_DIV, 1), T(INT_LOGIC, 1),
	        T(INT_SHIFT, 1), T(INT_LEA, 1), T(INT_BIT, 1)) },

#define L2_LOADS  T(L2_LOAD_HIT, 1), T(L3_LOAD_HIT, 1), T(MEM_LOAD, 1)
#define L2_STORES T(L2_STORE_HIT, 1), T(L3_STORE_HIT, 1), T(MEM_STORE, 1)
#define L2_CODE   T(L2_CODE_HIT, 1), T(L3_CODE_HIT, 1), T(MEM_CODE, 1)
#define L3_LOADS  T(L3_LOAD_HIT, 1), T(MEM_LOAD, 1)
#define L3_STORES T(L3_STORE_HIT, 1), T(MEM_STORE, 1)
#define L3_CODE   T(L3_CODE_HIT, 1), T(MEM_CODE, 1)
	{ "L1D_LOAD", "L1D look-ups by loads",
	  SUM(T(L1D_LOAD_HIT, 1), L2_LOADS) },
	{ "L1D_STORE", "L1D look-ups by stores",
	  SUM(T(L1D_STORE_HIT, 1), L2_STORES) },
	{ "L1D_ACCESS", "L1D look-ups",
	  SUM(T(L1D_LOAD_HIT, 1), T(L1D_STORE_HIT, 1), L2_LOADS, L2_STORES) },
	{ "L1D_HIT", "L1D hits",
	  SUM(T(L1D_LOAD_HIT, 1), T(L1D_STORE_HIT, 1)) },
	{ "L1D_LOAD_MISS", "loads that missed L1D", SUM(L2_LOADS) },
	{ "L1D_STORE_MISS", "stores that missed L1D", SUM(L2_STORES) },
	{ "L1D_MISS", "L1D misses", SUM(L2_LOADS, L2_STORES) },
	{ "L1I_ACCESS", "instruction lines fetched",
	  SUM(T(L1I_HIT, 1), L2_CODE) },
	{ "L1I_MISS", "instruction lines that missed L1I", SUM(L2_CODE) },
	{ "L2_ACCESS", "L2 look-ups of any kind",
	  SUM(L2_LOADS, L2_STORES, L2_CODE) },
	{ "L2_HIT", "L2 hits of any kind",
	  SUM(T(L2_LOAD_HIT, 1), T(L2_STORE_HIT, 1), T(L2_CODE_HIT, 1)) },
	{ "L2_MISS", "L2 misses of any kind",
	  SUM(L3_LOADS, L3_STORES, L3_CODE) },
	{ "L2_DATA_HIT", "L2 hits by loads and stores",
	  SUM(T(L2_LOAD_HIT, 1), T(L2_STORE_HIT, 1)) },
	{ "L2_LOAD_MISS", "loads that missed L2", SUM(L3_LOADS) },
	{ "L2_STORE_MISS", "stores that missed L2", SUM(L3_STORES) },
	{ "L2_CODE_MISS", "instruction lines that missed L2", SUM(L3_CODE) },
	{ "L2_DATA_MISS", "loads and stores that missed L2",
	  SUM(L3_LOADS, L3_STORES) },
	{ "L3_HIT", "L3 hits of any kind",
	  SUM(T(L3_LOAD_HIT, 1), T(L3_STORE_HIT, 1), T(L3_CODE_HIT, 1)) },
	{ "L3_MISS", "L3 misses of any kind",
	  SUM(T(MEM_LOAD, 1), T(MEM_STORE, 1), T(MEM_CODE, 1)) },
	{ "L3_DATA_HIT", "L3 hits by loads and stores",
	  SUM(T(L3_LOAD_HIT, 1), T(L3_STORE_HIT, 1)) },
	{ "L3_DATA_MISS", "loads and stores that missed L3",
	  SUM(T(MEM_LOAD, 1), T(MEM_STORE, 1)) },
	{ "DRAM_LINES", "lines read from and written to memory",
	  SUM(T(DRAM_READ, 1), T(DRAM_WRITE, 1)) },

	{ "DTLB_LOAD", "DTLB look-ups by loads",
	  SUM(T(DTLB_LOAD_HIT, 1), T(STLB_LOAD_HIT, 1), T(WALK_LOAD, 1)) },
	{ "DTLB_STORE", "DTLB look-ups by stores",
	  SUM(T(DTLB_STORE_HIT, 1), T(STLB_STORE_HIT, 1), T(WALK_STORE, 1)) },
	{ "DTLB_LOAD_MISS", "loads that missed the DTLB",
	  SUM(T(STLB_LOAD_HIT, 1), T(WALK_LOAD, 1)) },
	{ "DTLB_STORE_MISS", "stores that missed the DTLB",
	  SUM(T(STLB_STORE_HIT, 1), T(WALK_STORE, 1)) },
	{ "DTLB_MISS", "DTLB misses",
	  SUM(T(STLB_LOAD_HIT, 1), T(WALK_LOAD, 1), T(STLB_STORE_HIT, 1),
	        T(WALK_STORE, 1)) },
	{ "STLB_DATA_HIT", "second-level TLB hits by loads and stores",
	  SUM(T(STLB_LOAD_HIT, 1), T(STLB_STORE_HIT, 1)) },
	{ "WALK_DATA", "page walks for loads and stores",
	  SUM(T(WALK_LOAD, 1), T(WALK_STORE, 1)) },
	{ "ITLB_ACCESS", "ITLB look-ups",
	  SUM(T(ITLB_HIT, 1), T(STLB_CODE_HIT, 1), T(WALK_CODE, 1)) },
	{ "ITLB_MISS", "ITLB misses",
	  SUM(T(STLB_CODE_HIT, 1), T(WALK_CODE, 1)) },
	{ "TLB_MISS", "misses of the first-level TLBs",
	  SUM(T(STLB_LOAD_HIT, 1), T(WALK_LOAD, 1), T(STLB_STORE_HIT, 1),
	        T(WALK_STORE, 1), T(STLB_CODE_HIT, 1), T(WALK_CODE, 1)) },
	{ "WALKS", "page walks",
	  SUM(T(WALK_LOAD, 1), T(WALK_STORE, 1), T(WALK_CODE, 1)) },
	{ "INS_EXEC", "instructions executed, including the wrong path",
	  SUM(T(INS, 1), T(WRONG_PATH_INS, 1)) },
	{ "ISSUED", "instructions issued, counting each iteration of a "
"string instruction",
	  SUM(T(INS, 1), T(WRONG_PATH_INS, 1), T(REP_TURN, 1), T(REP, -1)) },
	{ "LOADS_EXEC", "loads executed, including the wrong path",
	  SUM(LOADS, T(WRONG_PATH_LOAD, 1)) },
	{ "STORES_EXEC", "stores executed, including the wrong path",
	  SUM(STORES, T(WRONG_PATH_STORE, 1)) },
	{ "BR_ALL_EXEC", "branches of any kind executed, including the wrong path",
	  SUM(T(BR_COND_EXEC, 1), NOT_COND, T(WRONG_PATH_JUMP, 1)) },
#define STALL_L2_MISS T(STALL_L3, 1), T(STALL_DRAM, 1)
#define STALL_L1_MISS T(STALL_L2, 1), STALL_L2_MISS
#define STALL_LOAD    T(STALL_L1, 1), STALL_L1_MISS
#define STALL_WINDOW  STALL_LOAD, T(STALL_STORE, 1), T(STALL_FP, 1),           \
		      T(STALL_INT, 1)
	{ "STALL_L2_MISS", "stall cycles while loads that missed L2 wait",
	  SUM(STALL_L2_MISS) },
	{ "STALL_L1_MISS", "stall cycles while loads that missed L1D wait",
	  SUM(STALL_L1_MISS) },
	{ "STALL_LOAD", "stall cycles while loads wait", SUM(STALL_LOAD) },
	{ "STALL_LOAD_STORE", "stall cycles while loads or stores wait",
	  SUM(STALL_LOAD, T(STALL_STORE, 1)) },
	{ "STALL_FRONT", "stall cycles waiting for instructions",
	  SUM(T(STALL_FETCH, 1), T(STALL_MISP, 1)) },
	{ "STALL_WINDOW", "stall cycles because a buffer is full",
	  SUM(STALL_WINDOW) },
	{ "STALL_ISSUE", "cycles in which nothing issues",
	  SUM(STALL_WINDOW, T(STALL_FETCH, 1), T(STALL_MISP, 1)) },
	{ "ISSUE_CYCLES", "cycles in which something issues",
	  SUM(T(CYCLES, 1), T(STALL_L1, -1), T(STALL_L2, -1), T(STALL_L3, -1),
	        T(STALL_DRAM, -1), T(STALL_STORE, -1), T(STALL_FP, -1),
	        T(STALL_INT, -1), T(STALL_FETCH, -1), T(STALL_MISP, -1)) },
	{ "RETIRE_CYCLES", "cycles in which something retires",
	  SUM(T(CYCLES, 1), T(STALL_RETIRE, -1)) },
	{ "SNOOP", "snoops sent",
	  SUM(T(SNOOP_HIT, 1), T(SNOOP_HITM, 1), T(SNOOP_MISS, 1)) },
	{ "GPU_INTEGER", "integer instructions by a GPU's warps",
	  SUM(T(GPU_IMAD, 1), T(GPU_IADD, 1), T(GPU_ISETP, 1), T(GPU_LOGIC, 1),
	        T(GPU_SHIFT, 1), T(GPU_POPC, 1)) },
	{ "GPU_ALU", "work of a GPU's pipe for logic and additions",
	  SUM(T(GPU_IADD, 1), T(GPU_ISETP, 1), T(GPU_LOGIC, 1), T(GPU_SHIFT, 1),
	        T(GPU_MOVE, 1)) },
	{ "GPU_SP", "single-precision arithmetic by a GPU's warps",
	  SUM(T(GPU_FADD, 1), T(GPU_FMUL, 1), T(GPU_FFMA, 1)) },
	{ "GPU_DP", "double-precision arithmetic by a GPU's warps",
	  SUM(T(GPU_DADD, 1), T(GPU_DMUL, 1), T(GPU_DFMA, 1)) },
	{ "GPU_SP_OPS", "single-precision operations, a multiply-add as two",
	  SUM(T(GPU_FADD, 1), T(GPU_FMUL, 1), T(GPU_FFMA, 2)) },
	{ "GPU_DP_OPS", "double-precision operations, a multiply-add as two",
	  SUM(T(GPU_DADD, 1), T(GPU_DMUL, 1), T(GPU_DFMA, 2)) },
	{ "GPU_GLOBAL", "global-memory accesses by a GPU's warps",
	  SUM(GPU_GLOBALS) },
	{ "GPU_SHARED", "shared-memory accesses by a GPU's warps",
	  SUM(GPU_SHAREDS) },
	{ "GPU_MEMORY", "memory accesses of any kind by a GPU's warps",
	  SUM(GPU_GLOBALS, GPU_SHAREDS, T(GPU_CONSTANT, 1)) },
	{ "GPU_LSU", "work of a GPU's load/store unit",
	  SUM(GPU_GLOBALS, GPU_SHAREDS, T(GPU_SHUFFLE, 1)) },
	{ "GPU_WORDS", "4-byte accesses by a GPU's warps",
	  SUM(GPU_GLOBALS, GPU_SHAREDS, T(GPU_LOAD_16, -1),
	        T(GPU_STORE_16, -1)) },
	{ "GPU_BYTES", "4-byte words of global memory accessed by a GPU's warps",
	  SUM(GPU_GLOBALS, T(GPU_LOAD_16, 3), T(GPU_STORE_16, 3)) },
	{ "GPU_LINES", "128-byte lines of global memory accessed",
	  SUM(T(GPU_LD_LINE, 1), T(GPU_ST_LINE, 1), T(GPU_ATOMIC, 1),
	        T(GPU_REDUCE, 1)) },
	{ "GPU_NOT_OFF", "instructions whose predicate holds",
	  SUM(T(GPU_INS, 1), T(GPU_BRANCH, -1), T(GPU_TAKEN, 1)) },
};
/* clang-format on */

const size_t composites_n = sizeof(composites) / sizeof(composites[0]);
