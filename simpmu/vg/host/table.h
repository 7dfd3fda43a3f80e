/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of the core's table of system calls, as its priv_types_n_macros.h has
 * them, and those that are ours. */
#pragma once

#include <stdbool.h>

#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_vki.h>

struct arguments {
	Word number;
	UWord arg[8];
};

struct status {
	UInt what;
	SysRes result;
};

#define COMPLETE  1u
#define TO_KERNEL 2u
#define MAY_BLOCK 2u /* a flag */

struct entry {
	void (*before)(ThreadId tid, void *layout, struct arguments *args,
		       struct status *status, UWord *flags);
	void (*after)(ThreadId tid, struct arguments *args,
		      struct status *status);
};

static inline void finish(struct status *status, Word result)
{
	status->what = COMPLETE;
	status->result._isError = result < 0;
	status->result._val = (UWord)(result < 0 ? -result : result);
}

static inline bool is_readable(UWord at, SizeT bytes)
{
	return VG_(am_is_valid_for_client)(at, bytes, VKI_PROT_READ);
}

/* The core's own entry. */
struct entry *table_core(UInt number);

/* Ours, or NULL. */
struct entry *wait_entry(UInt number);
struct entry *files_entry(UInt number);
struct entry *exec_entry(UInt number);
struct entry *link_entry(UInt number);
