/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles: a scoreboard that sees each segment once, in program order.
 *
 * Instructions issue in order at the machine's width, once there is room in
 * the reorder buffer, the scheduler and the queues. Each starts when its
 * sources are ready, and is done after its latency. Segments retire in order,
 * not before all their instructions are done and the units they use have had
 * time for all the work they were given.
 *
 * Modelling decisions and known lies:
 *  - One instruction takes one slot. A memory operand is part of it and waits
 *    only for its address. No fusion, no elimination of moves.
 *  - Units limit throughput, not single instructions: a unit is a pool of
 *    ports that works off what it is given in program order.
 *  - Buffers fill and empty by segments: the first instruction of a segment
 *    waits for room, the others follow. The scheduler is rid of a segment when
 *    its last instruction starts.
 *  - Flags are not waited for from one segment to the next, unless they are
 *    pieces of one.
 *  - Loads know nothing of older stores but the one to the same 8 bytes. A
 *    store gives up its queue entry in order, when its line has arrived.
 *  - Misses overlap without limit but the size of the buffers.
 *  - After a misprediction issue goes on a fixed time after the branch was
 *    executed. The wrong path takes slots but delays nothing more.
 *  - Front end: full width unless a line of code is missing, a target was
 *    unknown or a branch mispredicted. No decoders, no micro-operation cache.
 *  - Cycles without retirement and busy cycles of units are counted as if the
 *    instructions of a segment were spread over the time it takes.
 *
 * A segment whose loads all hit and whose branch was predicted runs by its
 * table (timing.h); otherwise its instructions are passed over one by one. Both
 * give the same times.
 */

#include "simpmu/model/cycle.h"
#include "simpmu/model/cycles.h"

/* ---- notes ---- */

void cycle_note_access(struct core *core, uint64_t pc, enum level level,
		       uint32_t delay)
{
	struct cycles *c = core->cycles;
	struct note *last = c->notes ? &c->note[c->notes - 1] : NULL;

	/* Many accesses of one instruction are one wait; so is what does not
	 * fit into the list. */
	if (last && (last->pc == pc || c->notes == NOTES)) {
		if (level > last->level)
			last->level = level;
		last->delay += delay;
		return;
	}
	c->note[c->notes++] = (struct note){ pc, level, delay };
}

void cycle_note_fetch(struct core *core, enum level level, uint32_t delay)
{
	struct cycles *c = core->cycles;

	if (level != LEVEL_L1)
		delay += (uint32_t)cycle_of(c->latency[level]);
	c->fetch_delay += delay;
}

void cycle_note_btb_miss(struct core *core)
{
	core->cycles->btb_missed = true;
}

/* ---- room ---- */

struct stall {
	uint64_t until; /* with its cause */
	bool window;    /* a buffer is full */
};

static void wait_for(struct stall *stall, uint64_t time, bool window)
{
	if (time > stall->until) {
		stall->until = time;
		stall->window = window;
	}
}

/* The number of instructions, loads or stores up to the end of a segment. */
static bool is_through(const struct cycles *c, const struct buffer *b,
		       uint64_t upto, uint64_t now)
{
	return b->oldest != c->head && upto + b->size <= now;
}

static const struct flight *next_of(const struct cycles *c, struct buffer *b)
{
	const struct flight *f = &c->ring[b->oldest];

	b->oldest = (b->oldest + 1) & c->ring_mask;
	return f;
}

/* A buffer of N has room for one more when all segments that end N before are
 * through with it. */
static void free_window(struct cycles *c)
{
	while (is_through(c, &c->rob, c->ring[c->rob.oldest].insns, c->insns))
		c->rob.room = next_of(c, &c->rob)->retire;
	while (is_through(c, &c->rs, c->ring[c->rs.oldest].insns, c->insns))
		c->rs.room =
			time_later(c->rs.room, next_of(c, &c->rs)->started);
}

static void free_queues(struct cycles *c, const struct timing *timing)
{
	while (timing->loads &&
	       is_through(c, &c->lq, c->ring[c->lq.oldest].loads, c->loads))
		c->lq.room = next_of(c, &c->lq)->retire;
	while (timing->stores &&
	       is_through(c, &c->sq, c->ring[c->sq.oldest].stores, c->stores))
		c->sq.room = next_of(c, &c->sq)->drained;
}

