/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point arithmetic by type, width and operation, in x86 assembly:
 * eight independent instructions on ones, and a loop. Scalar and 128-bit ones
 * are in SSE's encoding; wider ones, and multiply-adds, need more of the
 * processor.
 */
#include "kernels/loop.h"

#define LOAD_SSE                                                               \
	"movups (%[m]), %%xmm0\nmovups (%[m]), %%xmm1\n"                       \
	"movups (%[m]), %%xmm2\nmovups (%[m]), %%xmm3\n"                       \
	"movups (%[m]), %%xmm4\nmovups (%[m]), %%xmm5\n"                       \
	"movups (%[m]), %%xmm6\nmovups (%[m]), %%xmm7\n"                       \
	"movups (%[m]), %%xmm8\n"
#define LOAD_VEX(r)                                                            \
	"vmovups (%[m]), %%" r "0\nvmovups (%[m]), %%" r "1\n"                 \
	"vmovups (%[m]), %%" r "2\nvmovups (%[m]), %%" r "3\n"                 \
	"vmovups (%[m]), %%" r "4\nvmovups (%[m]), %%" r "5\n"                 \
	"vmovups (%[m]), %%" r "6\nvmovups (%[m]), %%" r "7\n"                 \
	"vmovups (%[m]), %%" r "8\n"

/* Two operands: the second is overwritten. */
#define TWO(op, r)                                                             \
	op " %%" r "8, %%" r "0\n" op " %%" r "8, %%" r "1\n" op " %%" r       \
	   "8, %%" r "2\n" op " %%" r "8, %%" r "3\n" op " %%" r "8, %%" r     \
	   "4\n" op " %%" r "8, %%" r "5\n" op " %%" r "8, %%" r "6\n" op      \
	   " %%" r "8, %%" r "7\n"

/* Three: the last is overwritten. */
#define THREE_ONE(op, r, i) op " %%" r "8, %%" r "8, %%" r i "\n"
#define THREE(op, r)                                                           \
	THREE_ONE(op, r, "0")                                                  \
	THREE_ONE(op, r, "1")                                                  \
	THREE_ONE(op, r, "2")                                                  \
	THREE_ONE(op, r, "3")                                                  \
	THREE_ONE(op, r, "4")                                                  \
	THREE_ONE(op, r, "5")                                                  \
	THREE_ONE(op, r, "6")                                                  \
	THREE_ONE(op, r, "7")

