/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Working out the timing of a segment: a pass over its instructions with
 * symbolic times. A symbolic time is the distance from the issue of the
 * segment and from each register it depends on.
 */

#include "simpmu/model/cycles.h"

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
	bool fused;
	uint32_t count;
	struct value done, started;
	struct value store[TIMING_MAX_ACCESSES];
	uint32_t stores;
	bool slow; /* there will be no table */
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
	v->from[reg] = max_of(v->from[reg], 0);
}

static void use_unit(struct analysis *a, uint32_t unit, uint32_t cycles)
{
	if (unit == UNIT_NONE || !a->params->ports[unit])
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

/* push, pop, call, ret: the stack engine knows where the stack ends. */
static bool is_stack_step(const struct params *p, const struct insn *insn)
{
	bool is_load = insn->class == INSN_MOVE && !insn->stores &&
		       insn->dst[1] == REG_NONE;

	return p->stack_engine && (insn->loads || insn->stores) &&
	       insn->addr[0] == REG_SP && insn->addr[1] == REG_NONE && !is_load;
}

static bool is_forgotten(const struct params *p, const struct insn *insn,
			 uint32_t reg)
{
	return reg == REG_SP && is_stack_step(p, insn);
}

/* An address computation that waits for its registers. */
static bool is_waiting_lea(const struct params *p, const struct insn *insn)
{
	return p->lea_waits &&
	       (insn->class == INSN_LEA || insn->class == INSN_LEA3);
}

/* Arithmetic and the branch on its flags, as one operation. */
static bool is_fused(const struct params *p, const struct segment *segment)
{
	const struct insn *last = &segment->insn[segment->count - 1];

	return p->fuse && segment->count > 1 && last->class == INSN_BRANCH &&
	       last->src[0] == REG_FLAGS && last[-1].class == INSN_ALU &&
	       !last[-1].stores &&
	       (last[-1].dst[0] == REG_FLAGS || last[-1].dst[1] == REG_FLAGS);
}

/* A store of a register: the value is there already. */
static bool is_plain_store(const struct params *p, const struct insn *insn)
{
	return p->forward_time && insn->stores && !insn->loads &&
	       insn->class == INSN_MOVE;
}

static bool is_vector(uint32_t reg)
{
	return reg >= REG_VEC && reg < REG_VEC + 16;
}

/* A load of a vector may keep more than one port busy. */
static void use_load_ports(struct analysis *a, const struct insn *insn)
{
	uint32_t all = a->params->ports[UNIT_LOAD];
	uint32_t vector = a->params->vector_loads;
	bool is_slow = vector && is_vector(insn->dst[0]);

	for (uint32_t k = 0; k < insn->loads; k++) {
		use_unit(a, UNIT_LOAD, 1);
		if (is_slow && vector < all)
			a->busy[UNIT_LOAD] +=
				CYCLE_TIME / vector - CYCLE_TIME / all;
	}
}

/* A branch that is @fused needs no time behind the arithmetic that it is one
 * operation with. */
static uint32_t latency_of(const struct params *p, const struct insn *insn,
			   bool fused)
{
	return fused || is_plain_store(p, insn) ? 0
						: p->insn[insn->class].latency;
}

static void analyse_insn(struct analysis *a, const struct insn *insn,
			 uint32_t i)
{
	const struct unit_params *p = &a->params->insn[insn->class];
	struct value time, address;
	bool plain_load = insn->loads && insn->class == INSN_MOVE;
	bool fused = a->fused && i + 1 == a->count;

	set_far(&time);
	time.issue = (int64_t)((i - fused) * timing_slot(a->params));
	address = time;
	wait_for_reg(a, &address, insn->addr[0]);
	wait_for_reg(a, &address, insn->addr[1]);
	if (is_waiting_lea(a->params, insn))
		time = address;
	if (insn->loads) {
		time = address;
		delay(&time, a->params->l1d.latency, CAUSE_L1);
		use_load_ports(a, insn);
	}
	if (insn->loads + insn->stores)
		use_unit(a, UNIT_MEMORY, insn->loads + insn->stores);
	for (int k = 0; k < 3; k++)
		wait_for_reg(a, &time, insn->src[k]);
	a->started = plain_load ? address : time;
	if (!plain_load) {
		delay(&time, latency_of(a->params, insn, fused),
		      timing_is_fp(insn->class) ? CAUSE_FP : 0);
		use_unit(a, p->unit, p->interval);
		if (insn->class == INSN_SHIFT)
			use_unit(a, UNIT_SHIFT, 1);
	}
	for (uint32_t k = 0; k < insn->stores; k++) {
		use_unit(a, UNIT_STORE, 1);
		merge(&a->done, &address);
		if (!a->slow)
			a->store[a->stores++] = time;
	}
	merge(&a->done, &time);
	for (int k = 0; k < 2; k++)
		if (!is_forgotten(a->params, insn, insn->dst[k]))
			write_reg(a, insn->dst[k], &time);
}

/* ---- from symbols to a table ---- */

static uint32_t count_steps(const struct value *v)
{
	uint32_t n = 0;

	for (int i = 0; i < REG_NONE; i++)
		n += v->from[i] != FAR;
	/* the first takes two, each further one goes on from the last */
	return n < 2 ? 1 : n - 1;
}

static void set_term(struct step *step, int i, uint32_t reg, int64_t distance)
{
	bool plain = distance & (int64_t)CAUSE_MASK;

	step->time[i] = (uint8_t)(plain ? reg + TIME_PLAIN : reg);
	step->add[i] = (uint32_t)distance;
}

static struct step *next_step(struct timing *t, const struct value *v)
{
	struct step *step = &t->step[t->steps++];

	step->base = (uint32_t)v->issue;
	set_term(step, 0, REG_NONE, 0);
	set_term(step, 1, REG_NONE, 0);
	return step;
}

/* Returns the number of the last step. */
static uint8_t emit(struct timing *t, const struct value *v)
{
	struct step *step = next_step(t, v);
	int used = 0;

	for (uint32_t i = 0; i < REG_NONE; i++) {
		if (v->from[i] == FAR)
			continue;
		if (used == 2) {
			uint32_t before = TIME_STEPS + t->steps - 1u;

			step = next_step(t, v);
			set_term(step, 0, before, 0);
			used = 1;
		}
		set_term(step, used++, i, v->from[i]);
	}
	return (uint8_t)(t->steps - 1);
}

/* Whether later segments look at the register. */
static bool is_left(const struct analysis *a, uint32_t reg)
{
	return a->written[reg] && (reg != REG_FLAGS || a->piece);
}

static uint32_t count_all(const struct analysis *a, uint32_t *results)
{
	uint32_t steps = count_steps(&a->done) + count_steps(&a->started);

	*results = 0;
	for (uint32_t i = 0; i < REG_NONE; i++)
		if (is_left(a, i)) {
			steps += count_steps(&a->reg[i]);
			++*results;
		}
	for (uint32_t i = 0; i < a->stores; i++)
		steps += count_steps(&a->store[i]);
	return steps + steps % 2;
}

static void add_work(struct timing *t, uint32_t unit, uint32_t count,
		     uint64_t time)
{
	static const uint8_t group_of[UNIT_COUNT] = {
		[UNIT_INT] = GROUP_INT,   [UNIT_MUL] = GROUP_INT,
		[UNIT_DIV] = GROUP_FP,    [UNIT_FP] = GROUP_FP,
		[UNIT_VEC] = GROUP_FP,    [UNIT_LOAD] = GROUP_LS,
		[UNIT_STORE] = GROUP_LS,  [UNIT_BRANCH] = GROUP_BRANCH,
		[UNIT_MEMORY] = GROUP_LS, [UNIT_SHIFT] = GROUP_INT,
		[UNIT_FMUL] = GROUP_FP,
	};
	uint32_t sum = t->group[group_of[unit]] + count;

	t->group[group_of[unit]] = (uint8_t)(sum < 255 ? sum : 255);
	t->work[t->works++] = (struct work){ (uint32_t)time, unit };
}

static void emit_steps(struct analysis *a, struct timing *t)
{
	t->done = emit(t, &a->done);
	t->started = emit(t, &a->started);
	for (uint32_t i = 0; i < REG_NONE; i++)
		if (is_left(a, i))
			t->result[t->results++] =
				(struct result){ (uint8_t)i,
						 emit(t, &a->reg[i]) };
	for (uint32_t i = 0; i < a->stores; i++)
		t->store_step[i] = emit(t, &a->store[i]);
	if (t->steps % 2)
		next_step(t, &a->done); /* nobody looks at it */
}

static struct timing *build(struct analysis *a)
{
	uint32_t results, steps = count_all(a, &results);
	size_t bytes =
		sizeof(struct timing) + a->count * sizeof(struct single) +
		steps * sizeof(struct step) + UNIT_COUNT * sizeof(struct work) +
		results * sizeof(struct result);
	struct timing *t = memory_get_apart(&a->core->model->memory, bytes);

	if (!t)
		return NULL;
	t->single = (struct single *)(void *)(t + 1);
	t->step = (struct step *)(void *)(t->single + a->count);
	t->work = (struct work *)(void *)(t->step + steps);
	t->result = (struct result *)(void *)(t->work + UNIT_COUNT);
	t->slow = a->slow || steps > TIMING_MAX_STEPS;
	if (!t->slow)
		emit_steps(a, t);
	for (uint32_t i = 0; i < UNIT_COUNT; i++)
		if (a->used[i])
			/* what other units execute is counted with them */
			add_work(t, i, i >= UNIT_MEMORY ? 0 : a->used[i],
				 a->busy[i]);
	while (t->works < WORKS_AT_ONCE) /* of no unit */
		t->work[t->works++] = (struct work){ 0, UNIT_NONE };
	return t;
}

static void analyse(struct analysis *a, const struct segment *segment)
{
	a->params = &a->core->model->params;
	a->piece = segment->piece;
	a->count = segment->count;
	a->fused = is_fused(a->params, segment);
	set_far(&a->done);
	set_far(&a->started);
	for (uint32_t i = 0; i < segment->count; i++)
		analyse_insn(a, &segment->insn[i], i);
}

/* @load comes behind all stores so far. */
static void add_pairs(struct timing *t, uint32_t load, uint32_t stores)
{
	for (uint32_t i = 0; i < stores; i++) {
		if (t->pairs == TIMING_MAX_PAIRS) {
			t->slow = true;
			return;
		}
		t->pair[t->pairs][0] = t->store_at[i];
		t->pair[t->pairs++][1] = (uint8_t)load;
	}
}

/* Which accesses of the segment are loads and which are stores. */
static void list_accesses(struct timing *t, const struct segment *segment)
{
	uint32_t loads = 0, stores = 0;

	for (uint32_t i = 0; i < segment->count; i++) {
		for (uint32_t k = 0; k < segment->insn[i].loads; k++) {
			add_pairs(t, loads + stores, stores);
			t->load_at[loads] = (uint8_t)(loads + stores);
			loads++;
		}
		for (uint32_t k = 0; k < segment->insn[i].stores; k++) {
			t->store_at[stores] = (uint8_t)(loads + stores);
			t->store_base[stores] = t->single[i].base;
			stores++;
		}
	}
}

static uint8_t base_of(const struct insn *insn)
{
	if (is_vector(insn->src[0]) || is_vector(insn->dst[0]))
		return BASE_VECTOR;
	return insn->addr[1] == REG_NONE ? insn->addr[0] : REG_NONE;
}

static void set_single(struct single *s, const struct insn *insn,
		       const struct params *p, bool fused)
{
	bool fp = timing_is_fp(insn->class);

	s->latency = (uint32_t)(latency_of(p, insn, fused) * CYCLE_TIME) +
		     (fp ? CAUSE_FP : 0);
	for (int i = 0; i < 3; i++)
		s->src[i] = insn->src[i];
	for (int i = 0; i < 2; i++) {
		bool none = insn->dst[i] == REG_NONE ||
			    is_forgotten(p, insn, insn->dst[i]);

		s->addr[i] = insn->addr[i];
		s->dst[i] = none ? TIME_STEPS : insn->dst[i];
		if (is_waiting_lea(p, insn))
			s->src[i] = insn->addr[i];
	}
	s->base = base_of(insn);
	s->loads = insn->loads;
	s->stores = insn->stores;
	s->length = insn->length;
	s->plain = insn->loads && insn->class == INSN_MOVE;
	s->serial = insn->class == INSN_SERIAL;
}

static bool is_slow(const struct segment *segment)
{
	uint32_t accesses = 0;

	for (uint32_t i = 0; i < segment->count; i++) {
		const struct insn *insn = &segment->insn[i];

		accesses += insn->loads + insn->stores;
		if (insn->class == INSN_SERIAL)
			return true;
	}
	return segment->count > TIMING_MAX_INSNS ||
	       accesses > TIMING_MAX_ACCESSES;
}

static uint64_t hundredths(uint32_t time, uint32_t otherwise)
{
	return ((uint64_t)CYCLE_PARTS * (time ? time : otherwise) / 100)
	       << CAUSE_BITS;
}

/* Whether it ends with a call or a return: a branch by way of the stack. */
static bool ends_on_stack(const struct segment *segment)
{
	const struct insn *last = &segment->insn[segment->count - 1];

	return last->class == INSN_BRANCH && last->addr[0] == REG_SP &&
	       (last->loads || last->stores);
}

/* Whether it ends with a branch to an address that is read: no return. */
static bool ends_with_turn(const struct segment *segment)
{
	const struct insn *last = &segment->insn[segment->count - 1];
	bool is_return = last->loads && last->addr[0] == REG_SP &&
			 last->addr[1] == REG_NONE;

	return last->class == INSN_BRANCH && !is_return &&
	       (last->loads ||
		(last->src[0] < REG_VEC && last->src[0] != REG_SP));
}

/* From its first store that leaves the queue to the one behind its last. */
static uint64_t commit_time(const struct params *p, const struct insn *insn)
{
	uint32_t any = p->commit_time ? p->commit_time : 100;
	uint32_t time = is_vector(insn->src[0]) ? p->commit_vec_time : any;

	return insn->stores * hundredths(time, any);
}

static void finish(struct timing *t, const struct params *p,
		   const struct segment *segment)
{
	t->count = segment->count;
	t->fused = is_fused(p, segment);
	t->calls = ends_on_stack(segment);
	t->turns = p->indirect_time && ends_with_turn(segment);
	t->issue_time = (segment->count - t->fused) * timing_slot(p);
	t->retire_time = (uint64_t)(segment->count - t->fused) * CYCLE_PARTS /
				 p->retire_width
			 << CAUSE_BITS;
	t->full_retire = segment->count / p->retire_width;
	for (uint32_t i = 0; i < segment->count; i++) {
		set_single(&t->single[i], &segment->insn[i], p,
			   t->fused && i + 1 == segment->count);
		t->loads += segment->insn[i].loads;
		t->stores += segment->insn[i].stores;
		t->bytes += segment->insn[i].length;
		t->commit_time += commit_time(p, &segment->insn[i]);
	}
	if (!t->slow)
		list_accesses(t, segment);
}

struct timing *timing_new(struct core *core, const struct segment *segment)
{
	struct analysis *a = core->cycles->analysis;
	struct timing *timing;

	*a = (struct analysis){ .core = core, .slow = is_slow(segment) };
	analyse(a, segment);
	timing = build(a);
	if (timing)
		finish(timing, &core->model->params, segment);
	return timing;
}

struct analysis *timing_prepare(struct memory *memory)
{
	return memory_get_apart(memory, sizeof(struct analysis));
}
