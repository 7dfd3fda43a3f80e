/* SPDX-License-Identifier: BSD-3-Clause */
/* Worker processes: started, spoken to in lines, ended. */

#include "lab/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/build.h"
#include "console/console.h"
#include "process/process.h"

static const struct companion kernels = {
	.build = "libexec/kernels",
	.installed = "kernels",
	.variable = "ASSAY_KERNELS",
	.mode = X_OK,
	.missing = "the program that runs kernels is missing: it should be in "
		   "libexec/ beside this command",
};

char *process_find_program(struct diag *diag)
{
	const char *chosen = getenv(kernels.variable);

	/* where this command is, also without /proc */
	if (build_kernels() && !(chosen && *chosen))
		return strdup((const char *)getauxval(AT_EXECFN));
	return companion_find(&kernels, diag);
}

/* In the child: become the program. Its messages are nobody's. */
static void become(char *program, const struct simulator_options *simulator,
		   int in, int out)
{
	char pin[] = "--pin";
	char name[] = "kernels"; /* see build_kernels() */
	char *argv[] = { simulator ? program : name, simulator ? NULL : pin,
			 NULL };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct simulator_options options;
	struct diag diag;

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (null >= 0 && !getenv("ASSAY_KERNELS_VERBOSE"))
		dup2(null, STDERR_FILENO);
	setpgid(0, 0); /* the keyboard's signals are for us */
	if (simulator) {
		options = *simulator;
		options.repeatable = true;
		simulator_exec(&options, argv, &diag);
	} else {
		execv(program, argv);
	}
	_exit(127);
}

static int spawn(struct process *process, char *program,
		 const struct simulator_options *simulator, struct diag *diag)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC))
		return diag_fail(diag, PAPI_ESYS, "cannot create a pipe: %s",
				 strerror(errno));
	if (pipe2(out, O_CLOEXEC)) {
		diag_fail(diag, PAPI_ESYS, "cannot create a pipe: %s",
			  strerror(errno));
		goto close_in;
	}
	process->pid = fork();
	if (process->pid == 0)
		become(program, simulator, in[0], out[1]);
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

int process_start(struct process *process, const char *program,
		  const struct simulator_options *simulator, struct diag *diag)
{
	OWNED char *path =
		program ? strdup(program) : process_find_program(diag);
	int err;

	*process = (struct process){ .to = -1, .from = -1 };
	if (!path)
		return CMD_FAILED;
	if (access(path, X_OK))
		err = diag_fail(diag, PAPI_ESYS, "cannot execute '%s': %s",
				path, strerror(errno));
	else
		err = spawn(process, path, simulator, diag);
	return err ? CMD_FAILED : 0;
}

int process_send(struct process *process, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(process->to, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return PAPI_ESYS;
		text += n;
		left -= (size_t)n;
	}
	return 0;
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
	if (process->room - process->len >= 4096)
		return true;
	grown = realloc(process->text, process->room * 2 + 8192);
	if (!grown)
		return false;
	process->text = grown;
	process->room = process->room * 2 + 8192;
	return true;
}

bool process_read(struct process *process)
{
	ssize_t n;

	if (!make_room(process))
		return false;
	do {
		n = read(process->from, process->text + process->len,
			 process->room - process->len);
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
	process->len = process->room = process->taken = 0;
}

const char *process_fate(const struct process *process, char *text, size_t room)
{
	if (WIFSIGNALED(process->status))
		snprintf(text, room, "was killed by signal %d",
			 WTERMSIG(process->status));
	else
		snprintf(text, room, "ended with status %d",
			 WEXITSTATUS(process->status));
	return text;
}
