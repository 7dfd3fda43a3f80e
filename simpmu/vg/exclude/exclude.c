/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that is not the program's: text ranges of the library, the calls that
 * lead into them and the linkage stubs between.
 *
 * All of it is decided when code is translated. A stub is "jmp *slot(%rip)",
 * perhaps behind endbr64; where its slot points into an excluded range, the
 * stub and what calls it belong to the library too.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_vki.h>

#include "simpmu/vg/state.h"
#include "simpmu/x86/decode.h"

#define MAX_RANGES 64

static struct {
	unsigned count;
	struct {
		Addr start, end;
	} range[MAX_RANGES];
} excluded;

void engine_exclude(uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < excluded.count; i++)
		if (excluded.range[i].start == start &&
		    excluded.range[i].end == end)
			return;
	if (excluded.count == MAX_RANGES || start >= end)
		return;
	excluded.range[excluded.count].start = start;
	excluded.range[excluded.count].end = end;
	excluded.count++;
	engine_retranslate();
}

bool exclude_any(void)
{
	return excluded.count;
}

bool exclude_holds(Addr address)
{
	for (unsigned i = 0; i < excluded.count; i++)
		if (address >= excluded.range[i].start &&
		    address < excluded.range[i].end)
			return true;
	return false;
}

static bool is_readable(Addr address, SizeT bytes)
{
	return VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ);
}

/* Where "jmp *slot(%rip)" or "call *slot(%rip)" goes now; 0 if it is none. */
static Addr slot_target(Addr address, const struct x86 *x)
{
	Addr slot = address + x->length + (Addr)(Long)x->disp;

	if ((x->branch != BRANCH_IND_JUMP && x->branch != BRANCH_IND_CALL) ||
	    !(x->flags & X86_RIP) || !is_readable(slot, sizeof(Addr)))
		return 0;
	return *(const Addr *)slot;
}

bool exclude_is_led_to(Addr address)
{
	struct x86 x;

	if (!excluded.count)
		return false;
	if (exclude_holds(address))
		return true;
	for (unsigned i = 0; i < 2; i++) {
		if (!is_readable(address, X86_MAX_LENGTH) ||
		    !x86_decode((const uint8_t *)address, X86_MAX_LENGTH, &x))
			return false;
		if (x.branch)
			return exclude_holds(slot_target(address, &x));
		if (x.kind != X86_NOP)
			return false;
		address += x.length;
	}
	return false;
}
