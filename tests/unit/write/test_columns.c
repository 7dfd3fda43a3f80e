/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in columns, with and without colour. */
#include "tests/unit/testing.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/full.h"
#include "tests/unit/refuse.h"
#include "write/columns.h"

static char *written(const struct columns *c, unsigned width, bool color)
{
	struct report_style style = { .width = width, .color = color };
	char *out;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	assert_non_null(to);
	assert_int_equal(columns_write(c, &style, to), 0);
	fclose(to);
	return out;
}

static void fill(struct columns *c)
{
	columns_init(c, "lrl");
	columns_add(c, INK_PLAIN, "event");
	columns_add(c, INK_PLAIN, "%d", 1);
	columns_add(c, INK_PLAIN, "verdict");
	columns_add(c, INK_PLAIN, "PAPI_TOT_INS");
	columns_add(c, INK_PLAIN, "%s", "-0.5");
	columns_add(c, INK_GOOD, "pass");
}

TEST(test_columns_are_as_wide_as_what_is_in_them)
{
	static const struct {
		int line;
		unsigned width;
		const char *text;
	} rows[] = {
		{ __LINE__, 80,
		  "event            1  verdict\n"
		  "PAPI_TOT_INS  -0.5  pass\n" },
		{ __LINE__, 25,
		  "event           1 verdict\n"
		  "PAPI_TOT_INS -0.5 pass\n" },
		{ __LINE__, 20,
		  "event      1 verdict\n"
		  "PAPI_TOT_INS\n"
		  "        -0.5 pass\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns c;
		char *text;

		fill(&c);
		text = written(&c, rows[i].width, false);
		if (strcmp(text, rows[i].text) != 0)
			fail_msg("line %d: %s", rows[i].line, text);
		free(text);
		columns_fini(&c);
	}
}

TEST(test_color_takes_no_room)
{
	struct columns c;
	char *text;

	fill(&c);
	text = written(&c, 25, true);
	assert_string_equal(text, "event           1 verdict\n"
				  "PAPI_TOT_INS -0.5 \033[32mpass\033[0m\n");
	free(text);
	columns_fini(&c);
}

TEST(test_a_cell_that_is_missing_is_told_of)
{
	struct report_style style = { .width = 80 };
	int missing = 0;
	long n = 1;

	if (!REFUSE_WORKS)
		skip();
	for (refused = true; refused; n++) {
		struct columns c;
		int err;

		refuse_nth(n);
		fill(&c);
		refuse_countdown = 0;
		err = columns_write(&c, &style, stdout);
		assert_int_equal(err, c.n < 6 ? PAPI_ENOMEM : 0);
		missing += err != 0;
		columns_fini(&c);
	}
	assert_true(missing >= 6);
}

TEST(test_a_full_disk_is_noticed)
{
	struct report_style style = { .width = 80 };
	FILE *full = open_full(true);
	struct columns c;

	fill(&c);
	assert_int_equal(columns_write(&c, &style, full), PAPI_ESYS);
	columns_fini(&c);
	fclose(full);
}

RUN_ALL_TESTS
