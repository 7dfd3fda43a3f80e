/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers as text. The exact forms are for programs, the others for people.
 * Each fills @text, which has room for NUMBER_CAPACITY bytes, and returns it.
 */
#pragma once

#include <stdint.h>

#define NUMBER_CAPACITY 48

/*
 * Counts are long double, which holds every whole number of 64 bits; a double
 * holds those up to NUMBER_DOUBLE_MAX only.
 */
#define NUMBER_DOUBLE_MAX 0x1p53L

/*
 * All digits of a count; else the shortest that read back as the same double.
 */
const char *number_exact(char *text, long double value);

/* "1,234,567": a count, rounded to a whole number. */
const char *number_count(char *text, long double value);

/* Four significant digits, or all of the whole part: "0.8712", "12,345". */
const char *number_short(char *text, double value);

/* "2.136 ± 0.015": two digits of the error, and as many of the value. */
const char *number_error(char *text, double value, double error);

/* "0.213 s", "12.3 ms", "2 min 05 s". */
const char *number_seconds(char *text, double seconds);

/* "11.2 MB" from kilobytes (of 1024 bytes; a MB is 1024 of those). */
const char *number_kilobytes(char *text, uint64_t kb);
