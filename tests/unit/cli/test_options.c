/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/testing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/options.h"

/* A verb that remembers what it was told. */
struct told {
	const char *value;
	int flags;
};

static const struct cmd_option options[] = {
	{ 'x', "value", "TEXT", "takes a value" },
	{ CMD_LONG, "flag", NULL, "takes none" },
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
	}
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
			assert_true(all[i]->help[strlen(all[i]->help) - 1] !=
				    '.');
			for (size_t k = 0; k < i; k++) {
				assert_int_not_equal(all[i]->key, all[k]->key);
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
		assert_true(c->take || !c->options);
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
		cmocka_unit_test(test_environment_chooses_the_pmu_unless_told),
		cmocka_unit_test(test_option_tables_are_sound),
		cmocka_unit_test(test_verbs_are_described_and_found),
	};

	unsetenv("ASSAY_PMU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
