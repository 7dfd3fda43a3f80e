/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles without memory, and on a disk that is full: what failed is said. */
#include "tests/unit/testing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/array.h"
#include "base/file.h"
#include "profile/profile.h"
#include "tests/unit/full.h"
#include "tests/unit/refuse.h"

static bool deflate_fails;

int deflate(z_streamp z, int flush)
{
	static int (*real)(z_streamp, int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "deflate");
	return deflate_fails ? Z_BUF_ERROR : real(z, flush);
}

static const struct report_style style = { .width = 80, .verbose = true };

/* Two functions, the second called by the first; 3 samples in each of two. */
static int build(struct profile *p)
{
	const struct profile_event event = { .name = (char *)"e",
					     .unit = (char *)"",
					     .source = (char *)"sim",
					     .period = 10 };
	const struct profile_thread thread = { 1, 1, (char *)"main" };
	const struct profile_object object = { .path = (char *)"a.out",
					       .build_id = (char *)"0a" };
	const struct profile_function f = { .name = (char *)"f",
					    .address = 16 };
	struct profile_frame frame = { .file = 0, .line = 7 };
	struct profile_location l = { .bytes = 1, .frames = &frame, .n = 1 };
	size_t stack = PROFILE_NONE;
	int err = profile_add_event(p, &event);

	err = err ? err : profile_add_thread(p, &thread, NULL);
	err = err ? err : profile_add_object(p, &object, NULL);
	err = err ? err : profile_add_file(p, "/dev/null", true, NULL);
	err = err ? err : profile_add_word(p, "./a.out");
	err = err ? err : profile_add_note(p, "a note");
	for (size_t i = 0; !err && i < 2; i++) {
		frame.function = i;
		l.address = 100 + i;
		err = profile_add_function(p, &f, NULL);
		err = err ? err : profile_add_location(p, &l, NULL);
		err = err ? err : profile_find_stack(p, stack, i, &stack);
		err = err ? err : profile_add_samples(p, 0, stack, 0, 3);
	}
	return err;
}

static int try_to_build(void *context)
{
	struct profile p = { 0 };
	int err = build(&p);

	(void)context;
	profile_fini(&p);
	assert_true(err == (refused ? PAPI_ENOMEM : 0));
	return err;
}

TEST(test_building_without_memory)
{
	if (!REFUSE_WORKS)
		skip();
	assert_true(refuse_each(try_to_build, NULL) >= 15);
}

/* A profile whose text is @context. */
static int try_to_parse(void *context)
{
	struct diag diag = { .text = "" };
	struct profile p;
	int err = profile_parse(context, "name", &p, &diag);

	if (err) {
		assert_int_equal(err, PAPI_ENOMEM);
		assert_string_equal(diag.text, "out of memory");
	} else {
		profile_fini(&p);
	}
	return err;
}

TEST(test_reading_without_memory)
{
	char *text;
	size_t len;

	if (!REFUSE_WORKS)
		skip();
	assert_int_equal(
		file_read(FIXTURES "/profile/two.json", &text, &len, NULL), 0);
	assert_true(refuse_each(try_to_parse, text) >= 100);
	free(text);
}

/* What is written where. */
struct writing {
	struct profile p;
	const struct format *format;
	FILE *to;
};

static int try_to_write(void *context)
{
	struct writing *w = context;
	int err = w->format->write(&w->p, &style, w->to);

	if (err && err != PAPI_ENOMEM)
		fail_msg("%s: %d", w->format->name, err);
	return err;
}

TEST(test_writing_without_memory)
{
	struct writing w = { .to = fopen("/dev/null", "w") };
	static char room[4096];

	if (!REFUSE_WORKS)
		skip();
	assert_non_null(w.to);
	setvbuf(w.to, room, _IOFBF, sizeof(room));
	assert_int_equal(build(&w.p), 0);
	for (w.format = profile_formats; w.format->name; w.format++) {
		long failed = refuse_each(try_to_write, &w);
		bool is_streamed = strcmp(w.format->name, "json") == 0;

		if (is_streamed ? failed != 0 : failed < 1)
			fail_msg("%s: %ld", w.format->name, failed);
	}
	profile_fini(&w.p);
	fclose(w.to);
}

