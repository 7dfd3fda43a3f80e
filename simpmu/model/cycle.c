/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles: a scoreboard that sees each instruction once, in program order.
 *
 * An instruction issues in order, as many a cycle as the machine is wide, once
 * there is room in the reorder buffer, the scheduler and the queues. It starts
 * when its sources are ready and its unit has a free port, and retires in
 * order. All is computed when the instruction is seen, from times alone.
 *
 * Modelling decisions and known lies:
 *  - One instruction takes one slot. A memory operand is part of it and waits
 *    only for its address. No fusion, no elimination of moves.
 *  - Ports are pools by unit, not numbered. Each pool has a calendar of the
 *    near future; what lies further apart than the calendar is long does not
 *    compete. Units that are not pipelined serve in program order.
 *  - The scheduler frees its entries in program order.
 *  - Loads know nothing of older stores but the one to the same 8 bytes. A
 *    store gives up its queue entry in order, when its line has arrived.
 *  - Misses overlap without limit but the size of the buffers.
 *  - After a misprediction issue goes on a fixed time after the branch was
 *    executed. The wrong path takes slots but delays nothing more.
 *  - Front end: full width unless a line of code is missing, a target was
 *    unknown or a branch mispredicted. No decoders, no micro-operation cache.
 *
 * Times are kept as cycle * 16 + cause, so that the larger of two times brings
 * along what it waited for.
 */

#include "simpmu/model/cycle.h"

#define TIME_SHIFT      4
#define CAUSE_MASK      ((1u << TIME_SHIFT) - 1)
#define CALENDAR_SIZE   256u
#define FORWARD_ENTRIES 64u
#define NOTES           32u

/* What a time waited for. */
enum cause {
	CAUSE_NONE,
	CAUSE_FP,
	CAUSE_STORE,
	CAUSE_FETCH,
	CAUSE_BRANCH,
	CAUSE_L1,
	CAUSE_L2,
	CAUSE_L3,
	CAUSE_DRAM
};

enum group {
	GROUP_BRANCH,
	GROUP_INT,
	GROUP_FP,
	GROUP_LS,
	GROUP_COUNT
};

struct note {
	uint64_t pc;
	uint32_t level;
	uint32_t delay;
};

/* Times of the last so many instructions. */
struct ring {
	uint64_t *time;
	uint32_t size;
	uint32_t at;
};

struct forward {
	uint64_t where; /* address / 8 + 1 */
	uint64_t ready;
};

struct cycles {
	const struct params *params;
	uint64_t ready[REG_COUNT];
	uint64_t front;   /* nothing issues before */
	uint64_t issue;   /* cycle of the last issue, no cause */
	uint32_t issued;  /* in that cycle */
	uint32_t retired; /* in the last cycle of retirement */
	uint64_t retire;  /* that cycle */
	uint64_t counted; /* cycles already added to the signals */
	uint64_t drained; /* time at which the last store left its queue */
	struct ring rob, rs, lq, sq;
	uint64_t unit_free[UNIT_COUNT];
	uint32_t calendar[UNIT_COUNT][CALENDAR_SIZE];
	uint32_t seen[GROUP_COUNT][CALENDAR_SIZE];
	uint64_t busy[GROUP_COUNT];
	uint64_t latency[LEVEL_CORE + 1]; /* of loads, by level */
	struct forward forward[FORWARD_ENTRIES];
	struct note note[NOTES];
	uint32_t notes;
	uint32_t fetch_delay;
	bool btb_missed;
};

static const uint8_t group_of_unit[UNIT_COUNT] = {
	[UNIT_NONE] = GROUP_COUNT, [UNIT_INT] = GROUP_INT,
	[UNIT_MUL] = GROUP_INT,    [UNIT_DIV] = GROUP_FP,
	[UNIT_FP] = GROUP_FP,      [UNIT_BRANCH] = GROUP_BRANCH,
	[UNIT_LOAD] = GROUP_LS,    [UNIT_STORE] = GROUP_LS,
};

