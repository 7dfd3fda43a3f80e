/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts of paths, and the code that fills records; see script.h. */
#include "simpmu/fast/model/script.h"

#include "simpmu/fast/emit.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/model/operand.h"
#include "simpmu/fast/model/values.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/host.h"
#include "simpmu/x86/effect.h"

#define MAX_ITEMS    (64u << 20)
#define MAX_WAYS     (16u << 20)
#define MAX_SCRIPTS  (4u << 20)
#define MAX_SEGMENTS (16u << 20)
#define MAX_INSNS    (64u << 20)
#define SOME         8u /* paths between two looks for room */
#define PATH_ITEMS   1200u
#define PATH_WAYS    80u
#define AHEAD        24 /* instructions looked at for a register */
#define REX_W        0x48

struct log_exit *log_exits;
unsigned log_parts;
bool script_is_paused;

static struct {
	struct item *items;
	struct way *ways;
	struct script *scripts;
	struct log_segment *segments;
	struct insn *insns;
	uint32_t n_items, n_ways, n_scripts, n_exits, n_segments, n_insns;

	/* the path at hand */
	struct script *script;
	struct values values;
	uint64_t line; /* that was fetched last */
	uint32_t loads, stores, fetches, path_insns;
	struct log_segment *open; /* the segment that goes on; NULL: none */
	unsigned accesses;        /* of it */
	bool has_rep;
	unsigned held;
} state;

void script_init(void)
{
	if (log_exits)
		return;
	state.items = sys_memory(sizeof(struct item) * MAX_ITEMS);
	state.ways = sys_memory(sizeof(struct way) * MAX_WAYS);
	state.scripts = sys_memory(sizeof(struct script) * MAX_SCRIPTS);
	state.segments = sys_memory(sizeof(struct log_segment) * MAX_SEGMENTS);
	state.insns = sys_memory(sizeof(struct insn) * MAX_INSNS);
	log_exits = sys_memory(sizeof(struct log_exit) * MAX_EXITS);
	state.n_exits = 1;
}

bool script_has_room(void)
{
	return state.n_items + SOME * PATH_ITEMS <= MAX_ITEMS &&
	       state.n_ways + SOME * PATH_WAYS <= MAX_WAYS &&
	       state.n_segments + SOME * PATH_ITEMS <= MAX_SEGMENTS &&
	       state.n_insns + SOME * PATH_ITEMS <= MAX_INSNS &&
	       state.n_scripts + SOME < MAX_SCRIPTS &&
	       state.n_exits < MAX_EXITS - SOME * 300;
}

void script_flush(void)
{
	machine_forget_exits();
	state.n_items = state.n_ways = state.n_scripts = 0;
	state.n_segments = state.n_insns = 0;
	state.n_exits = 1;
}

void script_begin(uint32_t entry)
{
	state.script = &state.scripts[state.n_scripts++];
	*state.script =
		(struct script){ .items = state.items + state.n_items,
				 .ways = state.ways + state.n_ways,
				 .segments = state.segments + state.n_segments,
				 .first = entry,
				 .words = 1 };
	map_set_script(state.script);
	values_forget_all(&state.values);
	state.line = 1;
	state.loads = state.stores = state.fetches = state.path_insns = 0;
	state.open = NULL;
	state.has_rep = false;
	state.held = 0;
	map_set_held(0);
}

void script_finish(void)
{
	state.n_items += state.script->n_items;
	state.n_ways += state.script->n_ways;
	state.n_segments += state.script->n_segments;
}

/* ---- code ---- */

unsigned script_held(void)
{
	return state.held;
}

/* test byte gs:[T_LOG + ...], bit; jnz */
uint8_t *script_test_room(void)
{
	emit2(0x65, 0xf6);
	emit2(0x04, 0x25);
	emit4(T_LOG + LOG_BIT / 8);
	emit1(1u << LOG_BIT % 8);
	return emit_jump_if(5);
}