/* All operations of one type. @s is its suffix: ss, ps, sd, pd. */
#define SSE_TYPE(name, s)                                                      \
	LOOP(name##_add, LOAD_SSE, TWO("add" s, "xmm"), "")                    \
	LOOP(name##_mul, LOAD_SSE, TWO("mul" s, "xmm"), "")                    \
	LOOP(name##_fma, LOAD_SSE, THREE("vfmadd231" s, "xmm"), "")            \
	LOOP(name##_div, LOAD_SSE, TWO("div" s, "xmm"), "")                    \
	LOOP(name##_sqrt, LOAD_SSE, TWO("sqrt" s, "xmm"), "")
#define VEX_TYPE(name, s, r)                                                   \
	LOOP(name##_add, LOAD_VEX(r), THREE("vadd" s, r), "vzeroupper\n")      \
	LOOP(name##_mul, LOAD_VEX(r), THREE("vmul" s, r), "vzeroupper\n")      \
	LOOP(name##_fma, LOAD_VEX(r), THREE("vfmadd231" s, r), "vzeroupper\n") \
	LOOP(name##_div, LOAD_VEX(r), THREE("vdiv" s, r), "vzeroupper\n")      \
	LOOP(name##_sqrt, LOAD_VEX(r), TWO("vsqrt" s, r), "vzeroupper\n")

SSE_TYPE(s1, "ss")
SSE_TYPE(d1, "sd")
SSE_TYPE(s128, "ps")
SSE_TYPE(d128, "pd")
VEX_TYPE(s256, "ps", "ymm")
VEX_TYPE(d256, "pd", "ymm")
VEX_TYPE(s512, "ps", "zmm")
VEX_TYPE(d512, "pd", "zmm")

LOOP(x87, "fld1\nfld1\n", R8("fadd %%st(1), %%st\n"),
     "fstp %%st(0)\nfstp %%st(0)\n")
LOOP(compare, LOAD_SSE, R8("ucomisd %%xmm8, %%xmm0\n"), "")
LOOP(convert, LOAD_SSE, R8("cvtsd2ss %%xmm8, %%xmm0\n"), "")
/* Each needs what the one before has made. */
LOOP(divide_chain, LOAD_SSE, R8("divsd %%xmm8, %%xmm0\n"), "")
LOOP(vector_move, LOAD_SSE, R8("movaps %%xmm8, %%xmm0\n"), "")
LOOP(vector_int, LOAD_SSE, R8("paddd %%xmm8, %%xmm0\n"), "")

/* The 2005 paper's Figure 7: nine multiplications of three variables and a
 * value, each of which needs what others have made. */
#define MULTIPLY(to, a, b)                                                     \
	"movaps %%xmm" a ", %%xmm" to "\nmulss %%xmm" b ", %%xmm" to "\n"
LOOP(figure_7, LOAD_SSE,
     MULTIPLY("0", "1", "8") MULTIPLY("1", "0", "8") MULTIPLY("2", "2", "8")
	     MULTIPLY("2", "0", "1") MULTIPLY("0", "1", "2")
		     MULTIPLY("1", "0", "2") MULTIPLY("0", "2", "1")
			     MULTIPLY("2", "1", "1") MULTIPLY("1", "0", "0"),
     "")
/* Its section 4.4: combinations of additions, multiplications and divisions. */
LOOP(mix_double, LOAD_SSE,
     R4("addsd %%xmm8, %%xmm0\nmulsd %%xmm8, %%xmm1\n") "divsd %%xmm8, %%xmm2\n",
     "")
LOOP(mix_single, LOAD_SSE,
     R4("addss %%xmm8, %%xmm0\n") "mulss %%xmm8, %%xmm1\nmulss %%xmm8, %%xmm2\n"
				  "divss %%xmm8, %%xmm3\ndivss %%xmm8, %%xmm4\n",
     "")

/* What all of these share; movups before the loop is not counted twice. */
#define ROW(id, words, function, concept, need, bound_by)                      \
	{                                                                      \
		.name = id, .text = words, .needs = need, .code = #function,   \
		.memory = loop_memory, .prepare = loop_prepare,                \
		.run = function, .none = LOOP_NONE, .bound = BOUND_##bound_by, \
		.expect = EXPECT({ CONCEPT_INS, 10, 0 }, LOOP_BRANCH,          \
				 { CONCEPT_INT_ADD, 1, 0 },                    \
				 { CONCEPT_##concept, 8, 0 }),                 \
	}

#define TYPE(name, NAME, words, need, fma)                                     \
	ROW("fp/" #name "/add", "eight additions, " words, name##_add,         \
	    FP_##NAME##_ADD, need, FPU),                                       \
		ROW("fp/" #name "/mul", "eight multiplications, " words,       \
		    name##_mul, FP_##NAME##_MUL, need, UNKNOWN),               \
		ROW("fp/" #name "/fma", "eight multiply-adds, " words,         \
		    name##_fma, FP_##NAME##_FMA, fma, FPU),                    \
		ROW("fp/" #name "/div", "eight divisions, " words, name##_div, \
		    FP_##NAME##_DIV, need, UNKNOWN),                           \
		ROW("fp/" #name "/sqrt", "eight square roots, " words,         \
		    name##_sqrt, FP_##NAME##_SQRT, need, UNKNOWN)

static const struct kernel rows[] = {
	TYPE(s1, S1, "single precision", 0, NEEDS_FMA),
	TYPE(d1, D1, "double precision", 0, NEEDS_FMA),
	TYPE(s128, S128, "single precision, 128 bits", 0, NEEDS_FMA),
	TYPE(d128, D128, "double precision, 128 bits", 0, NEEDS_FMA),
	TYPE(s256, S256, "single precision, 256 bits", NEEDS_AVX, NEEDS_FMA),
	TYPE(d256, D256, "double precision, 256 bits", NEEDS_AVX, NEEDS_FMA),
	TYPE(s512, S512, "single precision, 512 bits", NEEDS_AVX512,
	     NEEDS_AVX512),
	TYPE(d512, D512, "double precision, 512 bits", NEEDS_AVX512,
	     NEEDS_AVX512),
	ROW("fp/x87", "eight x87 additions", x87, FP_X87, 0, FP),
	ROW("fp/compare", "eight comparisons", compare, FP_CMP, 0, UNKNOWN),
	ROW("fp/convert", "eight conversions", convert, FP_CVT, 0, FP),
	ROW("fp/chain", "a chain of eight divisions", divide_chain, FP_D1_DIV,
	    0, FP),
	ROW("fp/move", "eight moves of vector registers", vector_move, VEC_MOVE,
	    0, UNKNOWN),
	{ .name = "fp/figure7",
	  .text = "nine multiplications, single precision, of three variables",
	  .role = ROLE_FIGURE,
	  .code = "figure_7",
	  .memory = loop_memory,
	  .prepare = loop_prepare,
	  .run = figure_7,
	  .none = LOOP_NONE,
	  .expect =
		  EXPECT({ CONCEPT_INS, 20, 0 }, LOOP_BRANCH,
			 { CONCEPT_INT_ADD, 1, 0 }, { CONCEPT_FP_S1_MUL, 9, 0 },
			 { CONCEPT_VEC_MOVE, 9, 0 }) },
	{ .name = "fp/mix",
	  .text = "four additions and multiplications, one division, double",
	  .role = ROLE_FIGURE,
	  .code = "mix_double",
	  .memory = loop_memory,
	  .prepare = loop_prepare,
	  .run = mix_double,
	  .none = LOOP_NONE,
	  .expect = EXPECT(
		  { CONCEPT_INS, 11, 0 }, LOOP_BRANCH,
		  { CONCEPT_INT_ADD, 1, 0 }, { CONCEPT_FP_D1_ADD, 4, 0 },
		  { CONCEPT_FP_D1_MUL, 4, 0 }, { CONCEPT_FP_D1_DIV, 1, 0 }) },
	{ .name = "fp/mix-single",
	  .text = "four additions, two multiplications and divisions, single",
	  .role = ROLE_FIGURE,
	  .code = "mix_single",
	  .memory = loop_memory,
	  .prepare = loop_prepare,
	  .run = mix_single,
	  .none = LOOP_NONE,
	  .expect = EXPECT(
		  { CONCEPT_INS, 10, 0 }, LOOP_BRANCH,
		  { CONCEPT_INT_ADD, 1, 0 }, { CONCEPT_FP_S1_ADD, 4, 0 },
		  { CONCEPT_FP_S1_MUL, 2, 0 }, { CONCEPT_FP_S1_DIV, 2, 0 }) },
	ROW("fp/vector-int", "eight packed integer additions", vector_int,
	    VEC_INT, 0, UNKNOWN),
};

KERNEL_TABLE(kernels_x86_fp, rows);
