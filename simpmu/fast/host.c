/* SPDX-License-Identifier: BSD-3-Clause */
/* What the PMU layer needs of the world (simpmu/pmu/host.h), from the kernel.
 */
#include "simpmu/pmu/host.h"

#include <asm/stat.h>

#include "simpmu/fast/process.h"
#include "simpmu/fast/publish.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/wire.h"

#define SMALLEST    64u
#define CLASSES     24
#define POOL        (1u << 20)
#define AT_CWD      (-100)
#define O_WR        1
#define O_RW        2
#define O_CREATE    0100
#define O_EMPTY     01000
#define O_ADD       02000
#define O_NO_EXEC   02000000
#define HIGH_FD     900  /* out of the guest's reach, mostly */
#define DUP_ABOVE   1030 /* F_DUPFD_CLOEXEC */
#define SET_FLAGS   2    /* F_SETFD; 1: FD_CLOEXEC */
#define RLIMIT_FILE 1

/* ---- memory: sizes are powers of two, free blocks in a list each ---- */

struct piece {
	struct piece *next;
	unsigned class;
	unsigned unused;
};

static struct {
	struct piece *free[CLASSES];
	uint8_t *at, *end;
} heap;

void *host_new(size_t bytes)
{
	unsigned class = 0;
	struct piece *piece;

	while (SMALLEST << class < bytes + sizeof(*piece))
		class ++;
	piece = heap.free[class];
	if (piece) {
		heap.free[class] = piece->next;
		memset(piece, 0, SMALLEST << class);
	} else if (SMALLEST << class >= POOL / 4) {
		piece = sys_memory(SMALLEST << class);
	} else {
		if (heap.end - heap.at < (int64_t)(SMALLEST << class)) {
			heap.at = sys_memory(POOL);
			heap.end = heap.at + POOL;
		}
		piece = (struct piece *)heap.at;
		heap.at += SMALLEST << class;
	}
	piece->class = class;
	return piece + 1;
}

void host_free(void *memory)
{
	struct piece *piece;

	if (!memory)
		return;
	piece = (struct piece *)memory - 1;
	piece->next = heap.free[piece->class];
	heap.free[piece->class] = piece;
}

/* ---- the process ---- */

int32_t host_pid(void)
{
	return publish_for((int32_t)SYS(__NR_getpid, 0, 0, 0));
}

int32_t host_tid(void)
{
	return (int32_t)SYS(__NR_gettid, 0, 0, 0);
}

uint32_t host_ms(void)
{
	uint64_t now[2] = { 0 };

	SYS(__NR_clock_gettime, 1, now, 0);
	return (uint32_t)(now[0] * 1000 + now[1] / 1000000);
}

const char *host_program(void)
{
	return process.guest;
}

void host_clean_environment(unsigned tid)
{
	(void)tid; /* the engine has put nothing into it */
}

void host_registers(unsigned tid, uint64_t *registers)
{
	/* DWARF's order of the first eight */
	static const uint8_t order[8] = {
		RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP
	};
	const struct thread *t = thread_numbered(tid);

	for (unsigned i = 0; i < 16; i++)
		registers[i] = t->reg[i < 8 ? order[i] : i];
	registers[16] = t->pc;
}

size_t host_peek(uint64_t address, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t piece = PAGE - (address + done) % PAGE;

		if (piece > n - done)
			piece = n - done;
		if (guest_copy((uint8_t *)to + done,
			       (const void *)(address + done), piece))
			break;
		done += piece;
	}
	return done;
}

/* ---- files ---- */

/* The same file under a number that programs do not use, closed by an exec. */
static int out_of_reach(int fd)
{
	int64_t high = fd;

	if (fd < HIGH_FD)
		high = SYS(__NR_fcntl, fd, DUP_ABOVE, HIGH_FD);
	if (is_error(high) || high == fd) {
		SYS(__NR_fcntl, fd, SET_FLAGS, 1);
		return fd;
	}
	SYS(__NR_close, fd, 0, 0);
	return (int)high;
}

static void *map_shared(int64_t fd, size_t bytes)
{
	int64_t at;

	if (is_error(fd))
		return NULL;
	at = sys_map(bytes, MAP_IS_SHARED, fd);
	if (is_error(at)) {
		SYS(__NR_close, fd, 0, 0);
		return NULL;
	}
	process.shared_fd = out_of_reach((int)fd);
	return (void *)at;
}

void *host_share_file(const char *path, size_t bytes)
{
	return map_shared(SYS(__NR_open, path, O_RW | O_NO_EXEC, 0), bytes);
}

/* More than the limit on files would be a signal. */
static bool is_allowed(size_t bytes)
{
	uint64_t limit[2];

	return SYS(__NR_getrlimit, RLIMIT_FILE, limit, 0) == 0 &&
	       limit[0] >= bytes;
}

