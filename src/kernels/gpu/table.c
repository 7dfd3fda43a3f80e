/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of kernels.cu and what they cost. "One time" is a turn of one
 * warp, so a launch of n turns is n * DRIVER_WARPS times; of a stream it is 16
 * bytes of each thread of a warp, 512 in all.
 *
 * Costs are those of the machine code that nvcc 13.0 makes for compute
 * capability 9.0, read off its listing: the body, and the loop's own
 * instructions. Another compiler may choose others for the latter; the bodies
 * are written out and stay.
 */
#include <math.h>

#include "kernels/gpu/driver.h"
#include "kernels/tables.h"

#define T(name, per_iteration)                                                 \
	{                                                                      \
		CONCEPT_GPU_##name, per_iteration, 0                           \
	}
#define UNKNOWN(name)                                                          \
	{                                                                      \
		CONCEPT_GPU_##name, NAN, 0                                     \
	}

/* A loop of three instructions: its counter is uniform, or each thread's. */
#define AGAIN      T(ISETP, 1), T(BRANCH, 1), T(TAKEN, 1)
#define LOOP       AGAIN, T(UNIFORM, 1)
#define LOOP_IADD  AGAIN, T(IADD, 1)
#define LOOP_VIADD AGAIN, T(IMAD, 1) /* the multiplier does it */

#define SMALL      ((size_t)DRIVER_BLOCKS * DRIVER_THREADS * 128)
#define LARGE      ((size_t)1 << 30)
#define PIECE      512 /* bytes that a warp's stream takes at a time */
#define TURNS                                                                  \
	{                                                                      \
		200 * DRIVER_WARPS, 600 * DRIVER_WARPS, 1000 * DRIVER_WARPS    \
	}
#define STREAMS                                                                \
	{                                                                      \
		LARGE / PIECE, 2 * (LARGE / PIECE), 3 * (LARGE / PIECE)        \
	}
#define COMMON(kernel)                                                         \
	.name = "gpu/" #kernel, .run = run_##kernel, .needs = NEEDS_GPU,       \
	.prepare = prepare, .times = TURNS, .steady = true, .zero = true
#define STREAM(kernel)                                                         \
	.name = "gpu/" #kernel, .run = run_##kernel, .needs = NEEDS_GPU,       \
	.prepare = prepare_stream, .times = STREAMS, .steady = true

static void prepare(struct kernel_run *run)
{
	run->cursor = driver_prepare(SMALL) ? run : NULL;
}

static void prepare_stream(struct kernel_run *run)
{
	run->cursor = driver_prepare(LARGE) ? run : NULL;
}

/* What cannot be prepared is not run: its counts say so. */
static void launch(const struct kernel_run *run, const char *name,
		   uint64_t turns, size_t bytes)
{
	if (run->cursor && turns < UINT32_MAX)
		driver_run(name, (uint32_t)turns, bytes);
}

#define RUN(name)                                                              \
	static void run_##name(struct kernel_run *run)                         \
	{                                                                      \
		launch(run, "k_" #name, run->point.times / DRIVER_WARPS,       \
		       SMALL);                                                 \
	}

RUN(fadd)
RUN(fmul)
RUN(ffma)
RUN(dadd)
RUN(dmul)
RUN(dfma)
RUN(hfma)
RUN(iadd)
RUN(imad)
RUN(logic)
RUN(shift)
RUN(popc)
RUN(special)
RUN(convert)
RUN(shuffle)
RUN(load)
RUN(load_strided)
RUN(load_l2)
RUN(load_l2_strided)
RUN(load_wide)
RUN(store)
RUN(store_strided)
RUN(atomic)
RUN(reduction)
RUN(atomic_shared)
RUN(shared_load)
RUN(shared_load_2)
RUN(shared_load_32)
RUN(shared_store)
RUN(shared_store_32)
RUN(branch_uniform)
RUN(branch_divergent)
RUN(barrier)

