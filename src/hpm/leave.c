/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that leave by _exit(), _Exit() or quick_exit() pass by what is to
 * be done at their end, so these stand before the C library's: they write the
 * performance file, marked as incomplete, and go. The calls may come from a
 * signal handler, or from the child of a vfork() that shares all we have but
 * is another process; the latter leaves nothing.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <assay/api.h>

#include "hpm/file.h"

static _Noreturn void leave(int status)
{
	struct hpm_state *state = state_current();

	if (state && state->pid == getpid())
		file_write(state, FILE_DYING);
	for (;;)
		syscall(SYS_exit_group, status);
}

ASSAY_API _Noreturn void _exit(int status)
{
	leave(status);
}

ASSAY_API _Noreturn void _Exit(int status)
{
	leave(status);
}
