/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles of logged code: what the models of memory and of branches have to tell
 * of detailed records, and the scoreboard that is told.
 *
 * Three pass over a piece of a log: the model of memory notes what accesses and
 * fetches had to wait for, that of branches which were mispredicted, and when
 * both are done the scoreboard retires the segments of the records. All three
 * know by themselves which records are detailed (sample.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/model.h"

struct modelled;
struct core;

/* An access that waited. */
struct detail_note {
	uint32_t at;        /* the record, in words from the piece's first */
	uint32_t iteration; /* of a rep string */
	uint32_t delay;
	uint16_t item;
	uint8_t level;
	bool is_fetch;
	bool is_void; /* nothing was waited for */
	bool is_past; /* a line was written past the caches */
	struct lines lines;
};

/* A branch that was not predicted. */
struct detail_fate {
	uint32_t at;
	uint16_t way;
	uint16_t wrong_path;
	bool is_mispredicted, is_btb_missed;
};

/*
 * There is memory only for those that are used. A word of the log (16,384 of
 * them) can stand for many accesses, all of which wait: two stores an iteration
 * that fills new memory need more than eight notes a word.
 */
#define DETAIL_NOTES (1u << 19)
#define DETAIL_FATES (1u << 15)

/* From the record at word @at on, the first of which begins instruction @insn,
 * all are detailed, or none, until the next change; a unit may begin there. */
struct detail_change {
	uint64_t insn;
	uint32_t at;
	bool is_detailed;
};

#define DETAIL_CHANGES (1u << 15) /* more than records of a log */

/* Of the piece of a log. */
struct detail {
	const uint64_t *from, *end;
	bool is_due; /* the scoreboard has not seen it */
	struct detail_note *notes;
	struct detail_fate *fates;
	struct detail_change *changes;
	uint32_t n_notes, n_fates, n_changes;
	uint64_t insns;                /* up to the end of the piece */
	uint32_t notes_end, fates_end; /* there was no room from here on */
};

/* A new piece. */
void detail_begin(struct detail *d, const uint64_t *from, const uint64_t *end);

/* What the core of memory was told to wait for, in @item of the record at word
 * @at, and how the branch @way went. */
void detail_note(struct detail *d, struct core *core,
		 const struct detail_note *what);
void detail_fate(struct detail *d, struct core *core, uint32_t at,
		 unsigned way);
/* Whether there is room for one more note, of the record at word @at. */
bool detail_has_room(struct detail *d, uint32_t at);
/* How long a line of code is waited for that @level has. */
uint32_t detail_fetch_delay(const struct core *core, unsigned level,
			    uint32_t delay);
/* The model of memory tells which records are detailed. */
void detail_change(struct detail *d, uint32_t at, uint64_t insn,
		   bool is_detailed);
/* Nothing was waited for yet. */
void detail_clear(struct core *core);

/* The scoreboard goes over the piece. */
void detail_retire(struct modelled *m, struct detail *d);