/* Time and reason of the earliest issue. */
static struct stall find_room(struct cycles *c, const struct timing *timing)
{
	struct stall stall = { c->front, false };

	free_window(c);
	wait_for(&stall, c->rob.room, true);
	wait_for(&stall, c->rs.room, true);
	if (!(timing->loads | timing->stores))
		return stall;
	free_queues(c, timing);
	if (timing->loads)
		wait_for(&stall, c->lq.room, true);
	if (timing->stores)
		wait_for(&stall, c->sq.room, true);
	return stall;
}

static void count_stall(struct core *core, const struct stall *stall,
			uint64_t cycles)
{
	static const uint16_t signal[] = {
		[CAUSE_NONE] = SIG_NOWHERE,      [CAUSE_FP] = SIG_STALL_FP,
		[CAUSE_STORE] = SIG_STALL_STORE, [CAUSE_FETCH] = SIG_STALL_FE,
		[CAUSE_BRANCH] = SIG_STALL_BR,   [CAUSE_L1] = SIG_STALL_L1,
		[CAUSE_L2] = SIG_STALL_L2,       [CAUSE_L3] = SIG_STALL_L3,
		[CAUSE_DRAM] = SIG_STALL_DRAM,
	};
	uint32_t cause = (uint32_t)(stall->until & CAUSE_MASK);

	core->signals[SIG_STALL_ISSUE] += cycles;
	core->signals[signal[cause]] += cycles;
	if (cause >= CAUSE_L1)
		core->signals[SIG_STALL_MEM] += cycles;
	if (stall->window)
		core->signals[SIG_STALL_ROB] += cycles;
}

/* Move the point of issue to where the segment may begin. */
static void start_issue(struct core *core, const struct timing *timing)
{
	struct cycles *c = core->cycles;
	struct stall stall = find_room(c, timing);
	uint64_t cycle;

	if (without_cause(stall.until) <= c->issue)
		return;
	cycle = cycle_of(stall.until);
	/* The cycle of the last issue, and this one, do issue something. */
	if (cycle > c->issue_cycle + 1)
		count_stall(core, &stall, cycle - c->issue_cycle - 1);
	c->issue = without_cause(stall.until);
	c->issue_cycle = cycle;
	c->run = cycle_of(c->issue + CYCLE_TIME - 1);
}

static void end_issue(struct core *core, const struct timing *timing)
{
	struct cycles *c = core->cycles;
	uint64_t before = c->issue_cycle;

	c->issue += timing->issue_time;
	c->issue_cycle = cycle_of(c->issue);
	if (before < c->run)
		before = c->run;
	if (c->issue_cycle > before)
		core->signals[SIG_FULL_ISSUE] += c->issue_cycle - before;
	core->signals[SIG_ISSUED] += timing->count;
}

/* ---- segments ---- */

static void start_segment(struct cycles *c)
{
	if (!c->fetch_delay)
		return;
	c->front = time_later(without_cause(c->front), c->issue) +
		   c->fetch_delay * CYCLE_TIME + CAUSE_FETCH;
	c->fetch_delay = 0;
}

static void end_segment(struct core *core, uint64_t branch_done)
{
	struct cycles *c = core->cycles;

	if (core->mispredicted)
		c->front = without_cause(branch_done) +
			   c->params->mispredict_penalty * CYCLE_TIME +
			   CAUSE_BRANCH;
	else if (c->btb_missed)
		c->front = c->issue + c->params->btb_penalty * CYCLE_TIME +
			   CAUSE_FETCH;
	core->mispredicted = false;
	c->btb_missed = false;
	c->notes = 0;
}

/* All units take on the segment's work; the last to finish tells. */
static uint64_t give_work(struct cycles *c, const struct timing *timing,
			  uint64_t from)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < timing->works; i++) {
		const struct work *work = &timing->work[i];
		uint64_t *unit = &c->unit[work->unit];

		*unit = time_later(*unit, from) + work->time;
		last = time_later(last, *unit);
	}
	return last;
}

static void count_idle(uint64_t *idle, uint64_t cycles, uint64_t busy)
{
	if (busy < cycles)
		*idle += cycles - busy;
}

