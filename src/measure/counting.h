/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program run once or several times and counted: what `count` and `model`
 * have in common, from the choice of the PMU to the counts of every run.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "console/console.h"
#include "measure/measure.h"
#include "measure/metrics.h"
#include "measure/pmu.h"
#include "process/process.h"
#include "report/report.h"
#include "report/writer.h"

/*
 * Counting a program's work on GPUs. Counters of a GPU are read from inside
 * the program only, by a library that NVIDIA's driver is told to load; counts
 * come back through a file. The cuda component does the rest.
 */

/* Zero-initialise it; gpu_close() ends it, whatever was done. */
struct cli_gpu {
	char *library; /* to be loaded into the program; NULL: none */
	char *control; /* the file; NULL: none */
};

/*
 * Which PMU --pmu auto means for these events and groups of metrics: a GPU's
 * work cannot be run in the simulator, and what all is another component's
 * needs no PMU.
 */
enum pmu_kind gpu_choose_pmu(enum pmu_kind asked,
			     const struct selection *events,
			     const struct selection *groups);

/*
 * Make ready for runs in which @m is counted, if it has a GPU's events. 0, or
 * the exit status after a message.
 */
int gpu_open(const struct console *console, struct cli_gpu *gpu,
	     const struct event_list *m);
void gpu_close(struct cli_gpu *gpu);

/* In the child, before it becomes the program. */
void gpu_set_environment(const struct cli_gpu *gpu);

/*
 * What became of the processes of a run on the simulated PMU: whether the
 * simulator failed, what it could not count, and what may make the counts
 * differ the next time.
 */

/* Sentences on the last run; simulation_fini() frees them. */
struct simulation {
	char *uncounted;    /* why nothing was counted; NULL: something was */
	char *missing;      /* what is not in the counts; NULL: nothing */
	char *varies;       /* what may differ from run to run; NULL: nothing */
	const char *engine; /* that counted: "fast", "valgrind", "both" */
};

/*
 * After a run of children on the simulated PMU that ended with @status. If the
 * simulator failed, that is said and CMD_FAILED returned; if it did not run the
 * program at all, the events of @m get the reason in place of values. That and
 * what else is missing goes to @s and, as a note, to standard error.
 */
int simulation_judge(const struct console *console, struct event_list *m,
		     int status, struct simulation *s);

void simulation_fini(struct simulation *s);

/* From a measurement to a report. */

/* All that is known after the last run. */
struct run_result {
	char **argv; /* the program */
	const struct pmu *pmu;
	const struct event_list *measure;
	const struct child_result *results; /* one for each run */
	size_t runs;
	bool attached; /* to a process that ran already: no child's usage */
	const struct simulation *simulation; /* of children; or NULL */
};

/*
 * Fill @r with machine, PMU, times, resources and events. What it points to
 * belongs to @c or to @r. 0 or PAPI_ENOMEM.
 */
int count_report(const struct run_result *c, struct report *r);

/* Each event's values thread by thread, or why there are none. */
int count_add_threads(const struct run_result *c, struct report *r);

/* What the simulated PMU missed, and what may differ the next time. 0 or
 * PAPI_ENOMEM. */
int count_note_simulation(const struct run_result *c, struct report *r);

/* A note on usual events for which no counter was left. 0 or PAPI_ENOMEM. */
int count_note_left_out(const struct run_result *c, struct report *r);

/* A note on what validation here said of the events. 0 or PAPI_ENOMEM. */
int count_note_validated(const struct run_result *c, struct report *r);

/* Metrics from counts: every one that the counted events allow. */

/*
 * Add to @r the metrics of @group (NULL: all) whose events were all asked
 * for. One whose events have no value has none either, and the reason. Of two
 * with one formula the first is taken. 0 or PAPI_ENOMEM.
 */
int derive_metrics(const struct metrics *m, const char *group,
		   const struct run_result *c, struct report *r);

/* The highest clock rate that the kernel may choose, in Hz, or NaN. */
double derive_clock_rate(void);

/* What to do next, by what a report says. */

/* Add notes to @r, most urgent first, few. 0 or PAPI_ENOMEM. */
int advice_add(struct report *r);