void script_release(unsigned held)
{
	if (held)
		emit_load(held, T_HELD);
}

static void set_held(unsigned reg)
{
	state.held = reg;
	map_set_held(reg);
}

void script_release_now(void)
{
	script_release(state.held);
	set_held(0);
}

/* A register of r8 to r15 that is not named for as long as can be seen. */
static unsigned choose(uint64_t pc, const struct x86 *insn)
{
	unsigned free = 0xff & ~operand_high_registers(pc, insn);

	pc += insn->length;
	for (int i = 0; i < AHEAD; i++) {
		const struct x86 *x = insn_at(pc);
		unsigned named;

		if (!x || x->branch)
			break;
		named = operand_high_registers(pc, x);
		if (!(free & ~named))
			break;
		free &= ~named;
		pc += x->length;
	}
	return 8 + 31u - (unsigned)__builtin_clz(free);
}

static void hold_insn(uint64_t pc, const struct x86 *insn)
{
	if (state.held)
		return;
	set_held(choose(pc, insn));
	emit_store(state.held, T_HELD);
	emit_load(state.held, T_LOG);
}

/* [reg + offset] as the operand of an instruction with @field in ModRM.reg. */
static void emit_record_operand(unsigned reg, unsigned field, uint32_t offset)
{
	bool near = offset < 128;

	emit1((near ? 0x40u : 0x80u) | (field & 7) << 3 | (reg & 7));
	if ((reg & 7) == 4)
		emit1(0x24);
	if (near)
		emit1(offset);
	else
		emit4(offset);
}

/* mov [record + word], reg */
static void emit_word(unsigned record, unsigned word, unsigned reg)
{
	emit2(REX_W | (reg >> 3) << 2 | record >> 3, 0x89);
	emit_record_operand(record, reg, 8 * word);
}

/* Number of the exit into the first word, all of it; the next record begins
 * behind. */
static void emit_end(unsigned record, uint32_t exit)
{
	emit2(REX_W | record >> 3, 0xc7);
	emit_record_operand(record, 0, 0);
	emit4(exit);
	emit_add(record, 8 * log_exits[exit].words);
	emit_store(record, T_LOG);
}

void script_commit(uint32_t exit, unsigned held)
{
	unsigned record = held;

	if (!record) {
		record = 15;
		emit_store(record, T_HELD);
		emit_load(record, T_LOG);
	}
	emit_end(record, exit);
	emit_load(record, T_HELD);
}

void script_commit_target(uint32_t exit)
{
	emit_load(RAX, T_LOG);
	if (log_exits[exit].last.word)
		emit_word(RAX, log_exits[exit].last.word, RCX);
	emit_end(RAX, exit);
}

/* ---- items ---- */

static uint16_t entry_now(void)
{
	return (uint16_t)(map_count() - state.script->first);
}

static struct item *add_item(uint64_t pc, enum item_kind kind)
{
	struct script *s = state.script;
	struct item *i = &s->items[s->n_items++];

	*i = (struct item){ .pc = pc,
			    .kind = (uint8_t)kind,
			    .entry = entry_now() };
	return i;
}

/* Let the filter be looked at for an item that has all else. */
static void make_quick(struct item *i)
{
	bool is_store = i->kind != ITEM_LINE && i->access == LOG_STORES;

	i->bound = (uint16_t)engine_params()->line_bytes;
	i->is_code = i->kind == ITEM_LINE;
	i->clean_bits = is_store ? 0 : FILTER_TOP >> FILTER_TOP_SHIFT;
}

static void add_line(uint64_t pc, uint64_t line)
{
	struct item *i;

	if (line != state.line) {
		i = add_item(pc, ITEM_LINE);
		i->offset = (int64_t)line;
		i->size = 1;
		make_quick(i);
	}
	state.line = line;
}

static void add_lines(uint64_t pc, const struct x86 *insn)
{
	uint64_t mask = ~(uint64_t)(engine_params()->line_bytes - 1);

	add_line(pc, pc & mask);
	add_line(pc, (pc + insn->length - 1) & mask);
}

