/* SPDX-License-Identifier: BSD-3-Clause */
/* Armed translations; see armed.h. */
#include "simpmu/fast/trap/armed.h"

#include "simpmu/fast/emit.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/trap/trap.h"

#define LESS_OR_EQUAL 14 /* condition of jle */
#define IMMEDIATE     4  /* bytes at the end of an instruction */

static uint32_t left_of(unsigned slot)
{
	return T_LEFT + 8 * slot;
}

uint8_t *armed_test(struct path *path, unsigned slot)
{
	if (!(trap_used() >> slot & 1))
		return NULL;
	emit_compare_with(left_of(slot), 0);
	path->test[slot] = emit_at - IMMEDIATE;
	return emit_jump_if(LESS_OR_EQUAL);
}

void armed_spend(struct path *path)
{
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++) {
		if (!path->test[slot])
			continue;
		emit_subtract(left_of(slot), 0, false);
		path->spend[slot] = emit_at - IMMEDIATE;
	}
}

/* A path may be left by one taken branch more than it has. */
void armed_finish(const struct path *path)
{
	int32_t amount[TALLY_ARCH_COUNT];

	memcpy(amount, path->amount, sizeof(amount));
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++) {
		int32_t sum = trap_sum(slot, path->amount), most;

		if (!path->test[slot])
			continue;
		amount[TALLY_BR_TAKEN] = path->amount[TALLY_BR_TAKEN] + 1;
		most = trap_sum(slot, amount);
		memcpy(path->test[slot], &most, IMMEDIATE);
		if (path->spend[slot])
			memcpy(path->spend[slot], &sum, IMMEDIATE);
	}
}

void armed_spent(const struct path *path, int32_t *spent)
{
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		spent[slot] = trap_used() >> slot & 1
				      ? trap_sum(slot, path->amount)
				      : 0;
}

void armed_leave(const int32_t *spent, bool live)
{
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		if (spent[slot])
			emit_subtract(left_of(slot), spent[slot], live);
}

void armed_taken(bool live)
{
	int32_t amount[TALLY_ARCH_COUNT], spent[ENGINE_TRAPS];

	memset(amount, 0, sizeof(amount));
	amount[TALLY_BR_TAKEN] = 1;
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		spent[slot] =
			trap_used() >> slot & 1 ? trap_sum(slot, amount) : 0;
	armed_leave(spent, live);
}
