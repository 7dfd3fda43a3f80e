/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From events back to what people ask for: PAPI's presets, and every concept,
 * as a formula of this machine's events; or the answer that no event counts
 * it, with the share that is out of reach as proof.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recipe.h"
#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "classify/inside.h"

/* What PAPI's names mean, in terms. */
static const struct {
	const char *preset, *term;
} meanings[] = {
	{ "PAPI_TOT_INS", "INS" },
	{ "PAPI_TOT_CYC", "CYCLES" },
	{ "PAPI_BR_INS", "BR_ALL" },
	{ "PAPI_BR_CN", "BR_COND" },
	{ "PAPI_BR_UCN", "BR_UNCOND" },
	{ "PAPI_BR_TKN", "BR_TAKEN" },
	{ "PAPI_BR_NTK", "BR_NOT_TAKEN" },
	{ "PAPI_BR_MSP", "BR_MISP" },
	{ "PAPI_BR_PRC", "BR_PREDICTED" },
	{ "PAPI_LD_INS", "LOAD_INS" },
	{ "PAPI_SR_INS", "STORE_INS" },
	{ "PAPI_LST_INS", "LOAD_STORE_INS" },
	{ "PAPI_SYC_INS", "SYNC" },
	{ "PAPI_INT_INS", "INT_ANY" },
	{ "PAPI_FP_INS", "FP_INS" },
	{ "PAPI_FP_OPS", "FP_OPS" },
	{ "PAPI_SP_OPS", "SP_OPS" },
	{ "PAPI_DP_OPS", "DP_OPS" },
	{ "PAPI_VEC_SP", "FP_PACKED_S" },
	{ "PAPI_VEC_DP", "FP_PACKED_D" },
	{ "PAPI_FAD_INS", "FP_ADD" },
	{ "PAPI_FML_INS", "FP_MUL" },
	{ "PAPI_FMA_INS", "FP_FMA" },
	{ "PAPI_FDV_INS", "FP_DIV" },
	{ "PAPI_FSQ_INS", "FP_SQRT" },
	{ "PAPI_L1_DCA", "L1D_ACCESS" },
	{ "PAPI_L1_DCH", "L1D_HIT" },
	{ "PAPI_L1_DCM", "L1D_MISS" },
	{ "PAPI_L1_LDM", "L1D_LOAD_MISS" },
	{ "PAPI_L1_STM", "L1D_STORE_MISS" },
	{ "PAPI_L1_ICA", "L1I_ACCESS" },
	{ "PAPI_L1_ICH", "L1I_HIT" },
	{ "PAPI_L1_ICM", "L1I_MISS" },
	{ "PAPI_L2_DCH", "L2_DATA_HIT" },
	{ "PAPI_L2_DCM", "L2_DATA_MISS" },
	{ "PAPI_L2_LDM", "L2_LOAD_MISS" },
	{ "PAPI_L2_STM", "L2_STORE_MISS" },
	{ "PAPI_L2_ICH", "L2_CODE_HIT" },
	{ "PAPI_L2_ICM", "L2_CODE_MISS" },
	{ "PAPI_L2_TCA", "L2_ACCESS" },
	{ "PAPI_L2_TCH", "L2_HIT" },
	{ "PAPI_L2_TCM", "L2_MISS" },
	{ "PAPI_L3_DCH", "L3_DATA_HIT" },
	{ "PAPI_L3_DCM", "L3_DATA_MISS" },
	{ "PAPI_L3_LDM", "MEM_LOAD" },
	{ "PAPI_L3_STM", "MEM_STORE" },
	{ "PAPI_L3_ICM", "MEM_CODE" },
	{ "PAPI_L3_TCH", "L3_HIT" },
	{ "PAPI_L3_TCM", "L3_MISS" },
	{ "PAPI_TLB_DM", "DTLB_MISS" },
	{ "PAPI_TLB_IM", "ITLB_MISS" },
	{ "PAPI_TLB_TL", "TLB_MISS" },
	{ "PAPI_RES_STL", "STALL_WINDOW" },
	{ "PAPI_STL_ICY", "STALL_ISSUE" },
	{ "PAPI_STL_CCY", "STALL_RETIRE" },
	{ "PAPI_FUL_ICY", "FULL_ISSUE" },
	{ "PAPI_FUL_CCY", "FULL_RETIRE" },
	{ "PAPI_MEM_SCY", "STALL_LOAD_STORE" },
	{ "PAPI_MEM_RCY", "STALL_LOAD" },
	{ "PAPI_MEM_WCY", "STALL_STORE" },
	{ "PAPI_BRU_IDL", "IDLE_BR" },
	{ "PAPI_FXU_IDL", "IDLE_INT" },
	{ "PAPI_FPU_IDL", "IDLE_FP" },
	{ "PAPI_LSU_IDL", "IDLE_LS" },
};

