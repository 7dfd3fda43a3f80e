/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks arrive in order, whole, and what is missed is counted. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/testing.h"

#include "base/marks.h"

static char path[] = "/tmp/assay-marks-XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return unlink(path);
}

static void put(struct marks *m, int number)
{
	struct mark mark = { .ns = (uint64_t)number, .number = number };

	mark.begins = number % 2;
	snprintf(mark.word, sizeof(mark.word), "word %d", number);
	marks_put(m, &mark);
}

TEST(test_marks_come_through_the_file)
{
	struct marks *to = marks_create(path);
	struct marks *from = marks_open(path);
	struct marks_reader reader = { 0 };
	struct mark got[8];

	assert_non_null(to);
	assert_non_null(from);
	put(to, 1);
	put(to, -2);
	assert_int_equal(marks_take(from, &reader, got, 8), 2);
	assert_int_equal(got[0].number, 1);
	assert_true(got[0].begins);
	assert_string_equal(got[0].word, "word 1");
	assert_int_equal(got[1].number, -2);
	assert_int_equal(marks_take(from, &reader, got, 8), 0);
	marks_close(from);
	marks_close(to);
	unlink(path);
}

TEST(test_what_is_overwritten_is_lost)
{
	struct marks *m = marks_create(path);
	struct marks_reader reader = { 0 };
	struct mark got;
	int n = 0;

	for (int i = 0; i < MARKS_CAPACITY + 10; i++)
		put(m, i);
	while (marks_take(m, &reader, &got, 1) == 1)
		assert_int_equal(got.number, 10 + n++);
	assert_int_equal(n, MARKS_CAPACITY);
	assert_int_equal(reader.lost, 10);
	marks_close(m);
	unlink(path);
}

TEST(test_only_a_file_of_marks_is_opened)
{
	FILE *file = fopen(path, "w");

	fputs("something else", file);
	fclose(file);
	assert_null(marks_open(path));
	assert_null(marks_create(path)); /* never over another file */
	unlink(path);
	assert_null(marks_open(path));
}

static void *put_many(void *m)
{
	for (int i = 0; i < 20000; i++)
		put(m, i);
	return NULL;
}

TEST(test_no_mark_is_half_one_and_half_another)
{
	struct marks *m = marks_create(path);
	struct marks_reader reader = { 0 };
	pthread_t threads[3];
	uint64_t seen = 0;
	struct mark got;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, put_many, m);
	while (seen + reader.lost < 60000) {
		char word[MARKS_WORD];

		if (marks_take(m, &reader, &got, 1) == 0)
			continue;
		seen++;
		snprintf(word, sizeof(word), "word %d", got.number);
		assert_string_equal(got.word, word);
		assert_int_equal(got.ns, got.number);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	marks_close(m);
	unlink(path);
}

RUN_ALL_TESTS_WITH(make_path, NULL)
