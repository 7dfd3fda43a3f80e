/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which PMU counts for a verb: the machine's, the simulated one, or none. A
 * choice is made once, said aloud, and kept.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "console/console.h"
#include "console/option.h"
#include "process/process.h"

/* Which PMU the user asked for: --pmu, --model and --engine. */

enum pmu_kind {
	PMU_AUTO,
	PMU_HARDWARE,
	PMU_SIMULATED,
	PMU_NONE,
};

struct pmu_choice {
	enum pmu_kind kind;
	const char *model;  /* machine model of the simulated PMU, or NULL */
	const char *engine; /* what runs programs on it; NULL: the default */
	int pid; /* a process that runs on the simulated one already; or 0 */
};

/* Running a program on the simulated PMU. */

/* What the simulator is to be. Zeroed: the default model, counting nothing. */
struct simulator_options {
	const char *model; /* NULL: the default; else a shipped one or a file */
	const char *engine;    /* auto, fast or valgrind; NULL: auto */
	const char *from;      /* "main"; NULL: from the exec on */
	const char *control;   /* path of the control file, or NULL */
	const char *counters;  /* "8+3", "unlimited"; NULL: the model's */
	const char *blind;     /* seed: hide the events' names; or NULL */
	const char *blind_key; /* file that tells what the codes mean */
	const char *noise;     /* per mille; NULL: none */
	const char *seed;      /* of the noise */
	const char *skid;      /* instructions; NULL: none */
	bool repeatable;       /* the same random numbers in every run */
	bool sampled;          /* cycles may be estimated from samples */
};

/*
 * Rows of option tables for @field, a struct simulator_options of struct
 * @state.
 */
#define SIMULATOR_COUNTERS(state, field)                                              \
	{                                                                             \
		0, "counters", "N[+F]|unlimited",                                     \
			"give the simulated PMU N programmable and F fixed counters " \
			"instead of the model's",                                     \
			INTO(state, field.counters)                                   \
	}

#define SIMULATOR_BLIND(state, field)                                          \
	{ 0, "blind", "SEED",                                                  \
	  "hide the names of simulated events behind codes and add decoys",    \
	  INTO_AS(DIGITS, state, field.blind) },                               \
	{                                                                      \
		0, "blind-key", "FILE",                                        \
			"write the key to the --blind codes to FILE",          \
			INTO(state, field.blind_key)                           \
	}

#define SIMULATOR_NOISE(state, field)                                          \
	{ 0, "noise", "N", "disturb simulated counts by up to N per mille",    \
	  INTO_AS(DIGITS, state, field.noise) },                               \
	{                                                                      \
		0, "seed", "N", "seed the noise generator with N",             \
			INTO_AS(DIGITS, state, field.seed)                     \
	}

/* @model, or the name of the default one. */
const char *simulator_model(const char *model);

/* Whether the simulator is there. 0, or CMD_FAILED with the sentence. */
int simulator_find(struct diag *diag);

/* The program that starts an engine, to be freed; NULL if it is missing. */
char *simulator_path(struct diag *diag);

/*
 * Whether a program could be run so: the model is sound and the simulator is
 * there. 0, or CMD_USAGE or CMD_FAILED with the sentence in @diag.
 */
int simulator_check(const struct simulator_options *options, struct diag *diag);

/*
 * Replace this process by @argv on the simulated PMU. Returns only if it
 * cannot: an exit status as above, or CMD_NOT_FOUND or CMD_CANNOT_EXECUTE,
 * with the sentence in @diag and errno set.
 *
 * The simulator is looked for in ASSAY_SIMULATOR, then beside the command: in
 * libexec/ of the build, or in ../libexec/assay/ where it is installed.
 */
int simulator_exec(const struct simulator_options *options, char **argv,
		   struct diag *diag);

struct pmu {
	enum pmu_kind kind; /* never PMU_AUTO */
	char model[64];     /* "": there is none */
	unsigned counters;  /* 0: none, or not known */
	char reason[256];   /* why there is none, or no machine's own; or "" */

	/* The simulated one: its control file, in a folder of its own. */
	char *folder;
	char *control;
	char *samples; /* what `record` has it write there, beside it */
	struct simulator_options simulator;
	bool browsed; /* nothing is going to be counted: no such file */
};

/*
 * Open the library on the PMU that --pmu asks for. With auto: the machine's if
 * a hardware event opens, else the simulated one if it is installed, else
 * none. @counters is how many a simulated one has; NULL: any number. 0, or a
 * status after a message. Closed with pmu_close().
 */
int pmu_open(const struct console *console, const struct pmu_choice *choice,
	     const char *counters, struct pmu *pmu);
void pmu_close(struct pmu *pmu);

/*
 * The same for a verb that asks what can be counted and counts nothing: a
 * simulated PMU then has no control file, which takes 4 ms to make and remove.
 */
int pmu_browse(const struct console *console, const struct pmu_choice *choice,
	       struct pmu *pmu);

/* The machine model's own name: "icx" for "sim-icx"; else @pmu->model. */
const char *pmu_model_name(const struct pmu *pmu);

struct event_list;

/*
 * Say which PMU it is, if that is not the machine's own, and how much slower
 * counting @m will be; NULL: events that are not known yet.
 */
void pmu_announce(const struct console *console,
		  const struct pmu_choice *choice, const struct pmu *pmu,
		  const struct event_list *m);

/* Become the program in @argv on this PMU: a child_exec_fn. */
void pmu_exec(void *pmu, char **argv);

/* The counting library, opened for a verb. */

/* 0, or CMD_FAILED after a message. Closed with PAPI_shutdown(). */
int session_open(const struct console *console);

/*
 * Say that there is no event @name, with the nearest ones that there are.
 * Returns CMD_USAGE.
 */
int session_unknown_event(const struct console *console, const char *name);

/* Why the library failed with @code: its sentence, or else PAPI's text. */
const char *session_error(int code);

/*
 * A reason without the event's name before it ("perf::CYCLES: no PMU"), which
 * would make the same reason of two events look like two. Part of @reason.
 */
const char *session_reason(const char *reason);
