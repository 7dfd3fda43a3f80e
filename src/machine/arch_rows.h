/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tables of all architectures have in common: names for what rows
 * are, and the rows that say the same everywhere. What is run for them, under
 * the same names, is each architecture's.
 */
#pragma once

#include "machine/arch.h"

#define LAT    ARCH_LATENCY
#define EACH   ARCH_INTERVAL
#define COST   ARCH_COST
#define MINUS  "FP_mul_lat"
#define SMINUS "FP_mul_single_lat"

/* One that works everywhere, has no other's time in it and gives no flops. */
#define ROW(name, run, n, kind, words)                                         \
	{                                                                      \
		name, run, n, kind, NULL, NULL, NULL, 0, words                 \
	}

/* clang-format off */
#define ROWS_OF_MEMORY_AND_CODE                                                \
	ROW("store_forward_lat", forward, 30, COST,                            \
	    "store, then load of the stored value"),                           \
	ROW("store_forward_same_lat", forward_same, 30, COST,                  \
	    "store, then load of the stored value through the same register"), \
	ROW("store_forward_vec_lat", forward_vec, 30, COST,                    \
	    "128-bit store, then load of the stored value"),                   \
	ROW("store_vec_min", store_vec_row, 60, EACH, "128-bit store"),        \
	ROW("L1_min", load_row, 70, EACH, "load"),                             \
	ROW("load_vec_min", load_vec_row, 60, EACH, "128-bit load"),           \
	ROW("load_store_min", load_store_row, 60, EACH,                        \
	    "load and store, alternating"),                                    \
	ROW("store_min", store_row, 60, EACH, "store"),                        \
	ROW("BR_min", branch_not_taken, 240, EACH, "branch not taken"),        \
	ROW("BR_lat", branch_taken, 60, EACH, "jump to the next instruction"), \
	ROW("BR_128_min", branch_128, 128, EACH, "128 jumps over and over"),   \
	ROW("BR_512_min", branch_512, 512, EACH, "512 jumps over and over"),   \
	ROW("BR_2048_min", branch_2048, 2048, EACH,                            \
	    "2048 jumps over and over"),                                       \
	ROW("code_min", code_inside, 12, EACH,                                 \
	    "four instructions and a jump"),                                   \
	ROW("code_32_min", code_across_32, 12, EACH,                           \
	    "the same, across a 32-byte boundary"),                            \
	ROW("code_64_min", code_across_64, 12, EACH,                           \
	    "the same, across a 64-byte boundary"),                            \
	{ "call_min", call_row, 12, EACH, NULL, "BR_lat", NULL, 0,             \
	  "call and return" }
/* clang-format on */

/* Bodies of streams: 256 bytes in pieces of 16, of 32. */
#define BY16(body)                                                             \
	".irp o, 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, "    \
	"208, 224, 240\n\t" body "\n\t.endr"
#define BY32(body)                                                             \
	".irp o, 0, 32, 64, 96, 128, 160, 192, 224\n\t" body "\n\t.endr"
