/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the PMU layer needs of the world, from Valgrind's core. */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>

#include "simpmu/pmu/host.h"

void *host_new(size_t bytes)
{
	return VG_(calloc)("simpmu", 1, bytes);
}

void host_free(void *memory)
{
	if (memory)
		VG_(free)(memory);
}

int32_t host_pid(void)
{
	return VG_(getpid)();
}

int32_t host_tid(void)
{
	return VG_(gettid)();
}

uint32_t host_ms(void)
{
	return VG_(read_millisecond_timer)();
}

bool host_write_file(const char *path, const char *text, size_t bytes)
{
	SysRes file =
		VG_(open)(path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0644);
	Int written;

	if (sr_isError(file))
		return false;
	written = VG_(write)((Int)sr_Res(file), text, (Int)bytes);
	VG_(close)((Int)sr_Res(file));
	return written == (Int)bytes;
}

void host_give_up(int status, const char *format, const char *text)
{
	VG_(printf)("simpmu: ");
	VG_(printf)(format, text);
	VG_(printf)("\n");
	VG_(exit)(status);
}

void host_print(const char *text)
{
	VG_(printf)("%s", text);
}

uint64_t host_number(const char *text, const char **end)
{
	HChar *after;
	ULong value = VG_(strtoull10)(text, &after);

	*end = after;
	return value;
}
