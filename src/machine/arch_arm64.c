/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arm64: chains and rows of instructions, as arch_x86.c has them. Only what
 * every such processor has: integers, floating point and vectors of 128 bits.
 */
#include "machine/arch_rows.h"

#define SPREAD(x)                                                              \
	{                                                                      \
		x, x, x, x, x, x, x, x                                         \
	}

struct arch_operands arch_operands = {
	.one = SPREAD(1.0),
	.near = SPREAD(1.0000000123),
	.tiny = SPREAD(1e-9),
	.factor = SPREAD(1.7),
	.number = 0x123456789abcdefULL,
};

uint64_t arch_ticks(void *unused)
{
	uint64_t ticks;

	(void)unused;
	__asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks;
}

void arch_fence(void)
{
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

bool arch_flush(const void *address)
{
	__asm__ volatile("dc civac, %0\n\tdsb ish" : : "r"(address) : "memory");
	return true;
}

#define CLOBBERS                                                               \
	"memory", "cc", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", \
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x30", "v0",  \
		"v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",   \
		"v11", "v12", "v13", "v14", "v15"

/*
 * before, then (body, COUNT times) for each of @times. In all of them %0 is the
 * number of times and %1 the operands.
 */
#define LOAD(name, before, count, body)                                        \
	static void name(void *arg, uint64_t times)                            \
	{                                                                      \
		__asm__ volatile(before "\n\t.p2align 6\n1:\n\t.rept " #count  \
					"\n\t" body "\n\t.endr\n\t"            \
					"subs %0, %0, #1\n\tb.ne 1b"           \
				 : "+r"(times), "+r"(arg)                      \
				 :                                             \
				 : CLOBBERS);                                  \
	}

/* The instruction on twelve registers, whose number it writes as \r. */
#define TWELVE(instruction)                                                    \
	".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n\t" instruction         \
	"\n\t.endr"

/* Vectors 0 to 12 get ones, 13 to 15 the operands by name. */
#define DOUBLES                                                                \
	TWELVE("ldr q\\r, [%1]")                                               \
	"\n\tldr q12, [%1]\n\tldr q13, [%1, #64]\n\tldr q14, [%1, #128]\n\t"   \
	"ldr q15, [%1, #192]"

/* Single precision: the same numbers, converted. */
#define SINGLES                                                                \
	DOUBLES "\n\tfcvt s0, d0\n\tfcvt s13, d13\n\tfcvt s14, d14\n\t"        \
		"fcvt s15, d15"

/* Integers: x4 to x13 an odd number, x3 a small one. */
#define TEN(instruction)                                                       \
	".irp r, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13\n\t" instruction "\n\t.endr"
#define INTEGERS                                                               \
	"ldr x2, [%1, #320]\n\torr x2, x2, #1\n\tmov x3, #3\n\t" TEN(          \
		"mov x\\r, x2")
/* Memory to load and store, by two registers. */
#define PLACE "add x14, %1, #256\n\tmov x15, x14"

LOAD(int_add, INTEGERS, 60, "add x4, x4, x3")
LOAD(int_add_row, INTEGERS, 28, TEN("add x\\r, x\\r, x3"))
LOAD(int_mul, INTEGERS, 60, "mul x4, x4, x3")
LOAD(int_mul_row, INTEGERS, 7, TEN("mul x\\r, x\\r, x3"))
/* The quotient keeps its size. */
LOAD(int_div, "mov x4, #0x7fffffffffffffff\n\tmov x3, #1", 20,
     "udiv x4, x4, x3")
LOAD(int_div_short, "mov w4, #0x7fffffff\n\tmov w3, #1", 20, "udiv w4, w4, w3")
LOAD(shift, INTEGERS, 60, "ror x4, x4, #1")
LOAD(shift_row, INTEGERS, 28, TEN("ror x\\r, x\\r, #1"))
/* To a vector register and back. */
LOAD(cross, INTEGERS, 30, "fmov d0, x4\n\tfmov x4, d0")
/* To floating point and back. */
LOAD(convert, "mov w4, #1000", 30, "scvtf d0, w4\n\tfcvtzs w4, d0")
/* A move after each addition: as fast as additions alone, if moves need no
 * unit. */
LOAD(int_move_row, INTEGERS, 3, TEN("add x\\r, x\\r, x3\n\tmov x16, x3"))
LOAD(vec, DOUBLES, 60, "add v0.4s, v0.4s, v14.4s")
LOAD(vec_row, DOUBLES, 5, TWELVE("add v\\r\\().4s, v\\r\\().4s, v14.4s"))
/* On different units, if they need any. */
LOAD(mixed_row, PLACE, 60,
     "mov x16, #0\n\tldr x4, [x14]\n\tmovi v0.2d, #0\n\tmov x17, #0")
/* What no unit executes. */
LOAD(nothing_row, "", 240, "nop")

LOAD(fp_add, DOUBLES, 60, "fadd d0, d0, d14")
LOAD(fp_mul, DOUBLES, 60, "fmul d0, d0, d13")
LOAD(fp_fma, DOUBLES, 60, "fmadd d0, d0, d12, d14")
LOAD(fp_div, DOUBLES, 30, "fdiv d0, d0, d13")
LOAD(fp_div_one, DOUBLES, 30, "fdiv d0, d0, d12")
LOAD(fp_sqrt, DOUBLES, 30, "fsqrt d0, d0\n\tfmul d0, d0, d15")
LOAD(fp_sqrt_one, DOUBLES, 30, "fsqrt d0, d0")
LOAD(sp_add, SINGLES, 60, "fadd s0, s0, s14")
LOAD(sp_mul, SINGLES, 60, "fmul s0, s0, s13")
LOAD(sp_div, SINGLES, 30, "fdiv s0, s0, s13")
LOAD(sp_sqrt, SINGLES, 30, "fsqrt s0, s0\n\tfmul s0, s0, s15")
LOAD(fp_add_row, DOUBLES, 5, TWELVE("fadd d\\r, d\\r, d14"))
LOAD(fp_mul_row, DOUBLES, 5, TWELVE("fmul d\\r, d\\r, d13"))
LOAD(fp_fma_row, DOUBLES, 5, TWELVE("fmadd d\\r, d\\r, d12, d14"))
LOAD(fp_div_row, DOUBLES, 3, TWELVE("fdiv d\\r, d\\r, d13"))
LOAD(fp_sqrt_row, DOUBLES, 3, TWELVE("fsqrt d\\r, d15"))
LOAD(neon_add, DOUBLES, 60, "fadd v0.2d, v0.2d, v14.2d")
LOAD(neon_add_row, DOUBLES, 5, TWELVE("fadd v\\r\\().2d, v\\r\\().2d, v14.2d"))
LOAD(neon_mul_row, DOUBLES, 5, TWELVE("fmul v\\r\\().2d, v\\r\\().2d, v13.2d"))
/* The sum is the register that is written: it is what waits. */
LOAD(neon_fma, DOUBLES, 60, "fmla v0.2d, v12.2d, v14.2d")
LOAD(neon_fma_row, DOUBLES, 5, TWELVE("fmla v\\r\\().2d, v12.2d, v14.2d"))
LOAD(neon_div_row, DOUBLES, 3, TWELVE("fdiv v\\r\\().2d, v\\r\\().2d, v13.2d"))

LOAD(forward, PLACE "\n\tmov x4, #1", 30, "str x4, [x14]\n\tldr x4, [x15]")
LOAD(forward_same, PLACE "\n\tmov x4, #1", 30, "str x4, [x14]\n\tldr x4, [x14]")
LOAD(forward_vec, DOUBLES "\n\t" PLACE, 30, "str q0, [x14]\n\tldr q0, [x14]")
LOAD(store_vec_row, DOUBLES "\n\t" PLACE, 60, "str q0, [x14]")
LOAD(load_row, PLACE, 70, "ldr x4, [x14]")
LOAD(load_vec_row, PLACE, 5, TWELVE("ldr q\\r, [x14]"))
/* A load and a store in turn: whether they share ports. */
LOAD(load_store_row, PLACE, 30, "ldr x4, [x14]\n\tstr x3, [x14, #8]")
LOAD(store_row, PLACE, 60, "str x3, [x14]")

LOAD(branch_not_taken, "", 240, "cbz %0, 2f\n2:")
LOAD(branch_taken, "", 60, "b 2f\n\t.p2align 5\n2:")
/* More of them than the fastest memory of branches holds. */
LOAD(branch_128, "", 128, "b 2f\n\t.p2align 5\n2:")
LOAD(branch_512, "", 512, "b 2f\n\t.p2align 5\n2:")
LOAD(branch_2048, "", 2048, "b 2f\n\t.p2align 5\n2:")

/*
 * Code in pieces, each ending with a jump to the next: four instructions on
 * one side of a boundary, or two on either side of one of 32 or of 64 bytes.
 */
#define NOP4 "\n\tnop\n\tnop\n\tnop\n\tnop"
LOAD(code_inside, "", 12, "b 2f\n\t.p2align 6\n2:" NOP4)
LOAD(code_across_32, "", 12, "b 2f\n\t.p2align 6\n\t.skip 24\n2:" NOP4)
LOAD(code_across_64, "", 12, "b 2f\n\t.p2align 6\n\t.skip 56\n2:" NOP4)
LOAD(call_row, "", 12, "bl 2f\n\tb 3f\n\t.p2align 6\n2:\tret\n\t.p2align 6\n3:")

/* clang-format off */
const struct arch_row arch_rows[] = {
	ROW("int_add_lat", int_add, 60, LAT, "add"),
	ROW("int_add_min", int_add_row, 280, EACH, "add"),
	ROW("int_move_min", int_move_row, 60, EACH,
	    "add and register-to-register mov, alternating"),
	ROW("int_mul_lat", int_mul, 60, LAT, "mul"),
	ROW("int_mul_min", int_mul_row, 70, EACH, "mul"),
	ROW("int_div_lat", int_div, 20, COST, "udiv of a 63-bit number"),
	ROW("int_div_short_lat", int_div_short, 20, COST,
	    "udiv of a 31-bit number"),
	ROW("int_shift_lat", shift, 60, LAT, "ror"),
	ROW("int_shift_min", shift_row, 280, EACH, "ror"),
	ROW("vec_int_lat", cross, 60, COST,
	    "fmov from an integer to a vector register, or back"),
	ROW("FP_int_lat", convert, 60, COST, "scvtf, fcvtzs"),
	ROW("issue_min", mixed_row, 240, EACH, "register clears and loads"),
	ROW("nop_min", nothing_row, 240, EACH, "nop"),
	ROW("vec_add_lat", vec, 60, LAT, "add, 128 bits"),
	ROW("vec_add_min", vec_row, 60, EACH, "add, 128 bits"),
	ROW("FP_add_lat", fp_add, 60, LAT, "fadd"),
	ROW("FP_mul_lat", fp_mul, 60, LAT, "fmul"),
	ROW("FP_fma_lat", fp_fma, 60, LAT, "fmadd"),
	ROW("FP_div_lat", fp_div, 30, COST, "fdiv with a full-length quotient"),
	ROW("FP_div_easy_lat", fp_div_one, 30, COST, "fdiv by one"),
	{ "FP_sqrt_lat", fp_sqrt, 30, COST, NULL, MINUS, NULL, 0,
	  "fsqrt with a full-length result" },
	ROW("FP_sqrt_easy_lat", fp_sqrt_one, 30, COST, "fsqrt of one"),
	ROW("FP_add_single_lat", sp_add, 60, LAT, "fadd"),
	ROW("FP_mul_single_lat", sp_mul, 60, LAT, "fmul"),
	ROW("FP_div_single_lat", sp_div, 30, COST, "fdiv"),
	{ "FP_sqrt_single_lat", sp_sqrt, 30, COST, NULL, SMINUS, NULL, 0,
	  "fsqrt" },
	{ "FP_add_min", fp_add_row, 60, EACH, NULL, NULL, "flops_scalar", 1,
	  "fadd" },
	ROW("FP_mul_min", fp_mul_row, 60, EACH, "fmul"),
	{ "FP_fma_min", fp_fma_row, 60, EACH, NULL, NULL, "flops_scalar_fma", 2,
	  "fmadd" },
	ROW("FP_div_min", fp_div_row, 36, EACH, "fdiv"),
	ROW("FP_sqrt_min", fp_sqrt_row, 36, EACH, "fsqrt"),
	ROW("FP_add_neon_lat", neon_add, 60, LAT, "fadd, 128 bits"),
	{ "FP_add_neon_min", neon_add_row, 60, EACH, NULL, NULL, "flops_neon", 2,
	  "fadd, 128 bits" },
	ROW("FP_mul_neon_min", neon_mul_row, 60, EACH, "fmul, 128 bits"),
	ROW("FP_fma_neon_lat", neon_fma, 60, LAT,
	    "fmla, 128 bits, waiting for the sum"),
	{ "FP_fma_neon_min", neon_fma_row, 60, EACH, NULL, NULL, "flops_neon_fma", 4,
	  "fmla, 128 bits" },
	ROW("FP_div_neon_min", neon_div_row, 36, EACH, "fdiv, 128 bits"),
	ROWS_OF_MEMORY_AND_CODE,
	{ NULL },
};
/* clang-format on */

/* Streams: 256 bytes a turn; %0 to, %1 from, %2 chunks */
#define STREAM(name, before, body)                                             \
	static void name(void *arg, uint64_t times)                            \
	{                                                                      \
		const struct arch_memory *m = arg;                             \
                                                                               \
		for (; times > 0; times--) {                                   \
			char *to = m->to;                                      \
			const char *from = m->from;                            \
			size_t n = m->bytes / ARCH_CHUNK;                      \
                                                                               \
			__asm__ volatile(before "\n\t.p2align 6\n1:\n\t" body  \
						"\n\tadd %0, %0, #256\n\t"     \
						"add %1, %1, #256\n\t"         \
						"subs %2, %2, #1\n\tb.ne 1b"   \
					 : "+r"(to), "+r"(from), "+r"(n)       \
					 :                                     \
					 : CLOBBERS);                          \
		}                                                              \
	}

STREAM(read16, "", BY16("ldr q0, [%1, #\\o]"))
STREAM(write16, "movi v0.2d, #0", BY16("str q0, [%0, #\\o]"))
STREAM(copy16, "", BY16("ldr q0, [%1, #\\o]\n\tstr q0, [%0, #\\o]"))
/* A hint only; there is no store of one vector that has it. */
STREAM(nt16, "movi v0.2d, #0\n\tmovi v1.2d, #0",
       BY32("stnp q0, q1, [%0, #\\o]"))

unsigned arch_stream_width(void)
{
	return ARCH_NARROW;
}

arch_run_fn arch_stream(enum arch_stream kind)
{
	static const arch_run_fn runs[ARCH_STREAMS] = { read16, write16, copy16,
							nt16 };

	return runs[kind];
}

arch_run_fn arch_narrow_stream(enum arch_stream kind)
{
	return arch_stream(kind);
}
