/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code on wrong paths: decoded from the guest's memory, whether it was ever
 * executed or not, and remembered until the memory map changes.
 */
#include "simpmu/fast/insn.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"

#define MEMO_BITS  14
#define MAX_RANGES 1024

/* No instructions: no code. */
struct memo {
	_Alignas(64) struct code_run run;
	uint64_t address;
	uint32_t generation;
};

static struct {
	struct memo *memos;
	uint32_t generation; /* of the memory map */
	bool is_stale;       /* it has changed since `ranges` was made */
	struct host_segment ranges[MAX_RANGES];
	size_t count;
} state;

void wrongpath_init(void)
{
	if (!state.memos)
		state.memos = sys_memory(sizeof(*state.memos) << MEMO_BITS);
	state.generation = 1;
	state.is_stale = true;
}

void wrongpath_change(void)
{
	state.generation++;
	state.is_stale = true;
}

bool wrongpath_has(uint64_t start, uint64_t bytes)
{
	for (size_t i = 0; i < state.count; i++)
		if (start < state.ranges[i].end &&
		    start + bytes > state.ranges[i].start)
			return true;
	return false;
}

void wrongpath_look(void)
{
	/* a filter of system calls may forbid it */
	if (!state.is_stale || process.is_confined)
		return;
	engine_lock();
	state.is_stale = false;
	state.count = host_segments(state.ranges, MAX_RANGES);
	engine_unlock();
}

static bool is_code(uint64_t address)
{
	for (size_t i = 0; i < state.count; i++)
		if (address >= state.ranges[i].start &&
		    address < state.ranges[i].end)
			return true;
	return false;
}

static bool read_code(uint64_t address, struct x86 *out)
{
	/* what fleeting code is depends on when it is read */
	return is_code(address) && !pages_is_fleeting(address) &&
	       insn_read(address, out);
}

const struct code_run *wrongpath_decode(void *ctx, uint64_t address)
{
	uint64_t slot =
		(address ^ address >> MEMO_BITS) & ((1u << MEMO_BITS) - 1);
	struct memo *m = &state.memos[slot];

	(void)ctx;
	if (m->address != address || m->generation != state.generation) {
		m->address = address;
		m->generation = state.generation;
		x86_decode_run(address, read_code, &m->run);
	}
	return m->run.count ? &m->run : NULL;
}
