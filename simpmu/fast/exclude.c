/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that is not the program's; see exclude.h. */
#include "simpmu/fast/exclude.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"

#define MAX_RANGES 64

static struct {
	unsigned n;
	struct {
		uint64_t start, end;
	} at[MAX_RANGES];
} ranges;

static bool is_known(uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < ranges.n; i++)
		if (ranges.at[i].start == start && ranges.at[i].end == end)
			return true;
	return false;
}

void engine_exclude(uint64_t start, uint64_t end)
{
	if (start >= end || ranges.n == MAX_RANGES || is_known(start, end))
		return;
	machine_catch_up();
	engine_lock();
	ranges.at[ranges.n].start = start;
	ranges.at[ranges.n].end = end;
	ranges.n++;
	block_pause_init();
	block_kill_all();
	engine_unlock();
}

bool exclude_any(void)
{
	return ranges.n != 0;
}

bool exclude_holds(uint64_t address)
{
	for (unsigned i = 0; i < ranges.n; i++)
		if (address >= ranges.at[i].start && address < ranges.at[i].end)
			return true;
	return false;
}

/* Where "jmp *slot(%rip)" or "call *slot(%rip)" goes now; 0: it is none. */
static uint64_t slot_target(uint64_t pc, const struct x86 *x)
{
	uint64_t slot = pc + x->length + (uint64_t)(int64_t)x->disp, target;

	if ((x->branch != BRANCH_IND_JUMP && x->branch != BRANCH_IND_CALL) ||
	    !(x->flags & X86_RIP) ||
	    guest_copy(&target, (const void *)slot, sizeof(target)))
		return 0;
	return target;
}

/* A stub has one jump, perhaps behind an endbr64. */
bool exclude_is_led_to(uint64_t address)
{
	if (!ranges.n)
		return false;
	if (exclude_holds(address))
		return true;
	for (unsigned i = 0; i < 2; i++) {
		const struct x86 *x = insn_at(address);

		if (!x)
			return false;
		if (x->branch)
			return exclude_holds(slot_target(address, x));
		if (x->kind != X86_NOP)
			return false;
		address += x->length;
	}
	return false;
}

bool exclude_is_way(uint64_t pc, const struct x86 *x)
{
	uint64_t target = pc + x->length + (uint64_t)(int64_t)x->relative;

	return (x->branch == BRANCH_CALL || x->branch == BRANCH_JUMP) &&
	       exclude_is_led_to(target);
}