void *host_share(size_t bytes)
{
	int64_t fd;

	if (!is_allowed(bytes))
		return NULL;
	fd = SYS(__NR_memfd_create, WIRE_MEMORY, 1, 0);
	if (!is_error(fd) && SYS(__NR_ftruncate, fd, bytes, 0)) {
		SYS(__NR_close, fd, 0, 0);
		return NULL;
	}
	return map_shared(fd, bytes);
}

/* A file that is shorter cannot be it: using it would be a signal. */
void *host_share_again(int fd, size_t bytes)
{
	int64_t end = SYS(__NR_lseek, fd, 0, 2);

	return end >= (int64_t)bytes ? map_shared(fd, bytes) : NULL;
}

int host_share_on(bool stays)
{
	if (process.shared_fd > 0)
		SYS(__NR_fcntl, process.shared_fd, SET_FLAGS, stays ? 0 : 1);
	return process.shared_fd > 0 ? process.shared_fd : -1;
}

/* A file system that cannot allocate ahead will do so when it is written. */
bool host_reserve(uint64_t offset, uint64_t bytes)
{
	int64_t result = sys6(__NR_fallocate, (uint64_t)process.shared_fd, 0,
			      offset, bytes, 0, 0);

	return result == 0 || result == -95 || result == -38;
}

/* What cannot be locked, as it is no file, is nobody else's. */
bool host_hold(uint64_t offset, bool on)
{
	struct {
		int16_t type, whence;
		int64_t start, length;
		int32_t pid;
	} lock = { .type = on ? 1 : 2, /* F_WRLCK, F_UNLCK */
		   .start = (int64_t)offset,
		   .length = 1 };
	int64_t result = SYS(__NR_fcntl, process.shared_fd, 6, &lock);

	return result != -11 && result != -13; /* EAGAIN, EACCES */
}

bool host_is_held(uint64_t offset)
{
	struct {
		int16_t type, whence;
		int64_t start, length;
		int32_t pid;
	} lock = { .type = 1, .start = (int64_t)offset, .length = 1 };

	/* F_OFD_GETLK, also of what this process holds; F_UNLCK: nobody does */
	return !process.is_confined &&
	       SYS(__NR_fcntl, process.shared_fd, 36, &lock) == 0 &&
	       lock.type != 2;
}

void host_wake(const uint32_t *word)
{
	SYS(__NR_futex, word, 1 /* FUTEX_WAKE */, ~0u >> 1);
}

void host_rest(void)
{
	const uint64_t moment[2] = { 0, 100000 };

	SYS(__NR_nanosleep, moment, 0, 0);
}

void host_pass_number(const char *name, uint32_t number)
{
	struct thread *t = thread_self();

	text_format(t->passed, sizeof(t->passed), "--%s=%d", name,
		    (uint64_t)number);
}

bool host_write_file(const char *path, const char *text, size_t bytes)
{
	int64_t fd = SYS(__NR_open, path, O_WR | O_CREATE | O_EMPTY, 0644), n;

	if (is_error(fd))
		return false;
	n = SYS(__NR_write, fd, text, bytes);
	SYS(__NR_close, fd, 0, 0);
	return n == (int64_t)bytes;
}

int host_open_append(const char *path)
{
	int64_t fd = SYS(__NR_open, path, O_WR | O_ADD | O_NO_EXEC, 0);

	return is_error(fd) ? -1 : out_of_reach((int)fd);
}

static bool may_grow(int fd, size_t bytes)
{
	struct stat status = { 0 };

	return SYS(__NR_fstat, fd, &status, 0) ||
	       is_allowed((size_t)status.st_size + bytes);
}

/* The publisher, which may append as well, has files of its own. */
bool host_append(int fd, const char *path, const void *data, size_t bytes)
{
	int64_t n, other;

	if (!may_grow(fd, bytes))
		return false;
	n = SYS(__NR_write, fd, data, bytes);
	if (n == -9) { /* EBADF */
		other = SYS(__NR_open, path, O_WR | O_ADD | O_NO_EXEC, 0);
		if (is_error(other))
			return false;
		n = SYS(__NR_write, other, data, bytes);
		SYS(__NR_close, other, 0, 0);
	}
	return n == (int64_t)bytes;
}

/* ---- words ---- */

void host_print(const char *text)
{
	SYS(__NR_write, 2, text, text_length(text));
}

void host_give_up(int status, const char *format, const char *text)
{
	char line[1024];
	size_t n = text_format(line, sizeof(line) - 1, "simpmu: ");

	n += text_format(line + n, sizeof(line) - 1 - n, format, text);
	if (status == 125) {
		line[n] = '\0';
		pmu_hooks.failure(line + text_length("simpmu: "));
	}
	line[n++] = '\n';
	SYS(__NR_write, 2, line, n);
	SYS(__NR_exit_group, status, 0, 0);
	__builtin_unreachable();
}

uint64_t host_number(const char *text, const char **end)
{
	uint64_t value = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	*end = text;
	return value;
}
