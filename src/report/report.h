/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A finished measurement, as every tool hands it to every writer. Nothing in
 * here knows where counts come from or what they will look like.
 *
 * Strings are borrowed and must outlive the report; report_text() makes ones
 * that do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"

/*
 * One number; over several runs, their mean and spread. Counts are long double,
 * which holds every whole number of 64 bits, as double does not.
 */
struct report_number {
	long double value; /* NaN: no value */
	double stddev;     /* between runs; NaN when there was one */
	long double min;   /* as stddev */
	long double max;
};

enum report_quality {
	REPORT_COUNTED, /* all the time */
	REPORT_SCALED,  /* part of the time, scaled up to all of it */
	REPORT_NONE,    /* no value; the reason says why */
};

enum report_verdict {
	REPORT_NO_VERDICT,
	REPORT_GOOD,
	REPORT_FAIR,
	REPORT_POOR,
};

struct report_event {
	const char *name;
	const char *text; /* what it means, in a line; may be "" */
	const char *unit; /* "" for a plain count */
	const char *source;
	struct report_number number;
	double error; /* standard error of a scaled count; NaN: unknown */
	uint64_t enabled_ns;
	uint64_t running_ns;
	enum report_quality quality;
	bool simulated;
	const char *reason; /* why there is no value; else NULL */
};

struct report_metric {
	const char *name;
	const char *text; /* what it means, in a line; may be "" */
	const char *unit; /* "" for a ratio */
	struct report_number number;
	enum report_verdict verdict;
	const char *threshold; /* what the verdict is by; NULL if none */
	const char *goal;      /* what is good, as in ">= 2"; NULL if none */
	/* The bounds as performance files have them: values above are good or
	 * bad, of a negative one values below its size. NaN: none. */
	double good;
	double bad;
	const char *formula;
	bool simulated;
	bool scaled;        /* some of its events were */
	double error;       /* standard error, if scaled; NaN: unknown */
	const char *reason; /* why there is no value; else NULL */
};

struct report_machine {
	const char *cpu;
	const char *vendor;
	const char *kernel;
	const char *hypervisor; /* NULL: not a virtual machine */
	unsigned cpus;
};

struct report_pmu {
	const char *kind;   /* "hw", "sim" or "none" */
	const char *model;  /* NULL if there is none */
	unsigned counters;  /* 0: no limit, or none */
	const char *engine; /* of the simulator, that counted; or NULL */
	const char *reason; /* why there is none; else NULL */
};

/* A machine model as people name it: "icx" for the PMU "sim-icx"; never NULL.
 */
const char *report_model_name(const char *model);

struct report_time {
	struct report_number wall_s;
	struct report_number user_s;
	struct report_number system_s;
	bool native; /* false: says nothing about the machine's speed */
};

struct report_resources {
	uint64_t max_rss_kb;
	bool rss_is_bound; /* the peak was at most that */
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
};

/* Which of a parallel program's tasks it was, and when it began. */
struct report_task {
	long rank; /* -1: no launcher said */
	long size; /* how many tasks there are; 0: not known */
	long pid;
	long long started; /* seconds since 1970 */
};

struct report_thread {
	long tid;
	const char *name; /* "" if not known */
};

/* An event over all threads. */
struct report_fold {
	const char *event;
	const char *unit;
	long double *values; /* one for each thread */
	size_t least;        /* which thread has it */
	size_t most;
	double mean;
	bool *is_outlier; /* for each thread: is far from the others */
	size_t n_outliers;
};

struct report_threads {
	bool asked;         /* else nothing is said about threads */
	const char *reason; /* why there is nothing to say; else NULL */
	size_t run;         /* which run they are of; 0: there was one */
	struct report_thread *list;
	size_t n;
	struct report_fold *folds;
	size_t n_folds;
};

struct report {
	const char *const *command; /* ends with NULL */
	int exit;                   /* status; 128 + n for signal n */
	unsigned runs;
	unsigned passes; /* of the program in each run; 0 and 1: one */
	struct report_task task;
	bool attached; /* ran already, as process task.pid: how much of the
			  CPU and of other resources it used is not known */
	struct report_machine machine;
	struct report_pmu pmu;
	struct report_time time;
	struct report_resources resources; /* of the last run */

	struct report_event *events;
	size_t n_events;
	struct report_metric *metrics;
	size_t n_metrics;
	struct report_threads threads;
	const char *varies; /* what may make simulated counts differ from run
			       to run; NULL: nothing does, or not simulated */
	const char **notes; /* what to do next, most urgent first */
	size_t n_notes;

	struct texts texts; /* what report_text() made */
};

/* Zero-initialise a report. Each of these: 0 or PAPI_ENOMEM. */
int report_add_event(struct report *r, const struct report_event *event);
int report_add_metric(struct report *r, const struct report_metric *metric);
int report_add_note(struct report *r, const char *text);

/* First all threads, then events with a value for each of them. */
int report_add_thread(struct report *r, const struct report_thread *thread);
int report_add_fold(struct report *r, const struct report_event *event,
		    const long double *values);
void report_threads_fini(struct report_threads *t); /* report_fini() does */

/* A string that lives as long as @r; "" if memory runs out. */
const char *report_text(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void report_fini(struct report *r);

/* The mean and spread of @n values, of which NaN ones do not count. */
struct report_number report_number_of(const long double *values, size_t n);

/* "counted", "scaled", "none"; "good", "fair", "poor" or NULL. */
const char *report_quality_name(enum report_quality quality);
const char *report_verdict_name(enum report_verdict verdict);
