/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files: what is shipped, what can be written, how faults are told. */
#include "rig.h"

TEST(test_shipped_models_are_what_they_say)
{
	struct params p;

	assert_string_equal(params_builtin_name(0), "icx");
	assert_string_equal(params_builtin_name(1), "hsw-ep");
	assert_string_equal(params_builtin_name(2), "p3");
	assert_string_equal(params_builtin_name(7), "neoverse-n1");
	assert_null(params_builtin_name(8));
	p = rig_params("icx");
	assert_int_equal(p.l1d.sets * p.l1d.ways * p.line_bytes, 48 << 10);
	assert_int_equal(p.l1d.sets, 64);
	assert_int_equal(p.l2.sets, 1024);
	assert_int_equal(p.l3.sets, 65536);
	assert_int_equal(p.l3_kind, L3_VICTIM);
	assert_int_equal(p.tage_tables, 4);
	assert_int_equal(p.tage_history[3], 128);
	p = rig_params("hsw-ep");
	assert_int_equal(p.l1d.sets * p.l1d.ways * p.line_bytes, 32 << 10);
	assert_int_equal(p.l2.sets * p.l2.ways * p.line_bytes, 256 << 10);
	assert_int_equal(p.l3.sets * p.l3.ways * p.line_bytes, 32 << 20);
	p = rig_params("p3");
	assert_int_equal(p.l1d.sets * p.l1d.ways * p.line_bytes, 16 << 10);
	assert_int_equal(p.line_bytes, 32);
	assert_int_equal(p.predictor, PREDICT_LOCAL);
	assert_false(params_builtin(&p, "p4"));
}

/* Every one of them loads, and counts cycles of a chain of additions. */
TEST(test_shipped_models_count)
{
	static const struct insn add = { INSN_ALU,
					 4,
					 0,
					 0,
					 { REG_NONE, REG_NONE },
					 { 0, 1, REG_NONE },
					 { 0, REG_NONE } };

	for (size_t i = 0; params_builtin_name(i); i++) {
		struct params p = rig_params(params_builtin_name(i));
		struct segment segment = { .pc = 0x1000,
					   .count = 1,
					   .insn = &add };
		struct model *model = rig_new(&p, RIG_ALL, 1);
		struct core *core = model_core(model, 0);
		uint64_t cycles;

		assert_string_equal(p.name, params_builtin_name(i));
		assert_true(p.describe[0] != '\0');
		for (int k = 0; k < 100; k++)
			model_retire(core, &segment, NULL);
		cycles = core->tallies[TALLY_CYCLES];
		for (int k = 0; k < 1000; k++)
			model_retire(core, &segment, NULL);
		assert_int_equal(core->tallies[TALLY_CYCLES] - cycles, 1000);
		model_free(model);
	}
}

TEST(test_a_file_changes_its_base)
{
	struct params p, icx = rig_params("icx");

	assert_true(params_parse(&p,
				 "# mine\n"
				 "include icx\n"
				 "name = mine  # a comment\n"
				 "[l1d]\n"
				 "  ways = 6\n"
				 "  sets = 100\r\n"
				 "[branch]\n"
				 "tage_history = 4, 8 16\n"
				 "predictor = gshare\n"
				 "history_bits = 12",
				 NULL));
	assert_string_equal(p.name, "mine");
	assert_int_equal(p.l1d.ways, 6);
	assert_int_equal(p.l1d.sets, 100);
	assert_int_equal(p.tage_tables, 3);
	assert_int_equal(p.tage_history[2], 16);
	assert_int_equal(p.predictor, PREDICT_GSHARE);
	assert_int_equal(p.l2.sets, icx.l2.sets);
}

