/* SPDX-License-Identifier: BSD-3-Clause */
/* Text written to memory, and refused memory. */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/memfile.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

TEST(test_what_is_written_is_a_text)
{
	struct memfile file;

	assert_int_equal(memfile_open(&file), 0);
	for (int i = 0; i < 10000; i++)
		fprintf(file.to, "%d,", i % 10);
	assert_int_equal(memfile_close(&file), 0);
	assert_int_equal(file.len, 20000);
	assert_int_equal(strlen(file.text), 20000);
	assert_memory_equal(file.text + 19996, "8,9,", 4);
	free(file.text);
}

TEST(test_nothing_written_is_an_empty_text)
{
	struct memfile file;

	assert_int_equal(memfile_open(&file), 0);
	assert_int_equal(memfile_close(&file), 0);
	assert_string_equal(file.text, "");
	assert_int_equal(file.len, 0);
	free(file.text);
}

/* The whole text, or none. */
static int try_to_write(void *context)
{
	struct memfile file;
	int err = memfile_open(&file);

	(void)context;
	if (err)
		return err;
	for (int i = 0; i < 20000; i++)
		putc('x', file.to);
	err = memfile_close(&file);
	if (err) {
		assert_int_equal(err, PAPI_ENOMEM);
		assert_null(file.text);
	} else {
		assert_int_equal(strlen(file.text), 20000);
		free(file.text);
	}
	return err;
}

TEST(test_without_memory_there_is_no_part_of_it)
{
	if (!REFUSE_WORKS)
		skip();
	assert_true(refuse_each(try_to_write, NULL) >= 3);
}

RUN_ALL_TESTS