static const uint8_t cause_of_level[] = { CAUSE_L1, CAUSE_L2, CAUSE_L3,
					  CAUSE_DRAM, CAUSE_L3 };

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t plus(uint64_t time, uint64_t cycles)
{
	return time + (cycles << TIME_SHIFT);
}

static bool is_fp(uint32_t class)
{
	return class >= INSN_FADD && class <= INSN_X87;
}

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
		delay += (uint32_t)c->latency[level];
	c->fetch_delay += delay;
}

void cycle_note_btb_miss(struct core *core)
{
	core->cycles->btb_missed = true;
}

/* ---- resources ---- */

static uint64_t ring_oldest(const struct ring *ring)
{
	return ring->time[ring->at];
}

static void ring_put(struct ring *ring, uint64_t time)
{
	ring->time[ring->at] = time;
	if (++ring->at == ring->size)
		ring->at = 0;
}

static void mark_busy(struct cycles *c, uint32_t unit, uint64_t cycle)
{
	uint32_t group = group_of_unit[unit];
	uint32_t *seen;

	if (group == GROUP_COUNT)
		return;
	seen = &c->seen[group][cycle % CALENDAR_SIZE];
	if (*seen == (uint32_t)cycle)
		return;
	*seen = (uint32_t)cycle;
	c->busy[group]++;
}

/* The first cycle from @time on in which @unit has a free port; taken. */
static uint64_t take_port(struct cycles *c, uint32_t unit, uint64_t time)
{
	uint64_t cycle = time >> TIME_SHIFT;
	uint32_t ports = c->params->ports[unit];

	if (unit == UNIT_NONE)
		return time;
	for (;; cycle++) {
		uint32_t *slot = &c->calendar[unit][cycle % CALENDAR_SIZE];
		uint32_t fresh = (uint32_t)cycle << 4;

		if ((*slot ^ fresh) >> 4)
			*slot = fresh;
		if ((*slot & 15) < ports) {
			++*slot;
			break;
		}
	}
	mark_busy(c, unit, cycle);
	return cycle << TIME_SHIFT | (time & CAUSE_MASK);
}

/* The same for a unit that is busy for more than a cycle. */
static uint64_t take_unit(struct cycles *c, const struct unit_params *p,
			  uint64_t time)
{
	if (p->interval <= 1)
		return take_port(c, p->unit, time);
	time = later(time, c->unit_free[p->unit]);
	c->unit_free[p->unit] = plus(time & ~(uint64_t)CAUSE_MASK, p->interval);
	mark_busy(c, p->unit, time >> TIME_SHIFT);
	return time;
}

/* ---- memory operands ---- */

static struct forward *forward_of(struct cycles *c, uint64_t address)
{
	return &c->forward[(address >> 3) % FORWARD_ENTRIES];
}

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

static uint64_t load(struct cycles *c, const struct operand *operand,
		     uint64_t time, const uint64_t *address)
{
	uint64_t done =
		plus(take_port(c, UNIT_LOAD, time) & ~(uint64_t)CAUSE_MASK,
		     c->latency[operand->level] + operand->delay) |
		cause_of_level[operand->level];

	if (address) {
		const struct forward *forward = forward_of(c, *address);

		if (forward->where == (*address >> 3) + 1)
			done = later(done, plus(forward->ready,
						c->params->forward_latency));
	}
	return done;
}

static void store(struct cycles *c, uint64_t data, const uint64_t *address)
{
	if (address)
		*forward_of(c, *address) =
			(struct forward){ (*address >> 3) + 1, data };
}

/* ---- issue ---- */

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

/* Time and reason of the earliest issue, as far as buffers allow. */
static struct stall find_room(struct cycles *c, const struct insn *insn)
{
	struct stall stall = { c->front, false };

