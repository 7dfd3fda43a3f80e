/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of options on tables of its own, and the soundness of all tables.
 */
#include "tests/unit/testing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "measure/metrics.h"

/* A verb that remembers what it was told. */
struct told {
	const char *value;
	int flags;
	bool is_set;
	const char *text, *seed;
	unsigned repeat;
	double share;
	int sort;
	struct selection names, events;
};

static const char *const sorts[] = { "up", "down", NULL };

static const struct cmd_option options[] = {
	{ 'x', "value", "TEXT", "takes a value", BY_TAKE },
	{ CMD_LONG, "flag", NULL, "takes none", BY_TAKE },
	{ 0, "set", NULL, "stored", INTO(told, is_set) },
	{ 't', "text", "TEXT", "stored", INTO(told, text) },
	{ 0, "seed", "N", "stored", INTO_AS(DIGITS, told, seed) },
	{ 'r', "repeat", "N", "stored", INTO(told, repeat), .min = 1,
	  .max = 9 },
	{ 0, "share", "X", "stored", INTO(told, share), .min = 0.5 },
	{ 0, "sort", "WORD", "stored", INTO_AS(WORD, told, sort),
	  .words = sorts },
	{ 'n', "name", "NAME", "stored", INTO_AS(NAME, told, names) },
	{ 'e', "events", "LIST", "stored", INTO_AS(EVENTS, told, events) },
	{ 0 },
};

static int take(struct cli *cli, int key, const char *argument)
{
	struct told *told = cli->state;

	if (key == 'x')
		told->value = argument;
	else
		told->flags++;
	return argument && strcmp(argument, "bad") == 0 ? CMD_USAGE : 0;
}

static const struct command plain = {
	.name = "plain",
	.summary = "",
	.synopsis = "",
	.text = "",
	.options = options,
	.common = COMMON_PMU | COMMON_OUTPUT | COMMON_STRICT,
	.take = take,
};

static const struct command runner = {
	.name = "runner",
	.summary = "",
	.synopsis = "",
	.text = "",
	.options = options,
	.runs_program = true,
	.take = take,
};

struct attempt {
	struct cli cli;
	struct told told;
	int used;
	int status;
};

/* Split @line at blanks and parse it; the words live in @words. */
static struct attempt try(const struct command *command, char *words)
{
	struct attempt a = { .cli = { .command = command,
				      .console.as = "test" } };
	char *argv[32];
	int argc = 0;

	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	a.cli.state = &a.told;
	a.used = options_parse(&a.cli, argc, argv, &a.status);
	return a;
}

static void test_own_and_common_options_are_taken(void **state)
{
	char words[] = "plain -x one --flag --pmu sim --model icx -o f.json "
		       "--strict -q -v -v --color never rest";
	struct attempt a = try(&plain, words);

	(void)state;
	assert_string_equal(a.told.value, "one");
	assert_int_equal(a.told.flags, 1);
	assert_int_equal(a.cli.pmu.kind, PMU_SIMULATED);
	assert_string_equal(a.cli.pmu.model, "icx");
	assert_string_equal(a.cli.output.path, "f.json");
	assert_true(a.cli.strict);
	assert_true(a.cli.console.quiet);
	assert_int_equal(a.cli.console.verbose, 2);
	assert_int_equal(a.cli.console.color, COLOR_NEVER);
}

static void test_options_of_the_program_are_left_alone(void **state)
{
	char words[] = "runner --flag program -x --unknown";
	struct attempt a = try(&runner, words);

	(void)state;
	assert_int_equal(a.used, 2);
	assert_int_equal(a.told.flags, 1);
	assert_null(a.told.value);
}

static void test_two_dashes_end_the_options(void **state)
{
	char words[] = "plain --flag -- --flag";
	struct attempt a = try(&plain, words);

	(void)state;
	assert_int_equal(a.used, 3);
	assert_int_equal(a.told.flags, 1);
}

