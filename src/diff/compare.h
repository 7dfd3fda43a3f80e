/* SPDX-License-Identifier: BSD-3-Clause */
/* Two runs side by side, and limits on how they may differ. */
#pragma once

#include "report/runfile.h"
#include "write/style.h"

/* What can be said about a difference. */
enum compare_result {
	COMPARE_SAME,
	COMPARE_DIFFERENT,
	COMPARE_UNRESOLVED, /* it may be noise */
	COMPARE_ONE_SIDED,  /* one of the runs has no such value */
};

struct compare_row {
	const char *section; /* the runs' */
	const char *name;
	const char *title; /* what the file says it is; may be "" */
	const char *file;  /* where it begins, in B if it is there; or NULL */
	long line;
	long double a; /* counts to the last one */
	long double b;
	double percent; /* of a; NaN if a is 0 or missing */
	double low;     /* 95 % interval of the percentage; NaN: none */
	double high;
	enum compare_result result;
	int better;  /* 1: more is, -1: less is, 0: neither */
	bool part_a; /* something is missing in the value of A */
	bool part_b;
	const char *limit; /* that it breaks; NULL: none */
};

struct comparison {
	struct compare_row *rows;
	size_t n;
	size_t broken; /* rows over a limit */
};

/*
 * "NAME<+1%", "NAME<+1000", "NAME>-2%": how B may differ from A. NAME is an
 * event, a metric, or a time.
 */
struct limit {
	const char *text;
	char *name;
	bool above; /* '>': not below it; else '<': not above */
	double amount;
	bool percent;
};

/* 0, or PAPI_EINVAL with the column of what is wrong. */
int limit_parse(const char *text, struct limit *out, struct diag *diag);
void limit_fini(struct limit *limit);

/* Whether it is on the value @name; "time" is on a program's or a section's. */
bool limit_is_on(const struct limit *limit, const char *name);

/*
 * Compare @a with @b. Both, and the limits, must outlive the result. A limit
 * is broken by a difference beyond it that is not noise, and by a value in
 * which something is missing where nothing is in the other.
 */
int compare_runs(const struct runfile *a, const struct runfile *b,
		 const struct limit *limits, size_t n_limits,
		 struct comparison *out);
void comparison_fini(struct comparison *c);
