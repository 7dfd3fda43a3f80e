/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was found out about a machine: constants, each with its spread, whether
 * it can be relied on and how it was found; and the curves they come from.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

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

#endif /* MACHINE_MACHINE_H */
