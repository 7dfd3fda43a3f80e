/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Valgrind's archives do and this tool can do without. The linker takes
 * these definitions before theirs.
 */
#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

/*
 * The core reads the debug information of every object that the guest maps:
 * 60 % of the start-up of a small program, for symbols this tool never asks
 * for.
 */
ULong VG_(di_notify_mmap)(Addr a, Bool allow_skfile, Int use_fd);

ULong VG_(di_notify_mmap)(Addr a, Bool allow_skfile, Int use_fd)
{
	(void)a;
	(void)allow_skfile;
	(void)use_fd;
	return 0;
}

/*
 * VEX checks its own intermediate code, and the tool's, several times for each
 * block: a twentieth of the time that translating takes. A mistake of the tool
 * would still end in VEX's selection of instructions.
 */
void sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat,
		     IRType word);

void sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat,
		     IRType word)
{
	(void)block;
	(void)caller;
	(void)flat;
	(void)word;
}

/*
 * What the core tells a user: of a program that dies by a signal where, and
 * what lay on its stack. Whoever started the simulator says what happened, and
 * without symbols the rest is noise between the program's own lines.
 */
UInt VG_(umsg)(const HChar *format, ...);
struct _ExeContext;
void VG_(pp_ExeContext)(struct _ExeContext *where);

UInt VG_(umsg)(const HChar *format, ...)
{
	(void)format;
	return 0;
}

void VG_(pp_ExeContext)(struct _ExeContext *where)
{
	(void)where;
}
