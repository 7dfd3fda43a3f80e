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

struct operand {
	uint32_t level;
	uint32_t delay;
	struct lines lines;
};

/* What this instruction's accesses were found to cost. */
static struct operand take_notes(struct cycles *c, uint64_t pc, uint32_t *next)
{
	struct operand operand = { LEVEL_L1, 0, { 0 } };

	for (; *next < c->notes && c->note[*next].pc == pc; ++*next) {
		if (c->note[*next].level > operand.level)
			operand.level = c->note[*next].level;
		operand.delay += c->note[*next].delay;
		operand.lines = lines_add(operand.lines, c->note[*next].lines);
	}
	return operand;
}

static struct forward *forward_of(struct cycles *c, uint64_t address)
{
	return &c->forward[(address >> 3) % FORWARD_ENTRIES];
}

/* When the last store of this core to the line of @address had its data; 0 if
 * that is too long ago to be remembered. */
static __attribute__((noinline)) uint64_t last_store_to(const struct cycles *c,
							uint64_t address)
{
	uint64_t words = c->params->line_bytes / 8;
	uint64_t line = (address >> 3) / words, last = 0;

	for (uint32_t i = 0; i < FORWARD_ENTRIES; i++) {
		const struct forward *f = &c->forward[i];

		if (f->where && (f->where - 1) / words == line)
			last = time_later(last, without_cause(f->ready));
	}
	return last;
}

/*
 * Another core that has the line at @address took it after this core's older
 * stores to it were made: no request for it comes before the last of them.
 */
static inline uint64_t earliest_request(const struct cycles *c,
					const struct operand *operand,
					const uint64_t *address)
{
	if (operand->level != LEVEL_CORE || !address)
		return 0;
	return last_store_to(c, *address);
}

/* When an access that misses in L1 can be made whose address is known at
 * @time. */
static uint64_t ask_for_line(struct cycles *c, const struct operand *operand,
			     uint64_t time)
{
	struct lines lines = operand->lines;

	if (!c->moves.is_limited || (operand->level == LEVEL_L1 &&
				     !(lines.l3 | lines.back | lines.written)))
		return time;
	return moves_ask(&c->moves, operand->level, operand->lines, c->issue,
			 time);
}

/* The load port is taken once more. */
static inline void take_port_again(struct cycles *c)
{
	uint64_t *unit = &c->unit[UNIT_LOAD];

	*unit = time_later(*unit, c->issue) + c->port_time;
}

/* A load that could be @done then, of a line that is on its way. */
static inline uint64_t await_arrival(struct cycles *c, uint64_t address,
				     uint64_t done)
{
	uint64_t arrives = moves_awaited(&c->moves, address);

	if (arrives <= done)
		return done;
	take_port_again(c);
	return arrives;
}

/* When the page of an access can be asked for that the DTLB does not have: one
 * after the other. */
static inline uint64_t
ask_for_page(struct cycles *c, const struct operand *operand, uint64_t time)
{
	uint64_t turn;

	if (!operand->delay || !c->page_time)
		return time;
	turn = time_later(c->pages, c->issue);
	c->pages = turn + c->page_time;
	return time_later(time, turn);
}

/* What translating adds to an access, part of which the time hides in which L1D
 * finds that it does not have the line. */
static inline uint64_t translation(const struct cycles *c,
				   const struct operand *operand)
{
	uint32_t overlap = c->params->stlb_overlap;
	uint32_t delay = operand->delay;

	if (operand->level != LEVEL_L1)
		delay = delay > overlap ? delay - overlap : 0;
	return delay * CYCLE_TIME;
}

/* When a load at @address is done whose address is known at @time. */
static inline uint64_t load(struct cycles *restrict c,
			    const struct single *restrict s,
			    const struct operand *operand, uint64_t issue,
			    uint64_t time, const uint64_t *restrict address)
{
	const struct forward *forward;
	uint64_t request = time_later(without_cause(time),
				      earliest_request(c, operand, address));
	uint64_t done;

	request = ask_for_line(c, operand, ask_for_page(c, operand, request));
	done = request + c->latency[operand->level] + translation(c, operand) +
	       cause_of_level[operand->level];
	if (operand->level != LEVEL_L1)
		moves_note_arrival(&c->moves, without_cause(done));
	if (!address)
		return done;
	if (c->moves.replays && operand->level != LEVEL_L1) {
		moves_note_line(&c->moves, *address, done);
		take_port_again(c);
	} else if (c->moves.latest > done) {
		done = await_arrival(c, *address, done);
	}
	forward = forward_of(c, *address);
	if (forward->where != (*address >> 3) + 1)
		return done;
	/* by its name alone, before addresses are known */
	if (c->params->rename_stores && s->base == forward->base &&
	    s->base < REG_NONE)
		return time_later(issue, forward->ready);
	return time_later(done, forward->ready + (forward->base == BASE_VECTOR
							  ? c->forward_vec_time
							  : c->forward_time));
}

