/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code the guest runs: what it looks like depends on the parts of the
 * model that are on, on traps and on excluded text. When one of these changes,
 * all translations are thrown away.
 *
 * Valgrind lets tools do that within client requests. Everywhere else it has
 * to wait until guest code stops; the core itself discards there too.
 */
#include <pub_tool_basics.h>
#include <pub_tool_transtab.h>

#include "simpmu/vg/machine.h"
#include "simpmu/vg/tier.h"

/* Of the core: as the one above, without the check that called for it. */
void VG_(discard_translations)(Addr start, ULong range, const HChar *who);

static struct {
	bool discarding;
	bool in_request;
	bool stale;
} state;

void translate_begin_request(void)
{
	state.in_request = true;
}

void translate_end_request(void)
{
	state.in_request = false;
	state.discarding = true;
	if (state.stale) {
		machine_defer();
		VG_(discard_translations_safely)
		(0x1000, ~(SizeT)0xffff, "simpmu");
	}
	state.discarding = state.stale = false;
}

void translate_stop(void)
{
	state.discarding = true;
	tier_stop();
	if (segment_is_full()) {
		thread_forget_segments();
		state.stale = true;
	}
	if (state.stale && !state.in_request)
		translate_now();
	state.discarding = state.stale = false;
}

void translate_now(void)
{
	state.discarding = true;
	machine_defer();
	VG_(discard_translations)(0x1000, ~(ULong)0xffff, "simpmu");
	state.discarding = state.stale = false;
}

bool translate_discards(void)
{
	return state.discarding;
}

void engine_retranslate(void)
{
	state.stale = true;
}

void engine_select(unsigned parts)
{
	if (parts & PART_CYCLE)
		parts |= PART_BRANCH | PART_FETCH | PART_DATA;
	if ((parts & ENGINE_PAGES) && (parts & PART_FETCH))
		parts |= PART_DATA; /* one kind of look-up at a time */
	if (parts == engine.parts)
		return;
	machine_set_parts(parts);
	engine.parts = parts;
	engine_retranslate();
}

unsigned engine_selected(void)
{
	return engine.parts;
}
