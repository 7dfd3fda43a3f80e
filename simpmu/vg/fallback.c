/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an engine that only counts architectural signals answers: no part of
 * the model can be switched on, nothing is excluded, no trap fires, and the
 * machine is the default one. Each gives way to the engine's own definition.
 */
#include "simpmu/model/params.h"
#include "simpmu/vg/engine.h"

#define FALLBACK __attribute__((weak))

FALLBACK void engine_select(unsigned parts)
{
	(void)parts;
}

FALLBACK unsigned engine_selected(void)
{
	return 0;
}

FALLBACK void engine_exclude(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
}

FALLBACK void engine_trap_set(unsigned slot, const struct engine_trap *trap)
{
	(void)slot;
	(void)trap;
}

FALLBACK void engine_trap_arm(unsigned slot, unsigned tid, uint64_t count)
{
	(void)slot;
	(void)tid;
	(void)count;
}

FALLBACK void engine_queue_signal(unsigned tid,
				  const struct engine_signal *signal)
{
	(void)tid;
	(void)signal;
}

FALLBACK const struct params *engine_params(void)
{
	static const struct params icx = { .name = "icx",
					   .line_bytes = 64,
					   .counters = 8,
					   .counters_fixed = 3 };

	return &icx;
}
