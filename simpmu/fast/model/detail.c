/* SPDX-License-Identifier: BSD-3-Clause */
/* What detailed records take; see detail.h. */
#include "simpmu/fast/model/detail.h"

#include "simpmu/fast/map.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/model/replay.h"
#include "simpmu/fast/sys.h"
#include "simpmu/model/cycle.h"
#include "simpmu/model/cycles.h"

/* ---- what is told ---- */

void detail_begin(struct detail *d, const uint64_t *from, const uint64_t *end)
{
	if (!d->notes) {
		d->notes = sys_memory(DETAIL_NOTES * sizeof(*d->notes));
		d->fates = sys_memory(DETAIL_FATES * sizeof(*d->fates));
		d->changes = sys_memory(DETAIL_CHANGES * sizeof(*d->changes));
	}
	d->from = from;
	d->end = end;
	d->is_due = true;
	d->n_notes = d->n_fates = d->n_changes = 0;
	d->notes_end = d->fates_end = UINT32_MAX;
}

void detail_clear(struct core *core)
{
	core->cycles->notes = 0;
	core->cycles->fetch_delay = 0;
	core->cycles->past = (struct lines){ 0 };
}

void detail_change(struct detail *d, uint32_t at, uint64_t insn,
		   bool is_detailed)
{
	d->changes[d->n_changes++] =
		(struct detail_change){ insn, at, is_detailed };
}

bool detail_has_room(struct detail *d, uint32_t at)
{
	if (d->n_notes < DETAIL_NOTES)
		return true;
	if (d->notes_end == UINT32_MAX)
		d->notes_end = at;
	return false;
}

uint32_t detail_fetch_delay(const struct core *core, unsigned level,
			    uint32_t delay)
{
	if (level != LEVEL_L1)
		delay += (uint32_t)cycle_of(core->cycles->latency[level]);
	return delay;
}

static void put_note(struct detail *d, const struct detail_note *note)
{
	if (detail_has_room(d, note->at))
		d->notes[d->n_notes++] = *note;
}

void detail_note(struct detail *d, struct core *core,
		 const struct detail_note *what)
{
	struct cycles *c = core->cycles;
	struct detail_note note = *what;

	if (c->fetch_delay) {
		note.is_fetch = true;
		note.delay = c->fetch_delay;
		put_note(d, &note);
	}
	note.is_fetch = false;
	if (c->past.written) {
		note.is_past = true;
		note.lines = c->past;
		put_note(d, &note);
	}
	note.is_past = false;
	for (uint32_t i = 0; i < c->notes; i++) {
		note.delay = c->note[i].delay;
		note.level = (uint8_t)c->note[i].level;
		note.lines = c->note[i].lines;
		put_note(d, &note);
	}
	detail_clear(core);
}

void detail_fate(struct detail *d, struct core *core, uint32_t at, unsigned way)
{
	if (!core->mispredicted && !core->btb_missed)
		return;
	if (d->n_fates < DETAIL_FATES)
		d->fates[d->n_fates++] = (struct detail_fate){
			at,
			(uint16_t)way,
			core->mispredicted ? core->wrong_path : 0,
			core->mispredicted,
			core->btb_missed,
		};
	else if (d->fates_end == UINT32_MAX)
		d->fates_end = at;
	core->mispredicted = core->btb_missed = false;
}

/* ---- the scoreboard ---- */

/* The record that retires, and what of the piece's is next to be told. */
struct course {
	struct modelled *m;
	const struct detail *d;
	const uint64_t *record;
	uint32_t at;
	uint32_t note, fate;
};

/* Tell what waits for up to @item of the record, in iteration @n of it. */
static void tell_notes(struct course *c, const struct item *items, unsigned end,
		       uint32_t n)
{
	struct core *core = c->m->cycles;

	for (; c->note < c->d->n_notes; c->note++) {
		const struct detail_note *note = &c->d->notes[c->note];

		if (note->at > c->at ||
		    (note->at == c->at &&
		     (note->item >= end || note->iteration > n)))
			return;
		if (note->at < c->at || note->is_void)
			continue;
		if (note->is_fetch)
			core->cycles->fetch_delay += note->delay;
		else if (note->is_past)
			cycle_note_past(core, note->lines);
		else
			cycle_note_access(core, items[note->item].pc,
					  note->level, note->delay,
					  note->lines);
	}
}

static struct fate fate_of(struct course *c, unsigned way)
{
	struct fate fate = { 0 };

	for (; c->fate < c->d->n_fates; c->fate++) {
		const struct detail_fate *f = &c->d->fates[c->fate];

		if (f->at > c->at || (f->at == c->at && f->way > way))
			break;
		if (f->at == c->at && f->way == way)
			fate = (struct fate){ f->is_mispredicted,
					      f->is_btb_missed, f->wrong_path };
	}
	return fate;
}

