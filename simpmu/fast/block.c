/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks, and the ways into them; see block.h. */
#include "simpmu/fast/block.h"

#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/fleeting.h"
#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/mode.h"
#include "simpmu/fast/model/script.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/translate.h"
#include "simpmu/pmu/host.h"

#define HASH_BITS     12 /* at first */
#define SLOTS         65536u

#define MAX_HASH_BITS 21 /* for MAX_BLOCKS */
#define LARGE_BITS    15 /* of a program with much code */
#define SOONER        4  /* see warm_up() */

/* More than a few translations take. */
#define SPARE_BLOCKS 16
#define SPARE_EXITS  4096

/* A jump to another block, which goes to a stub until it is linked. */
struct exit {
	uint64_t target; /* key */
	uint8_t *jump;   /* its displacement */
	uint32_t next;   /* of those linked to the same block */
	bool is_linked;
};

/* A place of the hash table. The tag spares most looks at another's key. */
struct hash_entry {
	uint32_t tag;
	uint32_t block; /* 0: free */
};

static struct {
	struct block *blocks;
	uint32_t n_blocks;
	struct exit *exits;
	uint32_t n_exits;
	struct hash_entry *hash;
	unsigned hash_bits;
	bool has_paused, has_armed;
	uint32_t epoch;
} table;

extern const uint8_t leave_cache[], indirect_miss[];

static void empty_slots(uint64_t at)
{
	for (unsigned i = 0; i < SLOTS; i++)
		((uint64_t *)at)[i] = (uint64_t)indirect_miss;
}

/*
 * A program with so much code goes through these tables, and through counters,
 * in no order that the first level of TLBs could hold. With huge pages cc1 took
 * up to 8 % less time, in some runs none.
 */
static void use_huge_pages(void)
{
	sys_make_huge((void *)TARGETS, TARGETS_ARMED - TARGETS);
	sys_make_huge((void *)COUNTDOWN, 4ul * MAX_BLOCKS);
	sys_make_huge((void *)LAST_TARGET, 8ul * MAX_BLOCKS);
	sys_make_huge(table.blocks, sizeof(struct block) * MAX_BLOCKS);
	sys_make_huge(table.exits, sizeof(struct exit) * MAX_EXITS);
	count_use_huge_pages();
}

void block_init(void)
{
	sys_memory_at(TARGETS, TARGETS_ARMED - TARGETS, PROT_R | PROT_W);
	empty_slots(TARGETS);
	sys_memory_at(COUNTDOWN, 4ul * MAX_BLOCKS, PROT_R | PROT_W);
	sys_memory_at(LAST_TARGET, 8ul * MAX_BLOCKS, PROT_R | PROT_W);
	table.blocks = sys_memory(sizeof(struct block) * MAX_BLOCKS);
	table.exits = sys_memory(sizeof(struct exit) * MAX_EXITS);
	table.hash_bits = HASH_BITS;
	table.hash = sys_memory(sizeof(struct hash_entry) << HASH_BITS);
	table.n_blocks = 1;
	table.n_exits = 1;
}

void block_pause_init(void)
{
	if (!table.has_paused)
		empty_slots(TARGETS_PAUSED);
	table.has_paused = true;
}

void block_armed_init(void)
{
	if (!table.has_armed) {
		sys_memory_at(TARGETS_ARMED, 8 * SLOTS, PROT_R | PROT_W);
		empty_slots(TARGETS_ARMED);
	}
	table.has_armed = true;
}

uint32_t block_number(const struct block *block)
{
	return (uint32_t)(block - table.blocks);
}

struct block *block_numbered(uint32_t number)
{
	return &table.blocks[number];
}

uint64_t block_key(const struct block *block)
{
	return key_of(block->pc, block->mode);
}

/* Where @key is in the table, or would be; its tag is set then. */
static struct hash_entry *entry_of(uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	uint32_t tag = (uint32_t)hash, mask = (1u << table.hash_bits) - 1;
	uint32_t i = (uint32_t)(hash >> (64 - table.hash_bits));

	while (table.hash[i].block &&
	       (table.hash[i].tag != tag ||
		block_key(&table.blocks[table.hash[i].block]) != key))
		i = (i + 1) & mask;
	table.hash[i].tag = tag;
	return &table.hash[i];
}

