/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: read, written again, and refused when they are wrong. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "profile/profile.h"

#define TWO   FIXTURES "/profile/two.json"
#define TIMES FIXTURES "/profile/times.json"

static char *written(const struct profile *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	assert_int_equal(profile_write_json(p, NULL, to), 0);
	fclose(to);
	return text;
}

/* What is written of @p is read again as the same. */
static void check_is_read_again(const struct profile *p)
{
	struct diag diag = { .text = "" };
	struct profile again;
	char *first = written(p), *second;

	assert_true(profile_is_one(first));
	assert_int_equal(profile_parse(first, "again", &again, &diag), 0);
	second = written(&again);
	assert_string_equal(first, second);
	free(first);
	free(second);
	profile_fini(&again);
}

TEST(test_reads_what_it_writes)
{
	struct diag diag = { .text = "" };
	struct profile p;

	assert_int_equal(profile_read(TWO, &p, &diag), 0);
	assert_int_equal(p.timeline.bins, 0);
	assert_int_equal(p.n_functions, 9);
	assert_int_equal(p.locations[2].n, 2);
	assert_int_equal(p.stacks[6].caller, 4);
	assert_true(p.stacks[0].caller == PROFILE_NONE);
	assert_true(p.functions[3].inlined);
	assert_int_equal(p.events[1].samples, 61);
	check_is_read_again(&p);
	profile_fini(&p);
	assert_int_equal(profile_read(TIMES, &p, &diag), 0);
	assert_int_equal(p.timeline.bins, 40);
	assert_int_equal(p.samples[0].times[0].n, 20);
	assert_int_equal(p.samples[0].times[0].items[19].n, 30);
	check_is_read_again(&p);
	profile_fini(&p);
}

/* A profile with one thread and place, and @n stacks for it. */
static void make_plain(struct profile *p, size_t n)
{
	const struct profile_event event = { .name = (char *)"e",
					     .unit = (char *)"",
					     .source = (char *)"sim",
					     .period = 1 };
	const struct profile_thread thread = { .name = (char *)"t" };
	const struct profile_object object = { .path = (char *)"o" };
	struct profile_function function = { .name = (char *)"f",
					     .file = PROFILE_NONE };
	struct profile_frame frame = { .file = PROFILE_NONE };
	struct profile_location location = { .bytes = 1,
					     .frames = &frame,
					     .n = 1 };
	size_t caller = PROFILE_NONE, row;

	assert_int_equal(profile_add_event(p, &event), 0);
	assert_int_equal(profile_add_thread(p, &thread, NULL), 0);
	assert_int_equal(profile_add_object(p, &object, NULL), 0);
	assert_int_equal(profile_add_function(p, &function, NULL), 0);
	assert_int_equal(profile_add_location(p, &location, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(profile_find_stack(p, caller, 0, &row), 0);
		caller = row;
	}
	p->timeline.unit = "ns";
}

static uint64_t samples_in(const struct profile_bins *bins)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bins->n; i++) {
		assert_true(i == 0 ||
			    bins->items[i].bin > bins->items[i - 1].bin);
		sum += bins->items[i].n;
	}
	return sum;
}

/* However long it lasts: the bins get wider, and no sample is lost. */
TEST(test_times_stay_few)
{
	struct profile p = { 0 };
	struct profile_place place = { 0, 0, 0 };
	const struct profile_bins *bins;

	make_plain(&p, 1);
	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(profile_add_at(&p, &place, i * 1000000), 0);
	assert_int_equal(profile_add_at(&p, &place, 500), 0); /* late */
	bins = &p.samples[0].times[0];
	assert_true(p.timeline.bins > PROFILE_BINS / 2 &&
		    p.timeline.bins <= PROFILE_BINS);
	assert_int_equal(bins->n, p.timeline.bins);
	assert_int_equal(p.timeline.entries, bins->n);
	assert_int_equal(samples_in(bins), 100001);
	check_is_read_again(&p);
	profile_fini(&p);
}

