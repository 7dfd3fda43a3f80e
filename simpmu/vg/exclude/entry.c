/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting from main() on.
 *
 * What the dynamic linker and the C library do before main() depends on paths,
 * on the number of environment variables and on what is preloaded. Left out,
 * the same program counts the same in another folder and environment. Until
 * main() is reached the first thread is paused; then the modelled machine is
 * made cold, so that nothing of before shows in caches and predictors.
 *
 * The stack is brought to the same place as well: what lies above it (the
 * strings of arguments and environment) has any size, and with it every
 * variable of the program would change its cache line.
 *
 * Where main() is stands in the first instructions of the program, which pass
 * it to the C library. A program that begins otherwise (another language's own
 * start, no C library) is counted from its entry on.
 */
#include <elf.h>
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_vki.h>

#include "simpmu/vg/exclude/entry.h"
#include "simpmu/vg/exclude/pause.h"
#include "simpmu/vg/machine.h"

#define STACK_STEP  0x40000u /* more than arguments and environment have */
#define POINTERS    0x4000u  /* room for the pointers to them */
#define STRINGS     0x4000u  /* and for the arguments */
#define START_BYTES 64u      /* of _start, in which main is named */

/* Not in the headers for tools. */
extern UWord *vgPlain_client_auxv;
extern Bool vgPlain_extend_stack(ThreadId tid, Addr address);
extern void vgPlain_set_SP(ThreadId tid, Addr value);

static struct {
	bool from_main;
	Addr main; /* 0: reached, or not known */
} entry;

bool entry_option(const HChar *arg)
{
	if (VG_STREQ(arg, "--from=main"))
		entry.from_main = true;
	else
		return VG_STREQ(arg, "--from=exec");
	return true;
}

static Addr auxiliary(UWord kind)
{
	for (const UWord *v = vgPlain_client_auxv; v && v[0]; v += 2)
		if (v[0] == kind)
			return v[1];
	return 0;
}

/*
 * The first of "lea main(%rip), %rdi" and "mov $main, %rdi" in the first
 * instructions of the program: what glibc's and musl's _start have.
 */
static Addr find_main(Addr start)
{
	const UChar *code = (const UChar *)start;

	if (!start ||
	    !VG_(am_is_valid_for_client)(start, START_BYTES, VKI_PROT_READ))
		return 0;
	for (UInt i = 0; i + 7 <= START_BYTES; i++) {
		Int offset;

		VG_(memcpy)(&offset, code + i + 3, sizeof(offset));
		if (code[i] == 0x48 && code[i + 1] == 0x8d &&
		    code[i + 2] == 0x3d)
			return start + i + 7 + (Addr)(Long)offset;
		if (code[i] == 0x48 && code[i + 1] == 0xc7 &&
		    code[i + 2] == 0xc7)
			return (Addr)(Long)offset;
	}
	return 0;
}

/* Words from the stack pointer to the end of the auxiliary vector. */
static SizeT initial_words(const UWord *at)
{
	const UWord *end = at + 1 + at[0] + 1; /* argc, arguments, 0 */

	while (*end)
		end++;
	end++;
	while (end[0])
		end += 2;
	return (SizeT)(end + 2 - at);
}

/* The arguments' strings at @to; the program's own name, a path, comes last. */
static void settle_strings(UWord *stack, HChar *to, SizeT capacity)
{
	UWord n = stack[0];

	for (UWord i = 1; i <= n; i++) {
		UWord *argument = &stack[1 + i % n];
		SizeT bytes = VG_(strlen)((const HChar *)*argument) + 1;

		if (bytes > capacity)
			return;
		VG_(memcpy)(to, (const HChar *)*argument, bytes);
		*argument = (UWord)to;
		to += bytes;
		capacity -= bytes;
	}
}

/* Move argc, the pointers and the auxiliary vector to a fixed place. */
static void settle_stack(unsigned tid)
{
	const UWord *old = (const UWord *)VG_(get_SP)(tid);
	SizeT bytes = initial_words(old) * sizeof(UWord);
	Addr low = (((Addr)old - bytes) & ~(Addr)(STACK_STEP - 1)) - POINTERS -
		   STRINGS;

	if (bytes > POINTERS || !vgPlain_extend_stack(tid, low))
		return;
	VG_(memcpy)((void *)low, old, bytes);
	if (vgPlain_client_auxv)
		vgPlain_client_auxv =
			(UWord *)(low +
				  ((Addr)vgPlain_client_auxv - (Addr)old));
	settle_strings((UWord *)low, (HChar *)low + POINTERS, STRINGS);
	vgPlain_set_SP(tid, low);
}

void entry_begin(unsigned tid)
{
	if (!entry.from_main)
		return;
	entry.main = find_main(auxiliary(AT_ENTRY));
	if (!entry.main)
		return;
	settle_stack(tid);
	pause_begin(tid);
}

static void reach_main(VexGuestAMD64State *guest)
{
	if (!entry.main)
		return;
	entry.main = 0;
	engine_make_cold();
	engine_drain(engine.running);
	pause_end(guest);
}

void entry_emit(IRSB *sb, Addr address)
{
	IRDirty *d;

	if (!entry.main || address != entry.main)
		return;
	d = unsafeIRDirty_0_N(0, "reach_main",
			      VG_(fnptr_to_fnentry)(&reach_main),
			      mkIRExprVec_1(IRExpr_GSPTR()));
	d->nFxState = 1; /* it is asked for by who gets the guest's state */
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Read;
	d->fxState[0].offset = offsetof(VexGuestAMD64State, guest_RSP);
	d->fxState[0].size = sizeof(ULong);
	addStmtToIRSB(sb, IRStmt_Dirty(d));
}