TEST(test_faults_have_a_place_and_a_sentence)
{
	static const struct {
		int row;
		const char *text;
		unsigned line, column;
		const char *want;
	} rows[] = {
		{ __LINE__, "include icx\n[l1d]\nways = many\n", 3, 8,
		  "'many' is not a number" },
		{ __LINE__, "include icx\n[l1d]\n ways = 0\n", 3, 9,
		  "ways must be from 1 to 1024" },
		{ __LINE__, "include icx\n[l1d]\nwys = 4\n", 3, 1,
		  "'wys' is not a key of section [l1d]" },
		{ __LINE__, "include icx\nways = 4\n", 2, 1,
		  "'ways' is not a key before the first section" },
		{ __LINE__, "include icx\n[l9]\n", 2, 2,
		  "'l9' is not a section" },
		{ __LINE__, "include icx\n[l1d\n", 2, 1,
		  "a section ends with ']'" },
		{ __LINE__, "include icx\nnonsense\n", 2, 1,
		  "expected 'key = value', '[section]' or 'include'" },
		{ __LINE__, "include zen9\n", 1, 9,
		  "'zen9' is not a model that is built in" },
		{ __LINE__, "name = x\ninclude icx\n", 2, 1,
		  "include must come first" },
		{ __LINE__, "include icx\n[l1d]\nsize = 50K\nways = 12\n", 3, 8,
		  "the size must be a multiple of ways times line, 768 bytes" },
		{ __LINE__, "include icx\n[l3]\nkind = huge\n", 3, 8,
		  "kind must be one of: none inclusive victim" },
		{ __LINE__, "include icx\n[l2]\nsets =\n", 3, 7,
		  "there is no value after '='" },
		{ __LINE__, "include icx\n[l2]\nsets = 99999999999999999\n", 3,
		  8, "'99999999999999999' is too large" },
		{ __LINE__, "include icx\n[l2]\nsets = 4\nways = 4\n", 4, 1,
		  "l2 is smaller than l1d" },
		{ __LINE__, "include icx\n[memory]\nline = 48\n", 3, 1,
		  "line must be 16, 32, 64 or 128 bytes" },
		{ __LINE__, "include icx\n[l3]\nkind = inclusive\nsets = 64\n",
		  4, 1, "l3 is inclusive but smaller than l2" },
		{ __LINE__, "include icx\n[branch]\ntage_history = 9 9\n", 3, 1,
		  "tage_history must grow from table to table" },
		{ __LINE__,
		  "include icx\n[branch]\ntage_history = 1 2 3 4 5 6 7 8 9 10 11 12 13\n",
		  3, 43, "'13' is one number too many" },
		{ __LINE__, "include icx\n[pipeline]\nrs = 500\n", 3, 1,
		  "rs is larger than rob" },
		{ __LINE__, "", 1, 1, "name is missing" },
		{ __LINE__, "name = x\n", 1, 1, "l1i has no sets or no ways" },
		{ __LINE__, "include icx\n[l1d]\nways = 8\n\nways = 4\n", 5, 1,
		  "'ways' was given in line 3 already" },
		{ __LINE__, "include icx\n[l2]\nsize = 1M\nsets = 4096\n", 4, 1,
		  "give the size or the sets, not both" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct params_error error = { 0 };
		struct params p;

		CHECK_AT(rows[i].row, !params_parse(&p, rows[i].text, &error));
		if (strcmp(error.text, rows[i].want) ||
		    error.line != rows[i].line ||
		    error.column != rows[i].column)
			fail_msg("row at line %d: %u:%u: %s", rows[i].row,
				 error.line, error.column, error.text);
	}
}

/* Any bytes at all: an answer, never a crash (sanitizers look on). */
TEST(test_mangled_files_are_refused_or_taken)
{
	const char *base = params_builtin_text("icx");
	size_t length = strlen(base), taken = 0;
	char *text = malloc(length + 1);
	uint64_t seed = 42;

	for (unsigned i = 0; i < 3000; i++) {
		struct params_error error;
		struct params p;

		memcpy(text, base, length + 1);
		for (unsigned k = 0; k < 1 + i % 5; k++)
			text[rig_random(&seed) % length] =
				(char)(rig_random(&seed) & 0x7f);
		if (params_parse(&p, text, &error))
			taken++;
		else
			assert_true(error.text[0] != '\0');
	}
	assert_true(taken > 10);
	free(text);
}

RUN_ALL_TESTS