static void test_mistakes_are_usage_errors(void **state)
{
	static const struct {
		int line;
		const char *words;
	} rows[] = {
		{ __LINE__, "plain --unknown" },
		{ __LINE__, "plain --unknown=3" },
		{ __LINE__, "plain -z" },
		{ __LINE__, "plain --value" },
		{ __LINE__, "plain -x" },
		{ __LINE__, "plain --flag=3" },
		{ __LINE__, "plain -x bad" },
		{ __LINE__, "plain --pmu both" },
		{ __LINE__, "plain --color pink" },
		{ __LINE__, "plain --set=1" },
		{ __LINE__, "plain --text" },
		{ __LINE__, "plain --seed -1" },
		{ __LINE__, "plain --seed 1234567890123456789" },
		{ __LINE__, "plain -r 0" },
		{ __LINE__, "plain -r 10" },
		{ __LINE__, "plain -r 2.5" },
		{ __LINE__, "plain -r 99999999999999999999" },
		{ __LINE__, "plain --share 0.4" },
		{ __LINE__, "plain --share nan" },
		{ __LINE__, "plain --share inf" },
		{ __LINE__, "plain --share 1x" },
		{ __LINE__, "plain --sort sideways" },
		{ __LINE__, "plain -e a,,b" },
		{ __LINE__, "runner --pmu sim" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char words[80];
		struct attempt a;

		snprintf(words, sizeof(words), "%s", rows[i].words);
		a = try(strncmp(words, "runner", 6) == 0 ? &runner : &plain,
			words);
		CHECK_AT(rows[i].line, a.used == -1);
		CHECK_AT(rows[i].line, a.status == CMD_USAGE);
		selection_fini(&a.told.events);
	}
}

/* What a row says is stored needs no code of the verb. */
static void test_values_are_stored(void **state)
{
	char words[] = "plain --set -t one --seed 007 -r 9 --share 2.5 "
		       "--sort down -n a,b -n c -e a,b -e cpu/x=1,y=2/";
	struct attempt a = try(&plain, words);

	(void)state;
	assert_int_equal(a.status, -1);
	assert_true(a.told.is_set);
	assert_string_equal(a.told.text, "one");
	assert_string_equal(a.told.seed, "007");
	assert_int_equal(a.told.repeat, 9);
	assert_true(a.told.share == 2.5);
	assert_int_equal(a.told.sort, 1);
	assert_int_equal(a.told.names.n, 2);
	assert_string_equal(a.told.names.names[0], "a,b");
	assert_int_equal(a.told.events.n, 3);
	assert_true(a.told.events.chosen);
	assert_string_equal(a.told.events.names[2], "cpu/x=1,y=2/");
	selection_fini(&a.told.names);
	selection_fini(&a.told.events);
}

static void test_environment_chooses_the_pmu_unless_told(void **state)
{
	char none[] = "plain";
	char told[] = "plain --pmu hw";
	char wrong[] = "plain";
	struct attempt a;

	(void)state;
	setenv("ASSAY_PMU", "none", 1);
	a = try(&plain, none);
	assert_int_equal(a.cli.pmu.kind, PMU_NONE);
	a = try(&plain, told);
	assert_int_equal(a.cli.pmu.kind, PMU_HARDWARE);
	setenv("ASSAY_PMU", "nonsense", 1);
	a = try(&plain, wrong);
	assert_int_equal(a.status, CMD_USAGE);
	unsetenv("ASSAY_PMU");
}

/* Every verb: no option twice, by key or name; every option explained. */
static void test_option_tables_are_sound(void **state)
{
	(void)state;
	for (size_t v = 0; commands[v]; v++) {
		const struct cmd_option **all = options_of(commands[v]);

		assert_non_null(all);
		for (size_t i = 0; all[i]; i++) {
			assert_true(strlen(all[i]->help) > 0);
			assert_true(all[i]->key || all[i]->store);
			assert_true(all[i]->help[strlen(all[i]->help) - 1] !=
				    '.');
			for (size_t k = 0; k < i; k++) {
				assert_true(all[i]->key == 0 ||
					    all[i]->key != all[k]->key);
				assert_string_not_equal(all[i]->name,
							all[k]->name);
			}
		}
		free(all);
	}
}

static void test_verbs_are_described_and_found(void **state)
{
	(void)state;
	for (size_t v = 0; commands[v]; v++) {
		const struct command *c = commands[v];

		assert_ptr_equal(command_find(c->name), c);
		assert_true(islower((unsigned char)c->summary[0]));
		assert_true(strlen(c->text) > 0);
		assert_non_null(c->run);
		for (size_t i = 0; c->options && c->options[i].name; i++)
			assert_true(c->take || c->options[i].store);
	}
	assert_null(command_find("no-such-verb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_and_common_options_are_taken),
		cmocka_unit_test(test_options_of_the_program_are_left_alone),
		cmocka_unit_test(test_two_dashes_end_the_options),
		cmocka_unit_test(test_mistakes_are_usage_errors),
		cmocka_unit_test(test_values_are_stored),
		cmocka_unit_test(test_environment_chooses_the_pmu_unless_told),
		cmocka_unit_test(test_option_tables_are_sound),
		cmocka_unit_test(test_verbs_are_described_and_found),
	};

	unsetenv("ASSAY_PMU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
