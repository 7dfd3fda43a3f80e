/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that Valgrind does not know. The program gets SIGILL for them,
 * as on a processor that lacks them; one that dies of it on a processor that
 * has them deserves to be told why.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_machine.h>

#include "simpmu/vg/state.h"

#define SHOWN_BYTES 8
#define EVEX        0x62
#define KEPT        16

static struct {
	Addr at[KEPT];
	unsigned count;
} unknown;

/* ud2 and its like are meant to be illegal. */
static bool is_meant(const UChar *code)
{
	return code[0] == 0x0f &&
	       (code[1] == 0x0b || code[1] == 0xb9 || code[1] == 0xff);
}

void unknown_note(Addr at)
{
	if (!is_meant((const UChar *)at))
		unknown.at[unknown.count++ % KEPT] = at;
}

static bool is_noted(Addr at)
{
	for (unsigned i = 0; i < unknown.count && i < KEPT; i++)
		if (unknown.at[i] == at)
			return true;
	return false;
}

static void explain(Addr at)
{
	const UChar *code = (const UChar *)at;
	bool is_wide = code[0] == EVEX;

	VG_(printf)
	("simpmu: the simulator does not know the instruction at "
	 "0x%lx:",
	 at);
	for (unsigned i = 0; i < SHOWN_BYTES; i++)
		VG_(printf)(" %02x", code[i]);
	VG_(printf)(" ...%s\n", is_wide ? " (AVX-512)" : "");
	VG_(printf)
	("simpmu: %srun the program without it (--pmu none or hw), or "
	 "build it for less: -march=x86-64-v3\n",
	 is_wide ? "run it with --engine fast, which knows it; or " : "");
}

/* Threads may have ended by now; they stand where they did. */
void unknown_finish(void)
{
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++)
		if (thread_get(tid)->frame && is_noted(VG_(get_IP)(tid))) {
			explain(VG_(get_IP)(tid));
			return;
		}
}
