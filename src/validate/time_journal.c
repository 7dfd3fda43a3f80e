/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real times and simulated cycles as they come, a line each; see time.h.
 *
 *   assay-times 1 HASH            of the program that runs workloads, WHERE
 *   r CYCLES SPREAD HZ NAME .     real cycles
 *   s HASH CYCLES W ... NAME .    simulated ones; of the model and simulator
 *
 * Of several lines about one thing the last one counts. A line is written with
 * one call and ends with a dot: one that was cut short is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/fs.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "lab/journal.h"
#include "validate/time.h"

#define MAGIC "assay-times 1 "

struct time_journal {
	FILE *to;
	char *text; /* what it held at first */
	uint64_t simulator;
};

/* The engines lie beside the program that runs workloads. */
static uint64_t simulator_hash(const struct time_options *options,
			       const char *program)
{
	static const char *const engines[] = { "simpmu-fast",
					       "simpmu-amd64-linux" };
	const char *model = simulator_model(options->simulator->model);
	const char *slash = strrchr(program, '/');
	uint64_t hash = journal_hash_text(0, model);

	hash = journal_hash_file(hash, model); /* if it is a file's name */
	for (size_t i = 0; slash && i < ARRAY_SIZE(engines); i++) {
		char *path = str_format("%.*s%s", (int)(slash + 1 - program),
					program, engines[i]);

		hash = journal_hash_file(hash, path);
		free(path);
	}
	return hash;
}

static int open_it(struct time_journal *journal, const struct console *console,
		   const char *path, const char *head)
{
	struct diag diag = { .text = "" };
	size_t length = 0;
	bool is_old;

	if (access(path, F_OK) == 0 &&
	    file_read(path, &journal->text, &length, &diag))
		return say_failure(console, "%s", diag.text);
	is_old = length > 0;
	if (is_old && strncmp(journal->text, head, strlen(head)) != 0)
		return say_failure(
			console,
			"'%s' is not a journal of this machine and this "
			"version's workloads; remove it or name another",
			path);
	journal->to = fopen(path, "ae");
	if (!journal->to)
		return say_failure(console, "cannot write '%s': %s", path,
				   strerror(errno));
	/* behind a line that was cut short */
	fputs(!is_old                             ? head
	      : journal->text[length - 1] == '\n' ? ""
						  : "\n",
	      journal->to);
	fflush(journal->to);
	return 0;
}

int time_journal_open(const struct console *console,
		      const struct time_options *options, const char *where,
		      const char *program, struct time_journal **out)
{
	struct time_journal *journal;
	char head[256];
	int status;

	*out = NULL;
	if (!options->journal)
		return 0;
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return say_failure(console, "out of memory");
	snprintf(head, sizeof(head), MAGIC "%016" PRIx64 " %s\n",
		 journal_hash_file(0, program), where);
	journal->simulator = simulator_hash(options, program);
	status = open_it(journal, console, options->journal, head);
	if (status) {
		time_journal_close(journal);
		return status;
	}
	*out = journal;
	return 0;
}

void time_journal_close(struct time_journal *journal)
{
	if (!journal)
		return;
	if (journal->to)
		fclose(journal->to);
	free(journal->text);
	free(journal);
}

/* Whether @rest, of a line, is @name and its end. */
static bool is_about(const char *rest, const char *name)
{
	size_t n = strlen(name);

	return strncmp(rest, name, n) == 0 && strncmp(rest + n, " .\n", 3) == 0;
}

static void recall_real(const char *line, struct time_row *row)
{
	double real, spread, hz;
	int at = 0;

	if (sscanf(line, "r %lf %lf %lf %n", &real, &spread, &hz, &at) != 3 ||
	    !at || !is_about(line + at, row->name))
		return;
	row->real = real;
	row->spread = spread;
	row->hz = hz;
	row->is_kept = true;
}

static void recall_simulated(const struct time_journal *journal,
			     const char *line, struct time_row *row)
{
	double c, w[WAIT_COUNT];
	uint64_t hash;
	int at = 0;

	if (sscanf(line, "s %" SCNx64 " %lf %lf %lf %lf %lf %lf %lf %lf %lf %n",
		   &hash, &c, &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6],
		   &w[7], &at) != WAIT_COUNT + 2 ||
	    !at || hash != journal->simulator ||
	    !is_about(line + at, row->name))
		return;
	row->cycles = c;
	memcpy(row->wait, w, sizeof(w));
}

void time_journal_recall(const struct time_journal *journal,
			 struct time_row *row)
{
	const char *line = journal ? journal->text : NULL;

	while (line && *line) {
		if (*line == 'r')
			recall_real(line, row);
		else if (*line == 's')
			recall_simulated(journal, line, row);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
}

void time_journal_add_real(struct time_journal *journal,
			   const struct time_row *row)
{
	if (!journal || isnan(row->real))
		return;
	fprintf(journal->to, "r %.1f %.4f %.0f %s .\n", row->real, row->spread,
		row->hz, row->name);
	fflush(journal->to);
}

void time_journal_add_simulated(struct time_journal *journal,
				const struct time_row *row)
{
	if (!journal || isnan(row->cycles))
		return;
	fprintf(journal->to, "s %016" PRIx64 " %.0f", journal->simulator,
		row->cycles);
	for (size_t i = 0; i < WAIT_COUNT; i++)
		fprintf(journal->to, " %.0f", row->wait[i]);
	fprintf(journal->to, " %s .\n", row->name);
	fflush(journal->to);
}

/* "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in ticks. */
double time_stolen(void)
{
	struct diag diag = { .text = "" };
	unsigned long long steal = 0;
	double seconds = NAN;
	char *text = NULL;
	size_t len;

	if (file_read("/proc/stat", &text, &len, &diag))
		return NAN;
	if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) == 1)
		seconds = (double)steal / (double)sysconf(_SC_CLK_TCK);
	free(text);
	return seconds;
}
