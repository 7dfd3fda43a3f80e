/* SPDX-License-Identifier: BSD-3-Clause */
#include "console/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	else
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

void scratch_remove(char *path)
{
	if (!path)
		return;
	if (unlink(path))
		rmdir(path);
	for (size_t i = 0; i < MOST; i++)
		if (strcmp(made.paths[i], path) == 0)
			made.paths[i][0] = '\0';
	free(path);
}
