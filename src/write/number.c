/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text. */

#include "write/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts have 64 bits; beyond them digits say nothing. */
#define COUNT_END 0x1p64L

const char *number_exact(char *text, long double value)
{
	double near = (double)value;

	if (value == floorl(value) && fabsl(value) < COUNT_END) {
		snprintf(text, NUMBER_CAPACITY, "%.0Lf", value);
		return text;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, NUMBER_CAPACITY, "%.*g", digits, near);
		if (strtod(text, NULL) == near)
			break;
	}
	return text;
}

/* Copy @digits ("-1234567.89") to @text with a comma every third. */
static void group_digits(char *text, const char *digits)
{
	size_t whole = strcspn(digits, ".");
	size_t used = 0;

	for (size_t i = 0; digits[i] && used + 2 < NUMBER_CAPACITY; i++) {
		text[used++] = digits[i];
		if (i + 1 < whole && (whole - i - 1) % 3 == 0 &&
		    digits[i] != '-')
			text[used++] = ',';
	}
	text[used] = '\0';
}

static const char *grouped(char *text, long double value, int decimals)
{
	char digits[NUMBER_CAPACITY];

	if (!isfinite(value) || fabsl(value) >= COUNT_END) {
		snprintf(text, NUMBER_CAPACITY, "%.4Lg", value);
		return text;
	}
	snprintf(digits, sizeof(digits), "%.*Lf", decimals, value);
	group_digits(text, digits);
	return text;
}

const char *number_count(char *text, long double value)
{
	return grouped(text, value, 0);
}

const char *number_short(char *text, double value)
{
	double size = fabs(value);

	if (size != 0 && size < 0.0001) {
		snprintf(text, NUMBER_CAPACITY, "%.3g", value);
		return text;
	}
	return grouped(text, value,
		       size == 0      ? 0
		       : size < 0.1   ? 4
		       : size < 10    ? 3
		       : size < 100   ? 2
		       : size < 10000 ? 1
				      : 0);
}

const char *number_error(char *text, double value, double error)
{
	char number[NUMBER_CAPACITY], margin[NUMBER_CAPACITY];
	double size = fabs(error);
	int decimals = size < 10 ? 1 - (int)floor(log10(size)) : 0;

	if (!isfinite(error) || size == 0 || decimals > 9)
		return number_short(text, value);
	grouped(number, value, decimals);
	grouped(margin, error, decimals);
	snprintf(text, NUMBER_CAPACITY, "%.20s ± %.20s", number, margin);
	return text;
}

const char *number_seconds(char *text, double s)
{
	if (!isfinite(s))
		snprintf(text, NUMBER_CAPACITY, "-");
	else if (s == 0)
		snprintf(text, NUMBER_CAPACITY, "0 s");
	else if (s < 0.001)
		snprintf(text, NUMBER_CAPACITY, "%.1f us", s * 1e6);
	else if (s < 0.1)
		snprintf(text, NUMBER_CAPACITY, "%.2f ms", s * 1e3);
	else if (s < 100)
		snprintf(text, NUMBER_CAPACITY, "%.3f s", s);
	else
		snprintf(text, NUMBER_CAPACITY, "%.0f min %02.0f s",
			 floor(s / 60), fmod(floor(s), 60));
	return text;
}

const char *number_kilobytes(char *text, uint64_t kb)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
	double value = (double)kb;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1024;
		unit++;
	}
	snprintf(text, NUMBER_CAPACITY, unit == 0 ? "%.0f %s" : "%.1f %s",
		 value, units[unit]);
	return text;
}
