/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libc takes memory by the name of malloc() itself, so strdup() and fopen()
 * fail here, too. Its other calls inside (stdio's writes) have no name that
 * could be taken: a full disk is the test for those.
 */
#include "tests/fault/faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define SEEN __attribute__((visibility("default")))

SEEN const char *const fault_names[FAULT_KINDS] = {
	"memory", "open", "read",   "write", "mmap",  "fsync",    "rename",
	"ioctl",  "perf", "thread", "timer", "fcntl", "specific",
};

static atomic_int armed = -1;
static atomic_ulong left;
static atomic_int failed;

/*
 * Ways to a call: a hash of the return addresses on the stack, each at most
 * once; 0 is a free slot. When all are taken, no way is new.
 */
#define WAYS  8192
#define DEPTH 24
static _Atomic uintptr_t ways[WAYS];
static atomic_bool by_way;

SEEN void fault_arm(enum fault_kind kind, unsigned long n)
{
	atomic_store(&by_way, false);
	atomic_store(&failed, 0);
	atomic_store(&left, n);
	atomic_store(&armed, (int)kind);
}

SEEN void fault_arm_way(enum fault_kind kind, unsigned long n)
{
	memset((void *)ways, 0, sizeof(ways));
	fault_arm(kind, n);
	atomic_store(&by_way, true);
}

SEEN int fault_disarm(void)
{
	atomic_store(&armed, -1);
	return atomic_load(&failed);
}

__attribute__((constructor)) static void read_environment(void)
{
	const char *text = getenv("FAULT");
	const char *colon = text ? strchr(text, ':') : NULL;

	for (int k = 0; colon && k < FAULT_KINDS; k++)
		if (strlen(fault_names[k]) == (size_t)(colon - text) &&
		    strncmp(text, fault_names[k], (size_t)(colon - text)) == 0)
			fault_arm((enum fault_kind)k,
				  strtoul(colon + 1, NULL, 10));
}

/* Tell whoever asked through the environment that it has happened. */
static void tell(void)
{
	const char *path = getenv("FAULT_TOLD");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
				     O_CREAT | O_WRONLY | O_CLOEXEC, 0600)
		      : -1;

	if (fd >= 0)
		syscall(SYS_close, fd);
}

struct walk {
	uintptr_t hash;
	int depth;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *data)
{
	struct walk *walk = data;

	walk->hash = (walk->hash ^ (uintptr_t)_Unwind_GetIP(frame)) *
		     (uintptr_t)0x9e3779b97f4a7c15;
	return ++walk->depth < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Whether nobody has come this way since the failure was asked for. */
static bool is_new_way(void)
{
	static _Thread_local bool walking; /* which may itself need memory */
	struct walk walk = { 0 };

	if (walking)
		return false;
	walking = true;
	_Unwind_Backtrace(add_frame, &walk);
	walking = false;
	walk.hash |= 1;
	for (uintptr_t i = 0; i < WAYS; i++) {
		_Atomic uintptr_t *way = &ways[(walk.hash / 2 + i) % WAYS];
		uintptr_t found = 0;

		if (atomic_compare_exchange_strong(way, &found, walk.hash))
			return true;
		if (found == walk.hash)
			return false;
	}
	return false;
}

static int fails(enum fault_kind kind)
{
	int was = errno;

	if (atomic_load_explicit(&armed, memory_order_relaxed) != (int)kind)
		return 0;
	if (atomic_load(&by_way) && !is_new_way()) {
		errno = was;
		return 0;
	}
	if (atomic_fetch_sub(&left, 1) != 1)
		return 0;
	atomic_store(&armed, -1);
	atomic_store(&failed, 1);
	tell();
	errno = was;
	return 1;
}

/* The C library's own function of that name. */
static void *next(const char *name, void **kept)
{
	if (!*kept)
		*kept = dlsym(RTLD_NEXT, name);
	return *kept;
}

#define NEXT(name)                                                             \
	static void *kept;                                                     \
	__typeof__(&name) real = (__typeof__(&name))next(#name, &kept)

#ifdef FAULTS_END_WITH_MAIN
static int (*program)(int, char **, char **);

static void end_faults(void)
{
	fault_disarm();
}

/* Comes after the handlers of the program, and before all destructors. */
static int run_program(int argc, char **argv, char **environment)
{
	atexit(end_faults);
	return program(argc, argv, environment);
}

/* A child writes its counters before it becomes another program. */
SEEN pid_t fork(void)
{
	NEXT(fork);
	pid_t pid = real();

	if (pid == 0)
		fault_disarm();
	return pid;
}

SEEN int __libc_start_main(int (*start)(int, char **, char **), int argc,
			   char **argv, void (*init)(void), void (*fini)(void),
			   void (*rtld_fini)(void), void *stack)
{
	static void *kept;
	__typeof__(&__libc_start_main) real =
		(__typeof__(&__libc_start_main))next("__libc_start_main",
						     &kept);

	program = start;
	return real(run_program, argc, argv, init, fini, rtld_fini, stack);
}
#endif

/* glibc's heap by its inner names: dlsym() itself allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void __libc_free(void *block);

static atomic_long live;

SEEN long fault_live_blocks(void)
{
	return atomic_load(&live);
}

/* @block as its user gets it, counted. */
static void *taken(void *block)
{
	if (block)
		atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
	return block;
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

SEEN void *malloc(size_t size)
{
	return fails(FAULT_MEMORY) ? no_memory() : taken(__libc_malloc(size));
}

SEEN void *calloc(size_t n, size_t size)
{
	return fails(FAULT_MEMORY) ? no_memory()
				   : taken(__libc_calloc(n, size));
}

SEEN void *realloc(void *old, size_t size)
{
	if (fails(FAULT_MEMORY))
		return no_memory();
	if (!old)
		return taken(__libc_malloc(size));
	if (!size)
		atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
	return __libc_realloc(old, size);
}

SEEN void free(void *block)
{
	if (block)
		atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
	__libc_free(block);
}

SEEN void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(FAULT_MEMORY) ? no_memory()
				   : taken(__libc_memalign(alignment, size));
}

SEEN int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *got = aligned_alloc(alignment, size);

	if (!got)
		return ENOMEM;
	*out = got;
	return 0;
}

static int refuse(int code)
{
	errno = code;
	return -1;
}

SEEN int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails(FAULT_OPEN)
		       ? refuse(EMFILE)
		       : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

SEEN int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails(FAULT_OPEN)
		       ? refuse(EMFILE)
		       : (int)syscall(SYS_openat, dir, path, flags, mode);
}

