/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of experiments: resumed, damaged, and of another experiment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/journal.h"
#include "tests/unit/testing.h"

#define UNITS  3
#define EVENTS 2

/* A result with room for three units of two events. */
struct fixture {
	char path[64];
	struct console console;
	struct experiment experiment;
	struct experiment_result result;
	double counts[UNITS * EVENTS];
	char *reasons[UNITS];
	bool done[UNITS];
};

static void reset(struct fixture *f)
{
	for (int i = 0; i < UNITS * EVENTS; i++)
		f->counts[i] = NAN;
	for (int i = 0; i < UNITS; i++) {
		free(f->reasons[i]);
		f->reasons[i] = NULL;
		f->done[i] = false;
	}
	f->result = (struct experiment_result){ .n_events = EVENTS,
						.n_units = UNITS,
						.repeats = 1,
						.counts = f->counts,
						.reasons = f->reasons };
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	if (!f)
		return -1;
	strcpy(f->path, "/tmp/assay-journal-XXXXXX");
	fd = mkstemp(f->path);
	if (fd < 0)
		return -1;
	close(fd);
	unlink(f->path);
	f->console.as = "test";
	f->experiment.journal = f->path;
	reset(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	reset(f);
	free(f);
	return 0;
}

static int open_journal(struct fixture *f, struct journal *j, uint64_t hash)
{
	return journal_open(j, &f->console, &f->experiment, hash, &f->result,
			    f->done);
}

/* Units 0 (with a count that is not there) and 2 (refused). */
static void write_two(struct fixture *f)
{
	struct journal j;

	assert_int_equal(open_journal(f, &j, 7), 0);
	f->counts[0] = 12345678901234567.0;
	assert_int_equal(journal_add(&j, &f->result, 0), 0);
	f->reasons[2] = strdup("it lacks the instructions");
	assert_int_equal(journal_add(&j, &f->result, 2), 0);
	journal_close(&j);
	reset(f);
}

TEST_WITH(test_what_was_written_is_taken_up, set_up, tear_down)
{
	struct fixture *f = *state;
	struct journal j;

	write_two(f);
	assert_int_equal(open_journal(f, &j, 7), 0);
	assert_int_equal(f->result.resumed, 2);
	assert_int_equal(f->result.refused, 1);
	assert_true(f->done[0] && !f->done[1] && f->done[2]);
	assert_true(f->counts[0] == 12345678901234567.0);
	assert_true(isnan(f->counts[1]));
	assert_string_equal(f->reasons[2], "it lacks the instructions");
	journal_close(&j);
}

/* Cut anywhere, whole lines are kept and the rest is written anew. */
TEST_WITH(test_a_line_cut_short_is_cut_off, set_up, tear_down)
{
	struct fixture *f = *state;
	struct journal j;
	long size;
	FILE *file;

	write_two(f);
	file = fopen(f->path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	fclose(file);
	assert_int_equal(truncate(f->path, size - 5), 0);
	assert_int_equal(open_journal(f, &j, 7), 0);
	assert_int_equal(f->result.resumed, 1);
	assert_true(f->done[0] && !f->done[2]);
	f->counts[2] = 5;
	assert_int_equal(journal_add(&j, &f->result, 1), 0);
	journal_close(&j);
	reset(f);
	assert_int_equal(open_journal(f, &j, 7), 0);
	assert_int_equal(f->result.resumed, 2);
	assert_true(f->counts[2] == 5);
	journal_close(&j);
}

TEST_WITH(test_others_files_are_left_alone, set_up, tear_down)
{
	struct fixture *f = *state;
	char text[16] = "";
	struct journal j;
	FILE *file;

	write_two(f);
	assert_int_equal(open_journal(f, &j, 8), CMD_FAILED);
	assert_int_equal(j.fd, -1);
	file = fopen(f->path, "w");
	assert_non_null(file);
	fputs("mine\n", file);
	fclose(file);
	assert_int_equal(open_journal(f, &j, 7), CMD_FAILED);
	file = fopen(f->path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "mine\n");
}

TEST_WITH(test_without_a_path_nothing_is_kept, set_up, tear_down)
{
	struct fixture *f = *state;
	struct journal j;

	f->experiment.journal = NULL;
	assert_int_equal(open_journal(f, &j, 7), 0);
	assert_int_equal(journal_add(&j, &f->result, 0), 0);
	journal_close(&j);
	assert_int_not_equal(access(f->path, F_OK), 0);
}

RUN_ALL_TESTS
