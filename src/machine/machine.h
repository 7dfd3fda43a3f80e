/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was found out about a machine: constants, each with its spread, whether
 * it can be relied on and how it was found; and the curves they come from.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "console/console.h"
#include "machine/lab.h"

struct machine_constant {
	char *name;     /* as formulas use it */
	char *unit;     /* "cycles", "bytes", ...; "" for a plain number */
	double value;   /* NaN: not found; .reason says why */
	double nominal; /* what the machine says of itself; NaN: nothing */
	double spread;  /* share of the value; NaN: unknown; 0: exact */
	bool stable;    /* the value can be relied on */
	char *method;   /* a sentence */
	char *reason;   /* why it is not stable or has no value; or NULL */
	char *note;     /* what the number does not say; or NULL */
};

struct machine_point {
	double x, y, low, high;
};

/* A curve, kept for plots. */
struct machine_sweep {
	char *name;
	char *x_label, *y_label;
	struct machine_point *points;
	size_t n;
};

struct machine {
	char *name;   /* under which it is kept */
	char *cpu;    /* "AMD EPYC 7543" */
	char *vendor; /* "AuthenticAMD" */
	char *kernel;
	unsigned family, model, stepping, cpus;
	bool virtual_;    /* in a virtual machine */
	bool simulated;   /* it is a model's */
	bool quick;       /* measured in a hurry */
	double measured;  /* seconds since 1970 */
	double seconds;   /* that it took */
	double discarded; /* share of disturbed samples */
	struct machine_constant *constants;
	size_t n_constants;
	struct machine_sweep *sweeps;
	size_t n_sweeps;
	bool chosen; /* the first curve is the one to draw */
	bool failed; /* memory ran out while something was added */
};

void machine_fini(struct machine *m);

/*
 * Add a constant and get it, to fill in the rest (NULL if memory ran out,
 * which is remembered). It is valid until the next one is added.
 */
struct machine_constant *machine_add(struct machine *m, const char *name,
				     double value, const char *unit,
				     const char *method);

/* Say why it is not to be relied on; the first reason counts. */
void machine_doubt(struct machine *m, struct machine_constant *c,
		   const char *reason);

/* What else a reader must know of it. */
void machine_remark(struct machine *m, struct machine_constant *c,
		    const char *note);

const struct machine_constant *machine_find(const struct machine *m,
					    const char *name);
/* Its value, or NaN. */
double machine_get(const struct machine *m, const char *name);

/* What curves of a measurement are called; ends with NULL. */
extern const char *const machine_curve_names[];

/* Add an empty curve; NULL if memory ran out. */
struct machine_sweep *machine_add_sweep(struct machine *m, const char *name,
					const char *x_label,
					const char *y_label);
void machine_add_point(struct machine *m, struct machine_sweep *sweep,
		       struct machine_point point);

/* The value without the noise's digits: four significant ones. */
double machine_round(double value);

/*
 * Where machines are kept: a directory with a JSON file for each that was
 * measured or imported, as `assay machine -o FILE.json` writes it, and in the
 * user's own directory a file of constants beside each, which formulas and
 * models find by themselves. A directory of files can be copied, sent and kept
 * in a repository.
 */

/* The file of constants of machine @name in the user's own directory, or NULL.
 */
char *machine_store_constants(const char *name);

/*
 * Keep @m under its name in @folder (NULL: the user's own), in place of one of
 * that name. All or nothing.
 */
int machine_store_save(const char *folder, const struct machine *m,
		       struct diag *diag);

/* PAPI_ENOEVNT if there is none of that name. */
int machine_store_load(const char *folder, const char *name, struct machine *m,
		       struct diag *diag);

/*
 * Called for each machine, by name. PAPI_ENOEVNT if there is none; a damaged
 * file is an error that names it.
 */
typedef int (*machine_store_fn)(void *context, const struct machine *m);
int machine_store_list(const char *folder, machine_store_fn each, void *context,
		       struct diag *diag);

/* This machine: measured, with progress shown, and as a model to simulate. */

/* Measure by @clock and show progress; 0 or PAPI_ENOMEM. */
int machine_measure_by(const struct console *console, struct lab_clock clock,
		       bool quick, struct machine *m);

/* Measure this machine, beside what it says of itself; 0 or PAPI_ENOMEM. */
int machine_measure_host(const struct console *console, bool quick,
			 struct machine *m);

/*
 * Write the model file of this machine, and let *@path be its name, to be
 * freed. A machine that was not measured yet, or has another processor now, is
 * measured first.
 */
int machine_host_model(const struct console *console, char **path,
		       struct diag *diag);

/* All parts of a machine, one after another, within a given time. */

struct measure_options {
	struct lab_clock clock;
	bool quick;
	/* Called as work goes on, with the share that is done; may be NULL. */
	lab_progress_fn progress;
	void *context;
};

/* Fill @m, which is zeroed or has its head filled in. 0 or PAPI_ENOMEM. */
int machine_measure(const struct measure_options *options, struct machine *m);
