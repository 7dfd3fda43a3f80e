/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's environment as it would be without the simulator.
 *
 * Valgrind's core tells programs that it starts where its library lies and
 * has the dynamic linker load a file of its own, both by environment
 * variables. The guest needs neither (the core gives them to programs that
 * the guest execs by itself), and with them it would run other instructions
 * than it does natively. They are taken off its stack before it begins.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>

#include "simpmu/pmu/host.h"
#include "simpmu/vg/state.h"

/* The core's pointer to the guest's auxiliary vector, for /proc/self/auxv. */
extern UWord *vgPlain_client_auxv;

static bool is_variable(const HChar *entry, const HChar *name)
{
	SizeT n = VG_(strlen)(name);

	return VG_(strncmp)(entry, name, n) == 0 && entry[n] == '=';
}

/* Take the core's files off the front of a list; true if nothing is left. */
static bool strip_preload(HChar *entry)
{
	HChar *list = VG_(strchr)(entry, '=') + 1;

	for (;;) {
		HChar *end = VG_(strchr)(list, ':');
		HChar *file = VG_(strstr)(list, "/vgpreload_");

		if (!file || (end && file > end))
			return *list == '\0';
		if (!end)
			return true;
		/* The regions overlap: copy from the front. */
		for (HChar *to = list, *from = end + 1;; to++, from++) {
			*to = *from;
			if (!*from)
				break;
		}
	}
}

static bool is_foreign(HChar *entry)
{
	if (is_variable(entry, "LD_PRELOAD"))
		return strip_preload(entry);
	return is_variable(entry, "VALGRIND_LIB") ||
	       is_variable(entry, "VALGRIND_LAUNCHER");
}

/*
 * Above the stack pointer: argc, arguments, 0, environment, 0, auxiliary
 * vector (pairs, up to one whose first is 0). The vector has to follow the
 * environment, so it moves down with it.
 */
void host_clean_environment(unsigned tid)
{
	UWord *at = (UWord *)VG_(get_SP)(tid);
	UWord *from = at + 1 + at[0] + 1;
	UWord *to = from;
	UWord gone;

	/* an audit compares with tools that do not do this */
	if (engine.audit)
		return;
	for (; *from; from++)
		if (!is_foreign((HChar *)*from))
			*to++ = *from;
	if (to == from)
		return;
	gone = (UWord)(from - to);
	*to++ = *from++;
	for (bool last = false; !last; to += 2, from += 2) {
		last = from[0] == 0; /* the next line may overwrite it */
		to[0] = from[0];
		to[1] = from[1];
	}
	if (vgPlain_client_auxv)
		vgPlain_client_auxv -= gone;
}
