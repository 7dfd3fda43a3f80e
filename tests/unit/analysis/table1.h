/* SPDX-License-Identifier: BSD-3-Clause */
/* The 2018 paper's Table 1 with its published amplifier, as made-up data. */
#pragma once

#include <math.h>

#include "analysis/posterior.h"

enum {
	CE,
	CR,
	T,
	D,
	M,
	ROWS,
	BENCHES = 8 /* the paper's seven, and the amplifier */
};

static const double table1[ROWS][BENCHES] = {
	[CE] = { 2, 2, 2, 2, 2.5, 2, 1, 8 },
	[CR] = { 2, 2, 2, 2, 2, 2, 1, 6 },
	[T] = { 1.5, 1, 2, 1.5, 1.5, 1, 1, 5.5 },
	[D] = { 0, 0, 0, 0, 0, 1, 0, 0 },
	[M] = { 0, 0, 0, 0.5, 0.5, 0, 0, 0.5 },
};
static const double no_error[BENCHES] = { 0 };
static const double chance[BENCHES] = { 0, 0, 0, 0.002, 0.002, 0, 0, 0.002 };

static inline void expect_table1(struct expectation *x)
{
	for (int i = 0; i < ROWS; i++)
		x[i] = (struct expectation){ table1[i],
					     i == M ? chance : NULL };
}
