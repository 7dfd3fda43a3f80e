/* SPDX-License-Identifier: BSD-3-Clause */
/* Definition files to XML and back, without a change. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "metric/convert.h"
#include "tests/unit/testing.h"

static struct defs *parse(const char *text)
{
	struct diag diag = { 0 };
	struct defs *defs = NULL;

	if (convert_parse("test", text, strlen(text), &defs, &diag))
		fail_msg("%s:%zu:%zu: %s", text, diag.line, diag.column,
			 diag.text);
	return defs;
}

/* @text, read, written as XML, read and written as text again. */
static char *there_and_back(const char *text)
{
	struct strbuf xml = { 0 }, back = { 0 };
	struct diag diag = { 0 };
	struct defs *defs = parse(text);

	if (convert_to_xml(defs, &xml, &diag))
		fail_msg("%zu: %s", diag.line, diag.text);
	defs_free(defs);
	defs = parse(strbuf_text(&xml));
	convert_to_text(defs, &back);
	defs_free(defs);
	strbuf_fini(&xml);
	return strbuf_take(&back);
}

static size_t check_folder(const char *folder, const char *suffix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');
		char *path, *text, *back;
		size_t len;

		if (!dot || strcmp(dot, suffix) != 0)
			continue;
		path = str_format("%s/%s", folder, entry->d_name);
		assert_int_equal(file_read(path, &text, &len, NULL), 0);
		back = there_and_back(text);
		if (strcmp(back, text) != 0)
			fail_msg("%s is not the same after conversion", path);
		free(back);
		free(text);
		free(path);
		n++;
	}
	closedir(dir);
	return n;
}

TEST(test_shipped_files_come_back_unchanged)
{
	assert_true(check_folder(SHARE "/metrics", ".txt") >= 7);
	assert_true(check_folder(SHARE "/presets", ".csv") >= 6);
}