	wait_for(&stall, ring_oldest(&c->rob), true);
	wait_for(&stall, ring_oldest(&c->rs), true);
	if (insn->loads)
		wait_for(&stall, ring_oldest(&c->lq), true);
	if (insn->stores)
		wait_for(&stall, ring_oldest(&c->sq), true);
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

/* The cycle in which the instruction issues. */
static uint64_t issue(struct core *core, const struct insn *insn)
{
	struct cycles *c = core->cycles;
	struct stall stall = find_room(c, insn);
	uint64_t cycle = c->issue + (c->issued == c->params->issue_width);
	uint64_t wanted = stall.until >> TIME_SHIFT;

	if (wanted > cycle) {
		uint64_t last = c->issue;

		cycle = wanted;
		if (cycle > last + 1)
			count_stall(core, &stall, cycle - last - 1);
	}
	if (cycle != c->issue) {
		c->issue = cycle;
		c->issued = 0;
	}
	if (++c->issued == c->params->issue_width)
		core->signals[SIG_FULL_ISSUE]++;
	return cycle;
}

static void retire(struct core *core, uint64_t done)
{
	struct cycles *c = core->cycles;
	uint64_t cycle = c->retire + (c->retired == c->params->retire_width);
	uint64_t wanted = done >> TIME_SHIFT;

	if (wanted > cycle)
		cycle = wanted;
	if (cycle != c->retire) {
		core->signals[SIG_STALL_RETIRE] += cycle - c->retire - 1;
		c->retire = cycle;
		c->retired = 0;
	}
	if (++c->retired == c->params->retire_width)
		core->signals[SIG_FULL_RETIRE]++;
	ring_put(&c->rob, cycle << TIME_SHIFT | (done & CAUSE_MASK));
}

/* ---- one instruction ---- */

static uint64_t execute(struct cycles *c, const struct insn *insn,
			uint64_t time)
{
	const struct unit_params *p = &c->params->insn[insn->class];
	uint64_t start = time;

	for (int i = 0; i < 3; i++)
		start = later(start, c->ready[insn->src[i]]);
	if (insn->class == INSN_SERIAL)
		start = later(start, c->retire << TIME_SHIFT);
	start = take_unit(c, p, start);
	if (is_fp(insn->class))
		start = (start & ~(uint64_t)CAUSE_MASK) | CAUSE_FP;
	ring_put(&c->rs, start);
	return plus(start, p->latency);
}

static void put_in_queues(struct cycles *c, const struct insn *insn,
			  const struct operand *operand, uint64_t address_time)
{
	uint64_t retired = c->retire << TIME_SHIFT;

	if (insn->loads)
		ring_put(&c->lq, retired | cause_of_level[operand->level]);
	if (insn->stores) {
		uint64_t arrived = plus(address_time,
					operand->level == LEVEL_L1
						? 0
						: c->latency[operand->level]);

		c->drained =
			later(plus(c->drained, 1), later(arrived, retired)) &
			~(uint64_t)CAUSE_MASK;
		ring_put(&c->sq, c->drained | CAUSE_STORE);
	}
}

/* Returns the time at which the instruction is done. */
static uint64_t run_insn(struct core *core, const struct insn *insn,
			 const struct operand *operand, const uint64_t *addrs)
{
	struct cycles *c = core->cycles;
	uint64_t time = issue(core, insn) << TIME_SHIFT;
	uint64_t address_time = time, loaded = time, done;

	if (insn->loads | insn->stores)
		address_time = later(time, later(c->ready[insn->addr[0]],
						 c->ready[insn->addr[1]]));
	for (uint32_t i = 0; i < insn->loads; i++)
		loaded = later(loaded, load(c, operand, address_time,
					    addrs ? addrs + i : NULL));
	if (insn->loads && insn->class == INSN_MOVE) {
		done = loaded;
		ring_put(&c->rs, address_time);
	} else {
		done = execute(c, insn, loaded);
	}
	for (uint32_t i = 0; i < insn->stores; i++) {
		take_port(c, UNIT_STORE, address_time);
		store(c, done, addrs ? addrs + insn->loads + i : NULL);
	}
	c->ready[insn->dst[0]] = done;
	c->ready[insn->dst[1]] = done;
	c->ready[REG_NONE] = 0;
	retire(core, done);
	if (insn->loads | insn->stores)
		put_in_queues(c, insn, operand, address_time);
	return done;
}

/* ---- segments ---- */

static void start_segment(struct cycles *c)
{
	if (!c->fetch_delay)
		return;
	c->front = plus(later(c->front, c->issue << TIME_SHIFT) &
				~(uint64_t)CAUSE_MASK,
			c->fetch_delay) |
		   CAUSE_FETCH;
	c->fetch_delay = 0;
}

static void end_segment(struct core *core, uint64_t branch_done)
{
	struct cycles *c = core->cycles;
	const uint64_t mask = ~(uint64_t)CAUSE_MASK;

	if (core->mispredicted)
		c->front = plus(branch_done & mask,
				c->params->mispredict_penalty) |
			   CAUSE_BRANCH;
	else if (c->btb_missed)
		c->front =
			plus(c->issue << TIME_SHIFT, c->params->btb_penalty) |
			CAUSE_FETCH;
	core->mispredicted = false;
	c->btb_missed = false;
	c->notes = 0;
}

static void raise_to(uint64_t *signal, uint64_t value)
{
	if (*signal < value)
		*signal = value;
}

/* Signals that follow from the number of cycles. Idle cycles may only grow,
 * though a unit may turn out to have been busy in a cycle gone by. */
static void count_cycles(struct core *core)
{
	struct cycles *c = core->cycles;
	uint64_t *signals = core->signals;
	uint64_t cycles = c->retire - c->counted;

	signals[SIG_CYCLES] += cycles;
	signals[SIG_SLOTS] += cycles * c->params->issue_width;
	c->counted = c->retire;
	raise_to(&signals[SIG_IDLE_BR], c->retire - c->busy[GROUP_BRANCH]);
	raise_to(&signals[SIG_IDLE_INT], c->retire - c->busy[GROUP_INT]);
	raise_to(&signals[SIG_IDLE_FP], c->retire - c->busy[GROUP_FP]);
	raise_to(&signals[SIG_IDLE_LS], c->retire - c->busy[GROUP_LS]);
}

void model_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs)
{
	struct cycles *c = core->cycles;
	uint64_t pc = segment->pc;
	uint64_t done = 0;
	uint32_t next = 0;

	start_segment(c);
	for (uint32_t i = 0; i < segment->count; i++) {
		const struct insn *insn = &segment->insn[i];
		struct operand operand = { LEVEL_L1, 0 };

		if (next < c->notes)
			operand = take_notes(c, pc, &next);
		done = run_insn(core, insn, &operand, addrs);
		if (addrs)
			addrs += insn->loads + insn->stores;
		pc += insn->length;
	}
	core->signals[SIG_ISSUED] += segment->count;
	end_segment(core, done);
	count_cycles(core);
}

void cycle_drain(struct core *core)
{
	struct cycles *c = core->cycles;

	for (uint32_t i = 0; i < REG_COUNT; i++)
		c->ready[i] = 0;
	c->front = later(c->front, c->retire << TIME_SHIFT);
	c->notes = 0;
}

void model_drain(struct core *core)
{
	cycle_drain(core);
}

/* ---- life ---- */

static bool ring_init(struct ring *ring, struct memory *memory, uint32_t size)
{
	ring->size = size;
	ring->time = memory_get(memory, size * sizeof(*ring->time));
	return ring->time != NULL;
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
	c->latency[LEVEL_L1] = p->l1d.latency;
	c->latency[LEVEL_L2] = p->l2.latency;
	c->latency[LEVEL_L3] = p->l3.latency;
	c->latency[LEVEL_DRAM] = p->dram_latency;
	c->latency[LEVEL_CORE] = p->l3.latency + p->snoop_latency;
	return ring_init(&c->rob, memory, p->rob) &&
	       ring_init(&c->rs, memory, p->rs) &&
	       ring_init(&c->lq, memory, p->lq) &&
	       ring_init(&c->sq, memory, p->sq);
}
