/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From addresses in the cache back to the guest's: an entry for every guest
 * instruction of every translation, in the order of cache addresses. Entries
 * are only ever added, under the engine's lock; signal handlers read them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;
struct script;

/* What a fault behind the entry's first byte has to put right. */
enum map_fix {
	FIX_NONE,
	FIX_BRANCH,  /* rcx is in T_SPILL0 */
	FIX_REP,     /* this is the rep instruction itself, counted before */
	FIX_END,     /* no instruction: where a trap goes on */
	FIX_SCRATCH, /* plus a register, which is in T_SPILL0 */
};

struct map_entry {
	uint32_t at;
	uint32_t path : 24;
	uint32_t fix : 8; /* enum map_fix */
	uint64_t pc : 56;
	uint64_t held : 8; /* register whose value is in T_HELD; 0: none */
};

/* A translation. */
struct map_path {
	uint32_t first; /* entry */
	uint32_t block : 30;
	uint32_t is_silent : 1;
	uint32_t is_trace : 1;
	const struct script *script; /* for the model; NULL: none */
};

void map_init(void);
/* @is_silent: it counts nothing. */
void map_begin(uint32_t block, bool is_trace, bool is_silent);
/* What it tells the model, and what is in T_HELD from now on. */
void map_set_script(const struct script *script);
void map_set_held(unsigned reg);
uint32_t map_count(void);
/* No thread is in the cache, and no record of the log is left. */
void map_flush(void);
bool map_has_room(void);
/* All entries, to a file or from it. */
void map_keep(struct image *image);
/* The translation of the instruction at @pc begins at emit_at. */
void map_add(uint64_t pc, enum map_fix fix);

/* The entry for a cache address, which lies in some translation. */
uint32_t map_find(uint64_t at);
const struct map_entry *map_get(uint32_t entry);
const struct map_path *map_path_of(uint32_t entry);
/* Whether entry @i is of the same translation as @entry. */
bool map_is_same_path(uint32_t entry, uint32_t i);
