/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which file an exec means; see exec.h. The engine is executed in place of the
 * file and opens it then: by a name that still holds when the kernel has closed
 * what is to be closed at an exec.
 */
#include "simpmu/fast/call/exec.h"

#include <asm/stat.h>

#include "simpmu/fast/call/self.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define ERROR_NO_FILE (-2)
#define ERROR_FAULT   (-14)
#define ERROR_INVALID (-22)
#define ERROR_LOOP    (-40)
#define HERE          (-100)   /* AT_FDCWD */
#define NO_FOLLOW     0x100u   /* AT_SYMLINK_NOFOLLOW */
#define EMPTY_PATH    0x1000u  /* AT_EMPTY_PATH */
#define ONLY_PATH     0x200000 /* O_PATH */
#define GET_FLAGS     1        /* F_GETFD */
#define SET_FLAGS     2        /* F_SETFD */
#define CLOSE_ON_EXEC 1

/* A path of the guest's, which may end before its page does. */
static int64_t copy_path(char *to, uint64_t from)
{
	uint64_t n = PAGE - from % PAGE;

	if (guest_copy(to, (void *)from, n) ||
	    (n < PAGE && guest_copy(to + n, (void *)page_up(from), PAGE - n) &&
	     text_length(to) >= n))
		return ERROR_FAULT;
	to[PAGE - 1] = '\0';
	return 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	return !SYS(__NR_stat, a, &one, 0) && !SYS(__NR_stat, b, &other, 0) &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The descriptor that @path goes through; -1: none. */
static int descriptor_in(const char *path)
{
	static const char *const folders[] = { "/proc/self/fd/", "/dev/fd/" };
	int fd = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *c = path + text_length(folders[i]);

		if (!text_begins(path, folders[i]) || *c < '0' || *c > '9')
			continue;
		for (; *c >= '0' && *c <= '9' && fd < 1 << 24; c++)
			fd = 10 * fd + (*c - '0');
		return fd;
	}
	return -1;
}

/* The file's own name instead of @path, if it has one. */
static bool take_own_name(char *path)
{
	char *name = sys_memory(PAGE), link[40];
	int64_t fd = SYS(__NR_open, path, ONLY_PATH, 0), n;
	bool is_taken;

	text_format(link, sizeof(link), "/proc/self/fd/%d", (uint64_t)fd);
	n = is_error(fd) ? 0 : SYS(__NR_readlink, link, name, PAGE - 1);
	is_taken = n > 0 && is_same_file(path, name);
	if (is_taken)
		memcpy(path, name, PAGE);
	if (!is_error(fd))
		SYS(__NR_close, fd, 0, 0);
	SYS(__NR_munmap, name, PAGE, 0);
	return is_taken;
}

/* Exec @path, which may go through a descriptor that the exec closes. A file
 * without a name (of memfd_create, removed) keeps its descriptor. */
static int64_t exec_path(struct thread *t, char *path, uint64_t argv,
			 uint64_t environment)
{
	int fd = descriptor_in(path);
	int64_t flags = fd < 0 ? 0 : SYS(__NR_fcntl, fd, GET_FLAGS, 0), result;
	bool stays = false;

	if (flags == CLOSE_ON_EXEC && !take_own_name(path))
		stays = !SYS(__NR_fcntl, fd, SET_FLAGS, 0);
	result = process_exec(t, path, (char **)argv, (char **)environment);
	if (stays)
		SYS(__NR_fcntl, fd, SET_FLAGS, CLOSE_ON_EXEC);
	return result;
}

int64_t exec_call(struct thread *t)
{
	char *path = sys_memory(PAGE);
	int64_t result = 0;

	if (self_is_file(t->reg[RDI]))
		memcpy(path, process.guest, PAGE);
	else
		result = copy_path(path, t->reg[RDI]);
	if (!result)
		result = exec_path(t, path, t->reg[RSI], t->reg[RDX]);
	SYS(__NR_munmap, path, PAGE, 0);
	return result;
}

/* @name, seen from the directory @fd, as one path. */
static int64_t name_at(int fd, const char *name, uint64_t flags, char *path)
{
	int64_t result = 0;
	char byte;

	if (!*name && !(flags & EMPTY_PATH))
		return ERROR_NO_FILE;
	if (*name == '/' || (*name && fd == HERE)) {
		text_format(path, PAGE, "%s", name);
	} else {
		result = SYS(__NR_fcntl, fd, GET_FLAGS, 0);
		text_format(path, PAGE,
			    *name ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d",
			    (uint64_t)fd, name);
	}
	if (is_error(result))
		return result;
	if (*name && flags & NO_FOLLOW &&
	    SYS(__NR_readlink, path, &byte, 1) > 0)
		return ERROR_LOOP;
	return 0;
}

int64_t exec_at_call(struct thread *t)
{
	uint64_t flags = (uint32_t)t->reg[R8];
	int fd = (int)t->reg[RDI];
	char *memory = sys_memory(2 * (size_t)PAGE), *path = memory + PAGE;
	int64_t result = copy_path(memory, t->reg[RSI]);

	if (flags & ~(uint64_t)(NO_FOLLOW | EMPTY_PATH))
		result = ERROR_INVALID;
	else if (!result)
		result = name_at(fd, memory, flags, path);
	if (!result)
		result = exec_path(t, path, t->reg[RDX], t->reg[R10]);
	SYS(__NR_munmap, memory, 2 * PAGE, 0);
	return result;
}
