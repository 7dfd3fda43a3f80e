/* SPDX-License-Identifier: BSD-3-Clause */
/* Misses that are left to a lane; see miss.h. */
#include "simpmu/fast/model/miss.h"

#include "simpmu/fast/model/detail.h"
#include "simpmu/fast/model/lane.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/model/later.h"

_Static_assert(MISS_BYTES == QUEUE_BYTES, "a batch is a queue");

#define NOWHERE DETAIL_NOTES /* number of a note that there is not */

static struct {
	struct core *core;     /* whose misses are left; NULL: nobody's */
	struct detail *detail; /* of the piece that is replayed */
	bool is_alone;
	uint64_t *from; /* the batch that grows */
	uint64_t given; /* words of batches before */
	uint64_t noted; /* words up to the last mark */
	/* of who catches up */
	_Alignas(64) struct waited waited;
} state;

/* ---- catching up ---- */

static bool has_waited(const struct waited *w, bool is_fetch)
{
	return is_fetch ? w->code_level || w->code_delay : w->level || w->delay;
}

/* The note is void if nothing was waited for after all. */
static void fill(void *detail, uint64_t number, const struct waited *w)
{
	struct detail *d = detail;
	struct detail_note *note;

	if (number >= DETAIL_NOTES)
		return;
	note = &d->notes[number];
	note->is_past = w->is_past && !note->is_fetch && !has_waited(w, false);
	note->is_void = !has_waited(w, note->is_fetch) && !note->is_past;
	note->lines = w->lines;
	note->level = (uint8_t)w->level;
	note->delay = note->is_fetch
			      ? detail_fetch_delay(state.core, w->code_level,
						   w->code_delay)
			      : w->delay;
}

void miss_catch_up(void *batch)
{
	const struct batch *b = batch;

	if (log_parts & PART_CYCLE)
		model_catch_up_marked(b->core, b->from, b->words, &state.waited,
				      fill, b->detail);
	else
		model_catch_up_misses(b->core, b->from, b->words);
}

/* ---- pushing ---- */

/* What has grown goes to the lane, or is done now. */
static void hand_over(bool is_last)
{
	struct batch batch = { .core = state.core,
			       .detail = state.detail,
			       .from = state.from,
			       .words = (size_t)(state.core->misses -
						 state.from),
			       .is_last = is_last };

	state.given += batch.words;
	if (state.is_alone)
		miss_catch_up(&batch);
	else
		state.from = lane_give_misses(&batch);
	state.core->misses = state.from;
}

static void turn(void *ctx, struct core *core)
{
	(void)ctx;
	(void)core;
	hand_over(false);
}

bool miss_is_on(const struct core *core)
{
	return state.core && state.core == core;
}

void miss_begin(void *model)
{
	if (state.core || !model || !(model_deferrable(model) & PART_DATA) ||
	    !lane_finish())
		return;
	state.core = model_core(model, 0);
	state.from = lane_first_batch();
	model_set_turn(model, turn, NULL);
	model_defer(state.core, PART_DATA,
		    (struct queues){ .misses = state.from });
}

void miss_end(void *unused)
{
	(void)unused;
	if (state.core)
		model_defer(state.core, 0, (struct queues){ 0 });
	state.core = NULL;
}

void miss_be_alone(bool is_alone)
{
	state.is_alone = is_alone;
}

void miss_drain(void *unused)
{
	(void)unused;
	if (!state.core)
		return;
	hand_over(false);
	model_merge(state.core);
}

void miss_begin_piece(struct detail *detail)
{
	state.detail = detail;
}

void miss_end_piece(void *unused)
{
	(void)unused;
	if (state.core) {
		hand_over(true);
		return;
	}
	lane_give_misses(&(struct batch){ .is_last = true });
}

/* ---- marks ---- */

static uint64_t pushed(void)
{
	return state.given + (uint64_t)(state.core->misses - state.from);
}

static void mark(struct core *core, uint64_t number)
{
	model_mark(core, number);
	state.noted = pushed();
}

void miss_begin_record(struct core *core)
{
	if (pushed() != state.noted)
		mark(core, NOWHERE);
}

void miss_note(struct core *core, struct detail *d,
	       const struct detail_note *note, bool is_waited_for)
{
	if (pushed() == state.noted)
		return;
	if (!is_waited_for || !detail_has_room(d, note->at)) {
		mark(core, NOWHERE);
		return;
	}
	d->notes[d->n_notes] = *note;
	mark(core, d->n_notes++);
}
