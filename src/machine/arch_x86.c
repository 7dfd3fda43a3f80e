/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * x86-64: chains and rows of instructions.
 *
 * Latencies are chains in one register. Intervals are rows of instructions on
 * twelve registers, more than latency times units of any such processor.
 * Operands stay normal numbers: arch_operands keeps results near one.
 */
#include "machine/arch_rows.h"

#include <immintrin.h>

#include "kernels/kernel.h"

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
	uint32_t low, high;

	(void)unused;
	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a"(low), "=d"(high)
			 :
			 : "memory");
	return (uint64_t)high << 32 | low;
}

void arch_fence(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

bool arch_flush(const void *address)
{
	_mm_clflush(address);
	return true;
}

static bool has_avx(void)
{
	return kernel_lacks(NEEDS_AVX) == 0;
}

static bool has_fma(void)
{
	return kernel_lacks(NEEDS_AVX2 | NEEDS_FMA) == 0;
}

static bool has_avx512(void)
{
	return kernel_lacks(NEEDS_AVX512) == 0;
}

static bool has_popcnt(void)
{
	return kernel_lacks(NEEDS_POPCNT) == 0;
}

#define VECTORS                                                                \
	"memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",        \
		"xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",     \
		"xmm13", "xmm14", "xmm15"
#define CLOBBERS                                                               \
	VECTORS, "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",  \
		"r14", "r15", "rsi"

/*
 * before, then (body, COUNT times) for each of @times, then after. In all of
 * them %0 is the number of times and %1 the operands.
 */
#define LOAD(name, before, count, body, after)                                 \
	static void name(void *arg, uint64_t times)                            \
	{                                                                      \
		__asm__ volatile(before                                        \
				 "\n\t.p2align 6\n1:\n\t.rept " #count         \
				 "\n\t" body                                   \
				 "\n\t.endr\n\tdec %0\n\tjnz 1b\n\t" after     \
				 : "+r"(times), "+r"(arg)                      \
				 :                                             \
				 : CLOBBERS);                                  \
	}

/* The instruction on twelve registers, whose number it writes as \r. */
#define TWELVE(instruction)                                                    \
	".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n\t" instruction         \
	"\n\t.endr"

/* Registers 0 to 11 get @value, 12 to 15 the operands by name. */
#define OPERANDS(move, v)                                                      \
	TWELVE(move " (%1), %%" v "mm\\r")                                     \
	"\n\t" move " (%1), %%" v "mm12\n\t" move " 64(%1), %%" v              \
	"mm13\n\t" move " 128(%1), %%" v "mm14\n\t" move " 192(%1), %%" v      \
	"mm15"

#define SSE       OPERANDS("movupd", "x")
#define YMM       OPERANDS("vmovupd", "y")
#define ZMM       OPERANDS("vmovupd", "z")
#define AFTER_YMM "vzeroupper"

/* Integers. rax, rdx, r8 to r15 start as an odd number. */
#define INTEGERS                                                               \
	"mov 320(%1), %%rax\n\tor $1, %%rax\n\tmov $3, %%rcx\n\t"              \
	"mov %%rax, %%r8\n\tmov %%rax, %%r9\n\tmov %%rax, %%r10\n\t"           \
	"mov %%rax, %%r11\n\tmov %%rax, %%r12\n\tmov %%rax, %%r13\n\t"         \
	"mov %%rax, %%r14\n\tmov %%rax, %%r15\n\tmov %%rax, %%rdx"
/* More than three units with a latency of three cycles can work on. */
#define TEN(instruction)                                                       \
	".irp r, ax, dx, 8, 9, 10, 11, 12, 13, 14, 15\n\t" instruction         \
	"\n\t.endr"

LOAD(int_add, INTEGERS, 60, "add %%rcx, %%rax", "")
LOAD(int_add_row, INTEGERS, 28, TEN("add %%rcx, %%r\\r"), "")
LOAD(int_mul, INTEGERS, 60, "imul %%rcx, %%rax", "")
LOAD(int_mul_row, INTEGERS, 7, TEN("imul %%rcx, %%r\\r"), "")
/* The quotient keeps its size, and the remainder is put back each time. */
LOAD(int_div, "mov $0x7fffffffffffffff, %%rax\n\tmov $1, %%ecx", 20,
     "xor %%edx, %%edx\n\tdiv %%rcx", "")
/* Most divisions in programs are of smaller numbers: a 32-bit one here. */
LOAD(int_div_short, "mov $0x7fffffff, %%eax\n\tmov $1, %%ecx", 20,
     "xor %%edx, %%edx\n\tdiv %%ecx", "")
/* An address of three parts. */
LOAD(lea3, INTEGERS, 60, "lea 1(%%rax,%%rcx), %%rax", "")
/* Shifts wait for units that additions do not. */
LOAD(shift_row, INTEGERS, 28, TEN("shl $1, %%r\\r"), "")
/* To a vector register and back. */
LOAD(cross, INTEGERS, 30, "movq %%rax, %%xmm0\n\tmovq %%xmm0, %%rax", "")
/* To floating point and back. */
LOAD(convert, INTEGERS "\n\tmov $1000, %%eax", 30,
     "cvtsi2sd %%eax, %%xmm0\n\tcvttsd2si %%xmm0, %%eax", "")
/* A move after each addition: as fast as additions alone, if moves need no
 * unit. Little code, that fetching it be not the limit. */
LOAD(int_move_row, INTEGERS, 3, TEN("add %%rcx, %%r\\r\n\tmov %%rcx, %%rsi"),
     "")
LOAD(vec, SSE, 60, "paddd %%xmm14, %%xmm0", "")
LOAD(vec_row, SSE, 5, TWELVE("paddd %%xmm14, %%xmm\\r"), "")
LOAD(shift, INTEGERS, 60, "shl $1, %%rax", "")
LOAD(popcount, INTEGERS, 60, "popcnt %%rax, %%rax", "")
/* What no unit need execute, on different ones if they must. */
LOAD(mixed_row, "lea 256(%1), %%r8", 60,
     "xor %%r9d, %%r9d\n\tmov (%%r8), %%rax\n\txorps %%xmm0, %%xmm0\n\t"
     "xor %%r10d, %%r10d",
     "")

/* What no unit executes. */
LOAD(nothing_row, "", 240, "nop", "")

LOAD(fp_add, SSE, 60, "addsd %%xmm14, %%xmm0", "")
LOAD(fp_mul, SSE, 60, "mulsd %%xmm13, %%xmm0", "")
LOAD(fp_fma, YMM, 60, "vfmadd213sd %%xmm14, %%xmm12, %%xmm0", AFTER_YMM)
LOAD(fp_div, SSE, 30, "divsd %%xmm13, %%xmm0", "")
LOAD(fp_div_one, SSE, 30, "divsd %%xmm12, %%xmm0", "")
LOAD(fp_sqrt, SSE, 30, "sqrtsd %%xmm0, %%xmm0\n\tmulsd %%xmm15, %%xmm0", "")
LOAD(fp_sqrt_one, SSE, 30, "sqrtsd %%xmm0, %%xmm0", "")

/* Single precision: the same numbers, converted. */
#define SINGLES                                                                \
	SSE "\n\tcvtpd2ps %%xmm0, %%xmm0\n\tcvtpd2ps %%xmm13, %%xmm13\n\t"     \
	    "cvtpd2ps %%xmm14, %%xmm14\n\tcvtpd2ps %%xmm15, %%xmm15"
LOAD(sp_add, SINGLES, 60, "addss %%xmm14, %%xmm0", "")
LOAD(sp_mul, SINGLES, 60, "mulss %%xmm13, %%xmm0", "")
LOAD(sp_div, SINGLES, 30, "divss %%xmm13, %%xmm0", "")
LOAD(sp_sqrt, SINGLES, 30, "sqrtss %%xmm0, %%xmm0\n\tmulss %%xmm15, %%xmm0", "")

LOAD(fp_add_row, SSE, 5, TWELVE("addsd %%xmm14, %%xmm\\r"), "")
LOAD(fp_mul_row, SSE, 5, TWELVE("mulsd %%xmm13, %%xmm\\r"), "")
LOAD(fp_fma_row, YMM, 5, TWELVE("vfmadd213sd %%xmm14, %%xmm12, %%xmm\\r"),
     AFTER_YMM)
LOAD(fp_div_row, SSE, 3, TWELVE("divsd %%xmm13, %%xmm\\r"), "")
LOAD(fp_sqrt_row, SSE, 3, TWELVE("sqrtsd %%xmm15, %%xmm\\r"), "")
LOAD(sse_add_row, SSE, 5, TWELVE("addpd %%xmm14, %%xmm\\r"), "")
LOAD(avx_add, YMM, 60, "vaddpd %%ymm14, %%ymm0, %%ymm0", AFTER_YMM)
LOAD(avx_add_row, YMM, 5, TWELVE("vaddpd %%ymm14, %%ymm\\r, %%ymm\\r"),
     AFTER_YMM)
LOAD(avx_mul_row, YMM, 5, TWELVE("vmulpd %%ymm13, %%ymm\\r, %%ymm\\r"),
     AFTER_YMM)
LOAD(avx_fma, YMM, 60, "vfmadd213pd %%ymm14, %%ymm12, %%ymm0", AFTER_YMM)
LOAD(avx_fma_row, YMM, 5, TWELVE("vfmadd213pd %%ymm14, %%ymm12, %%ymm\\r"),
     AFTER_YMM)
LOAD(avx_div_row, YMM, 3, TWELVE("vdivpd %%ymm13, %%ymm\\r, %%ymm\\r"),
     AFTER_YMM)
LOAD(avx512_fma, ZMM, 60, "vfmadd213pd %%zmm14, %%zmm12, %%zmm0", AFTER_YMM)
LOAD(avx512_fma_row, ZMM, 5, TWELVE("vfmadd213pd %%zmm14, %%zmm12, %%zmm\\r"),
     AFTER_YMM)

/*
 * Through memory. The address comes in two registers: some processors see that
 * two accesses by one register are to one place and skip the memory.
 */
LOAD(forward, "lea 256(%1), %%r8\n\tmov %%r8, %%r9\n\tmov $1, %%eax", 30,
     "mov %%rax, (%%r8)\n\tmov (%%r9), %%rax", "")
/* By one register: such processors need no time for it. */
LOAD(forward_same, "lea 256(%1), %%r8\n\tmov $1, %%eax", 30,
     "mov %%rax, (%%r8)\n\tmov (%%r8), %%rax", "")
/* Vectors pass through the store queue in any case. */
LOAD(forward_vec, SSE "\n\tlea 256(%1), %%r8", 30,
     "movupd %%xmm0, (%%r8)\n\tmovupd (%%r8), %%xmm0", "")
LOAD(store_vec_row, SSE "\n\tlea 256(%1), %%r8", 60, "movupd %%xmm0, (%%r8)",
     "")
LOAD(load_row, "lea 256(%1), %%r8", 70, "mov (%%r8), %%rax", "")
/* Vectors may not be loaded by as many ports. */
LOAD(load_vec_row, "lea 256(%1), %%r8", 5, TWELVE("movups (%%r8), %%xmm\\r"),
     "")
/* A load and a store in turn: whether they share ports. */
LOAD(load_store_row, "lea 256(%1), %%r8", 30,
     "mov (%%r8), %%rax\n\tmov %%rcx, 8(%%r8)", "")
LOAD(store_row, "lea 256(%1), %%r8", 60, "mov %%rax, (%%r8)", "")

LOAD(branch_not_taken, "test %0, %0", 240, "jz 2f", "2:")
LOAD(branch_taken, "", 60, "jmp 2f\n\t.p2align 5\n2:", "")
/* More of them than the fastest memory of branches holds. */
LOAD(branch_128, "", 128, "jmp 2f\n\t.p2align 5\n2:", "")
LOAD(branch_512, "", 512, "jmp 2f\n\t.p2align 5\n2:", "")
LOAD(branch_2048, "", 2048, "jmp 2f\n\t.p2align 5\n2:", "")

/*
 * Code in pieces, each ending with a jump to the next: four instructions on
 * one side of a boundary, or two on either side of one of 32 or of 64 bytes.
 */
#define NOP4 "\n\t.byte 0x0f, 0x1f, 0x40, 0x00"
LOAD(code_inside, "", 12, "jmp 2f\n\t.p2align 6\n2:" NOP4 NOP4 NOP4 NOP4, "")
LOAD(code_across_32, "", 12,
     "jmp 2f\n\t.p2align 6\n\t.skip 24\n2:" NOP4 NOP4 NOP4 NOP4, "")
LOAD(code_across_64, "", 12,
     "jmp 2f\n\t.p2align 6\n\t.skip 56\n2:" NOP4 NOP4 NOP4 NOP4, "")

/*
 * Below what the compiler may keep under the end of the stack. Call and return
 * are apart, as in programs: predictors have room for few branches in a line.
 */
LOAD(call_row, "lea -128(%%rsp), %%rsp", 12,
     "call 2f\n\tjmp 3f\n\t.p2align 6\n2:\tret\n\t.p2align 6\n3:",
     "lea 128(%%rsp), %%rsp")

/* An addition to memory that no other core may see half done. */
LOAD(lock_row, "lea 256(%1), %%r8", 20, "lock addq $1, (%%r8)", "")
/* Additions and multiplications in turn: whether they share units. */
LOAD(fp_mixed_row, SSE, 5,
     ".irp r, 0, 2, 4, 6, 8, 10\n\taddsd %%xmm14, %%xmm\\r\n\t.endr\n\t"
     ".irp r, 1, 3, 5, 7, 9, 11\n\tmulsd %%xmm13, %%xmm\\r\n\t.endr",
     "")

/*
 * Indirect jumps, each of which goes elsewhere than the last time: sixteen
 * pieces of code, each of which jumps to the next of a list of 64, which looks
 * random and is soon learnt.
 */
static const uint8_t turns_list[64] = {
	9,  3, 14, 0,  7,  11, 5, 12, 1,  8,  15, 6,  2,  10, 4,  13,
	3,  8, 0,  13, 5,  9,  2, 15, 11, 7,  1,  14, 6,  12, 10, 4,
	6,  1, 11, 3,  15, 0,  9, 4,  13, 8,  2,  7,  14, 5,  12, 10,
	12, 0, 5,  2,  14, 9,  1, 6,  3,  13, 15, 10, 8,  11, 4,  7,
};

static void turns(void *arg, uint64_t times)
{
	(void)arg;
	__asm__ volatile("lea 7f(%%rip), %%r8\n\txor %%ecx, %%ecx\n\t"
			 ".p2align 5\n7:\n\t.rept 16\n\t.p2align 5\n\t"
			 "movzbl (%1, %%rcx), %%eax\n\tinc %%ecx\n\t"
			 "and $63, %%ecx\n\tshl $5, %%eax\n\t"
			 "add %%r8, %%rax\n\tdec %0\n\tjz 8f\n\tjmp *%%rax"
			 "\n\t.endr\n8:"
			 : "+r"(times)
			 : "r"(turns_list)
			 : "rax", "rcx", "r8", "cc");
}

/* clang-format off */
const struct arch_row arch_rows[] = {
	ROW("int_add_lat", int_add, 60, LAT, "add"),
	ROW("int_add_min", int_add_row, 280, EACH, "add"),
	ROW("int_move_min", int_move_row, 60, EACH,
	    "add and register-to-register mov, alternating"),
	ROW("int_mul_lat", int_mul, 60, LAT, "imul"),
	ROW("int_mul_min", int_mul_row, 70, EACH, "imul"),
	ROW("int_div_lat", int_div, 20, COST, "div of a 63-bit number"),
	ROW("int_div_short_lat", int_div_short, 20, COST,
	    "div of a 31-bit number"),
	ROW("int_lea3_lat", lea3, 60, LAT,
	    "lea of base, index and displacement"),
	ROW("int_shift_min", shift_row, 280, EACH, "shl"),
	ROW("vec_int_lat", cross, 60, COST,
	    "movq from an integer to a vector register, or back"),
	ROW("FP_int_lat", convert, 60, COST, "cvtsi2sd, cvttsd2si"),
	ROW("int_shift_lat", shift, 60, LAT, "shl"),
	{ "int_popcount_lat", popcount, 60, LAT, has_popcnt, NULL, NULL, 0,
	  "popcnt" },
	ROW("issue_min", mixed_row, 240, EACH, "register clears and loads"),
	ROW("nop_min", nothing_row, 240, EACH, "nop"),
	ROW("vec_add_lat", vec, 60, LAT, "paddd"),
	ROW("vec_add_min", vec_row, 60, EACH, "paddd"),
	ROW("FP_add_lat", fp_add, 60, LAT, "addsd"),
	ROW("FP_mul_lat", fp_mul, 60, LAT, "mulsd"),
	{ "FP_fma_lat", fp_fma, 60, LAT, has_fma, NULL, NULL, 0,
	  "vfmadd213sd" },
	ROW("FP_div_lat", fp_div, 30, COST,
	    "divsd with a full-length quotient"),
	ROW("FP_div_easy_lat", fp_div_one, 30, COST, "divsd by one"),
	{ "FP_sqrt_lat", fp_sqrt, 30, COST, NULL, MINUS, NULL, 0,
	  "sqrtsd with a full-length result" },
	ROW("FP_sqrt_easy_lat", fp_sqrt_one, 30, COST, "sqrtsd of one"),
	ROW("FP_add_single_lat", sp_add, 60, LAT, "addss"),
	ROW("FP_mul_single_lat", sp_mul, 60, LAT, "mulss"),
	ROW("FP_div_single_lat", sp_div, 30, COST, "divss"),
	{ "FP_sqrt_single_lat", sp_sqrt, 30, COST, NULL, SMINUS, NULL, 0,
	  "sqrtss" },
	{ "FP_add_min", fp_add_row, 60, EACH, NULL, NULL, "flops_scalar", 1,
	  "addsd" },
	ROW("FP_mul_min", fp_mul_row, 60, EACH, "mulsd"),
	{ "FP_fma_min", fp_fma_row, 60, EACH, has_fma, NULL, "flops_scalar_fma", 2,
	  "vfmadd213sd" },
	ROW("FP_div_min", fp_div_row, 36, EACH, "divsd"),
	ROW("FP_sqrt_min", fp_sqrt_row, 36, EACH, "sqrtsd"),
	{ "FP_add_sse_min", sse_add_row, 60, EACH, NULL, NULL, "flops_sse", 2,
	  "addpd, 128 bits" },
	{ "FP_add_avx2_lat", avx_add, 60, LAT, has_avx, NULL, NULL, 0,
	  "vaddpd, 256 bits" },
	{ "FP_add_avx2_min", avx_add_row, 60, EACH, has_avx, NULL, "flops_avx2", 4,
	  "vaddpd, 256 bits" },
	{ "FP_mul_avx2_min", avx_mul_row, 60, EACH, has_avx, NULL, NULL, 0,
	  "vmulpd, 256 bits" },
	{ "FP_fma_avx2_lat", avx_fma, 60, LAT, has_fma, NULL, NULL, 0,
	  "vfmadd213pd, 256 bits" },
	{ "FP_fma_avx2_min", avx_fma_row, 60, EACH, has_fma, NULL, "flops_avx2_fma", 8,
	  "vfmadd213pd, 256 bits" },
	{ "FP_div_avx2_min", avx_div_row, 36, EACH, has_avx, NULL, NULL, 0,
	  "vdivpd, 256 bits" },
	{ "FP_fma_avx512_lat", avx512_fma, 60, LAT, has_avx512, NULL, NULL, 0,
	  "vfmadd213pd, 512 bits" },
	{ "FP_fma_avx512_min", avx512_fma_row, 60, EACH, has_avx512, NULL, "flops_avx512_fma", 16,
	  "vfmadd213pd, 512 bits" },
	ROWS_OF_MEMORY_AND_CODE,
	ROW("BR_ind_min", turns, 1, EACH,
	    "indirect jumps by a list of 64 among 16 places"),
	ROW("FP_mix_min", fp_mixed_row, 60, EACH,
	    "addsd and mulsd, alternating"),
	ROW("lock_min", lock_row, 20, COST, "locked addition"),
	{ NULL },
};
/* clang-format on */

/* Streams: four vectors of 64 bytes' worth a turn; %0 to, %1 from, %2 chunks */
#define STREAM(name, before, body, after)                                      \
	static void name(void *arg, uint64_t times)                            \
	{                                                                      \
		const struct arch_memory *m = arg;                             \
                                                                               \
		for (; times > 0; times--) {                                   \
			char *to = m->to;                                      \
			const char *from = m->from;                            \
			size_t n = m->bytes / ARCH_CHUNK;                      \
                                                                               \
			__asm__ volatile(                                      \
				before "\n\t.p2align 6\n1:\n\t" body           \
				       "\n\tadd $256, %0\n\tadd $256, %1\n\t"  \
				       "dec %2\n\tjnz 1b\n\t" after            \
				: "+r"(to), "+r"(from), "+r"(n)                \
				:                                              \
				: VECTORS);                                    \
		}                                                              \
	}

#define BY64(body) ".irp o, 0, 64, 128, 192\n\t" body "\n\t.endr"

STREAM(read16, "", BY16("movaps \\o(%1), %%xmm0"), "")
STREAM(write16, "xorps %%xmm0, %%xmm0", BY16("movaps %%xmm0, \\o(%0)"), "")
STREAM(copy16, "", BY16("movaps \\o(%1), %%xmm0\n\tmovaps %%xmm0, \\o(%0)"), "")
STREAM(nt16, "xorps %%xmm0, %%xmm0", BY16("movntps %%xmm0, \\o(%0)"), "sfence")
STREAM(read32, "", BY32("vmovaps \\o(%1), %%ymm0"), AFTER_YMM)
STREAM(write32, "vxorps %%ymm0, %%ymm0, %%ymm0",
       BY32("vmovaps %%ymm0, \\o(%0)"), AFTER_YMM)
STREAM(copy32, "", BY32("vmovaps \\o(%1), %%ymm0\n\tvmovaps %%ymm0, \\o(%0)"),
       AFTER_YMM)
STREAM(nt32, "vxorps %%ymm0, %%ymm0, %%ymm0", BY32("vmovntps %%ymm0, \\o(%0)"),
       "sfence\n\tvzeroupper")
STREAM(read64, "", BY64("vmovaps \\o(%1), %%zmm0"), AFTER_YMM)
STREAM(write64, "vxorps %%xmm0, %%xmm0, %%xmm0",
       BY64("vmovaps %%zmm0, \\o(%0)"), AFTER_YMM)
STREAM(copy64, "", BY64("vmovaps \\o(%1), %%zmm0\n\tvmovaps %%zmm0, \\o(%0)"),
       AFTER_YMM)
STREAM(nt64, "vxorps %%xmm0, %%xmm0, %%xmm0", BY64("vmovntps %%zmm0, \\o(%0)"),
       "sfence\n\tvzeroupper")

unsigned arch_stream_width(void)
{
	if (has_avx512())
		return 64;
	return has_avx() ? 32 : 16;
}

arch_run_fn arch_stream(enum arch_stream kind)
{
	static const arch_run_fn runs[][ARCH_STREAMS] = {
		{ read16, write16, copy16, nt16 },
		{ read32, write32, copy32, nt32 },
		{ read64, write64, copy64, nt64 },
	};
	unsigned width = arch_stream_width();

	return runs[width == 64 ? 2 : width == 32][kind];
}

arch_run_fn arch_narrow_stream(enum arch_stream kind)
{
	static const arch_run_fn runs[ARCH_STREAMS] = { read16, write16, copy16,
							nt16 };

	return runs[kind];
}