size_t classify_preset_term(const char *preset)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (strcmp(meanings[i].preset, preset) == 0)
			return classify_term_find(meanings[i].term);
	return CONCEPT_COUNT + composites_n;
}

/* What recipes are made of: one event of each family, none that is noisy. */
struct ingredients {
	struct expectation *x;
	size_t *event;
	size_t n;
	double *target; /* the wanted count where nothing is held out */
};

static void spill(struct ingredients *in)
{
	free(in->x);
	free(in->event);
	free(in->target);
}

static int fetch(struct ingredients *in, const struct classification *c)
{
	size_t benches = c->plan->n_benches;

	*in = (struct ingredients){
		.x = calloc(c->n + 1, sizeof(struct expectation)),
		.event = calloc(c->n + 1, sizeof(size_t)),
		.target = calloc(benches + 1, sizeof(double)),
	};
	if (!in->x || !in->event || !in->target) {
		spill(in);
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct classify_event *e = &c->events[i];

		if (e->kind < CLASSIFY_TERM || classify_base(c, i) != i)
			continue;
		in->event[in->n] = i;
		in->x[in->n++] = (struct expectation){ c->slope + i * benches,
						       c->error + i * benches };
	}
	return 0;
}

static bool is_held_out(const struct classification *c, size_t b)
{
	return c->plan->benches[b].kernel->role == ROLE_HELD_OUT;
}

/* What the recipe counts in bench @b. */
static double count_of(const struct classification *c,
		       const struct classify_preset *p, size_t b)
{
	double sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += p->factor[i] *
		       c->slope[p->event[i] * c->plan->n_benches + b];
	return sum;
}

/* Largest error on benches that were held out; NaN if none says anything. */
static double try_held_out(const struct classification *c,
			   const struct classify_preset *p)
{
	size_t benches = c->plan->n_benches;
	double worst = NAN;

	for (size_t b = 0; b < benches; b++) {
		double should = c->terms.value[p->term * benches + b];
		double slack = 4 * c->terms.sigma[p->term * benches + b];
		double is = count_of(c, p, b);

		if (!is_held_out(c, b) || isnan(should) || isnan(is))
			continue;
		worst = fmax(worst, fmax(0, fabs(is - should) - slack) /
					    fmax(1, fabs(should)));
	}
	return worst;
}

/*
 * How good a claim event @i has to be @term: that it was found to be just that;
 * that it is a sum of others that may be called that; that the kernels cannot
 * tell what it was found to be from that. 0: none.
 */
enum claim {
	CLAIM_NONE,
	CLAIM_ALIKE,
	CLAIM_SUM,
	CLAIM_CLASS
};

static enum claim claim_of(const struct classification *c, size_t i,
			   size_t term)
{
	const struct classify_event *e = &c->events[i];

	if (e->kind == CLASSIFY_TERM && e->formula.term[0] == term)
		return CLAIM_CLASS;
	if (e->of_events && e->n_also && e->also[0] == term)
		return CLAIM_SUM;
	return classify_counts(c, i, term) ? CLAIM_ALIKE : CLAIM_NONE;
}

/* The event with the best claim, at least @least; c->n: there is none. */
static size_t find_event(const struct classification *c, size_t term,
			 enum claim least)
{
	enum claim held = CLAIM_NONE;
	size_t best = c->n;

	for (size_t i = 0; i < c->n; i++) {
		enum claim claim = claim_of(c, i, term);

		if (claim < least || claim == CLAIM_NONE || claim < held ||
		    (claim == held &&
		     c->events[i].confidence <= c->events[best].confidence))
			continue;
		best = i;
		held = claim;
	}
	return best;
}

/* Whether the recipe is one event that may be just that. */
static bool is_the_event(const struct classification *c,
			 const struct classify_preset *p)
{
	return p->n == 1 && p->factor[0] == 1 &&
	       claim_of(c, p->event[0], p->term) != CLAIM_NONE;
}

/*
 * Whether the recipe is a multiple of an event that was found to be something
 * else: a string instruction has 64 turns in the one kernel that has any, but
 * turns are not 64 times the instructions.
 */
