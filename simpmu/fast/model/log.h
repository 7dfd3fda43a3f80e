/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log: what translated code tells the model.
 *
 * A path that is run writes one record: values of registers that addresses are
 * made of, each once as long as it stays the same, and in the first word, when
 * it is left, the number of the exit. All else is known at translation: the
 * path's script says which lines are fetched, how addresses follow from the
 * values, and which way branches went; an exit is a beginning of a script.
 * replay.c shows the model what records mean.
 *
 * A thread's record begins at T_LOG, which only moves when the path is left:
 * a path that a signal interrupts has written nothing yet, and log_cut()
 * writes a record for the part that was run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/model.h"

/* A log is full where bit LOG_BIT of the address is set, tested when a path is
 * entered; the last path may write LOG_SLACK bytes beyond. */
#define LOG_BIT   17
#define LOG_BYTES (1u << LOG_BIT)
#define LOG_SLACK 16384u

/* First word of a record that a signal has cut: the entry of the map before
 * which it stopped, and above it the number of lines fetched. */
#define RECORD_CUT   0x80000000u
#define RECORD_WORDS (LOG_SLACK / 16)

/* What an access is to the model. */
enum log_access {
	LOG_LOADS,
	LOG_STORES,
	LOG_NT,
	LOG_FLUSH,
	LOG_TO_L1,
	LOG_TO_L2,
	LOG_TO_WRITE,
};

enum item_kind {
	ITEM_LINE, /* a line is fetched: `offset` */
	ITEM_LOAD, /* at word[base] + offset */
	ITEM_STORE,
	ITEM_LOAD_AT, /* at `offset` */
	ITEM_STORE_AT,
	ITEM_LOAD_BY, /* at word[base] + (word[index] << shift) + offset */
	ITEM_STORE_BY,
	ITEM_ANY,    /* `access`, with `flags` */
	ITEM_REP,    /* a rep string, from word[base] to word[base + 2] */
	ITEM_GATHER, /* elements by a vector of indices from word[index] on */
};

enum item_flag {
	ITEM_HAS_BASE = 1,
	ITEM_HAS_INDEX = 2,
	ITEM_FS = 4,
	ITEM_32_BITS = 8, /* of address */
	ITEM_BITS = 16,   /* the index counts bits; `shift` bytes are valid */
	ITEM_BYTE = 32,   /* one byte of the index is valid */
	ITEM_WIDE = 64,   /* indices of 8 bytes, else 4 */
};

/* Half a line of the host's: replaying reads nothing as often. */
struct item {
	uint64_t pc;
	int64_t offset;
	uint16_t base, index; /* words of the record */
	uint16_t size;
	uint16_t entry; /* of the map, from the path's first */
	uint8_t kind, access, shift, flags;
	/* for the look into the filter, see replay_items() */
	uint16_t bound;     /* bytes of a line; 0: it is never there */
	uint8_t is_code;    /* which filter */
	uint8_t clean_bits; /* of a tag that do not matter, above bit 62 */
};

struct way {
	struct branch branch;
	uint16_t word;      /* where the target is; 0: in `branch` */
	uint16_t entry;     /* as above */
	uint16_t bias_slot; /* where a settled branch is found, and as what */
	uint32_t bias_key;
};

/* What retires at once for the cycle model: up to a branch, or a rep string.
 * Accesses that are more than these wait for the next one. */
#define SEGMENT_INSNS    64u
#define SEGMENT_ACCESSES 32u

struct log_segment {
	struct segment segment;
	uint16_t items, items_end; /* of the script */
	uint16_t way;              /* at its end; WAY_NONE: none */
	bool is_rep;
	bool drains; /* a system call */
};

#define WAY_NONE UINT16_MAX

struct chunk;

struct script {
	struct item *items;
	struct way *ways;
	struct log_segment *segments;
	uint32_t first; /* entry of the map */
	uint16_t n_items, n_ways, n_segments, words;
};

/* A way out: so much of the script, and perhaps a branch besides. */
struct log_exit {
	_Alignas(64) const struct script *script;
	struct chunk *chunks;    /* see look.h */
	uint16_t uses, n_chunks; /* the same */
	uint16_t n_items, n_ways, n_segments, words;
	bool has_last;
	bool has_rep;
	uint32_t loads, stores, fetches, insns;
	struct way last;
};

extern struct log_exit *log_exits;

/* Whether an item has an address that the cycle model wants. */
static inline bool log_is_access(const struct item *i)
{
	return i->kind == ITEM_GATHER ||
	       (i->kind > ITEM_LINE && i->kind < ITEM_REP &&
		i->access <= LOG_NT);
}

/* Parts of the model that translations are made for. */
extern unsigned log_parts;

struct thread;

/*
 * A path was left before entry @entry of the map, by a signal: write a record
 * for what was run of it. Called by signal handlers.
 */
void log_cut(struct thread *t, uint32_t entry);
