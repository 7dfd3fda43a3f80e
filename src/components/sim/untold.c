/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that have no value: of parts that the modelled machine does not have,
 * and those that the fast engine cannot tell of programs with several threads.
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

static bool is_of_l3(int signal)
{
	return (signal >= TALLY_L3_LOAD && signal <= TALLY_L3_WB) ||
	       signal == TALLY_L3_I_ACCESS || signal == TALLY_L3_I_MISS ||
	       signal == TALLY_PF_L2_MISS || signal == TALLY_STALL_L3;
}

static bool is_of_stlb(int signal)
{
	return signal == TALLY_STLB_I_HIT || signal == TALLY_STLB_LOAD_HIT ||
	       signal == TALLY_STLB_STORE_HIT;
}

/* Sums with other parts in them count those; such an event is there. */
const char *sim_lacks(const struct params *p, uint32_t event)
{
	bool in_l3 = p->l3_kind == L3_NONE, in_stlb = p->stlb.ways == 0;

	if (event >= sizeof(signals) / sizeof(signals[0]) ||
	    *signals[event] == NO_SIGNAL)
		return NULL;
	for (const int16_t *s = signals[event]; *s != NO_SIGNAL; s++) {
		in_l3 = in_l3 && is_of_l3(*s);
		in_stlb = in_stlb && is_of_stlb(*s);
	}
	if (in_l3)
		return "the modelled machine has no L3 cache";
	return in_stlb ? "the modelled machine has no second-level TLB" : NULL;
}
