/* SPDX-License-Identifier: BSD-3-Clause */
/* What a guest that waits for any child must not find; see wait.h. */
#include "simpmu/fast/call/wait.h"

#include <stdbool.h>

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define NO_HANG        0x1u
#define WAIT_ALL       0x40000000u /* __WALL */
#define WAIT_CLONES    0x80000000u /* __WCLONE */
#define CLONE_SIGNAL   0xffu
#define CLONE_THREAD   0x10000u
#define SIGNAL_CHILD   17u
#define ERROR_NO_CHILD (-10)

/* The guest has children of its own that only these options find. */
static bool has_silent_children;

void wait_know_clone(uint64_t flags)
{
	if (!(flags & CLONE_THREAD) && (flags & CLONE_SIGNAL) != SIGNAL_CHILD)
		has_silent_children = true;
}

/* The options of a call that waits; NULL: it is another call. */
static uint64_t *options_of(uint64_t *reg)
{
	return reg[RAX] == __NR_wait4    ? &reg[RDX]
	       : reg[RAX] == __NR_waitid ? &reg[R10]
					 : NULL;
}

void wait_leave_ours(uint64_t *reg)
{
	uint64_t *options = options_of(reg);

	if (!options || has_silent_children)
		return;
	if (*options & WAIT_ALL)
		*options &= ~(uint64_t)(WAIT_ALL | WAIT_CLONES);
	else if (*options & WAIT_CLONES)
		*options |= NO_HANG; /* there is nobody to wait for */
}

int64_t wait_result(const uint64_t *asked, int64_t result)
{
	uint64_t reg[16];
	const uint64_t *options;

	memcpy(reg, asked, sizeof(reg));
	options = options_of(reg);
	return result == 0 && options && !has_silent_children &&
			       (*options & (WAIT_ALL | WAIT_CLONES)) ==
				       WAIT_CLONES
		       ? ERROR_NO_CHILD
		       : result;
}
