/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs have the names that their launchers give them. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "taskfile/inside.h"
#include "tests/unit/testing.h"

static void forget(void)
{
	static const char *const names[] = { "PMIX_NAMESPACE", "SLURM_JOB_ID",
					     "SLURM_STEP_ID", "PMI_FD" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static void assert_job(const char *want)
{
	struct strbuf name = { 0 };

	taskfile_job_add(&name);
	assert_string_equal(strbuf_text(&name), want);
	strbuf_fini(&name);
}

static void assert_parent_is_job(void)
{
	char parent[24];

	snprintf(parent, sizeof(parent), "%ld", (long)getppid());
	assert_job(parent);
}

TEST(test_environment)
{
	forget();
	assert_parent_is_job();
	setenv("SLURM_JOB_ID", "7", 1); /* a batch script has no step */
	assert_parent_is_job();
	setenv("SLURM_STEP_ID", "0", 1);
	assert_job("7.0");
	setenv("PMIX_NAMESPACE", "a/b", 1); /* not a name of a file */
	assert_job("7.0");
	setenv("PMIX_NAMESPACE", "slurm.pmix.7.0", 1);
	assert_job("slurm.pmix.7.0");
	forget();
}

/* A launcher on a socket: a question it expects, and its answer. */
struct launcher {
	int fd;
	const char *const (*script)[2];
	size_t n;
};

static void *answer(void *data)
{
	const struct launcher *launcher = data;
	FILE *from = fdopen(launcher->fd, "r");
	char line[256];

	for (size_t i = 0; i < launcher->n; i++) {
		if (!fgets(line, sizeof(line), from) ||
		    strcmp(line, launcher->script[i][0]) != 0)
			break;
		dprintf(launcher->fd, "%s", launcher->script[i][1]);
	}
	fclose(from);
	return NULL;
}

static const char *const script[][2] = {
	{ "cmd=init pmi_version=1 pmi_subversion=1\n",
	  "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n" },
	{ "cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=kvs_7_0_host\n" },
	{ "cmd=finalize\n", "cmd=finalize_ack\n" },
};

/* What the job is called by a launcher that answers @n times and leaves. */
static void with_launcher(size_t n, void (*check)(void))
{
	struct launcher launcher = { .script = script, .n = n };
	pthread_t thread;
	char text[24];
	int fds[2];

	forget();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	launcher.fd = fds[1];
	assert_int_equal(pthread_create(&thread, NULL, answer, &launcher), 0);
	snprintf(text, sizeof(text), "%d", fds[0]);
	setenv("PMI_FD", text, 1);
	check();
	close(fds[0]);
	pthread_join(thread, NULL);
	forget();
}

static void assert_told(void)
{
	assert_job("kvs_7_0_host");
}

TEST(test_launcher)
{
	with_launcher(3, assert_told);
	for (size_t n = 0; n < 3; n++)
		with_launcher(n, assert_parent_is_job);
	setenv("PMI_FD", "no number", 1);
	assert_parent_is_job();
	setenv("PMI_FD", "12345", 1); /* not open */
	assert_parent_is_job();
	forget();
}

RUN_ALL_TESTS
