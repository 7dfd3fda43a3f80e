/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of samples, and readers that come, go and come again. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/live.h"

static int make_buffer(void **state)
{
	struct live_buffer *b = calloc(1, sizeof(*b));
	struct live_series *series = calloc(1, sizeof(*series));

	*series = (struct live_series){
		.name = strdup("ipc\n\"<b>"),
		.unit = strdup(""),
		.text = strdup(""),
		.formula = strdup("a / b"),
	};
	*state = b;
	return live_buffer_init(b, "program", 0.1) ||
	       live_buffer_describe(b, series, 1, NULL);
}

static int free_buffer(void **state)
{
	live_buffer_fini(*state);
	free(*state);
	return 0;
}

static void add(struct live_buffer *b, double value)
{
	long double total = value;
	struct live_sample s = { .time_s = value, .values = &value };

	live_buffer_add(b, &s, &total);
}

/* One message, to be freed by the next call. */
static const char *next(struct live_reader *r)
{
	static char text[1 << 20];
	size_t len = 0;

	do {
		ssize_t n = live_reader_more(r, text + len, 100);

		if (n < 0)
			return "";
		len += (size_t)n;
		text[len] = '\0';
	} while (len < 2 || strcmp(text + len - 2, "\n\n") != 0);
	return text;
}

static void test_series_come_first_then_samples(void **state)
{
	struct live_buffer *b = *state;
	struct live_reader *r = live_reader_new(b, -1);
	const char *text = next(r);

	assert_non_null(strstr(text, "event: series"));
	assert_non_null(strstr(text, "ipc\\u000a\\\"<b>"));
	add(b, 7);
	text = next(r);
	assert_non_null(strstr(text, "id: 0\nevent: samples\n"));
	assert_non_null(strstr(text, "\"first\": 0"));
	assert_non_null(strstr(text, "[ 7, [ 7 ], [], 0 ]"));
	live_reader_free(r);
}

static void test_who_comes_back_gets_what_was_missed(void **state)
{
	struct live_buffer *b = *state;
	struct live_reader *r;

	for (int i = 0; i < 5; i++)
		add(b, 100 + i);
	r = live_reader_new(b, 2);
	next(r); /* the series */
	assert_non_null(strstr(next(r), "\"first\": 3"));
	live_reader_free(r);
	/* one that was told of more than there is saw another program */
	r = live_reader_new(b, 1000);
	next(r);
	assert_non_null(strstr(next(r), "\"first\": 0"));
	live_reader_free(r);
}

static void test_a_slow_reader_misses_the_oldest(void **state)
{
	struct live_buffer *b = *state;
	struct live_reader *r = live_reader_new(b, -1);

	next(r);
	for (int i = 0; i < LIVE_SAMPLES + 50; i++)
		add(b, i);
	assert_non_null(strstr(next(r), "\"first\": 50,"));
	live_reader_free(r);
}

static void test_the_end_is_told_after_the_last_sample(void **state)
{
	struct live_buffer *b = *state;
	struct live_reader *r = live_reader_new(b, -1);

	add(b, 1);
	live_buffer_end(b, 3);
	next(r);
	assert_non_null(strstr(next(r), "event: samples"));
	assert_non_null(strstr(next(r), "event: ended\ndata: { \"exit\": 3 }"));
	live_buffer_close(b);
	assert_string_equal(next(r), "");
	live_reader_free(r);
}

static void *close_later(void *b)
{
	live_buffer_close(b);
	return NULL;
}

static void test_closing_wakes_who_waits(void **state)
{
	struct live_buffer *b = *state;
	struct live_reader *r = live_reader_new(b, -1);
	pthread_t thread;

	next(r);
	pthread_create(&thread, NULL, close_later, b);
	assert_string_equal(next(r), "");
	pthread_join(thread, NULL);
	live_reader_free(r);
}

int main(void)
{
#define WITH_BUFFER(f)                                                         \
	cmocka_unit_test_setup_teardown(f, make_buffer, free_buffer)
	const struct CMUnitTest tests[] = {
		WITH_BUFFER(test_series_come_first_then_samples),
		WITH_BUFFER(test_who_comes_back_gets_what_was_missed),
		WITH_BUFFER(test_a_slow_reader_misses_the_oldest),
		WITH_BUFFER(test_the_end_is_told_after_the_last_sample),
		WITH_BUFFER(test_closing_wakes_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