static bool is_something_else(const struct classification *c,
			      const struct classify_preset *p)
{
	const struct classify_event *e = &c->events[p->event[0]];

	if (p->n != 1 || e->kind != CLASSIFY_TERM || is_the_event(c, p))
		return false;
	for (size_t k = 0; k < CONCEPT_COUNT; k++)
		if (classify_term_weight(p->term, k) !=
		    p->factor[0] * classify_term_weight(e->formula.term[0], k))
			return true;
	return false;
}

/* Share of the kernels in which the recipe counts that speak of @term. */
static double support(const struct classification *c,
		      const struct classify_preset *p, size_t term)
{
	size_t benches = c->plan->n_benches, counted = 0, spoken = 0;

	for (size_t b = 0; b < benches; b++) {
		if (!(fabs(count_of(c, p, b)) > SLOPE_SEEN))
			continue;
		counted++;
		spoken += isnan(c->terms.value[term * benches + b]) ? 0 : 1;
	}
	return counted ? (double)spoken / (double)counted : 1;
}

/* Whether kernels say enough of what is wanted. Ten times the branches are the
 * cycles of three kernels, and of no others. */
static bool is_supported(const struct classification *c,
			 const struct classify_preset *p)
{
	return support(c, p, p->term) >= PRESET_SPEAKS || is_the_event(c, p);
}

/* Whether the recipe counts in every bench what is expected of @term. */
static bool is_as_expected(const struct classification *c,
			   const struct classify_preset *p, size_t term)
{
	size_t benches = c->plan->n_benches;

	for (size_t b = 0; b < benches; b++) {
		double should = c->terms.value[term * benches + b];
		double slack =
			SLOPE_ERRORS * c->terms.sigma[term * benches + b];

		if (fabs(count_of(c, p, b) - should) >
		    SLOPE_EXACT * fmax(1, fabs(should)) + slack)
			return false; /* true for NaN: nothing is said */
	}
	return true;
}

/*
 * Another preset that the recipe is as well by all kernels that ran: hits of
 * L1D are accesses where nothing misses. NULL: there is none. Kernels must
 * speak of it in most of where the recipe counts; else they say too little to
 * compare.
 */
static const char *find_rival(const struct classification *c,
			      const struct classify_preset *p)
{
	for (size_t i = 0; p->made && i < ARRAY_SIZE(meanings); i++) {
		size_t other = classify_term_find(meanings[i].term);

		if (other != p->term && !classify_is_spent(other) &&
		    !c->terms.barred[other] &&
		    support(c, p, other) >= SPEAKS_MOSTLY &&
		    is_as_expected(c, p, other))
			return meanings[i].preset;
	}
	return NULL;
}

static unsigned counters_of(const struct classification *c)
{
	return c->counters ? c->counters : COMPOSE_TERMS;
}

/* The event with a claim to it if there is one, else what gives the same. */
static int find_recipe(const struct classify_preset *p,
		       const struct classification *c,
		       const struct ingredients *in, struct recipe *r,
		       const size_t **among)
{
	size_t benches = c->plan->n_benches;
	const struct expectation target = {
		in->target, c->terms.sigma + p->term * benches
	};
	unsigned counters = counters_of(c);

	if (p->event[0] < c->n) {
		size_t at = p->event[0] * benches;
		const struct expectation event = { c->slope + at,
						   c->error + at };

		*among = p->event;
		return recipe_take(&target, benches, &event, in->x, in->n, r);
	}
	*among = in->event;
	return recipe_make(&target, benches, in->x, in->n,
			   counters < 4 ? counters : 4, r);
}

static int make_preset(struct classify_preset *p,
		       const struct classification *c, struct ingredients *in)
{
	size_t benches = c->plan->n_benches;
	const size_t *among;
	struct recipe r;
	int err;

	for (size_t b = 0; b < benches; b++)
		in->target[b] = is_held_out(c, b)
					? NAN
					: c->terms.value[p->term * benches + b];
	p->event[0] = find_event(c, p->term, CLAIM_SUM);
	err = find_recipe(p, c, in, &r, &among);
	if (err)
		return err;
	p->made = r.made;
	p->backward_error = r.reach.backward_error;
	p->residual = r.reach.residual;
	p->held_out = r.held_out;
	p->n = r.made ? r.formula.n : 0;
	for (size_t i = 0; i < p->n; i++) {
		p->event[i] = among[r.formula.term[i]];
		p->factor[i] = r.formula.factor[i];
	}
	p->fits = p->n <= counters_of(c);
	if (p->made && (!is_supported(c, p) || is_something_else(c, p))) {
		p->made = false;
		p->n = 0;
		p->residual = NAN;
	}
	p->held_out_bench = p->made ? try_held_out(c, p) : NAN;
	return 0;
}