static uint16_t new_word(void)
{
	return state.script->words++;
}

/* The word that has register @reg, less *@offset; logged if need be. */
static uint16_t word_of(uint64_t pc, const struct x86 *insn, unsigned reg,
			int64_t *offset)
{
	struct values *v = &state.values;

	if (!v->word[reg]) {
		hold_insn(pc, insn);
		values_note(v, reg, new_word());
		emit_word(state.held, v->word[reg], reg);
	}
	*offset = v->beyond[reg];
	return v->word[reg];
}

/* The short forms of common operands. */
static void simplify(struct item *i)
{
	unsigned plain = i->flags & (ITEM_HAS_BASE | ITEM_HAS_INDEX);
	unsigned store = i->access == LOG_STORES;

	if (i->access > LOG_STORES || i->size > 64 ||
	    i->flags & ~(ITEM_HAS_BASE | ITEM_HAS_INDEX | ITEM_FS))
		return;
	make_quick(i);
	if (i->flags & ITEM_FS)
		return;
	if (plain == ITEM_HAS_BASE)
		i->kind = (uint8_t)(ITEM_LOAD + store);
	else if (!plain)
		i->kind = (uint8_t)(ITEM_LOAD_AT + store);
	else if (plain == (ITEM_HAS_BASE | ITEM_HAS_INDEX))
		i->kind = (uint8_t)(ITEM_LOAD_BY + store);
}

static void count_access(unsigned access, unsigned size, unsigned times)
{
	unsigned pieces = (size + 63) / 64 * times;

	if (access == LOG_LOADS)
		state.loads += pieces;
	else if (access == LOG_STORES)
		state.stores += pieces;
}

static void add_operand(uint64_t pc, const struct x86 *insn,
			const struct operand *o)
{
	struct item *i = add_item(pc, ITEM_ANY);
	int64_t beyond = 0;

	i->access = o->access;
	i->size = o->size;
	i->shift = o->shift;
	i->flags = o->flags;
	i->offset = o->offset;
	if (o->base != OPERAND_NONE) {
		i->flags |= ITEM_HAS_BASE;
		i->base = word_of(pc, insn, o->base, &beyond);
		i->offset += beyond;
	}
	if (o->index != OPERAND_NONE) {
		i->flags |= ITEM_HAS_INDEX;
		/* what is more than added needs the value itself */
		if (state.values.beyond[o->index] &&
		    o->flags & (ITEM_BITS | ITEM_BYTE))
			state.values.word[o->index] = 0;
		i->index = word_of(pc, insn, o->index, &beyond);
		i->offset += beyond * (INT64_C(1) << (o->shift & 3));
	}
	simplify(i);
	count_access(o->access, o->size, 1);
}

/* A rep string's registers before it and behind it. */
static void add_rep(uint64_t pc, const struct x86 *insn)
{
	struct item *i = add_item(pc, ITEM_REP);

	state.has_rep = true;
	hold_insn(pc, insn);
	i->base = new_word();
	for (int n = 0; n < 3; n++)
		new_word();
	i->access = insn->opcode & 0xfe;
	i->size = insn->loads ? insn->load_size : insn->store_size;
	emit_word(state.held, i->base, RSI);
	emit_word(state.held, i->base + 1u, RDI);
}

/* vmovdqu [record + word], ymm or zmm @reg */
static void emit_vector(unsigned word, unsigned reg, const struct x86 *insn)
{
	unsigned high = !(reg & 8), base = !(state.held >> 3);

	if (insn->encoding == X86_EVEX) {
		emit1(0x62);
		emit1(high << 7 | 0x40u | base << 5 |
		      (unsigned)!(reg & 16) << 4 | 1);
		emit2(0xfe, 0x48);
	} else {
		emit1(0xc4);
		emit1(high << 7 | 0x40u | base << 5 | 1);
		emit1(0x7e); /* 256 bits, F3 */
	}
	emit1(0x7f);
	/* EVEX counts short displacements in vectors: use the long form */
	emit1(0x80u | (reg & 7) << 3 | (state.held & 7));
	if ((state.held & 7) == 4)
		emit1(0x24);
	emit4(8 * word);
}

