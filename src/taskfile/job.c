/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH and its relatives set no variable that names the job. They listen on
 * the descriptor PMI_FD, where a rank asks in lines of text (version 1 of the
 * process management interface): for the name of the job's store of keys, which
 * is the job's own.
 */
#include "taskfile/inside.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 5000

/* Ask the launcher, and read its answer of one line into @answer. */
static bool ask(int fd, const char *question, char *answer, size_t capacity)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t len = strlen(question);

	if (send(fd, question, len, MSG_NOSIGNAL) != (ssize_t)len)
		return false;
	for (size_t n = 0; n + 1 < capacity; n++) {
		if (poll(&wait, 1, PATIENCE_MS) != 1 ||
		    read(fd, answer + n, 1) != 1)
			return false;
		if (answer[n] == '\n') {
			answer[n] = '\0';
			return true;
		}
	}
	return false;
}

/* The launcher's name for the job. A rank that said it is there says goodbye.
 */
static bool ask_launcher(int fd, char *job, size_t capacity)
{
	char line[512], bye[512];
	const char *name;

	if (!ask(fd, "cmd=init pmi_version=1 pmi_subversion=1\n", line,
		 sizeof(line)) ||
	    !strstr(line, "rc=0"))
		return false;
	if (!ask(fd, "cmd=get_my_kvsname\n", line, sizeof(line)) ||
	    !ask(fd, "cmd=finalize\n", bye, sizeof(bye)))
		return false;
	name = strstr(line, "kvsname=");
	if (!name)
		return false;
	name += strlen("kvsname=");
	snprintf(job, capacity, "%.*s", (int)strcspn(name, " "), name);
	return *job != '\0';
}

/* The descriptor that @text names; -1: it names none. */
static int descriptor(const char *text)
{
	char *end;
	long fd = text && *text ? strtol(text, &end, 10) : -1;

	return fd < 0 || fd > INT_MAX || *end ? -1 : (int)fd;
}

static bool is_name(const char *text)
{
	return text && *text && !strchr(text, '/');
}

void taskfile_job_add(struct strbuf *name)
{
	const char *space = getenv("PMIX_NAMESPACE");
	const char *job = getenv("SLURM_JOB_ID");
	const char *step = getenv("SLURM_STEP_ID");
	int fd = descriptor(getenv("PMI_FD"));
	char told[256];

	if (is_name(space))
		strbuf_add(name, space);
	else if (is_name(job) && is_name(step))
		strbuf_addf(name, "%s.%s", job, step);
	else if (fd >= 0 && ask_launcher(fd, told, sizeof(told)) &&
		 is_name(told))
		strbuf_add(name, told);
	else /* one launcher on one machine */
		strbuf_addf(name, "%ld", (long)getppid());
}
