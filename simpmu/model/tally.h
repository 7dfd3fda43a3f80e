/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tallies: the raw counts that the simulator keeps for each thread. The PMU's
 * events are made of them (an event is a weighted sum of tallies).
 *
 * Architectural tallies follow from the instructions that retire, exactly, and
 * cost nothing but a vector per block. Modelled tallies need the part of the
 * machine model that the third column names, and are only kept while some
 * selected event uses that part.
 */
#pragma once

/* clang-format off */
#define ARCH_TALLIES(X)                                                        \
	X(INS,          "instructions retired; a rep string is one")           \
	X(BR_COND,      "conditional branches")                                \
	X(BR_TAKEN,     "conditional branches taken")                          \
	X(BR_JUMP,      "direct unconditional jumps")                          \
	X(BR_CALL,      "direct calls")                                        \
	X(BR_RET,       "returns")                                             \
	X(BR_IND_JUMP,  "indirect jumps")                                      \
	X(BR_IND_CALL,  "indirect calls")                                      \
	X(LOAD,         "loads: memory operands read")                         \
	X(STORE,        "stores: memory operands written")                     \
	X(LOAD_BYTES,   "bytes loaded")                                        \
	X(STORE_BYTES,  "bytes stored")                                        \
	X(LOAD_INS,     "instructions that load")                              \
	X(STORE_INS,    "instructions that store")                             \
	X(LST_INS,      "instructions that load or store")                     \
	X(LOAD_1,       "loads of 1 byte")                                     \
	X(LOAD_2,       "loads of 2 bytes")                                    \
	X(LOAD_4,       "loads of 4 bytes")                                    \
	X(LOAD_8,       "loads of 8 bytes")                                    \
	X(LOAD_16,      "loads of 16 bytes")                                   \
	X(LOAD_32,      "loads of 32 bytes")                                   \
	X(STORE_1,      "stores of 1 byte")                                    \
	X(STORE_2,      "stores of 2 bytes")                                   \
	X(STORE_4,      "stores of 4 bytes")                                   \
	X(STORE_8,      "stores of 8 bytes")                                   \
	X(STORE_16,     "stores of 16 bytes")                                  \
	X(STORE_32,     "stores of 32 bytes")                                  \
	X(LOCK_INS,     "locked read-modify-write instructions")               \
	X(FENCE_INS,    "memory fences")                                       \
	X(PREFETCH_INS, "software prefetch instructions")                      \
	X(PREFETCH_T0,  "prefetches into all levels")                          \
	X(PREFETCH_T1,  "prefetches into L2 and below")                        \
	X(PREFETCH_NTA, "prefetches of what is used once")                     \
	X(PREFETCH_W,   "prefetches for writing")                              \
	X(NT_STORE,     "non-temporal stores")                                 \
	X(REP_INS,      "rep-prefixed string instructions")                    \
	X(REP_ITER,     "iterations of rep-prefixed string instructions")      \
	X(FP_INS,       "floating-point arithmetic instructions")              \
	X(FP_OPS,       "floating-point operations; FMA is two a lane")        \
	X(SP_OPS,       "single-precision operations")                         \
	X(DP_OPS,       "double-precision operations")                         \
	X(FP_S_S,       "single-precision scalar arithmetic instructions")     \
	X(FP_D_S,       "double-precision scalar arithmetic instructions")     \
	X(FP_S_128,     "single-precision 128-bit arithmetic instructions")    \
	X(FP_D_128,     "double-precision 128-bit arithmetic instructions")    \
	X(FP_S_256,     "single-precision 256-bit arithmetic instructions")    \
	X(FP_D_256,     "double-precision 256-bit arithmetic instructions")    \
	X(FP_S_512,     "single-precision 512-bit arithmetic instructions")    \
	X(FP_D_512,     "double-precision 512-bit arithmetic instructions")    \
	X(FP_X87,       "x87 arithmetic instructions")                         \
	X(FP_ADD,       "floating-point additions and subtractions")           \
	X(FP_MUL,       "floating-point multiplications")                      \
	X(FP_FMA,       "fused multiply-adds")                                 \
	X(FP_DIV,       "floating-point divisions")                            \
	X(FP_SQRT,      "floating-point square roots")                         \
	X(FP_CMP,       "floating-point comparisons, minima and maxima")       \
	X(FP_CVT,       "floating-point conversions")                          \
	X(FP_MOVE,      "floating-point and vector moves")                     \
	X(VEC_INS,      "vector instructions: SIMD registers, packed")         \
	X(VEC_INT,      "packed integer instructions")                         \
	X(INT_INS,      "scalar integer arithmetic and logic instructions")    \
	X(INT_ADD,      "integer add, sub, inc, dec, neg, cmp")                \
	X(INT_MUL,      "integer multiplications")                             \
	X(INT_DIV,      "integer divisions")                                   \
	X(INT_LOGIC,    "integer and, or, xor, not, test")                     \
	X(INT_SHIFT,    "integer shifts and rotates")                          \
	X(INT_LEA,      "address computations")                                \
	X(INT_BIT,      "bit counts and scans")                                \
	X(INT_MOVE,     "integer moves")                                       \
	X(INT_CMOV,     "conditional moves and sets")                          \
	X(NOP_INS,      "no-operations")                                       \
	X(STACK_INS,    "pushes and pops")                                     \
	X(OTHER_INS,    "instructions of no other kind")                       \
	X(SYSCALL,      "system calls")                                        \
	X(PAGE_TOUCH,   "pages touched for the first time")                    \
	X(INS_BYTES,    "bytes of instructions retired")

