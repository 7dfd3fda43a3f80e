/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of classify: the steps from counts to verdicts, in the order in
 * which they are taken, and what they share. Nothing outside src/classify and
 * its tests includes it.
 */
#pragma once

#include "classify/classify.h"
#include "classify/thresholds.h"

/* terms.c */
int classify_terms_make(struct classify_terms *t,
			const struct classify_plan *plan);
/* Say nothing of bench @b: it could not be run. */
void classify_terms_forget(struct classify_terms *t, size_t b);
void classify_terms_fini(struct classify_terms *t);
extern const enum concept classify_paper[CLASSIFY_PAPER];
/* Whether a term is a share of cycles: how many is known only roughly. */
bool classify_is_spent(size_t term);

/*
 * The steps. Each proposes candidates or objects to some; the verdicts are
 * those of all candidates so far. 0 or PAPI_ENOMEM.
 */
/* Where counters are full or deaf (limits.c), before lines are fitted. */
void classify_find_limits(struct classification *c,
			  const struct experiment_result *result);
/* Whether it counts all the way, and one thread: only then others may be
 * explained by it. */
bool classify_is_unlimited(const struct classify_event *e);
/* Whether a count of @e is what happened, and not where its counter ends. */
bool classify_is_within(const struct classify_event *e, double count);
int classify_fit(struct classification *c,
		 const struct experiment_result *result);
/* Events that count other threads, too (scope.c): what these did is no longer
 * part of their slopes. */
void classify_find_scope(struct classification *c);
int classify_find_varying(struct classification *c,
			  const struct experiment_result *result);
int classify_try_concepts(struct classification *c);
void classify_try_cycles(struct classification *c); /* more than cycles */
int classify_try_shares(struct classification *c);  /* shares of cycles */
int classify_find_families(struct classification *c);
void classify_try_multiples(struct classification *c);
int classify_try_sums(struct classification *c);
void classify_try_differences(struct classification *c);
void classify_try_near(struct classification *c); /* any factors */
void classify_share_with_family(struct classification *c);
/* What might be counted by another factor is not certain. */
int classify_doubt(struct classification *c);
/* Rule out guesses that other events have a better claim to. */
int classify_settle_claims(struct classification *c);
int classify_find_rank(struct classification *c);

/* candidates.c */

/* Add @x to the candidates of @e, and decide again. */
void classify_propose(struct classify_event *e, struct classify_candidate *x);
/* Something speaks against the verdict of @e, and so against other names that
 * had lost to it; decide again. */
void classify_object(struct classify_event *e, const char *objection);
/* The verdict of @e is no surer than @most; decide again. */
void classify_limit(struct classify_event *e, double most);
/* The verdict cannot be; decide again, and let no other be named after it. */
void classify_rule_out(struct classify_event *e, const char *objection);
/* Logarithm of the prior: of a kind of explanation. */
double classify_prior(enum classify_by by);

/* evidence.c */

/* What is measured of @event, known to @floor: 0, as for terms. */
struct evidence classify_evidence(const struct classification *c, size_t event,
				  double floor);
/* What @f expects in each bench; until the next call. */
struct expectation classify_expect(const struct classification *c,
				   const struct blend *f, bool of_events);

/* How well the formula @x fits what was measured of @event. */
struct classify_fitness {
	double likelihood; /* logarithm, over that of "none of these" */
	double chi_square;
	double p_value;
	double coverage; /* share of the benches in which the event counts that
			    it speaks of */
};
struct classify_fitness classify_weigh(const struct classification *c,
				       size_t event, const struct blend *f,
				       bool of_events, double floor);

/*
 * Share of the benches in which @event counts that @value, what is expected of
 * it in each, speaks of; *@spoken (may be NULL) is their number.
 */
double classify_coverage(const struct classification *c, size_t event,
			 const double *value, size_t *spoken);
/* Whether @part counts no more than @whole in any bench, but for errors. */
bool classify_is_part(const struct classification *c, size_t part,
		      size_t whole);

/* The verdicts on which others rest. */

/* Whether the event counts something that can be related. */
static inline bool classify_has_counts(const struct classify_event *e)
{
	return e->kind >= CLASSIFY_TERM;
}
/* Whether it was found to count cycles of some kind. */
bool classify_is_of_cycles(const struct classify_event *e);
/*
 * Whether an event that counts otherwise and is as sure was found to be the
 * same term: one of the two must be wrong. A counter that is full at some count
 * differs for that alone.
 */
bool classify_is_contested(const struct classification *c, size_t event);
/* Whether @sum was found to be a sum of @event, among others. */
bool classify_is_made_of(const struct classification *c, size_t sum,
			 size_t event);
/* The member of an event's family that counts the thing itself, not a
 * multiple of it. */
size_t classify_base(const struct classification *c, size_t event);
/* How many times event @i is event @base, of the same family. */
double classify_times(const struct classification *c, size_t i, size_t base);
/* Whether two events count the same in every bench. */
bool classify_are_equal(const struct classification *c, size_t i, size_t k);
/* Whether there are kernels of a GPU: of these, or of a CPU's. */
bool classify_is_gpu(const struct classification *c);
/* The candidate that @event is @f, a formula of others. Its weight is what the
 * choice of factors costs, in nats. */
struct classify_candidate classify_relate(const struct classification *c,
					  size_t event, const struct blend *f,
					  enum classify_by by);
/* The candidate that @event is the sum of two others. */
struct classify_candidate classify_sum_of(const struct classification *c,
					  size_t event, const size_t part[2]);

/* What writers share. */

/*
 * What is counted, in words; where that is not known, why. NULL: there is no
 * more to say than the formula does.
 */
const char *classify_words(const struct classify_event *e);
/* Events are given with and without their component's name before them. */
bool classify_same_name(const char *a, const char *b);
/* "certain", "likely" or "guess". */
const char *classify_certainty_of(double confidence);
/* "concept", "sum of events", ... */
const char *classify_by_name(enum classify_by by);
/* A formula of events or terms, names without their first @prefix bytes. */
struct strbuf;
void classify_add_formula(struct strbuf *sb, const struct classification *c,
			  const struct blend *f, bool of_events, size_t prefix);
/* What a candidate is: "BR_COND", "3 BR_COND". To be freed. */
char *classify_candidate_text(const struct classification *c,
			      const struct classify_candidate *x);
struct json;
/* Members of an object: what @event is called, and what it was found to be. */
void classify_put_class(struct json *json, const struct classify_event *event);

/* Benches that differ in nothing but the footprint. */
bool classify_same_sweep(const struct classify_bench *a,
			 const struct classify_bench *b);
bool classify_is_sweep(const struct classify_bench *b); /* over footprints */

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
			   struct classify_steps *out, size_t capacity);

/* On the page: the curves of an event, if it has any. */
struct html_report;
void classify_put_curves(const struct classification *c, size_t event,
			 struct html_report *page);