TEST(test_a_full_disk)
{
	struct profile p = { 0 };

	assert_int_equal(build(&p), 0);
	for (size_t i = 0; profile_formats[i].name; i++) {
		FILE *to = open_full(true);

		if (profile_formats[i].write(&p, &style, to) != PAPI_ESYS)
			fail_msg("%s", profile_formats[i].name);
		fclose(to);
	}
	profile_fini(&p);
}

TEST(test_what_cannot_be_compressed)
{
	struct profile p = { 0 };
	FILE *to = fopen("/dev/null", "w");
	int err;

	assert_int_equal(build(&p), 0);
	deflate_fails = true;
	err = profile_write_pprof(&p, &style, to);
	deflate_fails = false;
	assert_int_equal(err, PAPI_ESYS);
	assert_int_equal(profile_write_pprof(&p, &style, to), 0);
	profile_fini(&p);
	fclose(to);
}

/* Pieces of a profile that another part of it contradicts. */
TEST(test_wrong_rows)
{
	static const char head[] = "{\"assay_profile\": 1, \"events\": "
				   "[{\"name\": \"e\", \"period\": 1}], ";
	static const struct {
		int line;
		const char *rest, *why;
	} rows[] = {
		{ __LINE__, "\"threads\": [{\"pid\": 1}]", "out of range" },
		{ __LINE__,
		  "\"threads\": [], \"objects\": [{}], \"files\": [], "
		  "\"functions\": [], \"locations\": "
		  "[{\"object\": 0, \"address\": 1, \"frames\": []}]",
		  "needs its frames" },
		{ __LINE__,
		  "\"threads\": [], \"objects\": [{}], \"files\": [], "
		  "\"functions\": [{\"name\": \"f\", \"object\": 0, "
		  "\"file\": null, \"address\": 1}], \"locations\": "
		  "[{\"object\": 0, \"address\": 1, \"frames\": "
		  "[[0, null, 1]]}], \"stacks\": [[null, 0], [null, 0]]",
		  "given twice" },
		{ __LINE__,
		  "\"threads\": [{\"pid\": 1, \"tid\": 1}], \"objects\": "
		  "[{}], \"files\": [], \"functions\": [{\"name\": \"f\", "
		  "\"object\": 0, \"file\": null, \"address\": 1}], "
		  "\"locations\": [{\"object\": 0, \"address\": 1, "
		  "\"frames\": [[0, null, 1]]}], \"stacks\": [[null, 0]], "
		  "\"samples\": [{\"thread\": 0, \"stack\": 0, "
		  "\"counts\": [1, 2]}]",
		  "a count for each event" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diag diag = { .text = "" };
		struct profile p;
		char text[1024];

		snprintf(text, sizeof(text), "%s%s}", head, rows[i].rest);
		CHECK_AT(rows[i].line,
			 profile_parse(text, "x", &p, &diag) == PAPI_EINVAL);
		if (!strstr(diag.text, rows[i].why))
			fail_msg("line %d: %s", rows[i].line, diag.text);
	}
}

TEST(test_more_events_than_there_may_be)
{
	static char text[8192];
	struct diag diag = { .text = "" };
	struct profile p;
	size_t n = 0;

	n += (size_t)sprintf(text, "{\"assay_profile\": 1, \"events\": [");
	for (int i = 0; i < 65; i++)
		n += (size_t)sprintf(text + n,
				     "%s{\"name\": \"e%d\", \"period\": 1}",
				     i ? "," : "", i);
	sprintf(text + n, "]}");
	assert_int_equal(profile_parse(text, "x", &p, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "events 64: there are more events"));
}

RUN_ALL_TESTS
