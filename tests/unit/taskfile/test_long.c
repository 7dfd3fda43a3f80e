/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A name of many megabytes is read in a time in proportion to it: the bytes
 * that the parser is given a second time are counted here, not the seconds.
 */
#include <dlfcn.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskfile/taskfile.h"
#include "tests/unit/testing.h"

enum {
	LABEL = 16 << 20
};

static long long given;  /* to the parser, so far */
static long long begun;  /* where the token begins that it stopped in */
static long long looked; /* at by it, again and again */

static void note_before(int n)
{
	given += n;
	looked += given - begun;
}

static void note_after(XML_Parser parser)
{
	XML_Index at = XML_GetCurrentByteIndex(parser);

	begun = at > 0 ? at : 0;
}

/* These two stand in front of the parser's own. */
enum XML_Status XML_ParseBuffer(XML_Parser parser, int n, int last)
{
	enum XML_Status (*real)(XML_Parser, int, int);
	enum XML_Status status;

	*(void **)&real = dlsym(RTLD_NEXT, "XML_ParseBuffer");
	note_before(n);
	status = real(parser, n, last);
	note_after(parser);
	return status;
}

enum XML_Status XML_Parse(XML_Parser parser, const char *text, int n, int last)
{
	enum XML_Status (*real)(XML_Parser, const char *, int, int);
	enum XML_Status status;

	*(void **)&real = dlsym(RTLD_NEXT, "XML_Parse");
	note_before(n);
	status = real(parser, text, n, last);
	note_after(parser);
	return status;
}

static int take_section(void *context, const struct task_section *section)
{
	*(size_t *)context = strlen(section->label);
	return 0;
}

static FILE *write_file(char **text, size_t *size)
{
	FILE *to = open_memstream(text, size);

	assert_non_null(to);
	fputs("<hpm version=\"1\" program=\"p\">\n"
	      "<InstrumentationPt lid=\"a\" label=\"",
	      to);
	for (int i = 0; i < LABEL; i++)
		putc('a' + i % 26, to);
	fputs("\"></InstrumentationPt></hpm>\n", to);
	assert_int_equal(fclose(to), 0);
	return fmemopen(*text, *size, "r");
}

TEST(test_long_token_is_read_in_linear_time)
{
	size_t length = 0, size;
	struct taskfile_sink sink = { .context = &length,
				      .section = take_section };
	char *text;
	FILE *from = write_file(&text, &size);

	assert_non_null(from);
	assert_int_equal(taskfile_read(from, "long", &sink, NULL), 0);
	fclose(from);
	free(text);
	assert_int_equal(length, LABEL);
	assert_true(given == (long long)size);
	assert_true(looked >= given);
	assert_true(looked <= 4 * given);
}

RUN_ALL_TESTS
