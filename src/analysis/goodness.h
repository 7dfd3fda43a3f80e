/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The score of the 2018 paper, reproduced to be compared with: Equation 1,
 *
 *   goodness = exp(-2 (beta_m r^2 - beta_e)^2)
 *
 * for one kernel, and the product over kernels for a category. It is a normal
 * likelihood with a standard deviation of 0.5 whatever the error of the slope:
 * a perfect event of retired conditional branches scores 0.607 as an event of
 * executed ones. analysis/posterior.h has what we decide by.
 */
#pragma once

/* Equation 1. */
double goodness_of(double slope, double r2, double expected);
