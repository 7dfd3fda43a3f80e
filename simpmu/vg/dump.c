/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The option --signals=FILE: all signals of each process, written when it
 * ends or execs, one "NAME value" a line. %p in FILE is the process id. With
 * --audit=yes also how VEX's view differs (audit.c). For checking the engine
 * without a PMU on top of it.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>

#include "simpmu/vg/state.h"

static const char *const signal_names[TALLY_COUNT] = {
#define X(name, text) [TALLY_##name] = #name,
	ARCH_TALLIES(X)
#undef X
#define X(name, part, text) [TALLY_##name] = #name,
		MODEL_TALLIES(X)
#undef X
};

static const char *const extra_names[EXTRA_COUNT] = {
#define X(name) [EXTRA_##name] = #name,
	EXTRA_COUNTS(X)
#undef X
};

static struct {
	const HChar *file;
	unsigned parts;
	uint64_t at_fork[TOTAL_COUNT]; /* what the parent had counted */
} dump;

bool dump_option(const HChar *arg)
{
	Bool audit = False;

	Long parts = 0;

	if VG_BOOL_CLO (arg, "--audit", audit)
		engine.audit = audit;
	else if VG_BINT_CLO (arg, "--parts", parts, 0, 0x1ff)
		dump.parts = (unsigned)parts;
	else if VG_STR_CLO (arg, "--signals", dump.file)
		;
	else
		return false;
	return true;
}

void dump_start(void)
{
	if (dump.parts)
		engine_select(dump.parts);
}

/* In an audit a child's counts go on from its parent's, as lackey's do. */
void dump_fork(void)
{
	if (engine.audit)
		return;
	thread_process_totals(dump.at_fork);
}

void dump_write(void)
{
	uint64_t totals[TOTAL_COUNT];
	HChar *name;
	VgFile *out;

	if (!dump.file)
		return;
	thread_process_totals(totals);
	name = VG_(expand_file_name)("--signals", dump.file);
	out = VG_(fopen)(name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC,
			 VKI_S_IRUSR | VKI_S_IWUSR | VKI_S_IRGRP | VKI_S_IROTH);
	if (!out)
		VG_(umsg)("cannot write %s\n", name);
	VG_(free)(name);
	if (!out)
		return;
	for (unsigned s = 0; s < TALLY_COUNT; s++)
		VG_(fprintf)
	(out, "%s %llu\n", signal_names[s],
	 (ULong)(totals[s] - dump.at_fork[s]));
	for (unsigned i = 0; i < EXTRA_COUNT && engine.audit; i++)
		VG_(fprintf)
	(out, "%s %llu\n", extra_names[i],
	 (ULong)(totals[TALLY_COUNT + i] - dump.at_fork[TALLY_COUNT + i]));
	VG_(fclose)(out);
}
