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
 *    only for its address. If the model says so, arithmetic and the branch on
 *    its flags share a slot, and the end of the stack is known at once; moves
 *    between registers are free if they have no unit and no latency.
 *  - Units limit throughput, not single instructions: a unit is a pool of
 *    ports that works off what it is given in program order.
 *  - Buffers fill and empty by segments: the first instruction of a segment
 *    waits for room, the others follow. The scheduler is rid of a segment when
 *    its last instruction starts.
 *  - Flags are not waited for from one segment to the next, unless they are
 *    pieces of one.
 *  - Loads know nothing of older stores but the one to the same 8 bytes. A
 *    store gives up its queue entry in order, when its line has arrived. If the
 *    model renames stores, a load by the same base register has the value as
 *    soon as the store, unless it is a vector; whether the register was changed
 *    and changed back in between is not looked at, as real cores that predict
 *    which store a load waits for need not look, either. A line that another
 *    core has taken is asked for after the older stores to it.
 *  - Misses overlap without limit but the size of the buffers, unless the
 *    model has limits: lines that are waited for at a time, and the time from
 *    one line to the next (moves.h). Each core has the memory for itself.
 *  - After a misprediction issue goes on a fixed time after the branch was
 *    executed. The wrong path issues behind the branch, at full width, until
 *    then at the latest; it delays nothing more.
 *  - Front end: full width unless a line of code is missing (waited for from
 *    issue on, unless the model waits for several at a time), a target was
 *    unknown, a branch mispredicted or, if the model limits them, taken
 *    branches or blocks of code follow each other too fast. No decoders, no
 *    micro-operation cache.
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
		       uint32_t delay, struct lines lines)
{
	struct cycles *c = core->cycles;
	struct note *last = c->notes ? &c->note[c->notes - 1] : NULL;

	/* Many accesses of one instruction are one wait; so is what does not
	 * fit into the list. */
	if (last && (last->pc == pc || c->notes == NOTES)) {
		if (level > last->level)
			last->level = level;
		last->delay += delay;
		last->lines = lines_add(last->lines, lines);
		return;
	}
	c->note[c->notes++] = (struct note){ pc, level, delay, lines };
}

void cycle_note_past(struct core *core, struct lines lines)
{
	core->cycles->past = lines_add(core->cycles->past, lines);
}

void cycle_note_fetch(struct core *core, enum level level, uint32_t delay)
{
	struct cycles *c = core->cycles;

	if (level != LEVEL_L1)
		delay += (uint32_t)cycle_of(c->latency[level]);
	c->fetch_delay += delay;
}

/* ---- room ---- */

struct stall {
	uint64_t until; /* with its cause */
	bool window;    /* a buffer is full */
};

/* The last segment that is through if @size more places are in use than @now.
 */
static inline uint64_t through(const struct buffer *b, uint32_t size,
			       uint64_t now)
{
	return b->ended[(now - size) & b->mask];
}

/* The next @count places are of the segment behind @last. */
static inline void take_places(struct buffer *b, uint64_t now, uint32_t count,
			       uint64_t last, uint32_t at_once)
{
	uint64_t *ended = &b->ended[now & b->mask];

	/* more than needed may be written: that is written again */
	for (uint32_t i = 0; i < at_once; i++)
		ended[i] = last;
	if (count <= at_once && (now & b->mask) + at_once <= b->mask)
		return;
	for (uint32_t i = 0; i < count; i++)
		b->ended[(now + i) & b->mask] = last;
}

/*
 * Known lie: the ring has as many segments as the reorder buffer can hold. A
 * queue that was not used for longer has lost its place in it, and what is
 * there now passes for what it waits for.
 */
static inline uint64_t room_in_queue(struct cycles *c, struct buffer *b,
				     uint64_t now, bool store)
{
	uint64_t last = through(b, b->size, now);
	const struct flight *f = &c->ring[last & c->ring_mask];

	b->oldest += (c->number - b->oldest) & ~c->ring_mask;
	if (last >= b->oldest) {
		b->oldest = last + 1;
		b->capacity = store ? f->drained : f->retire;
	}
	return b->capacity;
}

