/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a program on the simulated PMU. */
#ifndef MEASURE_SIMULATOR_H
#define MEASURE_SIMULATOR_H

#include <stdbool.h>

#include "base/err.h"
#include "console/console.h"
#include "console/option.h"

/*
 * Seen with the programs of bench/engine.py and bench/simpmu.py: 0.9 to 2 times
 * the time where the fast engine suffices (compilers: up to 4), 20 to 230 with
 * caches, TLBs and cycles.
 */
#define SIMULATOR_SLOWDOWN                                                     \
	"1 to 2 times slower for instructions, 20 to 200 for caches and "      \
	"cycles"

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

#endif /* MEASURE_SIMULATOR_H */