/* Index register 16 to 31 of a gather. */
static unsigned index_extension(uint64_t pc, const struct x86 *insn)
{
	const uint8_t *code = (const uint8_t *)pc;

	return insn->encoding == X86_EVEX && !(code[insn->modrm_at - 2] & 8)
		       ? 16
		       : 0;
}

static void add_gather(uint64_t pc, const struct x86 *insn)
{
	unsigned words = insn->encoding == X86_EVEX ? 8 : 4;
	struct item *i = add_item(pc, ITEM_GATHER);
	struct operand o;
	int64_t beyond = 0;

	operand_address(pc, insn, &o);
	i->size = insn->load_size;
	i->shift = o.shift;
	i->flags = o.flags | (insn->opcode & 1 ? ITEM_WIDE : 0);
	i->access = insn->loads;
	i->offset = o.offset;
	if (o.base != OPERAND_NONE) {
		i->flags |= ITEM_HAS_BASE;
		i->base = word_of(pc, insn, o.base, &beyond);
		i->offset += beyond;
	}
	hold_insn(pc, insn);
	i->index = new_word();
	for (unsigned n = 1; n < words; n++)
		new_word();
	emit_vector(i->index, o.index + index_extension(pc, insn), insn);
	count_access(LOG_LOADS, insn->load_size, insn->loads);
}

static void add_operands(uint64_t pc, const struct x86 *insn)
{
	struct operand operands[OPERAND_MOST];
	unsigned n;

	if (insn->flags & X86_REP) {
		add_rep(pc, insn);
		return;
	}
	if (insn->flags & X86_GATHER) {
		add_gather(pc, insn);
		return;
	}
	n = operand_find(pc, insn, operands);
	for (unsigned i = 0; i < n; i++)
		add_operand(pc, insn, &operands[i]);
}

/* ---- segments ---- */

static void close_segment(void)
{
	if (!state.open)
		return;
	state.open->items_end = state.script->n_items;
	state.open = NULL;
}

static void open_segment(uint64_t pc, unsigned item)
{
	struct script *s = state.script;

	state.open = &s->segments[s->n_segments++];
	*state.open = (struct log_segment){
		.segment = { .pc = pc, .insn = &state.insns[state.n_insns] },
		.items = (uint16_t)item,
		.way = WAY_NONE,
	};
	state.accesses = 0;
}

/* How many accesses of each kind the instruction has, whose items are those
 * from @item on. */
static void count_operands(struct insn *i, unsigned item)
{
	const struct script *s = state.script;

	for (; item < s->n_items; item++) {
		if (!log_is_access(&s->items[item]))
			continue;
		if (s->items[item].kind == ITEM_GATHER ||
		    s->items[item].access == LOG_LOADS)
			i->loads++;
		else
			i->stores++;
	}
}

/* For the cycle model: the instruction retires, whose items are those from
 * @item on. */
static void add_insn(uint64_t pc, const struct x86 *insn, unsigned item)
{
	struct insn *i;
	bool is_rep = insn->flags & X86_REP && insn->loads + insn->stores;

	if (is_rep || (state.open &&
		       (state.open->segment.count >= SEGMENT_INSNS ||
			state.accesses + OPERAND_MOST > SEGMENT_ACCESSES))) {
		if (state.open)
			state.open->items_end = (uint16_t)item;
		state.open = NULL;
	}
	if (!state.open)
		open_segment(pc, item);
	i = &state.insns[state.n_insns++];
	*i = (struct insn){ .class = (uint8_t)x86_class(insn),
			    .length = insn->length };
	memcpy(i->addr, insn->addr, sizeof(i->addr));
	memcpy(i->src, insn->src, sizeof(i->src));
	memcpy(i->dst, insn->dst, sizeof(i->dst));
	state.open->segment.count++;
	state.open->drains = insn->kind == X86_SYSCALL;
	if (is_rep) {
		i->loads = insn->loads;
		i->stores = insn->stores;
		state.open->is_rep = true;
		close_segment();
		return;
	}
	count_operands(i, item);
	state.accesses += i->loads + i->stores;
}