/* Time and reason of the earliest issue. */
static inline struct stall find_room(struct cycles *c,
				     const struct timing *timing)
{
	uint64_t rob = through(&c->insn, c->insn.size, c->insns);
	uint64_t rs = through(&c->insn, c->rs, c->insns);
	uint64_t last = c->number - 1;
	uint64_t capacity = time_later(c->ring[rob & c->ring_mask].retire,
				       c->ring[rs & c->ring_mask].started);

	take_places(&c->insn, c->insns, timing->count, last, PLACES_AT_ONCE);
	if (timing->loads) {
		capacity = time_later(
			capacity, room_in_queue(c, &c->lq, c->loads, false));
		take_places(&c->lq, c->loads, timing->loads, last,
			    PLACES_AT_ONCE / 2);
	}
	if (timing->stores) {
		capacity = time_later(
			capacity, room_in_queue(c, &c->sq, c->stores, true));
		take_places(&c->sq, c->stores, timing->stores, last,
			    PLACES_AT_ONCE / 2);
	}
	return (struct stall){ time_later(c->front, capacity),
			       capacity > c->front };
}

static void count_stall(uint64_t *tallies, const struct stall *stall,
			uint64_t cycles)
{
	static const uint16_t tally[] = {
		[CAUSE_NONE] = TALLY_NOWHERE,
		[CAUSE_FP] = TALLY_STALL_FP,
		[CAUSE_STORE] = TALLY_STALL_STORE,
		[CAUSE_FETCH] = TALLY_STALL_FE,
		[CAUSE_BRANCH] = TALLY_STALL_BR,
		[CAUSE_L1] = TALLY_STALL_L1,
		[CAUSE_L2] = TALLY_STALL_L2,
		[CAUSE_L3] = TALLY_STALL_L3,
		[CAUSE_DRAM] = TALLY_STALL_DRAM,
	};
	uint32_t cause = (uint32_t)(stall->until & CAUSE_MASK);

	tallies[TALLY_STALL_ISSUE] += cycles;
	tallies[tally[cause]] += cycles;
	if (cause >= CAUSE_L1)
		tallies[TALLY_STALL_MEM] += cycles;
	if (stall->window)
		tallies[TALLY_STALL_ROB] += cycles;
}

/* Move the point of issue to where the segment may begin. */
static inline void start_issue(struct cycles *restrict c,
			       const struct timing *restrict timing,
			       uint64_t *restrict tallies)
{
	struct stall stall = find_room(c, timing);
	uint64_t cycle;

	if (without_cause(stall.until) <= c->issue)
		return;
	cycle = cycle_of(stall.until);
	if (cycle > c->open) {
		count_stall(tallies, &stall, cycle - c->open);
		c->open = cycle;
	}
	c->issue = without_cause(stall.until);
	c->issue_cycle = cycle;
	c->run = cycle_of(c->issue + CYCLE_TIME - 1);
}

/* @count instructions issue, one in each slot of @time. */
static inline void take_slots(struct cycles *restrict c, uint64_t count,
			      uint64_t time, uint64_t *restrict tallies)
{
	/* nobody could predict these: no branches */
	uint64_t before = time_later(c->issue_cycle, c->run);
	uint64_t issue = c->issue + time, open = c->open, now, end;

	now = cycle_of(issue);
	end = time_later(cycle_of(issue - 1) + 1, open);
	c->issue = issue;
	c->issue_cycle = now;
	c->open = end;
	tallies[TALLY_ISSUE_CYCLES] += end - open;
	tallies[TALLY_FULL_ISSUE] += time_later(now, before) - before;
	tallies[TALLY_ISSUED] += count;
}

/* ---- segments ---- */

#define FETCH_AHEAD 8 /* cycles by which fetched code waits for issue */

/*
 * When code has arrived that took @delay to fetch, if several lines may be on
 * their way. What predicts branches runs ahead of issue, by as much as hides
 * what L2 takes; after a misprediction it begins anew. Lines behind each other
 * come one after the other.
 */
static uint64_t fetch_ahead(struct cycles *c, uint64_t delay)
{
	uint64_t each = delay / c->params->l1i_misses;
	uint64_t ahead = c->latency[LEVEL_L2];
	uint64_t asked = c->restart;

	if (c->issue > c->arrived + ahead)
		asked = time_later(asked, c->issue - ahead);
	c->code = time_later(c->code, asked) + each;
	c->arrived = c->code - each + delay;
	return c->arrived;
}

static inline void start_segment(struct cycles *c)
{
	uint64_t delay = c->fetch_delay * CYCLE_TIME, arrived;

	if (!delay)
		return;
	c->fetch_delay = 0;
	if (!c->params->l1i_misses) {
		c->front = time_later(without_cause(c->front), c->issue) +
			   delay + CAUSE_FETCH;
		return;
	}
	arrived = fetch_ahead(c, delay);
	if (arrived > without_cause(c->front))
		c->front = arrived + CAUSE_FETCH;
}

