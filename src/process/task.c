/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks and names of files. */

#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/console.h"

/* The variables of each launcher; the first whose rank is set counts. */
static const struct {
	const char *rank;
	const char *size;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
	/* of the step: the batch script itself has a rank and a job's size */
	{ "PMIX_RANK", "SLURM_STEP_NUM_TASKS" },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
	{ "ALPS_APP_PE", NULL },
};

static long number_in(const char *name, long otherwise)
{
	const char *text = name ? getenv(name) : NULL;
	char *end;
	long value;

	if (!text || !*text)
		return otherwise;
	errno = 0;
	value = strtol(text, &end, 10);
	return *end || errno || value < 0 ? otherwise : value;
}

struct task task_find(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
		long rank = number_in(launchers[i].rank, -1);

		if (rank >= 0)
			return (struct task){ rank,
					      number_in(launchers[i].size, 0) };
	}
	return (struct task){ -1, 0 };
}

/* "out.json" becomes "out.3.json", "out" becomes "out.3". */
static void add_ranked(struct strbuf *path, const char *pattern, long rank)
{
	const char *slash = strrchr(pattern, '/');
	const char *name = slash ? slash + 1 : pattern;
	const char *dot = strrchr(name, '.');
	size_t stem =
		dot && dot > name ? (size_t)(dot - pattern) : strlen(pattern);

	strbuf_addn(path, pattern, stem);
	strbuf_addf(path, ".%ld%s", rank, pattern + stem);
}

/* %q{NAME}: @at is behind the q. What follows it, or NULL after a message. */
static const char *add_variable(const struct console *console,
				struct strbuf *path, const char *at)
{
	const char *end = *at == '{' ? strchr(at, '}') : NULL;
	const char *value;
	OWNED char *name = NULL;

	if (!end) {
		say_error(
			console,
			"%%q in a file name requires a variable, as in %%q{RANK}");
		return NULL;
	}
	name = strndup(at + 1, (size_t)(end - at - 1));
	value = name ? getenv(name) : NULL;
	if (!value)
		say_error(
			console,
			"the environment variable %s in the file name is not set",
			name ? name : "");
	else
		strbuf_add(path, value);
	return value ? end + 1 : NULL;
}

/* One of the % signs; @at is behind it. */
static const char *add_sign(const struct console *console, struct strbuf *path,
			    const char *at, const struct task *task)
{
	switch (*at) {
	case 'r':
		strbuf_addf(path, "%ld", task->rank < 0 ? 0 : task->rank);
		return at + 1;
	case 'p':
		strbuf_addf(path, "%ld", (long)getpid());
		return at + 1;
	case 'q':
		return add_variable(console, path, at + 1);
	case '%':
		strbuf_add(path, "%");
		return at + 1;
	default:
		say_error(console,
			  "in a file name %% must be followed by r (rank), p "
			  "(process), q{NAME} (a variable) or %%, not by '%s'",
			  at);
		return NULL;
	}
}

char *task_path(const struct console *console, const char *pattern,
		const struct task *task)
{
	STRBUF(path);
	const char *at = pattern;

	if (!strchr(pattern, '%') && task->rank >= 0 && task->size > 1 &&
	    strcmp(pattern, "-") != 0) {
		add_ranked(&path, pattern, task->rank);
		return strbuf_take(&path);
	}
	while (at && *at) {
		size_t n = strcspn(at, "%");

		strbuf_addn(&path, at, n);
		at += n;
		if (*at)
			at = add_sign(console, &path, at + 1, task);
	}
	if (!at)
		return NULL;
	return strbuf_take(&path);
}
