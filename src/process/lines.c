/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children spoken to in lines, through pipes. What they become, and what is
 * said, are the callers'.
 */
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. Its messages are nobody's. */
static void take_pipes(const int in[2], const int out[2])
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	/* else its own end of the pipe would keep it from ending */
	close(in[1]);
	close(out[0]);
	if (null >= 0 && !getenv("ASSAY_KERNELS_VERBOSE"))
		dup2(null, STDERR_FILENO);
}

int process_spawn(struct process *process, void (*become)(const void *context),
		  const void *context, struct diag *diag)
{
	int in[2], out[2];

	*process = (struct process){ .to = -1, .from = -1 };
	if (pipe2(in, O_CLOEXEC))
		return diag_fail(diag, PAPI_ESYS, "cannot create a pipe: %s",
				 strerror(errno));
	if (pipe2(out, O_CLOEXEC)) {
		diag_fail(diag, PAPI_ESYS, "cannot create a pipe: %s",
			  strerror(errno));
		goto close_in;
	}
	process->pid = fork();
	if (process->pid == 0) {
		take_pipes(in, out);
		become(context);
		_exit(127);
	}
	if (process->pid < 0) {
		diag_fail(diag, PAPI_ESYS, "cannot start a process: %s",
			  strerror(errno));
		goto close_out;
	}
	close(in[0]);
	close(out[1]);
	process->to = in[1];
	process->from = out[0];
	return 0;

close_out:
	close(out[0]);
	close(out[1]);
close_in:
	close(in[0]);
	close(in[1]);
	process->pid = 0;
	return PAPI_ESYS;
}

static int write_all(int fd, const char *text, size_t left)
{
	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return PAPI_ESYS;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

int process_send(const struct process *process, const char *format, ...)
{
	OWNED char *text = NULL;
	va_list args;
	int err, n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		text = NULL;
		return PAPI_ENOMEM;
	}
	err = write_all(process->to, text, (size_t)n);
	return err ? err : write_all(process->to, "\n", 1);
}

char *process_line(struct process *process)
{
	char *start = process->text + process->taken;
	char *end = process->len > process->taken
			    ? memchr(start, '\n', process->len - process->taken)
			    : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	process->taken += (size_t)(end - start) + 1;
	return start;
}

static bool make_room(struct process *process)
{
	char *grown;

	if (process->taken > 0) {
		memmove(process->text, process->text + process->taken,
			process->len - process->taken);
		process->len -= process->taken;
		process->taken = 0;
	}
	if (process->capacity - process->len >= 4096)
		return true;
	grown = realloc(process->text, process->capacity * 2 + 8192);
	if (!grown)
		return false;
	process->text = grown;
	process->capacity = process->capacity * 2 + 8192;
	return true;
}

bool process_read(struct process *process)
{
	ssize_t n;

	if (!make_room(process))
		return false;
	do {
		n = read(process->from, process->text + process->len,
			 process->capacity - process->len);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	process->len += (size_t)n;
	return true;
}

char *process_wait_line(struct process *process)
{
	char *line = process_line(process);

	while (!line && process_read(process))
		line = process_line(process);
	return line;
}

void process_end(struct process *process)
{
	if (process->pid > 0) {
		close(process->to);
		close(process->from);
		kill(process->pid, SIGKILL);
		while (waitpid(process->pid, &process->status, 0) < 0 &&
		       errno == EINTR)
			;
	}
	process->pid = 0;
	free(process->text);
	process->text = NULL;
	process->len = process->capacity = process->taken = 0;
}

const char *process_fate(const struct process *process, char *text,
			 size_t capacity)
{
	if (WIFSIGNALED(process->status))
		snprintf(text, capacity, "was killed by signal %d",
			 WTERMSIG(process->status));
	else
		snprintf(text, capacity, "ended with status %d",
			 WEXITSTATUS(process->status));
	return text;
}
