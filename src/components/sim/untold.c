/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that the fast engine cannot tell of programs with several threads.
 *
 * Its threads run at the same time and are shown to the modelled caches in long
 * turns, so what they take from each other is not what they would, and nor are
 * the cycles that they wait for it.
 */
#include "components/sim/sim.h"
#include "simpmu/model/tally.h"

#define MOST_TERMS 16
#define NO_SIGNAL  (-1)

static const int16_t signals[][MOST_TERMS + 1] = {
#define T(weight, name)                  TALLY_##name,
#define EVENT(name, counters, text, ...) { __VA_ARGS__ NO_SIGNAL },
#include "simpmu/events.def"
#undef EVENT
#undef T
};

/* The part of the model that each needs. */
static const uint8_t parts[TALLY_COUNT] = {
#define X(name, part, text) [TALLY_##name] = PART_##part,
	MODEL_TALLIES(X)
#undef X
};

static bool is_between_cores(int signal)
{
	return parts[signal] == PART_CYCLE || signal == TALLY_SNOOP ||
	       signal == TALLY_SNOOP_HIT || signal == TALLY_SNOOP_HITM ||
	       signal == TALLY_INVALIDATE || signal == TALLY_INTERVENE ||
	       signal == TALLY_SHARED_STORE;
}

static bool is_event_between_cores(uint32_t event)
{
	if (event >= sizeof(signals) / sizeof(signals[0]))
		return false;
	for (const int16_t *s = signals[event]; *s != NO_SIGNAL; s++)
		if (is_between_cores(*s))
			return true;
	return false;
}

bool sim_is_untold(const struct wire_control *control, uint32_t event)
{
	uint32_t varies = __atomic_load_n(&control->varies, __ATOMIC_RELAXED);

	return varies & WIRE_VARIES_PARALLEL && is_event_between_cores(event);
}
