/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution of a segment on the scoreboard: when its registers are ready and
 * its instructions done, by the table of the segment or one by one. Both give
 * the same times.
 */

#include "simpmu/model/cycles.h"

static const uint8_t cause_of_level[] = { CAUSE_L1, CAUSE_L2, CAUSE_L3,
					  CAUSE_DRAM, CAUSE_L3 };

/* ---- one by one ---- */

/* When an instruction issues, and when its address is known. */
struct times {
	uint64_t issue;
	uint64_t address;
};

struct operand {
	uint32_t level;
	uint32_t delay;
};

/* What this instruction's accesses were found to cost. */
static struct operand take_notes(struct cycles *c, uint64_t pc, uint32_t *next)
{
	struct operand operand = { LEVEL_L1, 0 };

	for (; *next < c->notes && c->note[*next].pc == pc; ++*next) {
		if (c->note[*next].level > operand.level)
			operand.level = c->note[*next].level;
		operand.delay += c->note[*next].delay;
	}
	return operand;
}

static struct forward *forward_of(struct cycles *c, uint64_t address)
{
	return &c->forward[(address >> 3) % FORWARD_ENTRIES];
}

static uint64_t load(struct cycles *c, const struct operand *operand,
		     uint64_t time, const uint64_t *address)
{
	const struct forward *forward;
	uint64_t done = without_cause(time) + c->latency[operand->level] +
			operand->delay * CYCLE_TIME +
			cause_of_level[operand->level];

	if (!address)
		return done;
	forward = forward_of(c, *address);
	if (forward->where != (*address >> 3) + 1)
		return done;
	return time_later(done, forward->ready + c->params->forward_latency *
							 CYCLE_TIME);
}

static uint64_t execute(struct cycles *c, const struct insn *insn,
			uint64_t time, struct outcome *out)
{
	const struct unit_params *p = &c->params->insn[insn->class];

	for (int i = 0; i < 3; i++)
		time = time_later(time, c->ready[insn->src[i]]);
	if (insn->class == INSN_SERIAL)
		time = time_later(time, time_later(c->retire, out->done));
	out->started = time;
	if (timing_is_fp(insn->class))
		time = without_cause(time) + CAUSE_FP;
	return time + p->latency * CYCLE_TIME;
}

static void leave_stores(struct cycles *c, const struct insn *insn,
			 const uint64_t *addrs, uint64_t ready)
{
	for (uint32_t i = 0; i < insn->stores; i++) {
		uint64_t where = addrs[insn->loads + i];

		*forward_of(c, where) =
			(struct forward){ (where >> 3) + 1, ready };
	}
}

/* Loads, then the operation. Returns when it is done. */
static uint64_t run_operation(struct cycles *c, const struct insn *insn,
			      struct times *at, const struct operand *operand,
			      const uint64_t *addrs, struct outcome *out)
{
	uint64_t loaded = at->issue;

	for (uint32_t i = 0; i < insn->loads; i++)
		loaded = time_later(loaded, load(c, operand, at->address,
						 addrs ? addrs + i : NULL));
	if (!insn->loads || insn->class != INSN_MOVE)
		return execute(c, insn, loaded, out);
	for (int i = 0; i < 3; i++)
		loaded = time_later(loaded, c->ready[insn->src[i]]);
	out->started = at->address;
	return loaded;
}

static void run_insn(struct cycles *c, const struct insn *insn, uint64_t issue,
		     const struct operand *operand, const uint64_t *addrs,
		     struct outcome *out)
{
	struct times at = { issue, issue };

	at.address = time_later(issue, time_later(c->ready[insn->addr[0]],
						  c->ready[insn->addr[1]]));
	out->last = run_operation(c, insn, &at, operand, addrs, out);
	if (insn->stores && operand->level != LEVEL_L1)
		c->drained = time_later(
			c->drained, at.address + c->latency[operand->level]);
	if (insn->stores)
		out->done = time_later(out->done, at.address);
	if (insn->stores && addrs)
		leave_stores(c, insn, addrs, out->last);
	set_ready(c, insn->dst[0], out->last);
	set_ready(c, insn->dst[1], out->last);
	set_ready(c, REG_NONE, 0);
	out->done = time_later(out->done, out->last);
}

void execute_one_by_one(struct cycles *c, const struct segment *segment,
			const uint64_t *addrs, struct outcome *out)
{
	uint64_t pc = segment->pc;
	uint64_t issue = c->issue;
	uint32_t next = 0;

	if (!segment->piece)
		set_ready(c, REG_FLAGS, 0);
	for (uint32_t i = 0; i < segment->count; i++, issue += c->slot) {
		const struct insn *insn = &segment->insn[i];
		struct operand operand = { LEVEL_L1, 0 };

		if (next < c->notes)
			operand = take_notes(c, pc, &next);
		run_insn(c, insn, issue, &operand, addrs, out);
		if (addrs)
			addrs += insn->loads + insn->stores;
		pc += insn->length;
	}
}

/* ---- by table ---- */

/* Whether some load of the segment may have to wait for a store: one that is
 * still on its way, or one of the segment itself. */
static inline bool may_forward(struct cycles *restrict c,
			       const struct timing *restrict timing,
			       const uint64_t *restrict addrs)
{
	uint64_t late = c->issue + c->latency[LEVEL_L1] -
			c->params->forward_latency * CYCLE_TIME;
	bool may = false;

	for (uint32_t i = 0; i < timing->loads; i++) {
		uint64_t address = addrs[timing->load_at[i]];
		const struct forward *f = forward_of(c, address);

		may |= (f->where == (address >> 3) + 1) & (f->ready > late);
	}
	for (uint32_t i = 0; i < timing->pairs; i++)
		may |= addrs[timing->pair[i][0]] >> 3 ==
		       addrs[timing->pair[i][1]] >> 3;
	return may;
}

static inline uint64_t time_of(const uint64_t *time, const struct step *s,
			       uint64_t issue)
{
	return time_later(issue + s->base,
			  time_later(time[s->time[0]] + s->add[0],
				     time[s->time[1]] + s->add[1]));
}

static inline void run_steps(struct cycles *restrict c,
			     const struct timing *restrict timing,
			     const uint64_t *restrict addrs,
			     struct outcome *restrict out)
{
	uint64_t *time = c->ready, *step = c->ready + TIME_STEPS;
	const uint64_t issue = c->issue;

	const struct step *restrict table = timing->step;
	const struct result *restrict result = timing->result;
	const uint32_t steps = timing->steps, results = timing->results;

	for (uint32_t i = 0; i < steps; i += 2) {
		const struct step *s = &table[i];

		step[i] = time_of(time, s, issue);
		step[i + 1] = time_of(time, s + 1, issue);
	}
	out->done = step[timing->done];
	out->started = step[timing->started];
	for (uint32_t i = 0; i < results; i++)
		set_ready(c, result[i].reg, step[result[i].step]);
	for (uint32_t i = 0; addrs && i < timing->stores; i++) {
		uint64_t where = addrs[timing->store_at[i]];

		*forward_of(c, where) =
			(struct forward){ (where >> 3) + 1,
					  step[timing->store_step[i]] };
	}
}

bool execute_by_table(struct cycles *restrict c,
		      const struct timing *restrict timing,
		      const uint64_t *restrict addrs,
		      struct outcome *restrict out)
{
	if (c->notes || timing->slow ||
	    (addrs && timing->loads && may_forward(c, timing, addrs)))
		return false;
	run_steps(c, timing, addrs, out);
	return true;
}
