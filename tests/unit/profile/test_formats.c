/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles in the formats of others, with names that would break them. */
#include "testing.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/inside.h"

#define EVIL "a;b\nc \"d\"\\ \033[31m <script> \xff\xc2\x9b"

/* One program, f called by EVIL twice in a row, 3 samples of 10 events. */
static void make(struct profile *p)
{
	const struct profile_event event = { .name = (char *)"1 odd:event",
					     .unit = (char *)"",
					     .source = (char *)"sim",
					     .period = 10 };
	const struct profile_thread thread = { 1, 1, (char *)EVIL };
	const struct profile_object object = { .path = (char *)EVIL };
	struct profile_function f = { .name = (char *)EVIL,
				      .file = PROFILE_NONE,
				      .address = 16 };
	struct profile_frame frame = { .file = 0, .line = 7 };
	struct profile_location l = { .bytes = 1, .frames = &frame, .n = 1 };
	size_t stack = PROFILE_NONE;

	memset(p, 0, sizeof(*p));
	assert_int_equal(profile_add_event(p, &event), 0);
	assert_int_equal(profile_add_thread(p, &thread, NULL), 0);
	assert_int_equal(profile_add_object(p, &object, NULL), 0);
	assert_int_equal(profile_add_file(p, EVIL, false, NULL), 0);
	assert_int_equal(profile_add_word(p, EVIL), 0);
	assert_int_equal(profile_add_note(p, EVIL), 0);
	assert_int_equal(profile_add_function(p, &f, NULL), 0);
	f.name = (char *)"f";
	assert_int_equal(profile_add_function(p, &f, NULL), 0);
	for (size_t i = 0; i < 3; i++) { /* EVIL, EVIL, f */
		frame.function = i == 2;
		l.address = 100 + i;
		assert_int_equal(profile_add_location(p, &l, NULL), 0);
		assert_int_equal(profile_find_stack(p, stack, i, &stack), 0);
	}
	assert_int_equal(profile_add_samples(p, 0, stack, 0, 3), 0);
}

static char *written(const char *format, size_t *n)
{
	static const struct report_style style = { .width = 80 };
	struct profile p;
	char *text = NULL;
	FILE *to = open_memstream(&text, n);

	make(&p);
	assert_int_equal(
		format_find(profile_formats, format)->write(&p, &style, to), 0);
	fclose(to);
	profile_fini(&p);
	return text;
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

TEST(test_terminals_get_no_controls)
{
	static const char *const formats[] = { "text", "folded", "callgrind" };

	for (size_t i = 0; i < 3; i++) {
		size_t n;
		char *text = written(formats[i], &n);

		assert_null(strchr(text, '\033'));
		assert_null(strstr(text, "\xff"));
		free(text);
	}
}

TEST(test_folded_is_one_line_a_stack)
{
	size_t n;
	char *text = written("folded", &n);

	assert_int_equal(count(text, '\n'), 1);
	assert_int_equal(count(text, ';'), 3);
	assert_non_null(strstr(text, ";f 30\n"));
	free(text);
}

TEST(test_callgrind_counts_recursion_once)
{
	size_t n;
	char *text = written("callgrind", &n);

	assert_non_null(strstr(text, "events: E1_odd_event\nsummary: 30\n"));
	assert_non_null(strstr(text, "fn=(2) f\n0x66 7 30\n"));
	/* EVIL calls itself at 0x64, and f at 0x65 */
	assert_non_null(strstr(text, "\n0x64 7 30\n"));
	assert_non_null(strstr(text, "cfn=(2)\ncalls=3 0x10 0\n0x65 7 30\n"));
	free(text);
}

TEST(test_json_formats_are_json)
{
	static const char *const formats[] = { "json", "speedscope" };

	for (size_t i = 0; i < 2; i++) {
		size_t n;
		char *text = written(formats[i], &n);
		cJSON *root = cJSON_ParseWithOpts(text, NULL, true);

		assert_non_null(root);
		cJSON_Delete(root);
		free(text);
	}
}

TEST(test_recursion_is_in_a_total_once)
{
	struct profile_sums sums;
	struct profile p;

	make(&p);
	assert_true(profile_has_stacks(&p));
	assert_int_equal(profile_sum_functions(&p, &sums), 0);
	assert_int_equal(sums.n, 2);
	assert_string_equal(p.functions[sums.rows[0].function].name, "f");
	assert_int_equal(sums.rows[0].own[0], 3);
	assert_int_equal(sums.rows[1].own[0], 0);
	assert_int_equal(sums.rows[1].total[0], 3);
	profile_sums_fini(&sums);
	profile_fini(&p);
}

TEST(test_pprof_is_compressed)
{
	size_t n;
	char *text = written("pprof", &n);

	assert_true(n > 20);
	assert_memory_equal(text, "\x1f\x8b", 2);
	free(text);
}

TEST(test_names_choose_formats)
{
	static const struct {
		const char *path, *format;
	} rows[] = {
		{ "x.speedscope.json", "speedscope" },
		{ "a/x.json", "json" },
		{ "callgrind.out.12", "callgrind" },
		{ "a.callgrind", "callgrind" },
		{ "b/p.pb.gz", "pprof" },
		{ "x.folded", "folded" },
		{ "x.txt", "text" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
			format_for_file(profile_formats, rows[i].path)->name,
			rows[i].format);
}

RUN_ALL_TESTS
