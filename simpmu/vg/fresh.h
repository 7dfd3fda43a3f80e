/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fresh pages of the simulator's own. The one place that knows how Valgrind
 * hands them out: as a pointer in 3.19, as a SysRes in 3.24.
 */
#pragma once

#include <stddef.h>

#include <pub_tool_basics.h>

#include <pub_tool_aspacemgr.h>

static inline void *fresh_from_pointer(void *pages)
{
	return pages;
}

static inline void *fresh_from_result(SysRes result)
{
	return sr_isError(result) ? NULL : (void *)sr_Res(result);
}

/* @bytes that read as zero and take memory only once written; NULL: none. */
static inline void *fresh_pages(SizeT bytes)
{
	return _Generic(VG_(am_shadow_alloc)(bytes), SysRes: fresh_from_result,
			void *: fresh_from_pointer)(
		VG_(am_shadow_alloc)(bytes));
}
