/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events really count: kernels whose costs are known are run while every
 * event is counted, and the counts are explained.
 *
 * A bench is a kernel with its parameters; its counts over several lengths give
 * one slope for each event. A term is what an event may count: a concept, or a
 * sum of concepts with a name of its own. An event is judged by its slopes over
 * all benches (analysis/posterior.h), as one term, as a sum of a few
 * (analysis/compose.h), or as a sum of other events.
 */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compose.h"
#include "analysis/equivalence.h"
#include "analysis/slope.h"
#include "kernels/kernel.h"
#include "lab/experiment.h"
#include "report/writer.h"

/* A kernel with its parameters, and its units in the experiment. */
struct classify_bench {
	const struct kernel *kernel;
	struct kernel_point point; /* the longest of its lengths */
	char *name;                /* "branch/1", "chase/read 96K" */
	size_t first;              /* its first unit */
	size_t n;                  /* how many: its lengths */
	bool held_out; /* judged by, but not used to build anything */
	double chance; /* the share of itself that the count of one time
			  varies by, at most; mostly 0 */
};

struct classify_plan {
	struct kernel_machine machine;
	struct experiment_unit *units;
	size_t n_units;
	struct classify_bench *benches;
	size_t n_benches;
	char *lacking; /* kernels left out and why, as a sentence; or NULL */
};

/*
 * Every kernel whose name matches one of @patterns (NULL: every kernel) and
 * which this processor can run, at its points. 0 or PAPI_ENOMEM.
 */
int classify_plan_make(struct classify_plan *plan,
		       const struct kernel_machine *machine,
		       char *const *patterns);
void classify_plan_fini(struct classify_plan *plan);

/* What each term is expected to add in each bench: rows of terms. */
struct classify_terms {
	size_t n; /* concepts, then composites */
	size_t benches;
	double *value;
	double *sigma;
	struct expectation *x;
	unsigned char *barred; /* no bench makes it count */
};

int classify_terms_make(struct classify_terms *t,
			const struct classify_plan *plan);

/* Say nothing of bench @b: it could not be run. */
void classify_terms_forget(struct classify_terms *t, size_t b);
void classify_terms_fini(struct classify_terms *t);

const char *classify_term_name(size_t term);
const char *classify_term_text(size_t term);
/* The term of that name; CONCEPT_COUNT + composites_n if there is none. */
size_t classify_term_find(const char *name);

/* Whether a term is a share of cycles: how many is known only roughly. */
bool classify_is_spent(size_t term);

enum classify_kind {
	CLASSIFY_UNCOUNTED, /* could not be counted at all */
	CLASSIFY_DEAD,      /* never counted anything */
	CLASSIFY_UNSTIRRED, /* counted, but no more when kernels ran longer */
	CLASSIFY_NOISY,     /* counts vary too much to say */
	/* from here on there is something to be related */
	CLASSIFY_TERM,    /* one term */
	CLASSIFY_SCALED,  /* a multiple of one term or event */
	CLASSIFY_SUM,     /* a sum of terms or events */
	CLASSIFY_UNKNOWN, /* none of these */
};

/* What is not more likely than all else together is not said. */
#define CLASSIFY_EVEN 0.5
/* What is less likely than this is a guess. */
#define CLASSIFY_GUESS 0.9

#define CLASSIFY_ALSO  4
#define CLASSIFY_PAPER 5 /* the 2018 paper's categories: CE CR T D M */

struct classify_event {
	const char *name;
	const char *reason; /* why it could not be counted; or NULL */
	enum classify_kind kind;
	struct blend formula;
	bool of_events; /* terms of the formula are events */
	double confidence;
	double p_value;
	double noise; /* relative, of repeats and about the lines */
	bool varies;  /* where nearly all others come out the same */
	bool curved;  /* does not grow evenly, the same each time */
	size_t also[CLASSIFY_ALSO]; /* terms that the kernels cannot tell from
				       the one it is */
	size_t n_also;
	struct kin kin;
	double goodness[CLASSIFY_PAPER]; /* Equation 1, NaN: not measured */
};

