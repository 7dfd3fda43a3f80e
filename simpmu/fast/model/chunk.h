/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks of an exit's items, as look.c replays them. Words of the record that
 * an address has no use for are number 0, the exit's own: that is taken off the
 * offset beforehand.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/model/watch.h"

#define CHUNK_ITEMS 32u

/* word[base] + (word[index] << shift) + offset + segment[is_fs]: the base of
 * %fs, or 0 */
struct place_of {
	uint64_t offset;
	uint16_t base, index;
	uint8_t shift, is_fs;
};

/* A load or store. */
struct quick {
	struct place_of place;
	uint8_t beyond; /* last byte from the first */
	bool is_load;
	uint16_t position;
};

/* The same of a look: where in it. */
struct member {
	uint16_t beyond; /* bytes from the look's first */
	uint16_t position;
	uint8_t size;
	bool is_store;
};

struct look {
	struct place_of place;
	bool is_load; /* all of it */
	uint8_t n_members;
	uint16_t beyond;   /* last byte from the first */
	uint16_t position; /* of the last item */
	uint32_t members;  /* number of the first */
};

/* A line of code, and when it is used last. */
struct code_line {
	struct fetch_watch watch;
	uint64_t address;
	uint16_t position;
};

struct chunk {
	const struct look *looks;
	const struct quick *quick; /* loads and stores one by one */
	struct code_line *lines;
	uint16_t n_looks, n_quick, n_lines;
	uint16_t first, end;  /* items */
	bool has_other;       /* item number `end` follows, and is no part */
	bool holds;           /* L1I and TLB have all lines */
	bool is_pending;      /* lines have old stamps */
	unsigned doubt, turn; /* see look.c */
	uint64_t clock;       /* when it was replayed last */
	struct chunk *next;
};

extern struct member *chunk_members;

/* Make chunks for @e, of which @record is an example, if there
 * is room. */
void chunk_make(struct modelled *m, struct log_exit *e, const uint64_t *record);

/* All are gone. */
void chunk_flush(void);

static inline uint64_t chunk_address(const struct place_of *p,
				     const uint64_t segment[2],
				     const uint64_t *record)
{
	return p->offset + record[p->base] + (record[p->index] << p->shift) +
	       segment[p->is_fs];
}

/* Whether the line of @tag has all bytes from @ea to @ea + @beyond, and lets a
 * load or a store pass. */
static inline bool chunk_has_line(uint64_t tag, uint64_t ea, uint64_t beyond,
				  bool is_load, uint64_t line_bytes)
{
	static const uint64_t that_count[2] = { UINT64_MAX, ~FILTER_TOP };

	return ((ea - tag + beyond) & that_count[is_load]) < line_bytes;
}
