/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events really count: kernels whose costs are known are run while every
 * event is counted, and the counts are explained.
 *
 * A bench is a kernel with its parameters; its counts over several lengths give
 * one slope for each event. A term is what an event may count: a concept, or a
 * sum of concepts with a name of its own. Every explanation of an event's
 * slopes (a term, a sum of terms, a share of cycles, a multiple, sum or
 * difference of other events) is a candidate with a likelihood and a prior; the
 * one with the best score is the verdict, and the others are kept beside it.
 *
 * This header is what the command uses. How verdicts are found is inside.h.
 */
#pragma once

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
	double chance; /* the share of itself that the count of one iteration
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

/* Whether a word for events is a pattern; whether it means the native event
 * @name, with or without its component. */
bool classify_is_pattern(const char *word);
bool classify_means(const char *pattern, const char *name);

/*
 * Every kernel whose name matches one of @patterns (NULL: every kernel) and
 * which this processor can run, at its points. 0 or PAPI_ENOMEM.
 */
int classify_plan_make(struct classify_plan *plan,
		       const struct kernel_machine *machine,
		       char *const *patterns);
/* The same with kernels that this processor cannot run: another one will. */
int classify_plan_all(struct classify_plan *plan,
		      const struct kernel_machine *machine,
		      char *const *patterns);
/*
 * The plan that these units were made by: those of a bench lie side by side.
 * 0 or PAPI_ENOMEM.
 */
int classify_plan_units(struct classify_plan *plan,
			const struct kernel_machine *machine,
			const struct experiment_unit *units, size_t n);
void classify_plan_fini(struct classify_plan *plan);

/*
 * Chooses the kernels of @plan, which must outlive it, where there is no time
 * for all: the next is the one from which most is learnt, for what it costs.
 * classify_choose() is struct experiment's choose. NULL: no memory.
 */
struct classify_chooser *classify_chooser_new(const struct classify_plan *plan);
void classify_chooser_free(struct classify_chooser *chooser);
size_t classify_choose(void *chooser, const struct experiment_result *so_far,
		       const bool *taken);

/* What each term is expected to add in each bench: rows of terms. */
struct classify_terms {
	size_t n; /* concepts, then composites */
	size_t benches;
	double *value;
	double *sigma;
	struct expectation *x;
	unsigned char *barred; /* no bench makes it count */
};

const char *classify_term_name(size_t term);
const char *classify_term_text(size_t term);
/* What a count of @term has of @concept: its weight in a sum, else 1 or 0. */
double classify_term_weight(size_t term, size_t concept);
/* The present name of a class that files and claims may call by its first. */
const char *classify_current_name(const char *name);
/* The term of that name; CONCEPT_COUNT + composites_n if there is none. */
size_t classify_term_find(const char *name);
/* What a preset of PAPI means, in the same way. */
size_t classify_preset_term(const char *preset);
/* Whether it is cycles, of some kind. */
bool classify_term_is_cycles(size_t term);

enum classify_kind {
	CLASSIFY_NOT_COUNTED,   /* could not be counted at all */
	CLASSIFY_DEAD,          /* never counted anything */
	CLASSIFY_NOT_EXERCISED, /* counted, but no more when kernels ran longer
				 */
	CLASSIFY_NOISY,         /* counts vary too much to say */
	/* from here on there is something to be related */
	CLASSIFY_TERM,    /* one term */
	CLASSIFY_SCALED,  /* a multiple of one term or event */
	CLASSIFY_SUM,     /* a sum of terms or events */
	CLASSIFY_UNKNOWN, /* none of these */
};

/* Where an explanation comes from. */
enum classify_by {
	BY_NOTHING,  /* nothing explains it */
	BY_COUNTS,   /* its counts alone: none, or no more than at the start */
	BY_REPEATS,  /* repeats differ */
	BY_CONCEPT,  /* what kernels say of one term */
	BY_CONCEPTS, /* of a multiple or a sum of terms */
	BY_SCALE,    /* of one term, counted a little more or less often */
	BY_SHARE,    /* what they say of shares of cycles */
	BY_MULTIPLE, /* another event */
	BY_SUM,      /* two other events */
	BY_DIFFERENCE, /* what one event counts and another does not */
};

#define CLASSIFY_ALSO       4
#define CLASSIFY_CANDIDATES 6
#define CLASSIFY_PAPER      5 /* the 2018 paper's categories: CE CR T D M */