/* It is small at first: its pages are cleared by the kernel, one by one. */
static void grow_hash(void)
{
	struct hash_entry *old = table.hash;
	size_t bytes = sizeof(struct hash_entry) << table.hash_bits;

	if (table.n_blocks < 1u << (table.hash_bits - 1))
		return;
	table.hash_bits++;
	table.hash = sys_memory(2 * bytes);
	for (uint32_t i = 1; i < table.n_blocks; i++)
		entry_of(block_key(&table.blocks[i]))->block = i;
	SYS(__NR_munmap, old, bytes, 0);
	if (table.hash_bits == LARGE_BITS)
		use_huge_pages();
}

struct block *block_find(uint64_t key)
{
	uint32_t number = entry_of(key)->block;

	return number ? &table.blocks[number] : NULL;
}

uint8_t *block_entry(const struct block *block)
{
	return block->trace ? block->trace : block->code;
}

/* Let all known ways into @block go to @to. */
static void redirect(struct block *block, const uint8_t *to)
{
	for (uint32_t e = block->incoming; e; e = table.exits[e].next)
		emit_patch(table.exits[e].jump, to);
	if (block->thunk)
		emit_patch(block->thunk_exit, to);
}

/* Each block may need a stub to be killed. */
bool block_has_room(void)
{
	return emit_has_room(table.n_blocks) &&
	       table.n_blocks < MAX_BLOCKS - SPARE_BLOCKS &&
	       table.n_exits < MAX_EXITS - SPARE_EXITS && count_has_room() &&
	       map_has_room() && pages_has_room() && script_has_room();
}

void block_flush(void)
{
	memset(table.blocks, 0, sizeof(struct block) * table.n_blocks);
	memset((void *)LAST_TARGET, 0, 8ul * table.n_blocks);
	memset(table.exits, 0, sizeof(struct exit) * table.n_exits);
	memset(table.hash, 0, sizeof(struct hash_entry) << table.hash_bits);
	table.n_blocks = 1;
	table.n_exits = 1;
	empty_slots(TARGETS);
	if (table.has_paused)
		empty_slots(TARGETS_PAUSED);
	if (table.has_armed)
		empty_slots(TARGETS_ARMED);
	emit_flush();
	count_flush();
	map_flush();
	pages_flush();
	script_flush();
	__atomic_add_fetch(&table.epoch, 1, __ATOMIC_RELEASE);
}

uint32_t block_epoch(void)
{
	return __atomic_load_n(&table.epoch, __ATOMIC_ACQUIRE);
}

bool block_has_modes(void)
{
	return table.has_paused || table.has_armed;
}

/* Another size than it has. */
static void resize_hash(unsigned bits)
{
	if (bits == table.hash_bits)
		return;
	SYS(__NR_munmap, table.hash,
	    sizeof(struct hash_entry) << table.hash_bits, 0);
	table.hash_bits = bits;
	table.hash = sys_memory(sizeof(struct hash_entry) << bits);
	if (bits >= LARGE_BITS)
		use_huge_pages();
}

/* A block that was run in one process will be run in the next: it is hot
 * sooner there. */
static void warm_up(void)
{
	uint32_t *countdown = (uint32_t *)COUNTDOWN;

	for (uint32_t i = 1; i < table.n_blocks; i++)
		countdown[i] = 1 + countdown[i] / SOONER;
}

void block_keep(struct image *image)
{
	uint32_t bits = table.hash_bits;

	image_number(image, &table.n_blocks, MAX_BLOCKS);
	image_number(image, &table.n_exits, MAX_EXITS);
	image_number(image, &bits, MAX_HASH_BITS + 1);
	resize_hash(bits);
	if (!image->is_loading)
		warm_up();
	image_memory(image, table.hash, sizeof(struct hash_entry) << bits);
	image_memory(image, table.blocks,
		     sizeof(struct block) * table.n_blocks);
	image_memory(image, table.exits, sizeof(struct exit) * table.n_exits);
	/* pages of a file would be small */
	image_copy(image, (void *)TARGETS, 8ul * SLOTS);
	image_copy(image, (void *)COUNTDOWN, 4ul * table.n_blocks);
	image_memory(image, (void *)LAST_TARGET, 8ul * table.n_blocks);
}

