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
	c->ready[insn->dst[0]] = out->last;
	c->ready[insn->dst[1]] = out->last;
	c->ready[REG_NONE] = 0;
	out->done = time_later(out->done, out->last);
}

void execute_one_by_one(struct cycles *c, const struct segment *segment,
			const uint64_t *addrs, struct outcome *out)
{
	uint64_t pc = segment->pc;
	uint64_t issue = c->issue;
	uint32_t next = 0;

	if (!segment->piece)
		c->ready[REG_FLAGS] = 0;
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
static bool may_forward(struct cycles *c, const struct timing *timing,
			const uint64_t *addrs)
{
	uint64_t late = c->issue + c->latency[LEVEL_L1] -
			c->params->forward_latency * CYCLE_TIME;

	for (uint32_t i = 0; i < timing->loads; i++) {
		uint32_t at = timing->load_at[i];
		uint64_t where = addrs[at] >> 3;
		const struct forward *f = forward_of(c, addrs[at]);

		if (f->where == where + 1 && f->ready > late)
			return true;
		for (uint32_t k = 0; k < timing->stores; k++)
			if (timing->store_at[k] < at &&
			    addrs[timing->store_at[k]] >> 3 == where)
				return true;
	}
	return false;
}

static uint64_t result_of(const struct cycles *c, const struct result *result,
			  const struct term **term)
{
	uint64_t time = c->issue + result->base;
	const struct term *end = *term + result->terms;

	for (; *term < end; ++*term) {
		uint64_t keep = (uint64_t)(int64_t)(*term)->keep;

		time = time_later(time, (c->ready[(*term)->reg] & keep) +
						(*term)->add);
	}
	return time;
}

/* All registers that are read were ready before: only issue matters. */
static bool all_ready(const struct cycles *c, const struct timing *timing)
{
	for (uint32_t i = 0; i < timing->live; i++)
		if (c->ready[timing->live_reg[i]] > c->issue)
			return false;
	return true;
}

static void put_results(struct cycles *c, const struct timing *timing,
			const uint64_t *addrs, const uint64_t *time)
{
	const struct result *result = timing->result;
	uint32_t i = 2;

	for (; i < timing->results && result[i].what < REG_NONE; i++)
		c->ready[result[i].what] = time[i];
	for (uint32_t k = 0; addrs && i < timing->results; i++, k++) {
		uint64_t where = addrs[timing->store_at[k]];

		*forward_of(c, where) =
			(struct forward){ (where >> 3) + 1, time[i] };
	}
}

static void run_by_table(struct cycles *c, const struct timing *timing,
			 const uint64_t *addrs, struct outcome *out)
{
	const struct term *term = timing->term;
	uint64_t time[TIMING_MAX_RESULTS];

	time[0] = time[1] = c->issue;
	if (all_ready(c, timing))
		for (uint32_t i = 0; i < timing->results; i++)
			time[i] = c->issue + timing->result[i].base;
	else
		for (uint32_t i = 0; i < timing->results; i++)
			time[i] = result_of(c, &timing->result[i], &term);
	out->done = time[0];
	out->started = time[1];
	put_results(c, timing, addrs, time);
}

void execute_segment(struct cycles *c, const struct segment *segment,
		     const uint64_t *addrs, struct outcome *out)
{
	const struct timing *timing = segment->timing;

	if (c->notes || timing->slow ||
	    (addrs && timing->loads && may_forward(c, timing, addrs)))
		execute_one_by_one(c, segment, addrs, out);
	else
		run_by_table(c, timing, addrs, out);
}
