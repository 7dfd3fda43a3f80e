/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's view of itself; see self.h. What is mapped is for space.c. */
#include "simpmu/fast/call/self.h"

#include "simpmu/fast/process.h"
#include "simpmu/fast/space.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define ERROR_FAULT     (-14)
#define OPEN_TO_WRITE   3u       /* O_WRONLY, O_RDWR */
#define CLOSE_ON_EXEC   0x80000u /* O_CLOEXEC */
#define PATH_BYTES      48
#define IN_MEMORY_CLOSE 1u /* MFD_CLOEXEC */

/* The path at @from, up to PATH_BYTES; it may end before its page does. */
static bool get_path(char *to, uint64_t from)
{
	size_t n = PAGE - from % PAGE;

	if (n > PATH_BYTES - 1)
		n = PATH_BYTES - 1;
	to[n] = '\0';
	return !guest_copy(to, (const void *)from, n);
}

/* Whether @path is /proc/self/@name or one of the same file. */
static bool is_own(const char *path, const char *name)
{
	char own[PATH_BYTES];
	uint64_t pid = (uint64_t)SYS(__NR_getpid, 0, 0, 0);
	static const char *const forms[] = { "/proc/self/%s",
					     "/proc/thread-self/%s" };

	if (!text_begins(path, "/proc/"))
		return false;
	for (int i = 0; i < 2; i++) {
		text_format(own, sizeof(own), forms[i], name);
		if (text_equal(path, own))
			return true;
	}
	text_format(own, sizeof(own), "/proc/%d/%s", pid, name);
	return text_equal(path, own);
}

bool self_is_file(uint64_t path)
{
	char text[PATH_BYTES];

	return get_path(text, path) && is_own(text, "exe");
}

int64_t self_read_link(uint64_t to, uint64_t capacity)
{
	size_t n = text_length(process.guest);

	if (n > capacity)
		n = capacity;
	return guest_copy((void *)to, process.guest, n) ? ERROR_FAULT
							: (int64_t)n;
}

/* A file in memory that holds @text. */
static int64_t make_file(const char *text, size_t bytes, bool closes)
{
	int64_t fd =
		SYS(__NR_memfd_create, "maps", closes ? IN_MEMORY_CLOSE : 0, 0);

	if (is_error(fd))
		return fd;
	if (SYS(__NR_write, fd, text, bytes) == (int64_t)bytes &&
	    !SYS(__NR_lseek, fd, 0, 0))
		return fd;
	SYS(__NR_close, fd, 0, 0);
	return ERROR_FAULT;
}

bool self_open_maps(const uint64_t *reg, int64_t *result)
{
	bool is_at = reg[RAX] == __NR_openat;
	uint64_t flags = reg[is_at ? RDX : RSI];
	char path[PATH_BYTES], *text;
	size_t bytes;

	if ((!is_at && reg[RAX] != __NR_open) || flags & OPEN_TO_WRITE ||
	    !get_path(path, reg[is_at ? RSI : RDI]) || !is_own(path, "maps"))
		return false;
	text = space_list(&bytes);
	if (!text)
		return false;
	*result = make_file(text, bytes, flags & CLOSE_ON_EXEC);
	sys_free_file(text);
	return !is_error(*result);
}