/* A turn takes all the memory; a copy's pieces are half of it. */
#define RUN_STREAM(name, pieces)                                               \
	static void run_##name(struct kernel_run *run)                         \
	{                                                                      \
		launch(run, "k_" #name, run->point.times / (pieces), LARGE);   \
	}

RUN_STREAM(stream_read, LARGE / PIECE)
RUN_STREAM(stream_write, LARGE / PIECE)
RUN_STREAM(stream_copy, LARGE / PIECE / 2)

/* One instruction of the kernel's own in a loop of three. */
#define ONE(kernel, what, counts)                                              \
	{                                                                      \
		COMMON(kernel), .text = what " by every thread",               \
				.expect = EXPECT(T(INS, 4), LOOP, counts),     \
				.none = 1u << FAMILY_GPU_MEMORY,               \
	}

/*
 * A load whose address is the last one plus what was loaded: two moves, an
 * addition in two parts, one of them by the multiplier.
 */
#define CHASE(kernel, what, access, ...)                                       \
	{                                                                      \
		COMMON(kernel),                                                \
			.text = what,                                          \
			.expect = EXPECT(T(INS, 8), LOOP, access, T(MOVE, 1),  \
					 T(IMAD, 2), T(IADD, 1), __VA_ARGS__), \
	}

static const struct kernel rows[] = {
	ONE(fadd, "single-precision additions", T(FADD, 1)),
	ONE(fmul, "single-precision multiplications", T(FMUL, 1)),
	ONE(ffma, "single-precision multiply-adds", T(FFMA, 1)),
	ONE(dadd, "double-precision additions", T(DADD, 1)),
	ONE(dmul, "double-precision multiplications", T(DMUL, 1)),
	ONE(dfma, "double-precision multiply-adds", T(DFMA, 1)),
	ONE(hfma, "multiply-adds of pairs of half precision", T(HFMA, 1)),
	ONE(iadd, "integer additions, done by the multiplier", T(IMAD, 1)),
	ONE(imad, "integer multiply-adds", T(IMAD, 1)),
	ONE(logic, "exclusive ors", T(LOGIC, 1)),
	ONE(shift, "funnel shifts", T(SHIFT, 1)),
	ONE(popc, "bit counts", T(POPC, 1)),
	ONE(special, "reciprocal square roots", T(MUFU, 1)),
	ONE(convert, "roundings to integers", T(ROUND, 1)),
	ONE(shuffle, "exchanges with the neighbouring thread (shuffle)",
	    T(SHUFFLE, 1)),

	CHASE(load, "loads from L1, 4 sectors per warp", T(LOAD, 1),
	      T(LD_SECTOR, 4), T(LD_LINE, 1), T(L1_HIT, 4)),
	CHASE(load_strided, "loads from L1, 32 sectors per warp", T(LOAD, 1),
	      T(LD_SECTOR, 32), T(LD_LINE, 32), T(L1_HIT, 32)),
	CHASE(load_l2, "loads from L2, 4 sectors per warp", T(LOAD, 1),
	      T(LD_SECTOR, 4), T(LD_LINE, 1), T(L2_READ, 4)),
	CHASE(load_l2_strided, "loads from L2, 32 sectors per warp", T(LOAD, 1),
	      T(LD_SECTOR, 32), T(LD_LINE, 32), T(L2_READ, 32)),
	CHASE(atomic, "atomic additions with the old value", T(ATOMIC, 1)),
	{
		COMMON(load_wide),
		.text = "loads of 16 bytes from L1, 16 sectors per warp",
		.expect =
			EXPECT(T(INS, 10), LOOP, T(LOAD, 1), T(LOAD_16, 1),
			       T(MOVE, 1), T(IMAD, 1), T(IADD, 2), T(LOGIC, 2),
			       T(LD_SECTOR, 16), T(LD_LINE, 4), T(L1_HIT, 16)),
	},
	/* What L1 gathers before it is written to L2 is not known. */
	{
		COMMON(store),
		.text = "stores, 4 sectors per warp",
		.expect = EXPECT(T(INS, 4), LOOP_IADD, T(STORE, 1),
				 T(ST_SECTOR, 4), T(ST_LINE, 1),
				 UNKNOWN(DRAM_WRITE)),
	},
	{
		COMMON(store_strided),
		.text = "stores, 32 sectors per warp",
		.expect = EXPECT(T(INS, 4), LOOP_IADD, T(STORE, 1),
				 T(ST_SECTOR, 32), T(ST_LINE, 32),
				 UNKNOWN(DRAM_WRITE)),
	},
	{
		COMMON(reduction),
		.text = "additions to memory, without the old value",
		.expect = EXPECT(T(INS, 4), LOOP_IADD, T(REDUCE, 1)),
	},
	{
		COMMON(shared_load),
		.text = "shared-memory loads from 32 banks",
		.expect = EXPECT(T(INS, 5), LOOP, T(IMAD, 1), T(LOAD_SH, 1)),
		.none = 1u << FAMILY_GPU_MEMORY,
	},
	{
		COMMON(shared_load_2),
		.text = "shared-memory loads, two from each of 16 banks",
		.expect = EXPECT(T(INS, 5), LOOP, T(IMAD, 1), T(LOAD_SH, 1),
				 T(BANK_LD, 1)),
	},
	{
		COMMON(shared_load_32),
		.text = "shared-memory loads, all from one bank",
		.expect = EXPECT(T(INS, 5), LOOP, T(IMAD, 1), T(LOAD_SH, 1),
				 T(BANK_LD, 31)),
	},
	{
		COMMON(shared_store),
		.text = "shared-memory stores to 32 banks",
		.expect = EXPECT(T(INS, 4), LOOP_VIADD, T(STORE_SH, 1)),
		.none = 1u << FAMILY_GPU_MEMORY,
	},
	{
		COMMON(shared_store_32),
		.text = "shared-memory stores, all to one bank",
		.expect = EXPECT(T(INS, 4), LOOP_VIADD, T(STORE_SH, 1),
				 T(BANK_ST, 31)),
	},
	{
		COMMON(atomic_shared),
		.text = "atomic additions in shared memory",
		.expect = EXPECT(T(INS, 5), LOOP, T(IMAD, 1), T(ATOMIC_SH, 1)),
	},
	{
		COMMON(barrier),
		.text = "barriers of a block",
		.expect = EXPECT(T(INS, 4), LOOP_VIADD, T(BARRIER, 1)),
		.none = 1u << FAMILY_GPU_MEMORY,
	},
	{
		COMMON(branch_uniform),
		.text = "an inner loop of two iterations",
		.expect = EXPECT(T(INS, 13), T(ISETP, 3), T(BRANCH, 3),
				 T(TAKEN, 2), T(UNIFORM, 3), T(UMOVE, 1),
				 T(FADD, 2), T(CONSTANT, 1)),
		.none = 1u << FAMILY_GPU_MEMORY,
	},
	/*
	 * In its second inner turn half the threads are off, so what warps and
	 * what threads execute part here, and nothing is said of either.
	 */
	{
		COMMON(branch_divergent),
		.text = "an inner loop of one or two iterations, alternating "
			"between threads",
		.expect = EXPECT(UNKNOWN(INS), UNKNOWN(ISETP), T(BRANCH, 3),
				 UNKNOWN(TAKEN), T(UNIFORM, 1), UNKNOWN(FADD),
				 UNKNOWN(IADD), UNKNOWN(IMAD), T(CONSTANT, 1),
				 UNKNOWN(JOIN), T(DIVERGE, 1)),
		.none = 1u << FAMILY_GPU_MEMORY,
	},
	/*
	 * Between two turns of a stream are 14 instructions, 13 of a copy: a
	 * turn is 2048 pieces of each warp, 1024 of a copy.
	 */
	{
		STREAM(stream_read),
		.text = "a gigabyte read, 16 bytes per thread at a time",
		.expect =
			EXPECT(T(INS, 10 + 14 / 2048.0), T(LOAD, 1),
			       T(LOAD_16, 1), T(IMAD, 2 + 4 / 2048.0),
			       T(IADD, 4), T(ISETP, 2 + 3 / 2048.0),
			       T(BRANCH, 1 + 2 / 2048.0), T(TAKEN, 1),
			       T(UNIFORM, 2 / 2048.0), T(CONSTANT, 1 / 2048.0),
			       T(JOIN, 2 / 2048.0), T(LD_SECTOR, 16),
			       T(LD_LINE, 4), T(L2_READ, 16), T(DRAM_READ, 16)),
	},
	{
		STREAM(stream_write),
		.text = "a gigabyte written, 16 bytes per thread at a time",
		.expect = EXPECT(
			T(INS, 9 + 14 / 2048.0), T(STORE, 1), T(STORE_16, 1),
			T(IMAD, 1 + 4 / 2048.0), T(IADD, 4),
			T(ISETP, 2 + 3 / 2048.0), T(BRANCH, 1 + 2 / 2048.0),
			T(TAKEN, 1), T(UNIFORM, 2 / 2048.0),
			T(CONSTANT, 1 / 2048.0), T(JOIN, 2 / 2048.0),
			T(ST_SECTOR, 16), T(ST_LINE, 4), T(DRAM_WRITE, 16)),
	},
	{
		STREAM(stream_copy),
		.text = "half a gigabyte copied to the other half",
		.expect = EXPECT(
			T(INS, 13 + 13 / 1024.0), T(LOAD, 1), T(LOAD_16, 1),
			T(STORE, 1), T(STORE_16, 1), T(IMAD, 2 + 4 / 1024.0),
			T(IADD, 6), T(ISETP, 2 + 3 / 1024.0),
			T(BRANCH, 1 + 2 / 1024.0), T(TAKEN, 1),
			T(UNIFORM, 1 / 1024.0), T(CONSTANT, 1 / 1024.0),
			T(JOIN, 2 / 1024.0), T(LD_SECTOR, 16), T(ST_SECTOR, 16),
			T(LD_LINE, 4), T(ST_LINE, 4), T(L2_READ, 16),
			T(DRAM_READ, 16), T(DRAM_WRITE, 16)),
	},
};

KERNEL_TABLE(kernels_gpu, rows);
