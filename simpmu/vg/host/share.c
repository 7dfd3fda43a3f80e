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
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/pmu/host.h"
#include "simpmu/wire.h"

/*
 * Not in the headers for tools: the core's own way to map shared memory where
 * the guest does not see it, to move a file's number above the guest's, and
 * whether an exec closes it.
 */
extern SysRes vgPlain_am_shared_mmap_file_float_valgrind(SizeT length,
							 UInt prot, Int fd,
							 Off64T offset);
extern Int vgPlain_safe_fd(Int fd);
extern Int vgPlain_fcntl(Int fd, Int command, Addr arg);

/* The kernel's, and not in Valgrind's headers. */
#define EOPNOTSUPP   95
#define RLIMIT_FSIZE 1
#define F_WRLCK      1
#define F_UNLCK      2
#define F_OFD_GETLK  36
#define FUTEX_WAKE   1

struct kernel_flock {
	short l_type, l_whence;
	long l_start, l_len;
	int l_pid;
};

/* Of what is shared; out of the guest's reach, and closed by an exec. */
static Int shared_fd = -1;

static void *map(Int fd, size_t bytes)
{
	SysRes at = vgPlain_am_shared_mmap_file_float_valgrind(
		bytes, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);

	if (sr_isError(at)) {
		VG_(close)(fd);
		return NULL;
	}
	shared_fd = fd;
	return (void *)sr_Res(at);
}

void *host_share_file(const char *path, size_t bytes)
{
	SysRes file = VG_(open)(path, VKI_O_RDWR, 0);

	return sr_isError(file)
		       ? NULL
		       : map(vgPlain_safe_fd((Int)sr_Res(file)), bytes);
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

/* What cannot be locked, as it is no file, is nobody else's. */
bool host_hold(uint64_t offset, bool on)
{
	struct kernel_flock lock = { .l_type = on ? F_WRLCK : F_UNLCK,
				     .l_whence = VKI_SEEK_SET,
				     .l_start = (long)offset,
				     .l_len = 1 };
	long result = call(__NR_fcntl, shared_fd, VKI_F_SETLK, (long)&lock, 0);

	return result != -VKI_EAGAIN && result != -VKI_EACCES;
}

bool host_is_held(uint64_t offset)
{
	struct kernel_flock lock = { .l_type = F_WRLCK,
				     .l_whence = VKI_SEEK_SET,
				     .l_start = (long)offset,
				     .l_len = 1 };

	return call(__NR_fcntl, shared_fd, F_OFD_GETLK, (long)&lock, 0) == 0 &&
	       lock.l_type != F_UNLCK;
}

void host_wake(const uint32_t *word)
{
	call(__NR_futex, (long)word, FUTEX_WAKE, ~0u >> 1, 0);
}

void host_rest(void)
{
	const long moment[2] = { 0, 100000 };

	call(__NR_nanosleep, (long)moment, 0, 0, 0);
}

/* More than the limit on files would be a signal. */
static bool is_allowed(size_t bytes)
{
	struct vki_rlimit limit;

	return VG_(getrlimit)(RLIMIT_FSIZE, &limit) == 0 &&
	       limit.rlim_cur >= bytes;
}

void *host_share(size_t bytes)
{
	long fd;

	if (!is_allowed(bytes))
		return NULL;
	fd = call(__NR_memfd_create, (long)WIRE_MEMORY, 1, 0, 0);
	if (fd < 0)
		return NULL;
	if (call(__NR_ftruncate, fd, (long)bytes, 0, 0)) {
		VG_(close)((Int)fd);
		return NULL;
	}
	return map(vgPlain_safe_fd((Int)fd), bytes);
}

void *host_share_again(int fd, size_t bytes)
{
	struct vg_stat stat;

	if (VG_(fstat)(fd, &stat) || stat.size < (Long)bytes)
		return NULL;
	return map(vgPlain_safe_fd(fd), bytes);
}

int host_share_on(bool stays)
{
	if (shared_fd >= 0)
		vgPlain_fcntl(shared_fd, VKI_F_SETFD,
			      stays ? 0 : VKI_FD_CLOEXEC);
	return shared_fd;
}
