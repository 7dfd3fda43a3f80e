/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that run on the simulated PMU already, and their control files:
 * found among the files that a process has open, since those that it made
 * itself have no name. Who may look at a process's files may count it, as with
 * the kernel's counters.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "components/sim/sim.h"

#define MEMORY "/memfd:" WIRE_MEMORY
#define NAMED  "/control" /* as the command calls the ones that it makes */

static bool looks_right(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	size_t tail = strlen(NAMED);

	if (n <= 0)
		return false;
	target[n] = '\0';
	return strncmp(target, MEMORY, strlen(MEMORY)) == 0 ||
	       ((size_t)n > tail && strcmp(target + n - tail, NAMED) == 0);
}

/* Whether @fd is such a file, of this version. */
static bool is_control(int fd)
{
	uint32_t head[2];
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       st.st_size >= (off_t)sizeof(struct wire_control) &&
	       pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       head[0] == WIRE_MAGIC && head[1] == WIRE_VERSION;
}

/*
 * The file that this process's own simulator has, too, once it was opened.
 * Closing it would give up all locks that this process has on it, and so the
 * simulator's: it stays open.
 */
static struct {
	pthread_mutex_t lock; /* guards all below */
	struct control_file file;
	struct stat st;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool is_kept(const char *path)
{
	struct stat st;

	return kept.file.shared && stat(path, &st) == 0 &&
	       is_same(&st, &kept.st);
}

/* Open @path if it is a control file. */
static int open_control(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0 && !is_control(fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int map_control(int fd, struct control_file *out)
{
	void *shared = mmap(NULL, sizeof(struct wire_control),
			    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (shared == MAP_FAILED) {
		close(fd);
		return PAPI_ENOMEM;
	}
	*out = (struct control_file){ .shared = shared, .fd = fd };
	return 0;
}

/*
 * Whether this process, by its simulator, has the same file open again.
 * Valgrind 3.27 does not show its own files to the program; then a place that
 * this process holds in @file tells.
 */
static bool is_open_again(const struct control_file *file,
			  const struct stat *wanted)
{
	const struct dirent *entry;
	unsigned n = 0;
	DIR *list = opendir("/proc/self/fd");
	char path[64];

	if (!list)
		return true; /* it may be */
	while ((entry = readdir(list))) {
		struct stat st;

		snprintf(path, sizeof(path), "/proc/self/fd/%.20s",
			 entry->d_name);
		n += stat(path, &st) == 0 && is_same(&st, wanted);
	}
	closedir(list);
	return n > 1 || control_is_own(file);
}

static int open_path(const char *path, struct control_file *out)
{
	int fd, err;

	if (is_kept(path)) {
		*out = kept.file;
		return 0;
	}
	fd = open_control(path);
	if (fd < 0)
		return PAPI_ENOSUPP;
	err = map_control(fd, out);
	if (!err && fstat(fd, &kept.st) == 0 && is_open_again(out, &kept.st))
		kept.file = *out;
	return err;
}

/* Find and open the control file of @tid, whose path goes to @path. */
static int open_peer(pid_t tid, struct control_file *out, char *path,
		     size_t capacity)
{
	const struct dirent *entry;
	int err = PAPI_ENOSUPP;
	DIR *list;

	snprintf(path, capacity, "/proc/%d/fd", (int)tid);
	list = opendir(path);
	if (!list)
		return errno == ENOENT ? PAPI_EINVAL : err_from_errno(errno);
	while (err == PAPI_ENOSUPP && (entry = readdir(list))) {
		snprintf(path, capacity, "/proc/%d/fd/%.20s", (int)tid,
			 entry->d_name);
		if (looks_right(path))
			err = open_path(path, out);
	}
	closedir(list);
	return err;
}

int peer_open(pid_t tid, struct control_file *out, char *path, size_t capacity)
{
	int err;

	pthread_mutex_lock(&kept.lock);
	err = open_peer(tid, out, path, capacity);
	pthread_mutex_unlock(&kept.lock);
	return err;
}

void peer_close(struct control_file *file)
{
	pthread_mutex_lock(&kept.lock);
	if (file->shared != kept.file.shared) {
		munmap(file->shared, sizeof(*file->shared));
		close(file->fd);
	}
	file->shared = NULL;
	pthread_mutex_unlock(&kept.lock);
}

void peer_machine(const struct control_file *file, struct params *params)
{
	_Static_assert(sizeof(*params) <= WIRE_MACHINE_BYTES,
		       "a machine fits into the control file");
	memcpy(params, file->shared->machine, sizeof(*params));
}