static void count_cycles(struct core *core, const struct timing *timing,
			 uint64_t cycles)
{
	uint64_t *signals = core->signals;

	signals[SIG_CYCLES] += cycles;
	signals[SIG_SLOTS] += cycles * core->cycles->params->issue_width;
	if (cycles > timing->count)
		signals[SIG_STALL_RETIRE] += cycles - timing->count;
	else
		signals[SIG_FULL_RETIRE] += timing->full_retire < cycles
						    ? timing->full_retire
						    : cycles;
	count_idle(&signals[SIG_IDLE_BR], cycles, timing->group[GROUP_BRANCH]);
	count_idle(&signals[SIG_IDLE_INT], cycles, timing->group[GROUP_INT]);
	count_idle(&signals[SIG_IDLE_FP], cycles, timing->group[GROUP_FP]);
	count_idle(&signals[SIG_IDLE_LS], cycles, timing->group[GROUP_LS]);
}

static void retire(struct core *core, const struct timing *timing,
		   const struct outcome *out)
{
	struct cycles *c = core->cycles;
	uint64_t work = give_work(c, timing, c->issue);
	uint64_t before = c->retire_cycle;

	c->retire = time_later(without_cause(c->retire) + timing->retire_time,
			       time_later(out->done, work));
	c->retire_cycle = cycle_of(c->retire);
	if (timing->stores)
		c->drained = time_later(
			c->drained + timing->stores * CYCLE_TIME, c->retire);
	c->insns += timing->count;
	c->loads += timing->loads;
	c->stores += timing->stores;
	c->ring[c->head] = (struct flight){
		c->insns,     c->loads,
		c->stores,    c->retire,
		out->started, without_cause(c->drained) | CAUSE_STORE,
	};
	c->head = (c->head + 1) & c->ring_mask;
	if (c->retire_cycle != before)
		count_cycles(core, timing, c->retire_cycle - before);
}

void model_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs)
{
	struct cycles *c = core->cycles;
	struct outcome out = { 0 };

	if (!segment->timing)
		((struct segment *)segment)->timing = timing_new(core, segment);
	if (!segment->timing || !segment->count)
		return; /* no memory: the segment takes no time */
	start_segment(c);
	start_issue(core, segment->timing);
	if (core->mispredicted)
		execute_one_by_one(c, segment, addrs, &out);
	else
		execute_segment(c, segment, addrs, &out);
	retire(core, segment->timing, &out);
	end_issue(core, segment->timing);
	end_segment(core, out.last);
}

void model_forget(struct model *model, struct segment *segment)
{
	memory_put(&model->memory, segment->timing);
	segment->timing = NULL;
}

/* From the next whole cycle on: what follows then takes the same time always.
 */
static uint64_t next_cycle(uint64_t time)
{
	uint64_t cycles = (without_cause(time) + CYCLE_TIME - 1) / CYCLE_TIME;

	return cycles * CYCLE_TIME + (time & CAUSE_MASK);
}

void cycle_drain(struct core *core)
{
	struct cycles *c = core->cycles;

	for (uint32_t i = 0; i < REG_COUNT; i++)
		c->ready[i] = 0;
	c->front = next_cycle(time_later(c->front, c->retire));
	c->notes = 0;
}

void model_drain(struct core *core)
{
	if (core->cycles)
		cycle_drain(core);
}

/* ---- life ---- */

bool cycle_init(struct core *core)
{
	struct memory *memory = &core->model->memory;
	const struct params *p = &core->model->params;
	struct cycles *c = memory_get(memory, sizeof(*c));
	uint32_t ring = 1;

	core->cycles = c;
	if (!c)
		return false;
	while (ring < p->rob + 2)
		ring *= 2;
	c->ring_mask = ring - 1;
	c->ring = memory_get(memory, ring * sizeof(*c->ring));
	c->params = p;
	c->slot = timing_slot(p);
	c->rob.size = p->rob;
	c->rs.size = p->rs;
	c->lq.size = p->lq;
	c->sq.size = p->sq;
	c->latency[LEVEL_L1] = p->l1d.latency * CYCLE_TIME;
	c->latency[LEVEL_L2] = p->l2.latency * CYCLE_TIME;
	c->latency[LEVEL_L3] = p->l3.latency * CYCLE_TIME;
	c->latency[LEVEL_DRAM] = p->dram_latency * CYCLE_TIME;
	c->latency[LEVEL_CORE] =
		(p->l3.latency + p->snoop_latency) * CYCLE_TIME;
	return c->ring != NULL;
}
