/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Validation: predicted counts against reported ones, event by event and for
 * 1 to 1,000,000 occurrences, as the 2005 paper has it.
 */
#pragma once

#include <stdio.h>

#include "console/console.h"
#include "lab/experiment.h"
#include "report/writer.h"

/* Whose set a kernel's accesses have to miss. */
enum validate_part {
	PART_NONE,
	PART_L1D,
	PART_L2,
	PART_DTLB,
	PART_L1I,
	PART_L2_CODE,
};

/* Where a prediction comes from. */
enum validate_source {
	FROM_INSTRUCTIONS, /* of the loop in the object code, and so on */
	FROM_LOADS,
	FROM_STORES,
	FROM_FP,
	FROM_SQRT,
	FROM_BRANCHES,
	FROM_FORM,    /* one a time */
	FROM_CHANCE,  /* one in two times, by chance */
	FROM_HISTORY, /* one a time, unless the predictor foresees it */
	FROM_WARPS,   /* of a GPU: so many in a turn of each warp */
	FROM_THREADS, /* of a GPU: so many in a turn of each thread */
};

struct validate_check {
	const char *event;  /* a preset */
	const char *kernel; /* "count/load" */
	enum validate_part part;
	enum validate_source source;
	double allowed; /* per cent that it may be off; 0: nothing */
	double slack;   /* counts that it may be off */
	double restart; /* and for each mispredicted branch */
	bool of_paper;  /* one of the 14 events of Table 2 */
	double a_turn;  /* of FROM_WARPS and FROM_THREADS: how many; of
			   FROM_FORM as well, if it is not 0 */
	double most;    /* occurrences that are caused at most; 0: no limit */
};

extern const struct validate_check validate_checks[];
extern const size_t validate_checks_n;

/* The check of a preset; NULL: no kernel predicts it. */
const struct validate_check *validate_find(const char *event);

/* Whether it is about a GPU's event, or the operating system's. */
bool validate_is_gpu(const struct validate_check *check);
bool validate_is_software(const struct validate_check *check);

enum validate_verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_NONE, /* cannot be counted or run here */
};

/* How an event behaves from repeat to repeat. */
enum validate_class {
	CLASS_EXACT,    /* as predicted, always */
	CLASS_CONSTANT, /* the same overhead on top, always */
	CLASS_CHANCE,   /* what is predicted is itself by chance */
	CLASS_STABLE,   /* always the same, and not as predicted */
	CLASS_VARYING,  /* differs from repeat to repeat */
	CLASS_UNKNOWN,
};

#define VALIDATE_SIZES 7 /* 1 to 1,000,000 in powers of ten */

/* One event at one granularity and pattern. */
struct validate_row {
	double predicted;
	double mean, stddev, variance, min, max;
	double overhead;  /* median of what no occurrence gives */
	double error_pct; /* before and after taking it away */
	double corrected_pct;
	double allowed; /* counts */
	enum validate_verdict verdict;
};

struct validate_event {
	const struct validate_check *check;
	char *name;   /* what was counted */
	char *reason; /* why it could not be; NULL: it could */
	struct validate_row rows[VALIDATE_SIZES];
	/* The four ways of reading, 1000 occurrences each. */
	struct validate_row patterns[PATTERN_COUNT];
	enum validate_class class;
	enum validate_verdict verdict; /* the worst */
	char *cause;                   /* why it is off; NULL: it is not */
	/* By all kernels: how many say what it should count, and how many of
	 * these differ; 0: they were not run. */
	size_t kernels, kernels_off;
	char *finding; /* what other kernels find wrong; NULL: nothing */
};

struct validate_options {
	const struct simulator_options *simulator; /* NULL: hardware */
	const char *const *events; /* "EVENT" or "EVENT=PRESET"; NULL: all */
	size_t n_events;
	unsigned repeats; /* 0: as many as it takes */
	size_t sizes;     /* of VALIDATE_SIZES, from the smallest on */
	bool patterns;    /* all four ways of reading */
	double tolerance; /* share that kernels may be off */
	/* Patterns of those that count by the catalogue; NULL: all. */
	char *const *kernels;
	bool gpu;      /* the events are a GPU's */
	bool software; /* they are the operating system's */
	const char *journal;
	double budget_s; /* for counts and causes; 0: no limit */
	/* The program that runs kernels, of another machine; NULL: ours. */
	const char *worker;
};

struct validation {
	char platform[64]; /* "sim-icx" */
	char where[128];   /* what it was counted on, in words; "": unknown */
	unsigned repeats;
	bool proven; /* few repeats suffice: each gave the same */
	struct kernel_machine machine;
	struct validate_event *events;
	size_t n;
	bool cut_short;
	uint64_t began_ns;
};

/* Whether there are kernels for all events; 0, or CMD_USAGE after a message. */
int validate_check_events(const struct console *console,
			  const struct validate_options *options);

/* 0 with *@out, to be freed; or a status after a message. */
int validate_run(const struct console *console,
		 const struct validate_options *options,
		 struct validation **out);
void validate_free(struct validation *validation);

/*
 * What the object code says of the loop of each event's kernel; from @worker
 * (NULL: ours), which then also tells where it is. 0, or a status.
 */
int validate_read_codes(const struct console *console, struct validation *v,
			const char *worker, struct kernel_code *codes);

/*
 * Count by every kernel that says something of what an event should be, as far
 * as there is time (src/validate/catalogue.c). 0, or a status.
 */
int validate_by_catalogue(const struct console *console,
			  const struct validate_options *options,
			  struct validation *v);

/* The count of so many occurrences; NaN: it is not known. */
double validate_predict(const struct validate_check *check,
			const struct kernel_code *code,
			const struct kernel_machine *m, double occurrences);

/* What it may be off, in counts: three deviations where chance decides. */
double validate_allowed(const struct validate_check *check, double predicted);

/*
 * More counts that it may be off after so many mispredictions beyond those with
 * no occurrence (NaN: not known): one at least, since the end of a loop is
 * predicted or not, and no more than a predictor takes to learn a loop.
 */
double validate_restarts(const struct validate_check *check,
			 double mispredictions);

/* More counts that it may be off at @occurrences, read by @pattern: what the
 * kernel disturbs of the code that counts. */
double validate_slack(const struct validate_check *check,
		      const struct kernel_machine *m, int pattern,
		      double occurrences);

/* Occurrences asked for at size @i. */
double validate_size(size_t i);

/* Events whose verdict is @verdict. */
size_t validate_count(const struct validation *v,
		      enum validate_verdict verdict);

/* Whether it was to be counted at all. */
bool validate_is_asked(const struct validate_row *row);

/* Whether the ways of reading were compared. */
bool validate_has_patterns(const struct validation *v);

/* write_fn: text, JSON, CSV and a page of a struct validation. */
int validate_write_text(const void *what, const struct report_style *style,
			FILE *to);
int validate_describe(const void *what, struct json *j);

int validate_write_page(const void *what, const struct report_style *style,
			FILE *to);

/*
 * Events by platforms, as the 2005 paper's Table 3 has them: what this user
 * keeps, and what @n files say. A status.
 */
int validate_show_matrix(const struct output *output, char **files, size_t n);

extern const char *const validate_verdicts[];
extern const char *const validate_classes[];
extern const char *const validate_patterns[];

/* Seconds of the budget that are left; infinite without one. */
double validate_time_left(const struct validate_options *options,
			  const struct validation *v);

/*
 * Find out why events are off, by counting related ones; fills in cause. 0, or
 * a status after a message.
 */
int validate_explain(const struct console *console,
		     const struct validate_options *options,
		     struct validation *v);