/* The wrong path issues behind the branch, as much of it as there is time for.
 */
static void issue_wrong_path(struct cycles *c, uint64_t count,
			     uint64_t *tallies)
{
	uint64_t until = without_cause(c->front);
	uint64_t slots = until > c->issue ? (until - c->issue) / c->slot : 0;

	if (count > slots)
		count = slots;
	if (count)
		take_slots(c, count, count * c->slot, tallies);
}

/* What was written past the caches leaves the store queue, behind the lines
 * that were fetched before it and that nobody waits for (prefetches). */
static void write_past(struct cycles *c)
{
	struct lines past = c->past, fetched = c->past;
	uint64_t time = c->issue;

	fetched.written = 0;
	c->past = (struct lines){ 0 };
	if (c->moves.is_limited)
		time = moves_ask(&c->moves, LEVEL_L1, fetched, c->issue, time);
	c->drained = time_later(
		c->drained, moves_write_past(&c->moves, past.written, time));
}

static inline void end_segment(struct cycles *restrict c, struct fate fate,
			       uint64_t branch_done, uint64_t *restrict tallies)
{
	if (fate.mispredicted) {
		c->front = without_cause(branch_done) +
			   c->params->mispredict_penalty * CYCLE_TIME +
			   CAUSE_BRANCH;
		c->restart = without_cause(c->front);
		issue_wrong_path(c, fate.wrong_path, tallies);
	} else if (fate.btb_missed) {
		c->front = c->issue + c->params->btb_penalty * CYCLE_TIME +
			   CAUSE_FETCH;
	}
	c->notes = 0;
}

static inline uint64_t work_off(struct cycles *restrict c,
				const struct work *restrict work, uint64_t from)
{
	uint64_t *unit = &c->unit[work->unit];

	return *unit = time_later(*unit, from) + work->time;
}

/* All units take on the segment's work; the last to finish tells. */
static inline uint64_t give_work(struct cycles *restrict c,
				 const struct timing *restrict timing,
				 uint64_t from)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < WORKS_AT_ONCE; i++)
		last = time_later(last, work_off(c, &timing->work[i], from));
	for (uint32_t i = WORKS_AT_ONCE; i < timing->works; i++)
		last = time_later(last, work_off(c, &timing->work[i], from));
	return last;
}

static inline uint64_t beyond(uint64_t cycles, uint64_t busy)
{
	return cycles > busy ? cycles - busy : 0;
}

static inline void count_cycles(const struct cycles *restrict c,
				const struct timing *restrict timing,
				uint64_t *restrict tallies, uint64_t cycles)
{
	const uint8_t *group = timing->group;
	uint64_t full =
		timing->full_retire < cycles ? timing->full_retire : cycles;

	tallies[TALLY_CYCLES] += cycles;
	tallies[TALLY_SLOTS] += cycles * c->issue_width;
	tallies[TALLY_STALL_RETIRE] += beyond(cycles, timing->count);
	tallies[TALLY_FULL_RETIRE] += cycles > timing->count ? 0 : full;
	tallies[TALLY_IDLE_BR] += beyond(cycles, group[GROUP_BRANCH]);
	tallies[TALLY_IDLE_INT] += beyond(cycles, group[GROUP_INT]);
	tallies[TALLY_IDLE_FP] += beyond(cycles, group[GROUP_FP]);
	tallies[TALLY_IDLE_LS] += beyond(cycles, group[GROUP_LS]);
}

static inline void retire(struct cycles *restrict c,
			  const struct timing *restrict timing,
			  uint64_t *restrict tallies,
			  const struct outcome *restrict out)
{
	uint64_t work = give_work(c, timing, c->issue);
	uint64_t before = c->retire_cycle;

	c->retire = time_later(without_cause(c->retire) + timing->retire_time,
			       time_later(out->done, work));
	c->retire_cycle = cycle_of(c->retire);
	if (timing->stores)
		c->drained =
			time_later(c->drained + timing->commit_time, c->retire);
	c->started = time_later(c->started, out->started);
	c->insns += timing->count;
	c->loads += timing->loads;
	c->stores += timing->stores;
	c->ring[c->number++ & c->ring_mask] = (struct flight){
		c->retire,
		c->started,
		without_cause(c->drained) | CAUSE_STORE,
	};
	count_cycles(c, timing, tallies, c->retire_cycle - before);
}