struct classification {
	const struct classify_plan *plan;
	const struct experiment_result *result;
	struct classify_terms terms;
	size_t n; /* events */
	struct classify_event *events;
	struct slope *slopes; /* [event][bench] */
	double *slope;        /* the same, plain */
	double *error;
	unsigned char *exact; /* [bench]: all repeats come out the same */

	/* The experiment it is made of. */
	size_t runs; /* of kernels, with those taken from a journal */
	size_t resumed;
	unsigned sets, counters, repeats;
	bool cut_short;

	size_t rank;    /* independent events; 0: not known */
	size_t missing; /* benches that could not be run */
};

/*
 * Say which kernels could not be run, a note for each reason. 0; or, if that is
 * all of them, or no event could be counted, CMD_FAILED after a message.
 */
int classify_tell_refused(const struct console *console,
			  const struct classify_plan *plan,
			  const struct experiment_result *result);

extern const enum concept classify_paper[CLASSIFY_PAPER];

/*
 * Judge what the experiment of @plan counted. @result must outlive it: names
 * are borrowed. 0, PAPI_EINVAL if nothing was counted, PAPI_ENOMEM.
 */
int classify(struct classification *c, const struct classify_plan *plan,
	     const struct experiment_result *result);
void classification_fini(struct classification *c);

/* The steps of it, each on what the one before has left. */
int classify_fit(struct classification *c,
		 const struct experiment_result *result);
int classify_find_varying(struct classification *c,
			  const struct experiment_result *result);
int classify_judge(struct classification *c);
int classify_settle_cycles(struct classification *c); /* more than cycles */
int classify_judge_spent(struct classification *c);   /* shares of cycles */
int classify_relate(struct classification *c);

/* Let go of guesses that other events have a better claim to. Families and
 * sums must have been found. */
int classify_settle_claims(struct classification *c);
int classify_sums(struct classification *c);
int classify_differences(struct classification *c);

/* Slopes of the same event in two runs may differ by so much. */
#define CLASSIFY_SAME 1e-3

/* What is measured of @event, known to @floor: 0, as for terms. */
struct evidence classify_evidence(const struct classification *c, size_t event,
				  double floor);

/*
 * How @sure it is that @event is @f, a sum of events, which it has to be in
 * every kernel: one that holds only because the errors are large is not beyond
 * doubt.
 */
double classify_doubt_inexact(const struct classification *c, size_t event,
			      const struct blend *f, double sure);

/*
 * Share of the benches in which @event counts that @value, what is expected of
 * it in each, speaks of.
 */
double classify_coverage(const struct classification *c, size_t event,
			 const double *value);

/* Whether @part counts no more than @whole in any bench, but for errors. */
bool classify_is_part(const struct classification *c, size_t part,
		      size_t whole);

/* Whether @sum was found to be a sum of @event, among others. */
bool classify_is_made_of(const struct classification *c, size_t sum,
			 size_t event);

/* Say nothing of an event if what was found is less than likely. */
void classify_abstain(struct classify_event *e);

/* The member of an event's family that counts the thing itself, not a
 * multiple of it. */
size_t classify_base(const struct classification *c, size_t event);

/* How many times event @i is event @base, of the same family. */
double classify_times(const struct classification *c, size_t i, size_t base);

/* Whether the event counts something that can be related. */
static inline bool classify_has_counts(const struct classify_event *e)
{
	return e->kind >= CLASSIFY_TERM;
}

/* Whether it was found to count cycles of some kind. */
bool classify_is_of_cycles(const struct classify_event *e);

/* Whether it is known what the event counts. */
bool classify_is_known(const struct classify_event *e);

/* "BR_COND", "scaled", "sum", "dead", "noisy", "unclassified", ... */
const char *classify_class(const struct classify_event *e);

/*
 * What is counted, in words; where that is not known, why. NULL: there is no
 * more to say than the formula does.
 */
const char *classify_words(const struct classify_event *e);