TEST(test_odd_files_come_back)
{
	static const struct {
		int line;
		const char *text;
		const char *want; /* NULL: the same */
	} rows[] = {
		{ __LINE__, "", NULL },
		{ __LINE__, "\n\n", NULL },
		{ __LINE__, "#\n# <a> & \"b\" ]]> \xc3\xa4\t.\n", NULL },
		{ __LINE__, "#define a 1.50e3\n#define b a*2 - 1\n", NULL },
		{ __LINE__, "x, \"a<b&c\"|2|*\n", NULL },
		{ __LINE__, "x, \"a,b\" - min('c,d', 2)\n", NULL },
		{ __LINE__, "x, a, UNIT, \"say \"\"s\"\"\"\n", NULL },
		{ __LINE__, "x, a, GOOD, \">=0.9\", BAD, \"< -1\"\n", NULL },
		{ __LINE__, "CPU,one\nCPU,two,4\nx, a\n", NULL },
		{ __LINE__, "CPU,Intel architectural PMU\nx, a\n", NULL },
		{ __LINE__, "EVENT,x,DERIVED_ADD,a,b,NOTE,\"n, m\"\n", NULL },
		{ __LINE__, "EVENT,x,DERIVED_INFIX,min(N0,N1),a,b\n", NULL },
		{ __LINE__, "PRESET,PAPI_X,DERIVED_ADD,\"a,b\",\"note\"\n",
		  NULL },
		{ __LINE__, "x,a\r\n", "x, a\n" },
		{ __LINE__, "  x  ,a+b ,unit,s", "x, a+b, UNIT, \"s\"\n" },
		{ __LINE__, "event,x,not_derived,a,",
		  "EVENT,x,NOT_DERIVED,a\n" },
		{ __LINE__, "#define  a   1  \n", "#define a 1\n" },
		{ __LINE__, "#define\n", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *want = rows[i].want ? rows[i].want : rows[i].text;
		char *back;

		back = there_and_back(rows[i].text);
		if (strcmp(back, want) != 0)
			fail_msg("row at line %d came back as %s", rows[i].line,
				 back);
		free(back);
	}
}

#define HEAD "<definitions xmlns=\"urn:assay:metrics:1\">\n"
#define TAIL "</definitions>"

TEST(test_damaged_xml_is_refused)
{
	static const struct {
		int at;
		const char *xml;
		size_t line;
	} rows[] = {
		{ __LINE__, "<", 1 },
		{ __LINE__, "<a/>", 1 },
		{ __LINE__, "<definitions/>", 1 },
		{ __LINE__, "<metric xmlns=\"urn:assay:metrics:1\"/>", 1 },
		{ __LINE__, HEAD, 2 },
		{ __LINE__, HEAD "<oops/>" TAIL, 2 },
		{ __LINE__, HEAD "\n<metric name=\"a\"/>" TAIL, 3 },
		{ __LINE__, HEAD "<metric formula=\"a\"/>" TAIL, 2 },
		{ __LINE__, HEAD "<metric name=\"a\" formula=\"b+\"/>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<blank/>\n<blank/>\n<metric name=\"a\" "
		       "formula=\"b^c\"/>" TAIL,
		  4 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\" kind=\"X\"/>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\" x=\"y\"/>" TAIL, 2 },
		{ __LINE__, HEAD "<metric name=\"a, b\" formula=\"b\"/>" TAIL,
		  2 },
		{ __LINE__, HEAD "<metric name=\"#a\" formula=\"b\"/>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b, UNIT, s\"/>" TAIL, 2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\"><oops>s</oops>"
		       "</metric>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\"><unit>s<b/></unit>"
		       "</metric>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\">text</metric>" TAIL,
		  2 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\"><note>1\n2</note>"
		       "</metric>" TAIL,
		  3 },
		{ __LINE__,
		  HEAD "<metric name=\"a\" formula=\"b\"><good>x</good>"
		       "</metric>" TAIL,
		  2 },
		{ __LINE__, HEAD "<event name=\"a\"/>" TAIL, 2 },
		{ __LINE__,
		  HEAD "<event name=\"a\" kind=\"NOT_DERIVED\"/>" TAIL, 2 },
		{ __LINE__, HEAD "<constant name=\"a\"/>" TAIL, 2 },
		{ __LINE__, HEAD "<constant name=\"a b\" value=\"1\"/>" TAIL,
		  2 },
		{ __LINE__, HEAD "<constant name=\"a\" value=\"x\"/>" TAIL, 2 },
		{ __LINE__, HEAD "<cpu/>" TAIL, 2 },
		{ __LINE__, HEAD "<cpu name=\"a\"><b/></cpu>" TAIL, 2 },
		{ __LINE__, HEAD "<comment>define a 1</comment>" TAIL, 2 },
		{ __LINE__, HEAD "text" TAIL, 2 },
		{ __LINE__, "<!DOCTYPE d [<!ENTITY a \"b\">]>" HEAD TAIL, 1 },
		{ __LINE__, HEAD "<x:blank xmlns:x=\"y\"/>" TAIL, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct defs *defs = NULL;
		struct diag diag = { 0 };
		int err = convert_parse("f", rows[i].xml, strlen(rows[i].xml),
					&defs, &diag);

		CHECK_AT(rows[i].at, err == PAPI_EINVAL && !defs);
		CHECK_AT(rows[i].at, diag.text[0] && !strcmp(diag.file, "f"));
		if (diag.line != rows[i].line)
			fail_msg("row at line %d is refused in line %zu: %s",
				 rows[i].at, diag.line, diag.text);
	}
}

TEST(test_what_xml_cannot_carry)
{
	static const char *const texts[] = { "\n# \x01\n", "\n# \xff\n",
					     "\nx,a,NOTE,\"\xc3\"\n",
					     "\n# \xed\xa0\x80\n" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct defs *defs = parse(texts[i]);
		struct strbuf out = { 0 };
		struct diag diag = { 0 };

		assert_int_equal(convert_to_xml(defs, &out, &diag),
				 PAPI_EINVAL);
		assert_int_equal(diag.line, 2);
		strbuf_fini(&out);
		defs_free(defs);
	}
}

TEST(test_a_file_beyond_all_size_is_refused)
{
	struct defs *defs = NULL;
	struct diag diag = { 0 };

	(void)state; /* its length alone is looked at */
	assert_int_equal(convert_parse_xml("test", "", ((size_t)1 << 30) + 1,
					   &defs, &diag),
			 PAPI_EINVAL);
	assert_string_equal(diag.text, "the file is too large");
	assert_null(defs);
}

RUN_ALL_TESTS