/* An explanation of what an event counts. candidates.c has the score. */
struct classify_candidate {
	enum classify_by by;
	enum classify_kind kind;
	struct blend formula;
	bool of_events;             /* terms of the formula are events */
	size_t also[CLASSIFY_ALSO]; /* terms that the kernels cannot tell from
				       the one it is */
	size_t n_also;
	double likelihood; /* logarithm, over that of "none of these" */
	double confidence;
	double p_value;
	const char *objection; /* why something else may come first; NULL */
	bool ruled_out;        /* by that: it cannot be the verdict */
	double score;
};

struct classify_event {
	const char *name;
	const char *reason; /* why it could not be counted; or NULL */

	/* The verdict: the best candidate's, or none's. */
	enum classify_kind kind;
	enum classify_by by;
	struct blend formula;
	bool of_events;
	size_t also[CLASSIFY_ALSO];
	size_t n_also;
	double confidence;
	double p_value;

	/* Best first; the first is the verdict if something explains it. */
	struct classify_candidate candidates[CLASSIFY_CANDIDATES];
	size_t n_candidates;

	double full;  /* it counts no further than this; INFINITY: it does */
	double deaf;  /* less than this is shown as nothing; 0: it is not */
	double least; /* the smallest count other than 0 that it showed */
	bool shared;  /* it counts what other threads do, too */
	double noise; /* relative, of repeats and about the lines */
	bool varies;  /* where nearly all others come out the same */
	bool curved;  /* does not grow evenly, the same each time */
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
	struct expectation *measured; /* events, as terms of formulas */
	unsigned char *exact; /* [bench]: all repeats come out the same */
	double *work;         /* for formulas: four numbers for each bench */

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

/*
 * Judge what the experiment of @plan counted. @result must outlive it: names
 * are borrowed. 0, PAPI_EINVAL if nothing was counted, PAPI_ENOMEM.
 */
int classify(struct classification *c, const struct classify_plan *plan,
	     const struct experiment_result *result);
void classification_fini(struct classification *c);

/* Whether it is known what the event counts. */
bool classify_is_known(const struct classify_event *e);

/* "BR_COND", "scaled", "sum", "dead", "noisy", "unclassified", ... */
const char *classify_class(const struct classify_event *e);

/* "certain", "likely" or "guess"; NULL if it has no class. */
const char *classify_certainty(const struct classify_event *e);

/* "3 BR_COND", "BR_COND + BR_DIRECT", or "" if there is none. To be freed. */
char *classify_formula(const struct classification *c,
		       const struct classify_event *e);

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
	const char *rival;     /* a preset that no kernel tells from it: then
				  it is not written. NULL: there is none */
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
 * A concept that some kernel exercises and that no event, nor a sum of some,
 * counts: all events together leave a part of it. Without LAPACK that is not
 * known, and a sum of few has to do.
 */
bool classify_is_unavailable(const struct classify_preset *p);

/* As definitions that the library loads, for the PMU @pmu. */
struct classify_definitions {
	const struct classification *c;
	const struct classify_presets *presets;
	const char *pmu;
};
int classify_write_definitions(const struct classify_definitions *d, FILE *to);

/* That an event counts a term, and what the counts say to it. */
enum classify_claim_verdict {
	CLAIM_HOLDS, /* it is the event's class, or cannot be told from it */
	CLAIM_FAILS, /* kernels contradict it */
	CLAIM_OPEN,  /* something else is said of the event, but no kernel that
			ran contradicts; or nothing is known */
};

struct classify_claim {
	char *event;
	size_t term;
	enum classify_claim_verdict verdict;
	char *why; /* in words */
};

struct classify_claims {
	struct classify_claim *items;
	size_t n;
};

/* Add "EVENT=CLASS"; CMD_USAGE or CMD_FAILED after a message. */
int classify_claims_add(struct classify_claims *claims,
			const struct console *console, const char *word);
/* Fill in the verdicts: 0; CMD_LIMIT if some claim does not hold; CMD_FAILED
 * without memory. */
int classify_claims_verify(struct classify_claims *claims,
			   const struct classification *c);
void classify_claims_fini(struct classify_claims *claims);
/* "holds", "fails", "open" */
const char *classify_claim_word(const struct classify_claim *claim);

/* All that writers need. */
struct classified {
	const struct classify_claims *claims; /* NULL: none */
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

/* Each is a write_fn: @what is a struct classified. */
int classify_write_text(const void *what, const struct report_style *style,
			FILE *to);
int classify_describe(const void *what, struct json *j);
int classify_write_csv(const void *what, const struct report_style *style,
		       FILE *to);
int classify_write_html(const void *what, const struct report_style *style,
			FILE *to);