/* Of many stacks, too: their bins are bounded together. */
TEST(test_times_of_many_stacks_stay_few)
{
	enum {
		STACKS = 2000,
		ROUNDS = 300
	};
	struct profile p = { 0 };

	make_plain(&p, STACKS);
	for (uint64_t i = 0; i < ROUNDS * STACKS; i++) {
		struct profile_place place = { 0, i % STACKS, 0 };

		assert_int_equal(profile_add_at(&p, &place, i / STACKS), 0);
	}
	assert_true(p.timeline.entries <= 262144 + STACKS);
	assert_true(p.timeline.bins > 64);
	assert_int_equal(samples_in(&p.samples[7].times[0]), ROUNDS);
	profile_fini(&p);
}

/* The fixture with one piece replaced must be refused, for this reason. */
static const struct wrong {
	int line;
	const char *from, *to, *why;
} wrong_rows[] = {
	{ __LINE__, "\"assay_profile\": 1", "\"assay_profile\": 2",
	  "not a version 1" },
	{ __LINE__, "\"assay_profile\"", "\"profile\"", "not a profile" },
	{ __LINE__, "\"period\": 500", "\"period\": 0", "period" },
	{ __LINE__, "\"period\": 500", "\"period\": -1", "out of range" },
	{ __LINE__, "\"stack\": 10", "\"stack\": 11", "does not exist" },
	{ __LINE__, "\"stack\": 10", "\"stack\": null", "missing" },
	{ __LINE__, "\"thread\": 1", "\"thread\": 2", "does not exist" },
	{ __LINE__, "\"object\": 4", "\"object\": 5", "does not exist" },
	{ __LINE__, "\"name\": \"main\"", "\"name\": \"\"", "a name" },
	{ __LINE__, "\"threads\":", "\"no\":", "no table 'threads'" },
	{ __LINE__, "\"lost\": 0", "\"lost\": 1e300", "out of range" },
	{ __LINE__, "}", "]", "the end is missing" },
};

static const struct wrong wrong_times[] = {
	{ __LINE__, "\"instructions\"", "\"years\"", "a unit" },
	{ __LINE__, "\"step\": 301588", "\"step\": 0", "a step" },
	{ __LINE__, "\"bins\": 40", "\"bins\": 39", "not in order" },
	{ __LINE__, "\"bins\": 40", "\"bins\": 99999", "bins" },
	{ __LINE__, "[0, 30, 1, 30,", "[1, 30, 1, 30,", "not in order" },
	{ __LINE__, "[0, 30, 1, 30,", "[0, 31, 1, 30,", "all its samples" },
	{ __LINE__, "[0, 30, 1, 30,", "[0, 30, 1, 30, 1,", "missing" },
	{ __LINE__, "\"times\"", "\"other\"", "missing" },
};

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out = malloc(strlen(text) + strlen(to) + 1);

	assert_non_null(at);
	assert_non_null(out);
	memcpy(out, text, (size_t)(at - text));
	strcpy(out + (at - text), to);
	strcat(out, at + strlen(from));
	return out;
}

static void check_refused(const char *path, const struct wrong *wrong, size_t n)
{
	size_t len;
	char *text;

	assert_int_equal(file_read(path, &text, &len, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		char *bad = replaced(text, wrong[i].from, wrong[i].to);
		struct diag diag = { .text = "" };
		struct profile p;

		CHECK_AT(wrong[i].line,
			 profile_parse(bad, "bad", &p, &diag) == PAPI_EINVAL);
		CHECK_AT(wrong[i].line, strstr(diag.text, wrong[i].why));
		free(bad);
	}
	free(text);
}

TEST(test_refuses_rows_that_are_not_there)
{
	check_refused(TWO, wrong_rows, ARRAY_SIZE(wrong_rows));
	check_refused(TIMES, wrong_times, ARRAY_SIZE(wrong_times));
}

TEST(test_longest_suffix_decides)
{
	assert_string_equal(format_for_file(profile_formats, "x/a.json")->name,
			    "json");
	assert_null(format_for_file(profile_formats, ".json"));
	assert_null(format_for_file(profile_formats, "a.odd"));
	assert_null(format_find(profile_formats, "odd"));
}

RUN_ALL_TESTS