static void translate(struct block *block)
{
	block->code = translate_block(block);
	block->is_valid = true;
}

struct block *block_get(uint64_t key)
{
	struct block *block = block_find(key);

	if (!block) {
		grow_hash();
		entry_of(key)->block = table.n_blocks;
		block = &table.blocks[table.n_blocks++];
		block->pc = key_pc(key);
		block->mode = (uint8_t)key_mode(key);
		translate(block);
		return block;
	}
	if (block->is_valid && pages_is_fleeting(block->pc) &&
	    fleeting_has_changed(block))
		block_kill(block);
	if (!block->is_valid) {
		translate(block);
		redirect(block, block->code);
	}
	return block;
}

void block_heat(struct block *block)
{
	if (block->trace || !block->is_valid || pages_is_fleeting(block->pc))
		return;
	block->trace = translate_trace(block);
	emit_patch_entry(block->code, block->trace);
	redirect(block, block->trace);
}

void block_kill(struct block *block)
{
	if (!block->is_valid)
		return;
	block->is_valid = false;
	if (!block->stub) {
		emit_to_stubs();
		block->stub = emit_at;
		emit_leave(EXIT_KILLED | block_number(block));
		emit_to_cache();
	}
	emit_patch_entry(block->code, block->stub);
	redirect(block, block->stub);
	if (block->loop)
		emit_patch(block->loop, block->stub);
	block->loop = NULL;
	block->trace = NULL;
}

void block_kill_all(void)
{
	for (uint32_t i = 1; i < table.n_blocks; i++)
		block_kill(&table.blocks[i]);
}

/* Add to rcx; rax is free. */
static void add_to_target(uint64_t value)
{
	if (is_low(value) || is_low(-value)) {
		emit_add(RCX, (int32_t)value);
		return;
	}
	emit_constant(RAX, value);
	emit2(0x48, 0x8d); /* lea rcx, [rcx + rax] */
	emit2(0x0c, 0x01);
}

/*
 * An indirect branch spills rax and rcx, loads its target into rcx and jumps
 * by the target's low 16 bits to a thunk. The thunk compares without touching
 * flags, and goes on to the next thunk of the same low bits, or to the engine.
 */
void block_make_thunk(struct block *block)
{
	uint64_t *slots = (uint64_t *)mode_targets(block->mode);
	uint64_t *slot = slots + block->pc % SLOTS;
	uint8_t *thunk, *over;

	if (block->thunk || pages_is_fleeting(block->pc))
		return;
	emit_align(32);
	thunk = emit_at;
	add_to_target(-block->pc);
	emit2(0xe3, 0); /* jrcxz over what follows up to the jump */
	over = emit_at;
	add_to_target(block->pc);
	block->thunk_miss = emit_jump((const uint8_t *)*slot);
	over[-1] = (uint8_t)(emit_at - over);
	emit_load(RAX, T_SPILL1);
	emit_load(RCX, T_SPILL0);
	block->thunk_exit = emit_patchable_jump(block_entry(block));
	block->thunk = thunk;
	__atomic_store_n(slot, (uint64_t)thunk, __ATOMIC_RELEASE);
}

void exit_emit(uint64_t key)
{
	struct exit *exit = &table.exits[table.n_exits];

	exit->target = key;
	exit->jump = emit_patchable_jump(leave_cache);
	emit_to_stubs();
	emit_patch(exit->jump, emit_at);
	emit_leave(table.n_exits);
	emit_to_cache();
	table.n_exits++;
}

uint64_t exit_target(uint32_t number)
{
	return table.exits[number].target;
}

struct block *exit_link(uint32_t number)
{
	struct exit *exit = &table.exits[number];
	struct block *block = block_get(exit->target);

	if (pages_is_fleeting(block->pc))
		return block;
	emit_patch(exit->jump, block_entry(block));
	/* two threads may have left by it before the first linked it */
	if (!exit->is_linked) {
		exit->is_linked = true;
		exit->next = block->incoming;
		block->incoming = number;
	}
	return block;
}
