/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file an exec means. The core takes a descriptor for the name that its
 * file has or once had, and AT_FDCWD for a descriptor that is not open; and the
 * next simulator opens the file after the kernel has closed what is to be
 * closed at an exec. So these calls become an execve of a name that holds then.
 */
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_machine.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/host/table.h"
#include "simpmu/vg/order/call.h"

#define HERE          (-100)  /* AT_FDCWD */
#define NO_FOLLOW     0x100u  /* AT_SYMLINK_NOFOLLOW */
#define EMPTY_PATH    0x1000u /* AT_EMPTY_PATH */
#define GET_FLAGS     1       /* F_GETFD */
#define SET_FLAGS     2       /* F_SETFD */
#define CLOSE_ON_EXEC 1
#define RED_ZONE      128u /* below the stack pointer, in use */

/* Not in the headers for tools. */
extern Bool vgPlain_extend_stack(ThreadId tid, Addr address);

/* The number after @beginning in a path of the guest's; -1: it begins
 * otherwise.
 */
static Int number_after(UWord path, const HChar *beginning)
{
	Int number = -1;

	for (; *beginning; beginning++, path++)
		if (!is_readable(path, 1) || *(const HChar *)path != *beginning)
			return -1;
	for (; is_readable(path, 1) && VG_(isdigit)(*(const HChar *)path) &&
	       number < 1 << 24;
	     path++)
		number = 10 * (number < 0 ? 0 : number) +
			 (*(const HChar *)path - '0');
	return number;
}

/* The descriptor that @path goes through; -1: none. */
static Int descriptor_in(UWord path)
{
	Int fd = number_after(path, "/proc/self/fd/");

	return fd < 0 ? number_after(path, "/dev/fd/") : fd;
}

static bool is_same_file(const HChar *a, const HChar *b)
{
	struct vg_stat one, other;

	return !sr_isError(VG_(stat)(a, &one)) &&
	       !sr_isError(VG_(stat)(b, &other)) && one.dev == other.dev &&
	       one.ino == other.ino;
}

/* A text for the kernel, below the guest's stack; 0: there is no room. */
static UWord put(ThreadId tid, const HChar *text)
{
	SizeT bytes = VG_(strlen)(text) + 1;
	Addr at = (VG_(get_SP)(tid) - RED_ZONE - bytes) & ~(Addr)15;

	if (!vgPlain_extend_stack(tid, at) ||
	    !VG_(am_is_valid_for_client)(at, bytes, VKI_PROT_WRITE))
		return 0;
	VG_(memcpy)((void *)at, text, bytes);
	return at;
}

/* The own name of the file that is open as @fd, or one through @fd if it has
 * none (it is of memfd_create, or was removed). */
static UWord name_of(ThreadId tid, Int fd)
{
	HChar link[40], name[VKI_PATH_MAX];
	SSizeT n;

	VG_(snprintf)(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = VG_(readlink)(link, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = '\0';
	return put(tid, is_same_file(link, name) ? name : link);
}

/* A name without a slash means a file here; the next simulator would search
 * $PATH for it. */
static UWord name_here(ThreadId tid, UWord path)
{
	HChar name[VKI_PATH_MAX + 2] = "./";
	SizeT n = 0;

	for (; n < VKI_PATH_MAX - 1; n++) {
		HChar c;

		if (!is_readable(path + n, 1))
			return path; /* the core refuses it */
		c = *(const HChar *)(path + n);
		if (c == '/' || (!c && !n))
			return path;
		name[2 + n] = c;
		if (!c)
			break;
	}
	name[2 + n] = '\0';
	return put(tid, name);
}

/* execve. A file without a name keeps its descriptor. */
static void exec_before(ThreadId tid, void *layout, struct arguments *args,
			struct status *status, UWord *flags)
{
	struct arguments now = *args;
	UWord here = name_here(tid, args->arg[0]);
	Int fd = descriptor_in(args->arg[0]);
	bool closes = fd >= 0 && call_kernel(__NR_fcntl, (UWord)fd, GET_FLAGS,
					     0, 0) == CLOSE_ON_EXEC;

	if (here)
		now.arg[0] = here;
	if (closes) {
		UWord name = name_of(tid, fd);

		now.arg[0] = name ? name : args->arg[0];
		closes = descriptor_in(now.arg[0]) == fd;
	}
	if (closes)
		call_kernel(__NR_fcntl, (UWord)fd, SET_FLAGS, 0, 0);
	table_core(__NR_execve)->before(tid, layout, &now, status, flags);
	if (closes)
		call_kernel(__NR_fcntl, (UWord)fd, SET_FLAGS, CLOSE_ON_EXEC, 0);
}

static bool is_link(UWord path)
{
	HChar byte;

	return VG_(readlink)((const HChar *)path, &byte, 1) > 0;
}

static void exec_at_before(ThreadId tid, void *layout, struct arguments *args,
			   struct status *status, UWord *flags)
{
	Int fd = (Int)args->arg[0];
	UWord path = args->arg[1];
	UInt how = (UInt)args->arg[4];
	struct arguments exec = { __NR_execve,
				  { path, args->arg[2], args->arg[3] } };
	HChar first = is_readable(path, 1) ? *(const HChar *)path : '/';

	if (how & ~(NO_FOLLOW | EMPTY_PATH))
		finish(status, -VKI_EINVAL);
	else if (!first && !(how & EMPTY_PATH))
		finish(status, -VKI_ENOENT);
	else if (first && first != '/' && fd == HERE && how & NO_FOLLOW &&
		 is_link(path))
		finish(status, -VKI_ELOOP);
	else if (first && first != '/' && fd == HERE)
		exec_before(tid, layout, &exec, status, flags);
	else if (!first && how & EMPTY_PATH &&
		 call_kernel(__NR_fcntl, (UWord)fd, GET_FLAGS, 0, 0) >= 0 &&
		 (exec.arg[0] = name_of(tid, fd)))
		exec_before(tid, layout, &exec, status, flags);
	else {
		struct arguments at = *args;

		at.arg[0] = (UWord)(Word)fd; /* the core compares 64 bits */
		table_core(__NR_execveat)
			->before(tid, layout, &at, status, flags);
	}
}

struct entry *exec_entry(UInt number)
{
	static struct entry exec = { exec_before, NULL },
			    exec_at = { exec_at_before, NULL };

	if (number == __NR_execve)
		return &exec;
	return number == __NR_execveat ? &exec_at : NULL;
}
