/* SPDX-License-Identifier: BSD-3-Clause */
/* Special functions and the tails of distributions that are made of them. */
#pragma once

/* The regularised incomplete beta function I_x(a, b); 0 <= @x <= 1. */
double special_beta(double a, double b, double x);

/* The upper regularised incomplete gamma function Q(a, x); @a > 0. */
double special_gamma(double a, double x);

/* P(X > @x) of a chi-square variable with @df degrees of freedom; 0: 1. */
double chi_square_tail(double x, double df);

/* P(F > @f) of Fisher's F with @df1 and @df2 degrees of freedom. */
double fisher_tail(double f, double df1, double df2);
