/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Working out the timing of a segment: a pass over its instructions with
 * symbolic times. A symbolic time is the distance from the issue of the
 * segment and from each register it depends on.
 */

#include "simpmu/model/timing.h"

#define FAR INT64_MIN /* no dependence */

/* A distance is time << CAUSE_BITS | cause, like a time; cause 0 on the way
 * from a register means that its own cause stays. */
struct value {
	int64_t issue;
	int64_t from[REG_NONE];
};

struct analysis {
	struct core *core;
	const struct params *params;
	struct value reg[REG_COUNT]; /* as written so far */
	bool written[REG_COUNT];
	bool piece;
	bool live[REG_COUNT];
	struct value done, started;
	struct value *store;
	uint32_t stores;
	uint64_t busy[UNIT_COUNT];
	uint32_t used[UNIT_COUNT];
};

static void set_far(struct value *v)
{
	v->issue = FAR;
	for (int i = 0; i < REG_NONE; i++)
		v->from[i] = FAR;
}

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void merge(struct value *v, const struct value *other)
{
	v->issue = max_of(v->issue, other->issue);
	for (int i = 0; i < REG_NONE; i++)
		v->from[i] = max_of(v->from[i], other->from[i]);
}

static int64_t advance(int64_t distance, int64_t add, uint32_t cause)
{
	if (distance == FAR)
		return FAR;
	distance += add;
	return cause ? (distance & ~(int64_t)CAUSE_MASK) | cause : distance;
}

/* Add @cycles; with a cause it replaces what was waited for before. */
static void delay(struct value *v, uint32_t cycles, uint32_t cause)
{
	int64_t add = (int64_t)(cycles * CYCLE_TIME);

	v->issue = advance(v->issue, add, cause);
	for (int i = 0; i < REG_NONE; i++)
		v->from[i] = advance(v->from[i], add, cause);
}

static void wait_for_reg(struct analysis *a, struct value *v, uint32_t reg)
{
	if (reg == REG_NONE ||
	    (reg == REG_FLAGS && !a->written[reg] && !a->piece))
		return;
	if (a->written[reg]) {
		merge(v, &a->reg[reg]);
		return;
	}
	a->live[reg] = true;
	v->from[reg] = max_of(v->from[reg], 0);
}

static void use_unit(struct analysis *a, uint32_t unit, uint32_t cycles)
{
	if (unit == UNIT_NONE)
		return;
	a->used[unit]++;
	a->busy[unit] += cycles * CYCLE_TIME / a->params->ports[unit];
}

static void write_reg(struct analysis *a, uint32_t reg, const struct value *v)
{
	if (reg == REG_NONE)
		return;
	a->reg[reg] = *v;
	a->written[reg] = true;
}

static void analyse_insn(struct analysis *a, const struct insn *insn,
			 uint32_t i)
{
	const struct unit_params *p = &a->params->insn[insn->class];
	struct value time, address;
	bool plain_load = insn->loads && insn->class == INSN_MOVE;

	set_far(&time);
	time.issue = (int64_t)(i * timing_slot(a->params));
	address = time;
	wait_for_reg(a, &address, insn->addr[0]);
	wait_for_reg(a, &address, insn->addr[1]);
	if (insn->loads) {
		time = address;
		delay(&time, a->params->l1d.latency, CAUSE_L1);
		for (uint32_t k = 0; k < insn->loads; k++)
			use_unit(a, UNIT_LOAD, 1);
	}
	for (int k = 0; k < 3; k++)
		wait_for_reg(a, &time, insn->src[k]);
	a->started = plain_load ? address : time;
	if (!plain_load) {
		delay(&time, p->latency,
		      timing_is_fp(insn->class) ? CAUSE_FP : 0);
		use_unit(a, p->unit, p->interval);
	}
	for (uint32_t k = 0; k < insn->stores; k++) {
		use_unit(a, UNIT_STORE, 1);
		merge(&a->done, &address);
		a->store[a->stores++] = time;
	}
	merge(&a->done, &time);
	write_reg(a, insn->dst[0], &time);
	write_reg(a, insn->dst[1], &time);
}

/* ---- from symbols to a table ---- */

static uint16_t count_terms(const struct value *v)
{
	uint16_t n = 0;

	for (int i = 0; i < REG_NONE; i++)
		n = (uint16_t)(n + (v->from[i] != FAR));
	return n;
}

static void emit(struct timing *t, uint32_t what, const struct value *v,
		 struct term **next)
{
	struct result *result = &t->result[t->results++];

	result->what = (uint16_t)what;
	result->base = (uint32_t)v->issue;
	result->terms = count_terms(v);
	for (uint32_t i = 0; i < REG_NONE; i++) {
		if (v->from[i] == FAR)
			continue;
		**next = (struct term){
			.add = (uint32_t)v->from[i],
			.reg = (uint8_t)i,
			.keep = v->from[i] & (int64_t)CAUSE_MASK ? -16 : -1,
		};
		++*next;
	}
}