/* tally, part of the model, text */
#define MODEL_TALLIES(X)                                                       \
	X(BR_MISP,       BRANCH, "conditional branches mispredicted")          \
	X(BR_MISP_TAKEN, BRANCH, "taken conditional branches mispredicted")    \
	X(BR_MISP_RET,   BRANCH, "returns mispredicted")                       \
	X(BR_MISP_IND,   BRANCH, "indirect jumps and calls mispredicted")      \
	X(BTB_MISS,      BRANCH, "taken branches without a known target")      \
	X(WP_INS,        BRANCH, "instructions on the wrong path")                \
	X(WP_BR_COND,    BRANCH, "conditional branches on the wrong path")        \
	X(WP_BR_TAKEN,   BRANCH, "of these, predicted taken")                  \
	X(WP_BR_OTHER,   BRANCH, "other branches on the wrong path")              \
	X(WP_LOAD,       BRANCH, "loads on the wrong path")                       \
	X(WP_STORE,      BRANCH, "stores on the wrong path")                      \
	X(L1I_ACCESS,    FETCH,  "instruction lines fetched")                  \
	X(L1I_MISS,      FETCH,  "of these, not in L1I")                       \
	X(L2_I_ACCESS,   FETCH,  "L2 look-ups for instructions")               \
	X(L2_I_MISS,     FETCH,  "of these, missed")                           \
	X(L3_I_ACCESS,   FETCH,  "L3 look-ups for instructions")               \
	X(L3_I_MISS,     FETCH,  "of these, missed")                           \
	X(ITLB_ACCESS,   FETCH,  "ITLB look-ups")                              \
	X(ITLB_MISS,     FETCH,  "ITLB misses")                                \
	X(STLB_I_HIT,    FETCH,  "ITLB misses found in the STLB")              \
	X(WALK_I,        FETCH,  "page walks for instructions")                \
	X(L1D_LOAD,      DATA,   "L1D look-ups by loads, one a line")          \
	X(L1D_STORE,     DATA,   "L1D look-ups by stores, one a line")         \
	X(L1D_LOAD_MISS, DATA,   "loads that miss L1D")                        \
	X(L1D_STORE_MISS,DATA,   "stores that miss L1D")                       \
	X(L1D_EVICT,     DATA,   "lines replaced in L1D")                      \
	X(L1D_WB,        DATA,   "modified lines written back from L1D")       \
	X(L2_LOAD,       DATA,   "L2 look-ups by loads")                       \
	X(L2_STORE,      DATA,   "L2 look-ups by stores")                      \
	X(L2_LOAD_MISS,  DATA,   "loads that miss L2")                         \
	X(L2_STORE_MISS, DATA,   "stores that miss L2")                        \
	X(L2_EVICT,      DATA,   "lines replaced in L2")                       \
	X(L2_WB,         DATA,   "modified lines written back from L2")        \
	X(L3_LOAD,       DATA,   "L3 look-ups by loads")                       \
	X(L3_STORE,      DATA,   "L3 look-ups by stores")                      \
	X(L3_LOAD_MISS,  DATA,   "loads that miss L3")                         \
	X(L3_STORE_MISS, DATA,   "stores that miss L3")                        \
	X(L3_EVICT,      DATA,   "lines replaced in L3")                       \
	X(L3_WB,         DATA,   "modified lines written back from L3")        \
	X(SPLIT_LOAD,    DATA,   "loads that cross a line")                    \
	X(SPLIT_STORE,   DATA,   "stores that cross a line")                   \
	X(DTLB_LOAD,     DATA,   "DTLB look-ups by loads")                     \
	X(DTLB_STORE,    DATA,   "DTLB look-ups by stores")                    \
	X(DTLB_LOAD_MISS,DATA,   "loads that miss the DTLB")                   \
	X(DTLB_STORE_MISS,DATA,  "stores that miss the DTLB")                  \
	X(STLB_LOAD_HIT, DATA,   "loads found in the STLB")                    \
	X(STLB_STORE_HIT,DATA,   "stores found in the STLB")                   \
	X(WALK_LOAD,     DATA,   "page walks for loads")                       \
	X(WALK_STORE,    DATA,   "page walks for stores")                      \
	X(WALK_2M,       DATA,   "page walks that found a 2 MB page")          \
	X(PF_L1_ISSUED,  DATA,   "lines prefetched into L1D")                  \
	X(PF_L1_USED,    DATA,   "of these, used")                             \
	X(PF_L2_ISSUED,  DATA,   "lines prefetched into L2")                   \
	X(PF_L2_USED,    DATA,   "of these, used")                             \
	X(PF_L2_UNUSED,  DATA,   "of these, replaced before any use")          \
	X(PF_L2_MISS,    DATA,   "L2 prefetches that miss L3")                 \
	X(SWPF_L1_HIT,   DATA,   "software prefetches of lines in L1D")        \
	X(SWPF_L1_FILL,  DATA,   "lines that these brought into L1D")          \
	X(SWPF_L2,       DATA,   "L2 look-ups by software prefetches")         \
	X(SWPF_L2_MISS,  DATA,   "of these, missed")                           \
	X(DRAM_READ,     DATA,   "lines read from memory")                     \
	X(DRAM_WRITE,    DATA,   "lines written to memory")                    \
	X(SNOOP,         DATA,   "snoops sent to other cores")                 \
	X(SNOOP_HIT,     DATA,   "of these, a clean copy was there")           \
	X(SNOOP_HITM,    DATA,   "of these, a modified copy was there")        \
	X(INVALIDATE,    DATA,   "lines invalidated here by another core")     \
	X(INTERVENE,     DATA,   "lines supplied from here to another core")   \
	X(SHARED_STORE,  DATA,   "stores to a line that others share")         \
	X(CLEAN_STORE,   DATA,   "stores to a clean exclusive line")           \
	X(CYCLES,        CYCLE,  "core cycles")                                \
	X(SLOTS,         CYCLE,  "issue slots")                                \
	X(ISSUED,        CYCLE,  "instructions issued, wrong path included")   \
	X(ISSUE_CYCLES,  CYCLE,  "cycles in which something issues")           \
	X(STALL_ISSUE,   CYCLE,  "cycles in which nothing issues")             \
	X(FULL_ISSUE,    CYCLE,  "cycles in which all slots issue")            \
	X(STALL_RETIRE,  CYCLE,  "cycles in which nothing retires")            \
	X(FULL_RETIRE,   CYCLE,  "cycles in which retirement is full")         \
	X(STALL_FE,      CYCLE,  "cycles without issue: fetch")                \
	X(STALL_BR,      CYCLE,  "cycles without issue: misprediction")        \
	X(STALL_MEM,     CYCLE,  "cycles without issue: loads")                \
	X(STALL_STORE,   CYCLE,  "cycles without issue: stores")               \
	X(STALL_FP,      CYCLE,  "cycles without issue: floating point")       \
	X(STALL_ROB,     CYCLE,  "cycles without issue: reorder window full")  \
	X(STALL_L1,      CYCLE,  "stall cycles while a load waits for L1D")    \
	X(STALL_L2,      CYCLE,  "stall cycles while a load waits for L2")     \
	X(STALL_L3,      CYCLE,  "stall cycles while a load waits for L3")     \
	X(STALL_DRAM,    CYCLE,  "stall cycles while a load waits for memory") \
	X(WALK_CYCLES,   CYCLE,  "cycles in page walks")                       \
	X(IDLE_BR,       CYCLE,  "cycles in which the branch unit idles")      \
	X(IDLE_INT,      CYCLE,  "cycles in which all integer units idle")     \
	X(IDLE_FP,       CYCLE,  "cycles in which all FP units idle")          \
	X(IDLE_LS,       CYCLE,  "cycles in which all load/store units idle")
/* clang-format on */

enum tally {
#define X(name, text) TALLY_##name,
	ARCH_TALLIES(X)
#undef X
	TALLY_ARCH_COUNT,
	TALLY_MODEL_FIRST = TALLY_ARCH_COUNT,
	TALLY_BEFORE_MODEL = TALLY_ARCH_COUNT - 1,
#define X(name, part, text) TALLY_##name,
	MODEL_TALLIES(X)
#undef X
	TALLY_COUNT
};

/* Parts of the model; a tally's part must be on for it to count. */
enum model_part {
	PART_BRANCH = 1 << 0,
	PART_FETCH = 1 << 1,
	PART_DATA = 1 << 2,
	PART_CYCLE = 1 << 3, /* needs the other three */
};
