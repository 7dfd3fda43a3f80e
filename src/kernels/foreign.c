/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of other people's programs, which are never run here: what is known
 * of them tells what events counted while they ran (bundle/cat.c). Now those of
 * cat_collect -vec of PAPI's Counter Analysis Toolkit, whose loops are compiled
 * without optimisation: beside each arithmetic instruction there are moves,
 * loads and stores, of which nothing is said. One time is one of these
 * instructions: additions and multiplications by turns, or multiply-adds.
 */
#include <math.h>

#include "kernels/tables.h"

#define ROW(id, words, ...)                                                    \
	{                                                                      \
		.name = "cat/" id, .text = "PAPI's cat_collect -vec: " words,  \
		.expect = EXPECT({ CONCEPT_VEC_MOVE, NAN, 0 },                 \
				 { CONCEPT_VEC_INT, NAN, 0 }, __VA_ARGS__),    \
	}

#define TYPE(name, NAME, words)                                                \
	ROW(#name, "additions and multiplications, " words,                    \
	    { CONCEPT_FP_##NAME##_ADD, 0.5, 0 },                               \
	    { CONCEPT_FP_##NAME##_MUL, 0.5, 0 }),                              \
		ROW(#name "/fma", "multiply-adds, " words,                     \
		    { CONCEPT_FP_##NAME##_FMA, 1, 0 })

static const struct kernel rows[] = {
	TYPE(s128, S128, "single precision, 128 bits"),
	TYPE(s256, S256, "single precision, 256 bits"),
	TYPE(s512, S512, "single precision, 512 bits"),
	TYPE(d128, D128, "double precision, 128 bits"),
	TYPE(d256, D256, "double precision, 256 bits"),
	TYPE(d512, D512, "double precision, 512 bits"),
};

KERNEL_TABLE(kernels_foreign, rows);