/* A store waits for its line, whose address is known at @time, before it gives
 * up its queue entry. */
static void await_line(struct cycles *c, const struct operand *operand,
		       uint64_t time, const uint64_t *address)
{
	/* the older stores are made in order */
	if (earliest_request(c, operand, address))
		time = time_later(time, c->drained);
	time = ask_for_line(c, operand, without_cause(time)) +
	       c->latency[operand->level];
	moves_note_arrival(&c->moves, time);
	c->drained = time_later(c->drained, time) + c->store_line_time;
}

static inline void leave_stores(struct cycles *restrict c,
				const struct single *restrict s,
				const uint64_t *restrict addrs, uint64_t ready)
{
	for (uint32_t i = 0; i < s->stores; i++) {
		uint64_t where = addrs[s->loads + i];

		*forward_of(c, where) =
			(struct forward){ (where >> 3) + 1, ready, s->base };
	}
}

/* Its sources are there at @time. Returns when it is done. */
static inline uint64_t operate(const struct cycles *restrict c,
			       const struct single *restrict s, uint64_t time,
			       struct outcome *restrict out)
{
	uint32_t cause = s->latency & CAUSE_MASK;

	if (s->serial)
		time = time_later(time, time_later(c->retire, out->done));
	out->started = time;
	return (cause ? without_cause(time) : time) + s->latency;
}

static inline void run_single(struct cycles *restrict c,
			      const struct single *restrict s, uint64_t issue,
			      const struct operand *operand,
			      const uint64_t *restrict addrs,
			      struct outcome *restrict out)
{
	const uint64_t *ready = c->ready;
	uint64_t address = time_later(
		issue, time_later(ready[s->addr[0]], ready[s->addr[1]]));
	uint64_t time = issue;

	for (uint32_t i = 0; i < s->loads; i++)
		time = time_later(time, load(c, s, operand, issue, address,
					     addrs ? addrs + i : NULL));
	for (int i = 0; i < 3; i++)
		time = time_later(time, ready[s->src[i]]);
	if (s->plain)
		out->started = address;
	else
		time = operate(c, s, time, out);
	if (s->stores) {
		if (operand->level != LEVEL_L1)
			await_line(c, operand, address,
				   addrs ? addrs + s->loads : NULL);
		out->done = time_later(out->done, address);
		if (addrs)
			leave_stores(c, s, addrs, time);
	}
	set_ready(c, s->dst[0], time);
	set_ready(c, s->dst[1], time);
	out->last = time;
	out->done = time_later(out->done, time);
}

void execute_one_by_one(struct cycles *restrict c,
			const struct segment *segment,
			const uint64_t *restrict addrs, struct outcome *to)
{
	const struct timing *restrict timing = segment->timing;
	uint64_t pc = segment->pc, issue = c->issue;
	struct outcome out = { 0 };
	uint32_t next = 0;

	if (!segment->piece)
		set_ready(c, REG_FLAGS, 0);
	for (uint32_t i = 0; i < timing->count; i++, issue += c->slot) {
		const struct single *s = &timing->single[i];
		struct operand operand = { LEVEL_L1, 0, { 0 } };

		if (timing->fused && i + 1 == timing->count)
			issue -= c->slot;
		if (next < c->notes)
			operand = take_notes(c, pc, &next);
		run_single(c, s, issue, &operand, addrs, &out);
		if (addrs)
			addrs += s->loads + s->stores;
		pc += s->length;
	}
	*to = out;
}

/* ---- by table ---- */

/* Whether some load of the segment may be of a line that is on its way. */
static bool may_await(struct cycles *c, const struct timing *timing,
		      const uint64_t *addrs)
{
	bool may = false;

	for (uint32_t i = 0; i < timing->loads; i++)
		may |= moves_awaited(&c->moves, addrs[timing->load_at[i]]) >
		       c->issue;
	return may;
}

/* Whether some load of the segment may have to wait for a store: one that is
 * still on its way, or one of the segment itself. */
static inline bool may_forward(struct cycles *restrict c,
			       const struct timing *restrict timing,
			       const uint64_t *restrict addrs)
{
	uint64_t late = c->issue + c->latency[LEVEL_L1] -
			time_later(c->forward_time, c->forward_vec_time);
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
					  step[timing->store_step[i]],
					  timing->store_base[i] };
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
	if (addrs && c->moves.latest > c->issue && may_await(c, timing, addrs))
		return false;
	run_steps(c, timing, addrs, out);
	return true;
}
