/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines read from text: whole, or refused with a sentence. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/format.h"

#include "testing.h"
#include "write/document.h"

#define HEAD "{\"machine\":{\"name\":\"a\"},"

static const char whole[] =
	"{\"assay\":1,\"machine\":{\"name\":\"vm\",\"cpu\":\"EPYC\","
	"\"family\":25,\"virtual\":true,\"cpus\":2},\"pmu\":{\"kind\":\"sim\"},"
	"\"constants\":[{\"name\":\"L1_lat\",\"value\":4,\"unit\":\"cycles\","
	"\"nominal\":null,\"spread\":0.01,\"stable\":true,\"method\":\"ring\"},"
	"{\"name\":\"gone\",\"value\":null,\"stable\":false,"
	"\"reason\":\"none\"}],"
	"\"sweeps\":[{\"name\":\"L1D\",\"x\":\"bytes\",\"y\":\"cycles\","
	"\"points\":[[1,2,3,4],[5,6,7,8]]}]}";

static int parse(const char *text, struct machine *m, struct diag *diag)
{
	memset(m, 0, sizeof(*m));
	return machine_parse("f", text, strlen(text), m, diag);
}

TEST(test_all_of_it_is_read)
{
	struct diag diag = { .text = "" };
	struct machine m;

	assert_int_equal(parse(whole, &m, &diag), 0);
	assert_string_equal(m.name, "vm");
	assert_int_equal(m.family, 25);
	assert_true(m.virtual_ && m.simulated);
	assert_int_equal(m.n_constants, 2);
	assert_true(machine_get(&m, "L1_lat") == 4);
	assert_true(machine_find(&m, "L1_lat")->stable);
	assert_true(isnan(machine_get(&m, "gone")));
	assert_string_equal(machine_find(&m, "gone")->reason, "none");
	assert_int_equal(m.n_sweeps, 1);
	assert_int_equal(m.sweeps[0].n, 2);
	assert_true(m.sweeps[0].points[1].high == 8);
	machine_fini(&m);
}

TEST(test_constants_alone_are_not_certain)
{
	struct diag diag = { .text = "" };
	struct machine m;

	assert_int_equal(parse("#define L1_lat 5\n", &m, &diag), 0);
	assert_string_equal(m.name, "f");
	assert_true(machine_get(&m, "L1_lat") == 5);
	assert_false(machine_find(&m, "L1_lat")->stable);
	machine_fini(&m);
}

TEST(test_what_is_wrong_is_refused)
{
	static const struct {
		int line;
		const char *text;
		const char *says;
	} cases[] = {
		{ __LINE__, "", "no constants" },
		{ __LINE__, "{", "cannot read f" },
		{ __LINE__, "{}", "assay machine did not write it" },
		{ __LINE__, "{\"constants\":[]}", "which machine" },
		{ __LINE__, HEAD "\"constants\":[{\"value\":1}]}", "name" },
		{ __LINE__, HEAD "\"constants\":[{\"name\":\"a b\"}]}",
		  "name" },
		{ __LINE__,
		  HEAD "\"constants\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
		  "twice" },
		{ __LINE__, HEAD "\"constants\":[],\"sweeps\":[{}]}",
		  "no name" },
		{ __LINE__,
		  HEAD "\"constants\":[],\"sweeps\":[{\"name\":\"s\","
		       "\"points\":[[1,2]]}]}",
		  "four numbers" },
		{ __LINE__,
		  HEAD "\"constants\":[],\"sweeps\":[{\"name\":\"s\","
		       "\"points\":[[1,2,3,\"x\"]]}]}",
		  "not a number" },
		{ __LINE__, "#define L1/lat 4\n", "not a valid constant name" },
		{ __LINE__, "root:x:0:0::/:/bin/sh", "cannot read f: line 1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag diag = { .text = "" };
		struct machine m;

		CHECK_AT(cases[i].line, parse(cases[i].text, &m, &diag) < 0);
		CHECK_AT(cases[i].line, strstr(diag.text, cases[i].says));
		CHECK_AT(cases[i].line, !m.name && !m.constants && !m.sweeps);
	}
}

TEST(test_what_is_written_is_read_again)
{
	struct diag diag = { .text = "" };
	struct machine m, again = { 0 };
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);

	assert_int_equal(parse(whole, &m, &diag), 0);
	assert_int_equal(document_write_json(machine_document, &m, to), 0);
	fclose(to);
	assert_int_equal(machine_parse("f", text, length, &again, &diag), 0);
	assert_true(machine_get(&again, "L1_lat") == 4);
	assert_int_equal(again.sweeps[0].n, 2);
	machine_fini(&m);
	machine_fini(&again);
	free(text);
}

TEST(test_names_can_be_parts_of_paths)
{
	assert_true(machine_is_name("sim-icx_2.0"));
	assert_false(machine_is_name(""));
	assert_false(machine_is_name(".."));
	assert_false(machine_is_name("a/b"));
	assert_false(machine_is_name("a b"));
}

RUN_ALL_TESTS