/* Whether the branch that ends at @end is among the last that were taken. */
static inline bool was_taken_lately(struct cycles *c, uint64_t end)
{
	struct taken *taken =
		&c->near[end * UINT64_C(0x9e3779b97f4a7c15) >> c->near_shift];
	bool lately = taken->end == end &&
		      c->branches - taken->number <= c->params->taken_near;

	*taken = (struct taken){ end, c->branches++ };
	return lately;
}

/* Whether the indirect branch that ends at @end now goes elsewhere: what
 * predicts its target takes longer than what only remembers it. */
static __attribute__((noinline)) bool
goes_elsewhere(struct cycles *c, uint64_t end, uint64_t target)
{
	struct turn *turn = &c->turn[(end ^ end >> 8) % TURNS];
	bool elsewhere = turn->end == end && turn->target != target;

	*turn = (struct turn){ end, target };
	return elsewhere;
}

/* From the taken branch that ends at @end to what it goes to. */
static inline uint64_t time_of_taken(struct cycles *c, uint64_t end,
				     uint64_t target)
{
	uint64_t time = c->called ? c->call_time : c->taken_time;

	if (c->turned && goes_elsewhere(c, end, target))
		time = time_later(time, c->indirect_time);
	if (c->near && !was_taken_lately(c, end))
		return time_later(time, c->far_time);
	return time;
}

/*
 * Where the last segment ended with a taken branch, code behind it is there a
 * while after code behind the one before; so is a block of code after the one
 * that comes before it in memory. Fetching runs ahead of issue, but not by more
 * than the queue between them holds.
 */
static inline void pass_code(struct cycles *restrict c,
			     const struct segment *segment,
			     const struct timing *restrict timing)
{
	uint64_t ahead = FETCH_AHEAD * CYCLE_TIME;
	uint64_t earliest = c->issue > ahead ? c->issue - ahead : 0;
	uint64_t end = segment->pc + timing->bytes;
	bool was_taken = segment->pc != c->next_pc;
	/* the last byte before the segment was fetched with its block */
	uint64_t from = segment->pc - !was_taken;
	uint64_t blocks =
		((end - 1) >> c->block_bits) - (from >> c->block_bits);
	uint64_t time = blocks * c->block_time;

	if (was_taken)
		time += time_of_taken(c, c->next_pc, segment->pc);
	c->next_pc = end;
	c->called = timing->calls;
	c->turned = timing->turns;
	if (!time)
		return;
	c->fetch = time_later(c->fetch + time, earliest);
	if (c->fetch > without_cause(c->front))
		c->front = c->fetch + CAUSE_FETCH;
}

/* Nothing here points to the same: the host need not look twice. */
static inline void run_segment(struct cycles *restrict c,
			       const struct segment *segment,
			       const struct timing *restrict timing,
			       uint64_t *restrict tallies,
			       const uint64_t *restrict addrs, struct fate fate)
{
	struct outcome out = { 0 };

	start_segment(c);
	if (c->taken_time)
		pass_code(c, segment, timing);
	start_issue(c, timing, tallies);
	if (fate.mispredicted || !execute_by_table(c, timing, addrs, &out))
		execute_one_by_one(c, segment, addrs, &out);
	if (c->past.written | c->past.l3)
		write_past(c);
	retire(c, timing, tallies, &out);
	take_slots(c, timing->count, timing->issue_time, tallies);
	end_segment(c, fate, out.last, tallies);
}

void cycle_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs, struct fate fate)
{
	if (segment->timing) /* no memory: the segment takes no time */
		run_segment(core->cycles, segment, segment->timing,
			    core->in_cycles, addrs, fate);
}

void model_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs)
{
	struct fate fate = { core->mispredicted, core->btb_missed,
			     core->wrong_path };

	if (!segment->count)
		return;
	cycle_prepare(core, (struct segment *)segment);
	core->mispredicted = core->btb_missed = false;
	cycle_retire(core, segment, addrs, fate);
}

