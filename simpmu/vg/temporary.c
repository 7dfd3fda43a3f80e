/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valgrind's files for the guest's command line and auxiliary vector, which it
 * hands out when the guest reads /proc. It makes them in TMPDIR and deletes
 * them at once: killed in between, it would leave them there, and without a
 * place to write it would not start. Memory does as well.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vkiscnums.h>

/* Of the core, called through these by the linker's option --wrap. */
extern Int vgPlain_safe_fd(Int fd);
extern Int __real_vgPlain_mkstemp(const HChar *part_of_name, HChar *name);
extern Int __real_vgPlain_unlink(const HChar *name);
Int __wrap_vgPlain_mkstemp(const HChar *part_of_name, HChar *name);
Int __wrap_vgPlain_unlink(const HChar *name);

static long new_memory_file(const HChar *name)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(__NR_memfd_create), "D"(name), "S"(0L)
			 : "rcx", "r11", "memory");
	return result;
}

/* It has no name that could be deleted. */
Int __wrap_vgPlain_mkstemp(const HChar *part_of_name, HChar *name)
{
	long fd = new_memory_file(part_of_name);

	if (fd < 0)
		return __real_vgPlain_mkstemp(part_of_name, name);
	name[0] = '\0';
	return vgPlain_safe_fd((Int)fd);
}

Int __wrap_vgPlain_unlink(const HChar *name)
{
	return name[0] ? __real_vgPlain_unlink(name) : 0;
}