/* Whether later segments look at the register. */
static bool is_left(const struct analysis *a, uint32_t reg)
{
	return a->written[reg] && (reg != REG_FLAGS || a->piece);
}

static size_t count_all(const struct analysis *a, size_t *results)
{
	size_t terms = (size_t)count_terms(&a->done) + count_terms(&a->started);

	*results = 2 + a->stores;
	for (uint32_t i = 0; i < REG_NONE; i++)
		if (is_left(a, i)) {
			terms += count_terms(&a->reg[i]);
			++*results;
		}
	for (uint32_t i = 0; i < a->stores; i++)
		terms += count_terms(&a->store[i]);
	return terms;
}

static void add_work(struct timing *t, uint32_t unit, uint32_t count,
		     uint64_t time)
{
	static const uint8_t group_of[UNIT_COUNT] = {
		[UNIT_INT] = GROUP_INT,       [UNIT_MUL] = GROUP_INT,
		[UNIT_DIV] = GROUP_FP,        [UNIT_FP] = GROUP_FP,
		[UNIT_LOAD] = GROUP_LS,       [UNIT_STORE] = GROUP_LS,
		[UNIT_BRANCH] = GROUP_BRANCH,
	};
	uint32_t sum = t->group[group_of[unit]] + count;

	t->group[group_of[unit]] = (uint8_t)(sum < 255 ? sum : 255);
	t->work[t->works++] = (struct work){ (uint32_t)time, unit };
}

static void emit_all(struct analysis *a, struct timing *t)
{
	struct term *next = t->term;

	emit(t, RESULT_DONE, &a->done, &next);
	emit(t, RESULT_STARTED, &a->started, &next);
	for (uint32_t i = 0; i < REG_NONE; i++) {
		if (is_left(a, i))
			emit(t, i, &a->reg[i], &next);
		if (a->live[i])
			t->live_reg[t->live++] = (uint8_t)i;
	}
	for (uint32_t i = 0; i < a->stores; i++)
		emit(t, RESULT_STORE + i, &a->store[i], &next);
	for (uint32_t i = 0; i < UNIT_COUNT; i++)
		if (a->used[i])
			add_work(t, i, a->used[i], a->busy[i]);
}

static struct timing *build(struct analysis *a)
{
	size_t results, terms = count_all(a, &results);
	size_t bytes = sizeof(struct timing) + terms * sizeof(struct term) +
		       results * sizeof(struct result) +
		       UNIT_COUNT * sizeof(struct work);
	struct timing *t = memory_get(&a->core->model->memory, bytes);

	if (!t)
		return NULL;
	t->term = (struct term *)(void *)(t + 1);
	t->result = (struct result *)(void *)(t->term + terms);
	t->work = (struct work *)(void *)(t->result + results);
	emit_all(a, t);
	return t;
}

static void analyse(struct analysis *a, const struct segment *segment)
{
	a->params = &a->core->model->params;
	a->piece = segment->piece;
	set_far(&a->done);
	set_far(&a->started);
	for (uint32_t i = 0; i < segment->count; i++)
		analyse_insn(a, &segment->insn[i], i);
}

/* Which accesses of the segment are loads and which are stores. */
static void list_accesses(struct timing *t, const struct segment *segment)
{
	uint32_t loads = 0, stores = 0;

	for (uint32_t i = 0; i < segment->count; i++) {
		for (uint32_t k = 0; k < segment->insn[i].loads; k++, loads++)
			t->load_at[loads] = (uint8_t)(loads + stores);
		for (uint32_t k = 0; k < segment->insn[i].stores; k++, stores++)
			t->store_at[stores] = (uint8_t)(loads + stores);
	}
}

struct timing *timing_new(struct core *core, const struct segment *segment)
{
	struct memory *memory = &core->model->memory;
	struct analysis *a = memory_get(memory, sizeof(*a));
	struct timing *timing = NULL;
	uint32_t loads = 0, stores = 0;
	bool slow = segment->count > TIMING_MAX_INSNS;

	for (uint32_t i = 0; i < segment->count; i++) {
		loads += segment->insn[i].loads;
		stores += segment->insn[i].stores;
		slow |= segment->insn[i].class == INSN_SERIAL;
	}
	slow |= loads + stores > TIMING_MAX_ACCESSES;
	if (a)
		a->store = memory_get(memory, stores * sizeof(*a->store));
	if (a && a->store) {
		a->core = core;
		analyse(a, segment);
		timing = build(a);
	}
	if (timing) {
		const struct params *p = &core->model->params;
		uint64_t width = p->retire_width;

		timing->count = segment->count;
		timing->issue_time = segment->count * timing_slot(p);
		timing->retire_time = segment->count * CYCLE_PARTS / width
				      << CAUSE_BITS;
		timing->full_retire = segment->count / p->retire_width;
		timing->slow = slow;
		timing->loads = loads;
		timing->stores = stores;
		if (!slow)
			list_accesses(timing, segment);
	}
	if (a)
		memory_put(memory, a->store);
	memory_put(memory, a);
	return timing;
}