void cycle_prepare(struct core *core, struct segment *segment)
{
	if (!segment->timing)
		segment->timing = timing_new(core, segment);
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

/*
 * Cycles are counted as instructions retire, stalls as others issue: what is
 * in flight has its cycles already. Count its stalls, too, so that none of them
 * are found among the cycles that follow.
 */
static void catch_up(struct cycles *c, uint64_t *tallies)
{
	struct stall stall = { c->front, false };

	if (c->retire_cycle <= c->open)
		return;
	count_stall(tallies, &stall, c->retire_cycle - c->open);
	c->open = c->retire_cycle;
}

void cycle_drain(struct core *core)
{
	struct cycles *c = core->cycles;

	for (uint32_t i = 0; i < REG_COUNT; i++)
		set_ready(c, i, 0);
	c->front = next_cycle(time_later(c->front, c->retire));
	c->notes = 0;
	catch_up(c, core->tallies);
}

void cycle_pass(struct core *core, uint64_t cycles)
{
	struct cycles *c = core->cycles;

	c->issue += cycles * CYCLE_TIME;
	c->issue_cycle += cycles;
	c->run += cycles;
	c->open += cycles;
	c->retire += cycles * CYCLE_TIME;
	c->retire_cycle += cycles;
	c->notes = 0;
}

void model_drain(struct core *core)
{
	if (core->cycles)
		cycle_drain(core);
}

/* ---- life ---- */

static bool buffer_init(struct buffer *b, struct memory *memory, uint32_t size)
{
	uint32_t places = 1;

	while (places < size + PLACES_AT_ONCE + 1)
		places *= 2;
	b->size = size;
	b->mask = places - 1;
	b->oldest = 1;
	b->ended = memory_get(memory,
			      (places + PLACES_AT_ONCE) * sizeof(*b->ended));
	return b->ended != NULL;
}

static bool get_rings(struct cycles *c, struct memory *memory,
		      const struct params *p)
{
	uint32_t ring = 1;

	while (ring < p->rob + 2)
		ring *= 2;
	c->ring_mask = ring - 1;
	c->ring = memory_get(memory, ring * sizeof(*c->ring));
	c->analysis = timing_prepare(memory);
	if (p->taken_near) {
		c->near_shift = 64 - NEAR_SPARE -
				(uint32_t)__builtin_ctz(p->taken_near);
		c->near = memory_get(memory, (p->taken_near << NEAR_SPARE) *
						     sizeof(*c->near));
	}
	return (c->near || !p->taken_near) && c->ring && c->analysis &&
	       buffer_init(&c->insn, memory, p->rob) &&
	       buffer_init(&c->lq, memory, p->lq) &&
	       buffer_init(&c->sq, memory, p->sq);
}

static uint64_t time_of_hundredths(uint32_t hundredths)
{
	return ((uint64_t)CYCLE_PARTS * hundredths / 100) << CAUSE_BITS;
}

bool cycle_init(struct core *core)
{
	struct memory *memory = &core->model->memory;
	const struct params *p = &core->model->params;
	struct cycles *c = memory_get(memory, sizeof(*c));

	core->cycles = c;
	if (!c)
		return false;
	c->params = p;
	c->slot = timing_slot(p);
	c->taken_time = time_of_hundredths(p->taken_time);
	c->call_time =
		time_of_hundredths(p->call_time ? p->call_time : p->taken_time);
	c->far_time = time_of_hundredths(p->taken_far_time);
	c->indirect_time = time_of_hundredths(p->indirect_time);
	c->page_time = time_of_hundredths(p->stlb_hit_time);
	c->store_line_time = time_of_hundredths(p->store_line_time);
	if (p->ports[UNIT_LOAD])
		c->port_time = CYCLE_TIME / p->ports[UNIT_LOAD];
	c->block_bits = 63;
	if (p->fetch_block)
		c->block_bits = (uint32_t)__builtin_ctz(p->fetch_block);
	c->block_time = time_of_hundredths(p->block_time);
	c->forward_time = p->forward_latency * CYCLE_TIME;
	if (p->forward_time)
		c->forward_time = time_of_hundredths(p->forward_time);
	c->forward_vec_time = c->forward_time;
	if (p->forward_vec_latency)
		c->forward_vec_time = p->forward_vec_latency * CYCLE_TIME;
	c->issue_width = p->issue_width;
	c->rs = p->rs;
	c->number = 1;
	c->latency[LEVEL_L1] = p->l1d.latency * CYCLE_TIME;
	c->latency[LEVEL_L2] = p->l2.latency * CYCLE_TIME;
	c->latency[LEVEL_L3] = p->l3.latency * CYCLE_TIME;
	c->latency[LEVEL_DRAM] = p->dram_latency * CYCLE_TIME;
	c->latency[LEVEL_CORE] =
		(p->l3.latency + p->snoop_latency) * CYCLE_TIME;
	moves_init(&c->moves, p);
	return get_rings(c, memory, p);
}
