/* SPDX-License-Identifier: BSD-3-Clause */
/* Cycles: what the other parts tell the scoreboard. */
#pragma once

#include "simpmu/model/machine.h"

bool cycle_init(struct core *core);

/* Work out the timing of @segment, if that was not done before. */
void cycle_prepare(struct core *core, struct segment *segment);

/* The access just made by the instruction at @pc was answered by @level,
 * translating its address took @delay cycles, and @lines had to be moved. */
void cycle_note_access(struct core *core, uint64_t pc, enum level level,
		       uint32_t delay, struct lines lines);

/* A line was written past the caches, or fetched by an instruction that nobody
 * waits for; @lines were moved since. */
void cycle_note_past(struct core *core, struct lines lines);

/* The same for a line of code, which the next segment has to wait for. */
void cycle_note_fetch(struct core *core, enum level level, uint32_t delay);

/* How the branch at the end of a segment was predicted. */
struct fate {
	bool mispredicted;
	bool btb_missed;
	uint16_t wrong_path; /* instructions fetched past a misprediction */
};

/* As model_retire(), for a segment that was prepared. */
void cycle_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs, struct fate fate);

/* All that was issued retires; nothing is in flight afterwards. */
void cycle_drain(struct core *core);

/* So many cycles pass with code that the scoreboard is not told: what is in
 * flight gets on, and none of them is counted. */
void cycle_pass(struct core *core, uint64_t cycles);