/*
 * The event that was found to be just that, or none. Of shares of cycles no sum
 * can be made, since how large they are is known only roughly; of cycles too
 * few kernels say anything.
 */
static void take_event(struct classify_preset *p,
		       const struct classification *c)
{
	size_t best = find_event(c, p->term, CLAIM_ALIKE);

	p->residual = p->held_out = NAN;
	p->made = best < c->n;
	p->n = p->made;
	p->event[0] = best;
	p->factor[0] = 1;
	p->fits = true;
	p->held_out_bench = p->made ? try_held_out(c, p) : NAN;
}

static int add(struct classify_presets *p, const struct classification *c,
	       struct ingredients *in, size_t term, const char *preset)
{
	struct classify_preset *item;
	int err = 0;

	if (term >= c->terms.n || c->terms.barred[term])
		return 0;
	if (array_grow(&p->items, p->n, sizeof(*p->items)))
		return PAPI_ENOMEM;
	item = &p->items[p->n++];
	*item = (struct classify_preset){
		.name = preset ? preset : classify_term_name(term),
		.is_preset = preset != NULL,
		.term = term,
	};
	item->backward_error = NAN;
	if (!classify_is_spent(term))
		err = make_preset(item, c, in);
	if (!err &&
	    (classify_is_spent(term) || (!item->made && isnan(item->residual))))
		take_event(item, c);
	if (!classify_is_spent(term))
		item->rival = find_rival(c, item);
	return err;
}

int classify_presets_make(struct classify_presets *p,
			  const struct classification *c)
{
	struct ingredients in;
	int err = fetch(&in, c);

	*p = (struct classify_presets){ 0 };
	if (err)
		return err;
	for (size_t i = 0; !err && i < ARRAY_SIZE(meanings); i++)
		err = add(p, c, &in, classify_term_find(meanings[i].term),
			  meanings[i].preset);
	for (size_t t = 0; !err && t < c->terms.n; t++)
		err = add(p, c, &in, t, NULL);
	spill(&in);
	if (err)
		classify_presets_fini(p);
	return err;
}

bool classify_is_unavailable(const struct classify_preset *p)
{
	return !p->is_preset && p->term < CONCEPT_COUNT && !p->made &&
	       !(p->residual < PRESET_REACH);
}

void classify_presets_fini(struct classify_presets *p)
{
	free(p->items);
	*p = (struct classify_presets){ 0 };
}

static bool is_plain_sum(const struct classify_preset *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->factor[i] != 1)
			return false;
	return true;
}

/* "N0|2|*|N1|-|" */
static void put_postfix(const struct classify_preset *p, FILE *to)
{
	for (size_t i = 0; i < p->n; i++) {
		double factor = fabs(p->factor[i]);

		fprintf(to, "N%zu|", i);
		if (factor != 1)
			fprintf(to, "%g|*|", factor);
		if (i == 0 && p->factor[i] < 0)
			fputs("neg|", to);
		if (i > 0)
			fputs(p->factor[i] < 0 ? "-|" : "+|", to);
	}
}

static void put_definition(const struct classification *c,
			   const struct classify_preset *p, FILE *to)
{
	fprintf(to, "%s,%s,", p->is_preset ? "PRESET" : "EVENT", p->name);
	if (!is_plain_sum(p)) {
		fputs("DERIVED_POSTFIX,", to);
		put_postfix(p, to);
	} else {
		fputs(p->n == 1 ? "NOT_DERIVED" : "DERIVED_ADD", to);
	}
	for (size_t i = 0; i < p->n; i++)
		fprintf(to, ",%s", c->events[p->event[i]].name);
	fprintf(to, ",LDESC,\"%s\"\n", classify_term_text(p->term));
}

int classify_write_definitions(const struct classify_definitions *d, FILE *to)
{
	fprintf(to,
		"# Written by assay classify: what these events count was "
		"measured.\nCPU,%s\n",
		d->pmu);
	for (size_t i = 0; i < d->presets->n; i++)
		if (d->presets->items[i].made && d->presets->items[i].fits &&
		    !d->presets->items[i].rival)
			put_definition(d->c, &d->presets->items[i], to);
	return ferror(to) ? PAPI_ESYS : 0;
}
