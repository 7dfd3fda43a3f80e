/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readlink leaves what is behind the name as it was. Valgrind 3.24 lets the
 * kernel write the name of the simulator for /proc/self/exe and then writes the
 * guest's over it: if that one is shorter, the rest stays. A program that
 * counts on its own zeros behind the name would read another one.
 */
#include <pub_tool_libcbase.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/host/table.h"

/* Where the name goes, and what was there, while a call is in the kernel. It
 * is one at a time: calls that may block, during which others run, are not
 * kept. */
static struct {
	HChar *name;
	SizeT bytes; /* 0: nothing is kept */
	HChar old[VKI_PATH_MAX];
} kept;

static void keep(HChar *name, SizeT bytes)
{
	kept.name = name;
	kept.bytes = bytes < sizeof(kept.old) ? bytes : sizeof(kept.old);
	if (kept.bytes &&
	    !VG_(am_is_valid_for_client)((Addr)name, kept.bytes,
					 VKI_PROT_READ | VKI_PROT_WRITE))
		kept.bytes = 0;
	VG_(memcpy)(kept.old, name, kept.bytes);
}

/* Put back what is behind the @n bytes that were written. */
static void put_back(SizeT n)
{
	if (n < kept.bytes)
		VG_(memcpy)(kept.name + n, kept.old + n, kept.bytes - n);
}

static void link_before(ThreadId tid, void *layout, struct arguments *args,
			struct status *status, UWord *flags)
{
	const UWord *to = &args->arg[args->number == __NR_readlink ? 1 : 2];

	keep((HChar *)to[0], to[1]);
	table_core((UInt)args->number)
		->before(tid, layout, args, status, flags);
	if (status->what == COMPLETE && !sr_isError(status->result))
		put_back(sr_Res(status->result));
	if (status->what != TO_KERNEL || *flags & MAY_BLOCK)
		kept.bytes = 0;
}

static void link_after(ThreadId tid, struct arguments *args,
		       struct status *status)
{
	const struct entry *core = table_core((UInt)args->number);

	if (core->after)
		core->after(tid, args, status);
	if (!sr_isError(status->result))
		put_back(sr_Res(status->result));
	kept.bytes = 0;
}

struct entry *link_entry(UInt number)
{
	static struct entry entry = { link_before, link_after };

	return number == __NR_readlink || number == __NR_readlinkat ? &entry
								    : NULL;
}