bool script_can(uint64_t pc, const struct x86 *insn)
{
	return !(log_parts & PART_DATA) || operand_has_room(pc, insn);
}

void script_before(uint64_t pc, const struct x86 *insn)
{
	unsigned item;

	if (state.held &&
	    operand_high_registers(pc, insn) >> (state.held - 8) & 1)
		script_release_now();
	item = state.script->n_items;
	if (log_parts & PART_FETCH)
		add_lines(pc, insn);
	if (log_parts & PART_DATA)
		add_operands(pc, insn);
	state.path_insns++;
	if (log_parts & PART_CYCLE)
		add_insn(pc, insn, item);
}

static uint32_t lines_fetched(uint64_t pc, uint64_t next, bool leaves)
{
	return effect_lines(pc, next, engine_params()->line_bytes, leaves);
}

void script_behind(uint64_t pc, const struct x86 *insn)
{
	if (insn->flags & X86_REP && log_parts & PART_DATA) {
		const struct script *s = state.script;
		unsigned word = s->items[s->n_items - 1].base;

		emit_word(state.held, word + 2, RSI);
		emit_word(state.held, word + 3, RDI);
	}
	values_change(&state.values, pc, insn);
	if (!insn->branch || insn->branch == BRANCH_STOP)
		state.fetches += lines_fetched(pc, pc + insn->length,
					       insn->branch == BRANCH_STOP);
}

/* ---- branches and exits ---- */

static struct way way_of(uint64_t pc, const struct x86 *insn, bool taken,
			 uint64_t target)
{
	uint64_t next = pc + insn->length;
	struct way way = { .entry = entry_now() };

	way.branch.pc = pc;
	way.branch.next = next;
	way.branch.target = next + (uint64_t)(int64_t)insn->relative;
	way.branch.kind = insn->branch;
	way.branch.taken = taken;
	if (insn->branch > BRANCH_CALL)
		way.branch.target = target;
	way.bias_slot = (uint16_t)bias_index(pc);
	way.bias_key = bias_key(pc, taken);
	return way;
}

void script_follow(uint64_t pc, const struct x86 *insn, bool taken,
		   uint64_t target)
{
	struct script *s = state.script;
	struct way way = way_of(pc, insn, taken, target);

	/* entries are made before the branch is followed */
	way.entry--;
	close_segment();
	if (s->n_segments)
		s->segments[s->n_segments - 1].way = s->n_ways;
	if (log_parts & PART_BRANCH)
		s->ways[s->n_ways++] = way;
	state.fetches += lines_fetched(pc, pc + insn->length, taken);
}

uint32_t script_leave(void)
{
	const struct script *s = state.script;

	close_segment();
	log_exits[state.n_exits] = (struct log_exit){
		.script = s,
		.n_items = s->n_items,
		.n_ways = s->n_ways,
		.n_segments = s->n_segments,
		.words = s->words,
		.loads = state.loads,
		.stores = state.stores,
		.fetches = state.fetches,
		.insns = state.path_insns,
		.has_rep = state.has_rep,
	};
	return state.n_exits++;
}

uint32_t script_leave_by(uint64_t pc, const struct x86 *insn, bool taken)
{
	uint32_t exit = script_leave();
	struct log_exit *e = &log_exits[exit];

	e->last = way_of(pc, insn, taken, 0);
	e->has_last = log_parts & PART_BRANCH;
	e->fetches += lines_fetched(pc, pc + insn->length, taken);
	if (insn->branch > BRANCH_CALL && e->has_last)
		e->last.word = e->words++;
	return exit;
}