/* Zero-initialise it; counting_fini() ends it, whatever was done. */
struct counting {
	struct selection selection; /* the events */
	unsigned repeat;            /* runs asked for; 0 is 1 */
	bool no_multiplex;          /* further passes instead */
	const char *machine;        /* file of constants; NULL: shipped */
	const struct watch *watch;  /* what to do during a run; or NULL */
	const char *counters;       /* of the simulated PMU; NULL: unlimited */
	bool from_main;             /* leave out what comes before main() */
	bool repeatable;            /* the same random numbers in every run */
	bool sampled;               /* simulated cycles may be estimates */

	struct pmu pmu;
	bool is_open; /* pmu */
	struct constants constants;
	struct metrics metrics;
	struct event_list measure;
	struct cli_gpu gpu;
	struct simulation simulation; /* the last run's */
	struct child_result *results;
	size_t runs; /* that there were */
};

/* Each of these: 0, or the exit status after a message. */

/* A program is named, and can be found and executed. */
int counting_need_program(const struct console *console, int argc, char **argv);

/* Choose and open the PMU; find the constants of its machine. */
int counting_open(const struct console *console,
		  const struct pmu_choice *choice, struct counting *c);

/* Look up the selected events. */
int counting_look_up(const struct console *console,
		     const struct pmu_choice *choice, struct counting *c);

/* All runs; fewer if one fails. */
int counting_run(const struct console *console, const struct pmu_choice *choice,
		 struct counting *c, char **argv);

/* What was counted, for reports; borrowed from @c. */
struct run_result counting_result(const struct counting *c, char **argv);

/* Say what is wrong with a file of metrics. CMD_USAGE. */
int counting_bad_metrics(const struct console *console,
			 const struct diag *diag);

/* Say that there is no group @name, and which there are. CMD_USAGE. */
int counting_unknown_group(const struct console *console,
			   const struct metrics *m, const char *name);

void counting_fini(struct counting *c);

/* Counting a process that somebody else started, while it runs. */

/* Zeroed, it is nobody. */
struct attach_target {
	pid_t pid;
	uint64_t limit_ns; /* count no longer; 0: until it ends, or Ctrl-C */
	char *words;       /* its command line, as the kernel has it */
	char **argv;       /* into words; ends with NULL */
};

/* Each of these: 0, or the exit status after a message. */

/* Read and check numbers given as options. */
int attach_take_pid(const struct console *console, struct attach_target *a,
		    const char *text);
int attach_take_limit(const struct console *console, struct attach_target *a,
		      const char *text);

/* There is such a process; its command line is known. */
int attach_open(const struct console *console, struct pmu_choice *choice,
		struct attach_target *a);

/* In place of counting_run(). */
int attach_run(const struct console *console, const struct pmu_choice *choice,
	       const struct attach_target *a, struct counting *c);

/* Wait until it ends, the time is over, or a signal asks to stop. */
void attach_wait(const struct attach_target *a, const struct watch *meanwhile,
		 struct child_result *result);

void attach_fini(struct attach_target *a);

/*
 * Counts while a program runs: one line for each interval and event, as text
 * for people, or as CSV or JSON lines with the totals at the end. Lines are
 * written as they come, also into a file.
 */

/* Zeroed, it is closed. */
struct interval {
	void (*put)(struct interval *i, const struct event_row *e,
		    long double value, const char *kind, const char *reason);
	struct event_list *measure;
	FILE *to;
	bool owned;          /* to is a file of ours */
	double time_s;       /* of the lines being written */
	long double *before; /* what each event had counted so far */
	int err;             /* of the first reading that failed */
};

/*
 * Begin, in the format of @writer. 0, or an exit status after a message: not
 * every format can be written line by line.
 */
int interval_open(struct interval *i, const struct output *output,
		  const struct format *format, struct event_list *measure);

/* Whether the lines take the place of the report. */
bool interval_is_all(const struct interval *i);

/* Read, and write what came since the last time. A watch's timer. */
void interval_fire(void *interval, uint64_t elapsed_ns);

/*
 * After the end: the rest, and unless it is text the totals, with what they
 * lack. 0, or CMD_FAILED after a message.
 */
int interval_finish(struct interval *i, const struct console *console,
		    uint64_t elapsed_ns, const struct simulation *simulation);

void interval_close(struct interval *i);
