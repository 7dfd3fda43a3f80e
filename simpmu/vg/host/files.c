/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's limit on open files. The kernel's stays above it, for the
 * simulator opens files, too. The core keeps the soft limit; it refuses any
 * other hard limit than its own and forgets both at an exec, so the hard one is
 * kept here, and both are passed on.
 */
#include "simpmu/vg/host/files.h"

#include <pub_tool_libcbase.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_options.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/pmu/host.h"
#include "simpmu/vg/host/table.h"

#define FILES 7 /* the kernel's RLIMIT_NOFILE */

/* Of the core. */
extern Int vgPlain_fd_soft_limit, vgPlain_fd_hard_limit;

static Long passed_soft = -1, passed_hard = -1;
static Int hard;
static bool is_set; /* by the guest, or one that exec'd it */

bool files_option(const HChar *arg)
{
	if VG_INT_CLO (arg, "--files", passed_soft)
		return true;
	if VG_INT_CLO (arg, "--files-most", passed_hard)
		return true;
	return false;
}

void files_start(void)
{
	hard = vgPlain_fd_hard_limit;
	if (passed_soft < 0 || passed_hard < passed_soft || passed_hard > hard)
		return;
	vgPlain_fd_soft_limit = (Int)passed_soft;
	hard = (Int)passed_hard;
	is_set = true;
}

void files_pass(void)
{
	if (!is_set)
		return;
	host_pass_number("files", (uint32_t)vgPlain_fd_soft_limit);
	host_pass_number("files-most", (uint32_t)hard);
}

/* prlimit64 of the guest's own files; 0 stands for none. */
static Word change(UWord new, UWord old)
{
	struct vki_rlimit wanted = { 0, 0 };

	if ((new && !is_readable(new, sizeof(wanted))) ||
	    (old &&
	     !VG_(am_is_valid_for_client)(old, sizeof(wanted), VKI_PROT_WRITE)))
		return -VKI_EFAULT;
	if (new)
		wanted = *(const struct vki_rlimit *)new;
	if (wanted.rlim_cur > wanted.rlim_max)
		return -VKI_EINVAL;
	if (wanted.rlim_max > (UWord)hard)
		return -VKI_EPERM;
	if (old)
		*(struct vki_rlimit *)old =
			(struct vki_rlimit){ (UWord)vgPlain_fd_soft_limit,
					     (UWord)hard };
	if (!new)
		return 0;
	vgPlain_fd_soft_limit = (Int)wanted.rlim_cur;
	hard = (Int)wanted.rlim_max;
	is_set = true;
	return 0;
}

static void set_before(ThreadId tid, void *layout, struct arguments *args,
		       struct status *status, UWord *flags)
{
	if (args->arg[0] == FILES && args->arg[1])
		finish(status, change(args->arg[1], 0));
	else
		table_core(__NR_setrlimit)
			->before(tid, layout, args, status, flags);
}

static void get_before(ThreadId tid, void *layout, struct arguments *args,
		       struct status *status, UWord *flags)
{
	if (args->arg[0] == FILES && args->arg[1])
		finish(status, change(0, args->arg[1]));
	else
		table_core(__NR_getrlimit)
			->before(tid, layout, args, status, flags);
}

static void get_after(ThreadId tid, struct arguments *args,
		      struct status *status)
{
	if (args->arg[0] != FILES)
		table_core(__NR_getrlimit)->after(tid, args, status);
}

static bool is_own(const struct arguments *args)
{
	return args->arg[1] == FILES &&
	       (!args->arg[0] || (Int)args->arg[0] == VG_(getpid)());
}

static void both_before(ThreadId tid, void *layout, struct arguments *args,
			struct status *status, UWord *flags)
{
	if (is_own(args))
		finish(status, change(args->arg[2], args->arg[3]));
	else
		table_core(__NR_prlimit64)
			->before(tid, layout, args, status, flags);
}

static void both_after(ThreadId tid, struct arguments *args,
		       struct status *status)
{
	if (!is_own(args))
		table_core(__NR_prlimit64)->after(tid, args, status);
}

struct entry *files_entry(UInt number)
{
	static struct entry set = { set_before, NULL },
			    get = { get_before, get_after },
			    both = { both_before, both_after };

	switch (number) {
	case __NR_setrlimit:
		return &set;
	case __NR_getrlimit:
		return &get;
	case __NR_prlimit64:
		return &both;
	default:
		return NULL;
	}
}
