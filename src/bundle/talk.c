/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipes to the child that runs kernels; what is said through them, drive.c
 * knows.
 */
#include "bundle/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/worker.h"

/* Become the second program: it is in memory, and has no name elsewhere. */
static void become_program(const struct request *request)
{
	char name[] = "kernels", pin[] = "--pin";
	char *argv[] = { name, pin, NULL };
	int fd = memfd_create("kernels", MFD_CLOEXEC);
	const char *at = request->program;
	size_t left = request->program_bytes;

	while (fd >= 0 && left > 0) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno != EINTR)
			_exit(126);
		at += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	fexecve(fd, argv, environ);
	_exit(127);
}

/* In the child. Its messages are nobody's. */
static void become(const struct request *request, const int from[2],
		   const int to[2])
{
	char name[] = "kernels", pin[] = "--pin";
	char *argv[] = { name, pin, NULL };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(from[0], STDIN_FILENO);
	dup2(to[1], STDOUT_FILENO);
	/* else its own end of the pipe would keep it from ending */
	close(from[1]);
	close(to[0]);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	if (request->program)
		become_program(request);
	exit(worker_main(2, argv));
}

static int start_process(struct talk *talk, const struct request *request,
			 const int in[2], const int out[2])
{
	talk->to = fdopen(in[1], "w");
	talk->from = fdopen(out[0], "r");
	talk->pid = talk->to && talk->from ? fork() : -1;
	if (talk->pid == 0)
		become(request, in, out);
	return talk->pid < 0 ? errno : 0;
}

int talk_start(struct talk *talk, const struct request *request)
{
	int in[2], out[2], err;

	*talk = (struct talk){ 0 };
	if (pipe2(in, O_CLOEXEC))
		return errno;
	if (pipe2(out, O_CLOEXEC)) {
		err = errno;
		close(in[0]);
		close(in[1]);
		return err;
	}
	err = start_process(talk, request, in, out);
	close(in[0]);
	close(out[1]);
	if (err)
		talk->pid = 0;
	return err;
}

void talk_send(struct talk *talk, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(talk->to, format, args);
	va_end(args);
	fputc('\n', talk->to);
	fflush(talk->to);
}

char *talk_line(struct talk *talk)
{
	ssize_t n = getline(&talk->line, &talk->room, talk->from);

	if (n <= 0 || talk->line[n - 1] != '\n')
		return NULL;
	talk->line[n - 1] = '\0';
	return talk->line;
}

void talk_end(struct talk *talk)
{
	if (talk->to)
		fclose(talk->to);
	if (talk->from)
		fclose(talk->from);
	if (talk->pid > 0) {
		kill(talk->pid, SIGKILL);
		while (waitpid(talk->pid, &talk->status, 0) < 0 &&
		       errno == EINTR)
			;
	}
	free(talk->line);
	*talk = (struct talk){ .status = talk->status };
}

const char *talk_fate(const struct talk *talk, char *text, size_t room)
{
	if (WIFSIGNALED(talk->status))
		snprintf(text, room, "was killed by signal %d",
			 WTERMSIG(talk->status));
	else
		snprintf(text, room, "ended with status %d",
			 WEXITSTATUS(talk->status));
	return text;
}