SEEN FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);

	if (fails(FAULT_OPEN)) {
		errno = EMFILE;
		return NULL;
	}
	return real(path, mode);
}

SEEN DIR *opendir(const char *path)
{
	NEXT(opendir);

	if (fails(FAULT_OPEN)) {
		errno = EMFILE;
		return NULL;
	}
	return real(path);
}

SEEN int mkstemp(char *name)
{
	NEXT(mkstemp);

	return fails(FAULT_OPEN) ? refuse(EMFILE) : real(name);
}

SEEN ssize_t read(int fd, void *to, size_t n)
{
	return fails(FAULT_READ) ? refuse(EIO) : syscall(SYS_read, fd, to, n);
}

SEEN ssize_t pread(int fd, void *to, size_t n, off_t from)
{
	return fails(FAULT_READ) ? refuse(EIO)
				 : syscall(SYS_pread64, fd, to, n, from);
}

SEEN ssize_t write(int fd, const void *from, size_t n)
{
	return fails(FAULT_WRITE) ? refuse(ENOSPC)
				  : syscall(SYS_write, fd, from, n);
}

SEEN void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	if (fails(FAULT_MMAP)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

SEEN int fsync(int fd)
{
	return fails(FAULT_FSYNC) ? refuse(EIO) : (int)syscall(SYS_fsync, fd);
}

SEEN int rename(const char *from, const char *to)
{
	return fails(FAULT_RENAME) ? refuse(EACCES)
				   : (int)syscall(SYS_renameat, AT_FDCWD, from,
						  AT_FDCWD, to);
}

SEEN int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	return fails(FAULT_IOCTL)
		       ? refuse(EIO)
		       : (int)syscall(SYS_ioctl, fd, request, argument);
}

SEEN int fcntl(int fd, int request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	return fails(FAULT_FCNTL)
		       ? refuse(EINVAL)
		       : (int)syscall(SYS_fcntl, fd, request, argument);
}

SEEN FILE *fdopen(int fd, const char *mode)
{
	NEXT(fdopen);

	if (fails(FAULT_OPEN)) {
		errno = ENOMEM;
		return NULL;
	}
	return real(fd, mode);
}

SEEN int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	NEXT(timer_create);

	return fails(FAULT_TIMER) ? refuse(EAGAIN) : real(clock, event, timer);
}

SEEN int timer_settime(timer_t timer, int flags, const struct itimerspec *when,
		       struct itimerspec *old)
{
	NEXT(timer_settime);

	return fails(FAULT_TIMER) ? refuse(EINVAL)
				  : real(timer, flags, when, old);
}

SEEN int pthread_setspecific(pthread_key_t key, const void *value)
{
	NEXT(pthread_setspecific);

	/* Taking a value back needs no memory. */
	return value && fails(FAULT_SPECIFIC) ? ENOMEM : real(key, value);
}

SEEN int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			void *(*run)(void *), void *argument)
{
	NEXT(pthread_create);

	return fails(FAULT_THREAD) ? EAGAIN : real(thread, attr, run, argument);
}

/* perf_event_open() has no name in libc; everything else goes through. */
SEEN long syscall(long number, ...)
{
	static void *kept;
	long (*real)(long, ...) = (long (*)(long, ...))next("syscall", &kept);
	va_list list;
	long a[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open && fails(FAULT_PERF))
		return refuse(EMFILE);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
