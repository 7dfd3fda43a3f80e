/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of paths that a signal has cut; see log.h. */
#include "simpmu/fast/model/log.h"

#include "simpmu/fast/insn.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/x86/effect.h"

static uint32_t lines_before(const struct script *script, uint32_t entry)
{
	uint32_t line_bytes = engine_params()->line_bytes, lines = 0;
	struct x86 x;

	for (uint32_t i = script->first; i < entry; i++) {
		const struct map_entry *e = map_get(i);
		uint64_t next;

		if (e->fix == FIX_REP || e->fix == FIX_END ||
		    !insn_read(e->pc, &x) || map_get(i + 1)->pc == e->pc)
			continue;
		next = e->pc + x.length;
		lines += effect_lines(e->pc, next, line_bytes,
				      x.branch > BRANCH_COND ||
					      map_get(i + 1)->pc != next);
	}
	return lines;
}

void log_cut(struct thread *t, uint32_t entry)
{
	const struct map_entry *e = map_get(entry);
	const struct script *s = map_path_of(entry)->script;
	uint64_t *record = (uint64_t *)t->log;

	if (!s || entry <= s->first)
		return;
	if (e->fix == FIX_REP)
		for (unsigned n = 0; n < s->n_items; n++)
			if (s->items[n].entry + 1u == entry - s->first &&
			    s->items[n].kind == ITEM_REP) {
				record[s->items[n].base + 2] = t->reg[RSI];
				record[s->items[n].base + 3] = t->reg[RDI];
			}
	record[0] = (uint64_t)lines_before(s, entry) << 32 | RECORD_CUT | entry;
	t->log = (uint64_t)(record + s->words);
}