/* A rep string retires as often as it goes round. */
static void retire_rep(struct course *c, struct log_segment *s,
		       const struct item *items)
{
	const struct item *item = &items[s->items_end - 1];
	uint64_t times = replay_rep_times(item, c->record);
	uint64_t addrs[2];

	for (uint64_t n = 0; n < times || !n; n++) {
		replay_rep_addresses(item, c->record, n, addrs);
		tell_notes(c, items, s->items_end, (uint32_t)n);
		cycle_retire(c->m->cycles, &s->segment, addrs,
			     (struct fate){ 0 });
	}
}

static void retire_segment(struct course *c, struct log_segment *s,
			   const struct item *items, unsigned way)
{
	uint64_t addrs[SEGMENT_ACCESSES];
	unsigned n = 0;

	cycle_prepare(c->m->cycles, &s->segment);
	if (s->is_rep) {
		retire_rep(c, s, items);
		return;
	}
	for (unsigned i = s->items; i < s->items_end; i++)
		if (log_is_access(&items[i]))
			addrs[n++] = replay_address(c->m, &items[i], c->record);
	tell_notes(c, items, s->items_end, UINT32_MAX);
	cycle_retire(c->m->cycles, &s->segment, addrs, fate_of(c, way));
	if (s->drains)
		cycle_drain(c->m->cycles);
}

static void retire_record(struct course *c, const struct log_exit *e)
{
	const struct script *script = e->script;

	for (unsigned i = 0; i < e->n_segments; i++) {
		struct log_segment *s = &script->segments[i];
		bool is_last = i + 1u == e->n_segments && e->has_last;

		retire_segment(c, s, script->items,
			       is_last ? e->n_ways : s->way);
	}
}

static void count_window(struct modelled *m, const struct log_exit *e)
{
	struct estimate *estimate = &m->estimate;
	const struct sampler *s = &m->samplers[REPLAY_CYCLES];

	if (!estimate->is_counting && s->at >= s->counted)
		estimate_begin(estimate, m->cycles->tallies);
	if (estimate->is_counting)
		estimate->insns += e->insns;
}

/* What was in flight before is forgotten. */
static void enter_window(struct modelled *m)
{
	if (!m->is_in_window)
		cycle_drain(m->cycles);
	m->is_in_window = true;
}

static void leave_window(struct modelled *m)
{
	if (!m->is_in_window)
		return;
	m->is_in_window = false;
	estimate_update(&m->estimate, m->cycles->tallies);
	m->estimate.is_counting = false;
}

static void end_unit(struct modelled *m, struct sampler *s)
{
	if (!sampler_is_over(s))
		return;
	estimate_update(&m->estimate, m->cycles->tallies);
	if (s->is_begun)
		estimate_end_unit(&m->estimate, s);
	sampler_next(s);
}

/* A record that is no part of the sample. The code between two of them takes
 * its time, so that each overlaps with the end of the one before as much as it
 * does if all is modelled. */
static void retire_apart(struct course *c, const struct sampler *s,
			 const struct log_exit *e)
{
	struct modelled *m = c->m;
	const uint64_t *tallies = m->cycles->tallies;
	uint64_t before[SAMPLE_TALLIES];

	cycle_pass(m->cycles, estimate_unseen(&m->estimate, s->at));
	for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
		before[i] = tallies[TALLY_CYCLES + i];
	retire_record(c, e);
	estimate_add_apart(&m->estimate, before, tallies, e->insns);
}

static void pass_record(struct course *c, struct sampler *s,
			const struct log_exit *e)
{
	bool is_noted = c->at < c->d->notes_end && c->at < c->d->fates_end;

	if (is_noted && e->has_rep && !sampler_is_exact(s) &&
	    replay_is_long(e, c->record)) {
		retire_apart(c, s, e);
	} else if (is_noted && sampler_is_detailed(s)) {
		enter_window(c->m);
		count_window(c->m, e);
		retire_record(c, e);
	} else {
		leave_window(c->m);
		return;
	}
	c->m->estimate.seen = s->at + e->insns;
}

/* Records in words [@at, @end) of the piece. */
static void retire_records(struct course *c, uint32_t at, uint32_t end)
{
	struct sampler *s = &c->m->samplers[REPLAY_CYCLES];

	while (at < end) {
		const uint64_t *record = c->d->from + at;
		const struct log_exit *e = &log_exits[(uint32_t)*record];

		if ((uint32_t)*record & RECORD_CUT) {
			at += replay_cut_words(*record);
			continue;
		}
		c->record = record;
		c->at = at;
		pass_record(c, s, e);
		s->at += e->insns;
		at += e->words;
	}
}

void detail_retire(struct modelled *m, struct detail *d)
{
	struct sampler *s = &m->samplers[REPLAY_CYCLES];
	struct course c = { .m = m, .d = d };

	for (uint32_t i = 0; i < d->n_changes; i++) {
		const struct detail_change *change = &d->changes[i];
		uint32_t end = i + 1 < d->n_changes
				       ? change[1].at
				       : (uint32_t)(d->end - d->from);

		s->at = change->insn;
		end_unit(m, s);
		if (change->is_detailed)
			retire_records(&c, change->at, end);
		else
			leave_window(m);
	}
	s->at = d->insns;
	estimate_update(&m->estimate, m->cycles->tallies);
	d->is_due = false;
}
