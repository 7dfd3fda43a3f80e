/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: guest addresses that were jumped to, with their translations, and
 * all ways into them, so that these can be changed while threads run: exits of
 * other translations that are linked to them, and the thunk through which
 * indirect branches come. Under the engine's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

struct block {
	uint64_t pc;
	uint8_t *code;  /* of the block alone */
	uint8_t *trace; /* of a path that starts here, or NULL */
	uint8_t *thunk; /* for indirect branches, or NULL */
	uint8_t *thunk_exit, *thunk_miss; /* displacements in it */
	uint8_t *stub;                    /* dispatches again; once killed */
	uint8_t *loop;     /* displacement of the trace's jump to itself */
	uint32_t incoming; /* first exit that is linked */
	uint32_t entry_counter, taken_counter; /* 0: none */
	uint8_t end;                           /* enum branch_kind */
	uint8_t mode;                          /* enum mode */
	bool is_valid;
};

void block_init(void);
/* From now on there may be blocks that are paused, or armed. */
void block_pause_init(void);
void block_armed_init(void);

uint32_t block_number(const struct block *block);
struct block *block_numbered(uint32_t number);

/* The block of @key (mode.h), if there is one; or a translated one. */
struct block *block_find(uint64_t key);
struct block *block_get(uint64_t key);
uint64_t block_key(const struct block *block);

/* What is to be run for it. */
uint8_t *block_entry(const struct block *block);

/* The block was run often: make a trace. */
void block_heat(struct block *block);

/* Its code is no longer what it was: nobody enters the translation. */
void block_kill(struct block *block);
/* The same for all there are: they are to be translated otherwise. */
void block_kill_all(void);

/*
 * Whether there is room for some translations. If not: forget them all, when no
 * thread is in the cache. Then numbers of blocks and exits mean nothing any
 * more: the epoch is another.
 */
bool block_has_room(void);
void block_flush(void);
uint32_t block_epoch(void);

/* Whether there are other than plain ones (mode.h). */
bool block_has_modes(void);
/* All of them, to a file or from it. */
void block_keep(struct image *image);

/* Give it a thunk, by which indirect branches find it; not to fleeting code. */
void block_make_thunk(struct block *block);

/* Emit a jump to the block of @key, which is linked when first taken. */
void exit_emit(uint64_t key);
/* The key of where exit @number leads. */
uint64_t exit_target(uint32_t number);
/* Link exit @number, which was taken, if it can be; its block. */
struct block *exit_link(uint32_t number);