/* "3 BR_COND", "BR_COND + BR_DIRECT", or "" if there is none. To be freed. */
char *classify_formula(const struct classification *c,
		       const struct classify_event *e);

struct json;

/* Members of an object: what @event is called, and what it was found to be. */
void classify_put_class(struct json *json, const struct classify_event *event);

/* Benches that differ in nothing but the footprint. */
bool classify_same_sweep(const struct classify_bench *a,
			 const struct classify_bench *b);

#define CLASSIFY_LEVELS 4 /* of memory */
#define CLASSIFY_SWEEPS 8

/* What an event counts in each level that a kernel's footprints lie in. */
struct classify_steps {
	const char *kernel;
	size_t n;                      /* levels: those of the machine */
	double level[CLASSIFY_LEVELS]; /* L1D first, memory last */
	char sign[CLASSIFY_LEVELS];    /* '-', '0' or '+' from one to the next;
					  text of n - 1 */
};

/* Those of each kernel that was run in every level; returns how many. */
size_t classify_steps_find(const struct classification *c, size_t event,
			   struct classify_steps *out, size_t room);

/* Whether two events count the same in every bench. */
bool classify_are_equal(const struct classification *c, size_t i, size_t k);

/* Whether event @i is expected to count the term @t, alone and unscaled. */
bool classify_counts(const struct classification *c, size_t i, size_t t);

/* A recipe for a count that people look for, made of the events. */
struct classify_preset {
	const char *name; /* PAPI's, or the term's */
	bool is_preset;   /* PAPI has the name */
	size_t term;      /* what it is to count */
	bool made;
	size_t n; /* events */
	size_t event[COMPOSE_TERMS];
	double factor[COMPOSE_TERMS];
	double backward_error, residual; /* NaN: without LAPACK */
	double held_out;       /* largest error when a kernel is left out */
	double held_out_bench; /* the same on benches that were held out */
	bool fits;             /* on the counters, all at once */
};

struct classify_presets {
	struct classify_preset *items;
	size_t n;
};

/* All that PAPI names and the kernels can stir. */
int classify_presets_make(struct classify_presets *p,
			  const struct classification *c);
void classify_presets_fini(struct classify_presets *p);

/*
 * A concept that can be stirred and that no event, nor a sum of some, counts:
 * all events together leave a part of it. Without LAPACK that is not known, and
 * a sum of few has to do.
 */
bool classify_is_unavailable(const struct classify_preset *p);

/* As definitions that the library loads, for the PMU @pmu. */
struct classify_definitions {
	const struct classification *c;
	const struct classify_presets *presets;
	const char *pmu;
};
int classify_write_definitions(const struct classify_definitions *d, FILE *to);

/* All that writers need. */
struct classified {
	const struct classification *c;
	const struct classify_presets *presets;
	const char *pmu;   /* "sim", "hw" */
	const char *model; /* of the simulated one; "" */
	bool blind;
	bool whole; /* all events, by all kernels */
};

/*
 * Keep it for `assay explain`; PAPI_ESYS if there is nowhere to. A whole one
 * takes the place of all that was kept. Another adds its events, but what was
 * kept of one of them stands if it rests on more kernels, or as many and more
 * events.
 */
int classify_remember(const struct classified *d);

/*
 * What was kept of event @name of the PMU @model, in a sentence, to be freed.
 * NULL: nothing.
 */
char *classify_recall(const char *model, const char *name);

/* Each is an output_fn: @what is a struct classified. */
int classify_write_text(const void *what, const struct report_style *style,
			FILE *to);
int classify_write_json(const void *what, const struct report_style *style,
			FILE *to);
int classify_write_csv(const void *what, const struct report_style *style,
		       FILE *to);
int classify_write_html(const void *what, const struct report_style *style,
			FILE *to);

/* On that page: the curves of an event, if it has any. */
struct html_report;
bool classify_is_sweep(const struct classify_bench *b); /* over footprints */
void classify_put_curves(const struct classification *c, size_t event,
			 struct html_report *page);

#endif /* CLASSIFY_H */
