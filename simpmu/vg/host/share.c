/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that simulators share with the program that counts, and with each
 * other: a file that is mapped, whose memory is allocated before it is used (a
 * full file system would be a signal otherwise), and locks on it that tell who
 * is still alive.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/pmu/host.h"

/*
 * Not in the headers for tools: the core's own way to map shared memory where
 * the guest does not see it, and to move a file's number above the guest's.
 */
extern SysRes vgPlain_am_shared_mmap_file_float_valgrind(SizeT length,
							 UInt prot, Int fd,
							 Off64T offset);
extern Int vgPlain_safe_fd(Int fd);

/* The kernel's, and not in Valgrind's headers. */
#define EOPNOTSUPP 95
#define F_WRLCK    1

struct kernel_flock {
	short l_type, l_whence;
	long l_start, l_len;
	int l_pid;
};

/* Of what is shared; out of the guest's reach, and closed by an exec. */
static Int shared_fd = -1;

void *host_share_file(const char *path, size_t bytes)
{
	SysRes file = VG_(open)(path, VKI_O_RDWR, 0);
	SysRes map;

	if (sr_isError(file))
		return NULL;
	map = vgPlain_am_shared_mmap_file_float_valgrind(
		bytes, VKI_PROT_READ | VKI_PROT_WRITE, (Int)sr_Res(file), 0);
	shared_fd = vgPlain_safe_fd((Int)sr_Res(file));
	return sr_isError(map) ? NULL : (void *)sr_Res(map);
}

static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* A file system that cannot allocate ahead will do so when it is written. */
bool host_reserve(uint64_t offset, uint64_t bytes)
{
	long result =
		call(__NR_fallocate, shared_fd, 0, (long)offset, (long)bytes);

	return result == 0 || result == -EOPNOTSUPP || result == -VKI_ENOSYS;
}

void host_hold(uint64_t offset)
{
	struct kernel_flock lock = { .l_type = F_WRLCK,
				     .l_whence = VKI_SEEK_SET,
				     .l_start = (long)offset,
				     .l_len = 1 };

	call(__NR_fcntl, shared_fd, VKI_F_SETLK, (long)&lock, 0);
}

/* An unlinked file: the core has no shared memory without one. */
void *host_share(size_t bytes)
{
	HChar path[64];
	SysRes file;
	void *memory;

	VG_(sprintf)(path, "/dev/shm/simpmu-%d", VG_(getpid)());
	file = VG_(open)(path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL, 0600);
	if (sr_isError(file))
		return NULL;
	if (VG_(lseek)((Int)sr_Res(file), (Off64T)bytes - 1, VKI_SEEK_SET) <
		    0 ||
	    VG_(write)((Int)sr_Res(file), "", 1) != 1) {
		VG_(close)((Int)sr_Res(file));
		VG_(unlink)(path);
		return NULL;
	}
	VG_(close)((Int)sr_Res(file));
	memory = host_share_file(path, bytes);
	VG_(unlink)(path);
	return memory;
}
