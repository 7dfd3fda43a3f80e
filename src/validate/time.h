/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated cycles against real ones: what a machine model says of workloads
 * and programs, beside what they take on this machine.
 *
 * Real cycles are CPU time by the clock: the least of several runs, as others
 * use the machine, too. Beside each stands how far the lower quartile is from
 * it: where that is large, the row says little.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/pmu.h"
#include "write/format.h"

/* What simulated cycles are spent on, in the order in which libexec/workloads
 * counts them; the rest is issue. */
enum time_wait {
	WAIT_FRONT_END,
	WAIT_BRANCHES,
	WAIT_UNITS,
	WAIT_STORES,
	WAIT_L1D,
	WAIT_L2,
	WAIT_L3,
	WAIT_MEMORY,
	WAIT_COUNT
};

extern const char *const time_waits[WAIT_COUNT];
/* Their events, after that of the cycles themselves. */
extern const char *const time_events[WAIT_COUNT + 1];

struct time_row {
	char name[48];
	char kind[12];   /* "kernel", "program", "version" */
	char part[12];   /* that a kernel is bound by; "any" */
	char slower[48]; /* the other one of a pair; "": none */
	double real;     /* cycles; NaN: not run */
	double spread;   /* share by which the lower quartile is above it */
	double hz;       /* the clock, as seen beside it */
	double cycles;   /* simulated; NaN: not run */
	double wait[WAIT_COUNT];
	double error; /* share: simulated by real, less one */
	char blame[64];
	char reason[128]; /* why a value is missing */
	bool is_kept;     /* its real cycles are from the journal */
};

/* Of the rows of one kind. */
struct time_sum {
	size_t n;
	double median, worst; /* of the errors' sizes; shares */
	char worst_name[48];
	size_t noisy; /* rows whose spread is as large as what is asked */
};

struct time_pairs {
	size_t n, judged, right; /* judged: real time differs enough */
};

struct time_table {
	char model[64];
	char where[160];
	double hz;
	double stolen; /* share of the CPUs' time that the host took while real
			  times were measured; NaN: none were */
	uint64_t began_ns;
	double share; /* of the budget, for what is being done */
	struct time_row *rows;
	size_t n;
	struct time_journal *journal; /* NULL: none */
};

struct time_options {
	const struct simulator_options *simulator;
	unsigned repeats;    /* 0: the default */
	bool brief;          /* kernels only */
	bool real_only;      /* nothing is simulated */
	double budget_s;     /* begin nothing after so long; 0: no limit */
	const char *journal; /* file to go on from, and to keep; or NULL */
	/* only rows of these names or kinds, with * and ?; none: all */
	char **names;
	size_t n_names;
};

#define TIME_NOISY  0.10 /* a spread above this says: disturbed */
#define TIME_FASTER 1.15 /* real times that differ less are no order */

/* 0 with *@out, to be freed; or a status after a message. */
int time_measure(const struct console *console,
		 const struct time_options *options, struct time_table **out);
void time_free(struct time_table *table);

/* Programs of this machine (gzip, python3, ...): what they work on and how far
 * they are. */
struct time_programs;

/* Add their rows; to be ended. NULL after a message. */
struct time_programs *time_programs_begin(const struct console *console,
					  const struct time_options *options,
					  struct time_table *table);
void time_programs_end(struct time_programs *programs);
void time_programs_real(const struct console *console,
			struct time_programs *programs);
void time_programs_simulate(const struct console *console,
			    struct time_programs *programs);

/*
 * The journal: real times, and what was simulated, as they come, so that one
 * can be measured while nothing else runs and the other later, or go on after
 * an interruption. Real times count for the program that runs workloads and
 * the processor that they were measured with, simulated ones for the model and
 * the simulator.
 */
/* 0, or a status after a message; *@out is NULL without a path. */
int time_journal_open(const struct console *console,
		      const struct time_options *options, const char *where,
		      const char *program, struct time_journal **out);
void time_journal_close(struct time_journal *journal);
/* Let @row have what the journal (or NULL) knows of it. */
void time_journal_recall(const struct time_journal *journal,
			 struct time_row *row);
void time_journal_add_real(struct time_journal *journal,
			   const struct time_row *row);
void time_journal_add_simulated(struct time_journal *journal,
				const struct time_row *row);

/* Seconds of CPU time that a host gave to others so far; NaN: not known. */
double time_stolen(void);

/* A process beside programs that are timed, to be ended; or a status. */
struct process;
int time_start_beside(struct process *beside, struct diag *diag);

/* Whether no other thread uses the core just now, as far as can be told; and
 * the clock, which stays as it is if it is not known. */
bool time_is_alone(struct process *beside, double *hz);

/* Whether nothing more is to be begun; then the row says so. */
bool time_is_over(const struct time_options *options,
		  const struct time_table *table, struct time_row *row);

/* Whether a row of that name and kind was asked for. */
bool time_is_wanted(const struct time_options *options, const char *name,
		    const char *kind);

/* NULL, and nothing has changed, if there is no memory. */
struct time_row *time_add_row(struct time_table *table, const char *name,
			      const char *kind);

/* Fill in errors and which part of the model is to blame. */
void time_judge(struct time_table *table);

struct time_sum time_sum_of(const struct time_table *table, const char *kind);
struct time_pairs time_pairs_of(const struct time_table *table);
const struct time_row *time_find(const struct time_table *table,
				 const char *name);

int time_write_text(const void *table, const struct report_style *style,
		    FILE *to);
int time_describe(const void *table, struct json *j);

/* What is kept of a model's last table on this machine. */
struct time_kept {
	double median, worst; /* of programs, else of kernels; shares */
	size_t n;
	bool programs;
};

int time_save(const struct time_table *table, struct diag *diag);
/* False if there is nothing of @model, or it is of another processor. */
bool time_load(const char *model, struct time_kept *kept);
