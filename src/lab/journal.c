/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of experiments: read, appended to. */

#include "lab/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "console/console.h"

#define MAGIC "assay-experiment 1 "

static double *counts_of(const struct experiment_result *result, size_t unit)
{
	return result->counts + unit * result->repeats * result->n_events;
}

/* "COUNT COUNT ... ." after the unit's number; whether all are there. */
static bool take_counts(const char *text, struct experiment_result *result,
			size_t unit)
{
	size_t n = result->repeats * result->n_events;
	double *counts = counts_of(result, unit);

	for (size_t i = 0; i < n; i++) {
		char *end;

		text += strspn(text, " ");
		if (*text == '-') {
			counts[i] = NAN;
			text++;
			continue;
		}
		counts[i] = strtod(text, &end);
		if (end == text)
			return false;
		text = end;
	}
	return strcmp(text, " .") == 0;
}

static bool take_reason(const char *text, struct experiment_result *result,
			size_t unit)
{
	size_t n = strlen(text);

	if (n < 3 || strcmp(text + n - 2, " .") != 0)
		return false;
	free(result->reasons[unit]);
	result->reasons[unit] = strndup(text + 1, n - 3);
	return true;
}

/* One whole line; false: it is not one of ours. */
static bool take_line(const char *line, struct experiment_result *result,
		      bool *done)
{
	unsigned long unit;
	char *rest;
	bool taken;

	if ((line[0] != 'u' && line[0] != 'x') || line[1] != ' ')
		return false;
	unit = strtoul(line + 2, &rest, 10);
	if (rest == line + 2 || unit >= result->n_units)
		return false;
	taken = line[0] == 'u' ? take_counts(rest, result, unit)
			       : take_reason(rest, result, unit);
	if (taken && !done[unit]) {
		done[unit] = true;
		result->resumed++;
		result->refused += line[0] == 'x';
	}
	return taken;
}

/* Bytes of @text, after its first line, that are whole lines of ours. */
static size_t take_lines(char *text, struct experiment_result *result,
			 bool *done)
{
	char *line = text;
	char *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (!take_line(line, result, done))
			break;
	}
	return (size_t)(line - text);
}

static int write_all(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

static int begin(struct journal *journal, uint64_t hash)
{
	char line[64];
	int n = snprintf(line, sizeof(line), MAGIC "%016" PRIx64 "\n", hash);

	return write_all(journal->fd, line, (size_t)n);
}

/* Go on from what is there: @text, all of it. */
static int resume(struct journal *journal, const struct console *console,
		  const char *path, char *text, uint64_t hash,
		  struct experiment_result *result, bool *done)
{
	char expected[64];
	size_t whole;
	int n = snprintf(expected, sizeof(expected), MAGIC "%016" PRIx64 "\n",
			 hash);

	if (strncmp(text, MAGIC, strlen(MAGIC)) != 0)
		return say_failure(
			console,
			"'%s' is not a journal of an experiment; it was not "
			"changed",
			path);
	if (strncmp(text, expected, (size_t)n) != 0)
		return say_failure(
			console,
			"'%s' is the journal of another experiment (other "
			"events, kernels, model or program); remove it or "
			"name another",
			path);
	whole = (size_t)n + take_lines(text + n, result, done);
	if (ftruncate(journal->fd, (off_t)whole) ||
	    lseek(journal->fd, 0, SEEK_END) < 0)
		return say_failure(console, "cannot write '%s': %s", path,
				   strerror(errno));
	return 0;
}

static int open_path(struct journal *journal, const struct console *console,
		     const char *path, uint64_t hash,
		     struct experiment_result *result, bool *done)
{
	struct diag diag = { .text = "" };
	OWNED char *text = NULL;
	size_t len = 0;
	int err;

	if (access(path, F_OK) == 0 && file_read(path, &text, &len, &diag))
		return say_failure(console, "%s", diag.text);
	journal->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (journal->fd < 0) {
		say_error(console, "cannot write '%s': %s", path,
			  strerror(errno));
		return CMD_FAILED;
	}
	if (len > 0)
		return resume(journal, console, path, text, hash, result, done);
	err = begin(journal, hash);
	if (err)
		say_error(console, "cannot write '%s': %s", path,
			  strerror(err));
	return err ? CMD_FAILED : 0;
}

int journal_open(struct journal *journal, const struct console *console,
		 const struct experiment *experiment, uint64_t hash,
		 struct experiment_result *result, bool *done)
{
	int status;

	journal->fd = -1;
	if (!experiment->journal)
		return 0;
	status = open_path(journal, console, experiment->journal, hash, result,
			   done);
	if (status)
		journal_close(journal);
	return status;
}

int journal_add(struct journal *journal, const struct experiment_result *result,
		size_t unit)
{
	const double *counts = counts_of(result, unit);
	size_t n = result->repeats * result->n_events;
	STRBUF(line);

	if (journal->fd < 0)
		return 0;
	if (result->reasons[unit]) {
		strbuf_addf(&line, "x %zu %s", unit, result->reasons[unit]);
	} else {
		strbuf_addf(&line, "u %zu", unit);
		for (size_t i = 0; i < n; i++)
			if (isnan(counts[i]))
				strbuf_add(&line, " -");
			else
				strbuf_addf(&line, " %.17g", counts[i]);
	}
	strbuf_add(&line, " .\n");
	return line.failed ? ENOMEM
			   : write_all(journal->fd, line.text, line.len);
}

void journal_close(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}
