/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private files below TMPDIR, and the signals that must not leave them behind.
 */
#include "console/console.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"

/*
 * What there is, for the handler, which has no context. An entry whose name is
 * empty is free.
 */
#define MOST 8
static struct {
	pid_t owner; /* a child that is not yet another program removes nothing
		      */
	char paths[MOST][PATH_MAX];
} made;

static void clean_up_and_end(int number)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	for (size_t i = 0; made.owner == getpid() && i < MOST; i++)
		unlink(made.paths[i]);
	for (size_t i = 0; made.owner == getpid() && i < MOST; i++)
		rmdir(made.paths[i]); /* a folder, empty by now */
	sigaction(number, &usual, NULL);
	raise(number);
}

/* Where nobody has decided otherwise. */
static void set_handlers(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction ours = { .sa_handler = clean_up_and_end };
	struct sigaction now;

	made.owner = getpid();
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 &&
		    !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			sigaction(numbers[i], &ours, NULL);
}

/* Known to the handler from now on; if there is no room, as if it were not. */
static void note(const char *path)
{
	size_t i = 0;

	while (i < MOST && made.paths[i][0])
		i++;
	if (i < MOST && strlen(path) < PATH_MAX)
		strcpy(made.paths[i], path);
}

/*
 * Folders that commands left which were killed. Each has a file that its
 * command holds locked as long as it lives; it gets its name only once it is.
 */
#define LOCK     "lock"
#define NEW_LOCK "lock.new"

static void remove_left(int parent, const char *name)
{
	int folder = openat(parent, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int lock = folder < 0 ? -1
			      : openat(folder, LOCK,
				       O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0
			    ? fdopendir(folder)
			    : NULL;
	const struct dirent *entry;

	while (list && (entry = readdir(list)))
		unlinkat(folder, entry->d_name, 0);
	if (list) {
		unlinkat(parent, name, AT_REMOVEDIR);
		closedir(list);
	} else if (folder >= 0) {
		close(folder);
	}
	if (lock >= 0)
		close(lock);
}

static void remove_all_left(const char *tmp)
{
	DIR *list = opendir(tmp);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		struct stat st;

		if (strncmp(entry->d_name, "assay-", 6) == 0 &&
		    fstatat(dirfd(list), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode) && st.st_uid == geteuid())
			remove_left(dirfd(list), entry->d_name);
	}
	if (list)
		closedir(list);
}

/* The folder is ours from now on, until this process ends. Without a lock it
 * is as before: it would stay if we were killed. */
static void lock_folder(const char *path)
{
	OWNED char *before = str_format("%s/" NEW_LOCK, path);
	OWNED char *after = str_format("%s/" LOCK, path);
	int fd = before && after
			 ? open(before, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				0600)
			 : -1;

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) || rename(before, after)))
		unlink(before);
	else if (fd >= 0)
		note(after);
}

static bool make_at(char *path, bool is_folder)
{
	int fd;

	if (is_folder)
		return mkdtemp(path);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char *make(const char *what, bool is_folder, struct diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	char *path;
	sigset_t all, old;
	bool there;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	path = str_format("%s/assay-%s-XXXXXX", tmp, what);
	if (!path) {
		diag_fail(diag, PAPI_ENOMEM, "out of memory");
		return NULL;
	}
	set_handlers();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	there = make_at(path, is_folder);
	if (there)
		note(path);
	if (there && is_folder) {
		lock_folder(path);
		remove_all_left(tmp);
	}
	if (!there)
		diag_fail(
			diag, PAPI_ESYS,
			"cannot create a temporary %s in %s: %s; set TMPDIR to "
			"another directory",
			is_folder ? "folder" : "file", tmp, strerror(errno));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (there)
		return path;
	free(path);
	return NULL;
}

char *scratch_file(const char *what, struct diag *diag)
{
	return make(what, false, diag);
}

char *scratch_text(const char *what, const char *text, struct diag *diag)
{
	char *path = scratch_file(what, diag);
	FILE *to = path ? fopen(path, "we") : NULL;
	bool failed;

	if (!path)
		return NULL;
	failed = !to || fputs(text, to) < 0;
	if ((to && fclose(to)) || failed) {
		diag_fail(diag, PAPI_ESYS, "cannot write %s: %s", path,
			  strerror(errno));
		scratch_remove(path);
		return NULL;
	}
	return path;
}

char *scratch_folder(const char *what, struct diag *diag)
{
	return make(what, true, diag);
}

char *scratch_inside(const char *folder, const char *name)
{
	char *path = str_format("%s/%s", folder, name);

	if (path)
		note(path);
	return path;
}

static void remove_lock(const char *folder)
{
	OWNED char *lock = str_format("%s/" LOCK, folder);

	if (lock && unlink(lock) == 0)
		for (size_t i = 0; i < MOST; i++)
			if (strcmp(made.paths[i], lock) == 0)
				made.paths[i][0] = '\0';
}

void scratch_remove(char *path)
{
	if (!path)
		return;
	if (unlink(path)) {
		remove_lock(path);
		rmdir(path);
	}
	for (size_t i = 0; i < MOST; i++)
		if (strcmp(made.paths[i], path) == 0)
			made.paths[i][0] = '\0';
	free(path);
}
