/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the simulator keeps for itself under a limit on address space.
 * The guest may take all there is and go on without more; the simulator needs
 * some to translate what it does then, and Valgrind's core gives up at once if
 * it gets none. Its arenas get memory from the system in large blocks and give
 * one back when nothing of it is in use: so a little of each is kept in use.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/host/reserve.h"

/* Of the core; numbers as in its pub_core_mallocfree.h. */
void *vgPlain_arena_malloc(Int arena, const HChar *what, SizeT bytes);
void vgPlain_arena_free(Int arena, void *memory);

#define RLIMIT_ADDRESSES 9 /* the kernel's RLIMIT_AS */

enum arena {
	ARENA_CORE = 0, /* and of the tool */
	ARENA_TRANSLATIONS = 4
};

#define PIECES 128

/* Get pieces, and keep only one in so many, fewer than a block holds. */
static void fill(Int arena, SizeT bytes, unsigned keep_one_in)
{
	void *piece[PIECES];

	for (unsigned i = 0; i < PIECES; i++)
		piece[i] = vgPlain_arena_malloc(arena, "simpmu.reserve", bytes);
	for (unsigned i = 0; i < PIECES; i++)
		if (i % keep_one_in)
			vgPlain_arena_free(arena, piece[i]);
}

static void fill_once(void)
{
	static bool is_full;

	if (is_full)
		return;
	is_full = true;
	fill(ARENA_CORE, 100000, 16);       /* blocks of 4 MB */
	fill(ARENA_TRANSLATIONS, 15000, 3); /* of 64 KB */
}

void reserve_start(void)
{
	struct vki_rlimit limit;

	if (!VG_(getrlimit)(RLIMIT_ADDRESSES, &limit) &&
	    limit.rlim_cur != VKI_RLIM_INFINITY)
		fill_once();
}

void reserve_before_syscall(UInt number, const UWord *args)
{
	if ((number == __NR_setrlimit && args[0] == RLIMIT_ADDRESSES) ||
	    (number == __NR_prlimit64 && args[1] == RLIMIT_ADDRESSES &&
	     args[2]))
		fill_once();
}
