/* SPDX-License-Identifier: BSD-3-Clause */
/* The small writer that libhpm uses at exit. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "hpm/emit.h"
#include "tests/unit/folder.h"

static struct emit e;
static bool links = true; /* may files be given names */

int linkat(int from, const char *old, int to, const char *new, int flags)
{
	if (!links) {
		errno = EPERM;
		return -1;
	}
	return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

static void begin(const char *text)
{
	assert_int_equal(emit_open(&e, path), 0);
	emit_text(&e, text);
}

static void write_old(void)
{
	begin("old");
	assert_int_equal(emit_close(&e), 0);
}

TEST(test_numbers_and_text)
{
	assert_int_equal(emit_open(&e, path), 0);
	emit_integer(&e, 0);
	emit_text(&e, " ");
	emit_integer(&e, INT64_MIN);
	emit_text(&e, " ");
	emit_real(&e, 1.0005, 3);
	emit_text(&e, " ");
	emit_real(&e, -0.25, 2);
	emit_text(&e, " ");
	emit_real(&e, 2, 0);
	emit_text(&e, "[");
	emit_real(&e, NAN, 3);
	emit_text(&e, "] ");
	emit_xml(&e, "a<b>&\"c\"\n\001\xc3\xa4\xff");
	assert_int_equal(emit_close(&e), 0);
	expect_file(__LINE__, "out",
		    "0 -9223372036854775808 1.001 -0.25 2[] "
		    "a&lt;b&gt;&amp;&quot;c&quot;&#10;?\xc3\xa4?");
}

TEST(test_more_than_the_buffer_holds)
{
	static char all[100001];

	assert_int_equal(emit_open(&e, path), 0);
	for (int i = 0; i < 10000; i++) {
		emit_text(&e, "0123456789");
		strcpy(all + 10 * i, "0123456789");
	}
	assert_int_equal(emit_close(&e), 0);
	expect_file(__LINE__, "out", all);
}

TEST(test_failed_write_leaves_the_old_file)
{
	static char longest[2 * PATH_MAX];

	write_old();
	begin("new");
	close(e.fd); /* as if the disk went away */
	assert_int_equal(emit_close(&e), PAPI_ESYS);
	expect_file(__LINE__, "out", "old");
	assert_int_equal(emit_open(&e, "/nowhere/out"), PAPI_ESYS);
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(emit_open(&e, longest), PAPI_ESYS);
	assert_int_equal(e.error, ENAMETOOLONG);
}

TEST(test_a_file_that_cannot_be_named_leaves_the_old_one)
{
	write_old();
	begin("new");
	links = !e.unnamed; /* else its file system has names at once */
	assert_int_equal(emit_close(&e), e.unnamed ? PAPI_ESYS : 0);
	links = true;
	if (e.unnamed)
		assert_int_equal(e.error, EPERM);
	expect_file(__LINE__, "out", e.unnamed ? "old" : "new");
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
