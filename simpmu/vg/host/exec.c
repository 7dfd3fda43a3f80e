/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens when the guest execs: which options the next simulator gets, and
 * whether there is one at all. A program that Valgrind cannot run (it has
 * another user's rights, it cannot be read, the simulator's own files are out
 * of reach) runs as it is, and whoever counts is told that it is not counted.
 *
 * Programs for another class of processors are left to the launcher, which
 * has to look at them anyway.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_vki.h>
#include <pub_tool_xarray.h>

#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"
#include "simpmu/vg/host/files.h"
#include "simpmu/wire.h"

/* Not in the headers for tools. */
extern XArray *vgPlain_args_for_valgrind;
extern const HChar *vgPlain_name_of_launcher;
extern Int vgPlain_cl_exec_fd;
extern SysRes vgPlain_mk_SysRes_Success(UWord value);
extern Int vgPlain_access(const HChar *path, Bool r, Bool w, Bool x);

SysRes __real_vgPlain_pre_exec_check(const HChar *program, Int *fd,
				     Bool allow_setuid);
SysRes __wrap_vgPlain_pre_exec_check(const HChar *program, Int *fd,
				     Bool allow_setuid);
Bool __real_vgPlain_should_we_trace_this_child(const HChar *program,
					       const HChar **argv);
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *program,
					       const HChar **argv);

/* ---- options ---- */

static bool is_option(const HChar *text, const HChar *name)
{
	SizeT n = VG_(strlen)(name);

	return VG_(strncmp)(text, "--", 2) == 0 &&
	       VG_(strncmp)(text + 2, name, n) == 0 && text[2 + n] == '=';
}

static void pass(const HChar *name, HChar *option)
{
	Word n = VG_(sizeXA)(vgPlain_args_for_valgrind);

	for (Word i = 0; i < n; i++) {
		HChar **slot = VG_(indexXA)(vgPlain_args_for_valgrind, i);

		if (is_option(*slot, name)) {
			*slot = option;
			return;
		}
	}
	VG_(addToXA)(vgPlain_args_for_valgrind, &option);
}

void host_pass_number(const char *name, uint32_t number)
{
	HChar text[48];

	VG_(snprintf)(text, sizeof(text), "--%s=%u", name, number);
	pass(name, VG_(strdup)("simpmu.pass", text));
}

static void pass_text(const HChar *name, const HChar *value)
{
	SizeT bytes = VG_(strlen)(name) + VG_(strlen)(value) + 4;
	HChar *text = VG_(malloc)("simpmu.pass", bytes);

	VG_(snprintf)(text, (Int)bytes, "--%s=%s", name, value);
	pass(name, text);
}

/* ---- which program ---- */

static bool leaves; /* the program at hand runs without the simulator */

static bool is_own_file(const HChar *path)
{
	HChar mine[40];

	VG_(snprintf)(mine, sizeof(mine), "/proc/%d/exe", VG_(getpid)());
	return !VG_(strcmp)(path, "/proc/self/exe") ||
	       !VG_(strcmp)(path, "/proc/thread-self/exe") ||
	       !VG_(strcmp)(path, mine);
}

/* To the next simulator these names would mean the simulator itself. */
static void name_own_file(void)
{
	HChar link[40], path[VKI_PATH_MAX];
	SSizeT n;

	VG_(snprintf)
	(link, sizeof(link), "/proc/self/fd/%d", vgPlain_cl_exec_fd);
	n = VG_(readlink)(link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	pass_text("program", path);
}

static bool is_in_reach(void)
{
	return !vgPlain_access(vgPlain_name_of_launcher, False, False, True) &&
	       (!pmu.opt.control ||
		!vgPlain_access(pmu.opt.control, True, True, False));
}

/* enum wire_aside, or that many if the program can be simulated. */
static unsigned obstacle(const HChar *program)
{
	struct vg_stat stat;

	if (sr_isError(VG_(stat)(program, &stat)))
		return WIRE_ASIDE_KINDS; /* the exec will fail */
	if (stat.mode & (VKI_S_ISUID | VKI_S_ISGID))
		return WIRE_ASIDE_SETUID;
	if (vgPlain_access(program, True, False, False))
		return WIRE_ASIDE_UNREAD;
	return is_in_reach() ? WIRE_ASIDE_KINDS : WIRE_ASIDE_REACH;
}

Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *program,
					       const HChar **argv)
{
	unsigned why;

	leaves = false;
	pass_text("program", "");
	if (!program)
		return __real_vgPlain_should_we_trace_this_child(program, argv);
	files_pass();
	if (is_own_file(program))
		name_own_file();
	why = obstacle(program);
	if (why == WIRE_ASIDE_KINDS)
		return __real_vgPlain_should_we_trace_this_child(program, argv);
	if (pmu_hooks.leave)
		pmu_hooks.leave(why);
	leaves = true;
	return False;
}

/* What runs without the simulator need not be readable: the kernel decides. */
SysRes __wrap_vgPlain_pre_exec_check(const HChar *program, Int *fd,
				     Bool allow_setuid)
{
	if (leaves)
		return vgPlain_mk_SysRes_Success(0);
	return __real_vgPlain_pre_exec_check(program, fd, allow_setuid);
}
