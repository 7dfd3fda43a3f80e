/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From option tables to settings. getopt_long() does the walking; mistakes are
 * reported here, because its own messages know no nearest match.
 */

#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>
#include <papi.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "cli/store.h"
#include "console/console.h"

/* Keys of the common options that have no letter: above any verb's own. */
enum {
	KEY_PMU = 1000,
	KEY_MODEL,
	KEY_ENGINE,
	KEY_STRICT,
	KEY_COLOR,
	KEY_STORED, /* and up: row by row, of options that have no key */
};

static const struct cmd_option pmu_options[] = {
	{ KEY_PMU, "pmu", "auto|hw|sim|none",
	  "count hardware events on the machine's PMU, on the simulated "
	  "one, or not at all; auto uses the machine's PMU if a hardware event "
	  "can be opened, otherwise the simulated one (environment: "
	  "ASSAY_PMU)",
	  BY_TAKE },
	{ KEY_MODEL, "model", "NAME|FILE",
	  "simulate this machine model (an unknown NAME lists them), the one "
	  "in FILE, or with 'host' this machine as it was measured",
	  BY_TAKE },
	{ KEY_ENGINE, "engine", "auto|fast|valgrind",
	  "run the simulated PMU on this engine: fast counts instructions, "
	  "caches, TLBs and branches and can estimate cycles, valgrind models "
	  "all of them; auto uses fast where it is faster (default: auto; -v "
	  "shows which ran and why; environment: ASSAY_ENGINE)",
	  BY_TAKE },
	{ 0 },
};

static const struct cmd_option output_options[] = {
	{ 'o', "output", "FILE",
	  "write to FILE in the format of its suffix; - is standard output",
	  BY_TAKE },
	{ CMD_FORMAT, "format", "FORMAT",
	  "write this format, whatever the suffix; an unknown name lists "
	  "the verb's formats",
	  BY_TAKE },
	{ 'j', "json", NULL, "short for --format json", BY_TAKE },
	{ 0 },
};

static const struct cmd_option strict_options[] = {
	{ KEY_STRICT, "strict", NULL,
	  "exit with status 3 if a requested event could not be measured",
	  BY_TAKE },
	{ 0 },
};

static const struct cmd_option every_options[] = {
	{ KEY_COLOR, "color", "auto|always|never",
	  "use colour in text; auto: on a terminal, unless NO_COLOR is "
	  "set",
	  BY_TAKE },
	{ 'q', "quiet", NULL, "print only results and errors, no notes",
	  BY_TAKE },
	{ 'v', "verbose", NULL, "print more detail", BY_TAKE },
	{ 'h', "help", NULL, "print this help", BY_TAKE },
	{ 0 },
};

/* Which table goes with which COMMON_ bit; 0: with every verb. */
static const struct {
	unsigned bit;
	const struct cmd_option *options;
} common_tables[] = {
	{ COMMON_OUTPUT, output_options },
	{ COMMON_PMU, pmu_options },
	{ COMMON_STRICT, strict_options },
	{ 0, every_options },
};

static size_t add_table(const struct cmd_option **list, size_t n,
			const struct cmd_option *table)
{
	for (; table && table->name; table++) {
		if (list)
			list[n] = table;
		n++;
	}
	return n;
}

/* Into @list, unless it is NULL; how many there are. */
static size_t collect(const struct command *command,
		      const struct cmd_option **list)
{
	size_t n = add_table(list, 0, command->options);

	for (size_t i = 0; i < ARRAY_SIZE(common_tables); i++) {
		unsigned bit = common_tables[i].bit;

		if (bit == 0 || (command->common & bit))
			n = add_table(list, n, common_tables[i].options);
	}
	return n;
}

const struct cmd_option **options_of(const struct command *command)
{
	const struct cmd_option **list =
		calloc(collect(command, NULL) + 1, sizeof(*list));

	if (list)
		collect(command, list);
	return list;
}

static const char *const color_words[] = { "auto", "always", "never", NULL };
static const char *const engine_words[] = { "auto", "fast", "valgrind", NULL };
static const char *const pmu_words[] = { "auto", "hw", "sim", "none", NULL };

static int take_color(struct cli *cli, const char *argument)
{
	int i = 0;
	int status =
		store_word(&cli->console, "color", color_words, argument, &i);

	cli->console.color = (enum console_color)i;
	return status;
}

static int take_pmu(struct cli *cli, const char *argument)
{
	int i = 0;
	int status = store_word(&cli->console, "pmu", pmu_words, argument, &i);

	cli->pmu.kind = (enum pmu_kind)i;
	return status;
}

static int take_engine(struct cli *cli, const char *argument)
{
	int i = 0;
	int status =
		store_word(&cli->console, "engine", engine_words, argument, &i);

	if (!status)
		cli->pmu.engine = engine_words[i];
	return status;
}

/* A wrong name is told here, before any verb has begun its work. */
static int take_model(struct cli *cli, const char *argument)
{
	struct assay_model model;

	cli->pmu.model = argument;
	if (strcmp(argument, "host") == 0 || /* run.c looks for it */
	    assay_get_model(argument, &model) == PAPI_OK)
		return 0;
	return say_usage(&cli->console, "%s", assay_error());
}

/* The tables in getopt's own form. */
struct getopt_tables {
	struct option *longs;
	struct strbuf letters;
};

static int build_tables(const struct command *command,
			const struct cmd_option *const *options,
			struct getopt_tables *t)
{
	size_t n = 0;

	while (options[n])
		n++;
	t->longs = calloc(n + 1, sizeof(*t->longs));
	strbuf_add(&t->letters, command->runs_program ? "+:" : ":");
	for (size_t i = 0; t->longs && i < n; i++) {
		const struct cmd_option *o = options[i];

		t->longs[i].name = o->name;
		t->longs[i].has_arg =
			o->argument ? required_argument : no_argument;
		t->longs[i].val = o->key ? o->key : KEY_STORED + (int)i;
		if (option_letter(o))
			strbuf_addf(&t->letters, "%c%s", o->key,
				    o->argument ? ":" : "");
	}
	return t->longs && !t->letters.failed ? 0 : -1;
}

static void free_tables(struct getopt_tables *t)
{
	free(t->longs);
	strbuf_fini(&t->letters);
}

static const struct cmd_option *
option_by_key(const struct cmd_option *const *options, int key)
{
	if (key >= KEY_STORED)
		return options[key - KEY_STORED];
	for (; key && *options; options++)
		if ((*options)->key == key)
			return *options;
	return NULL;
}

/* "--name" from "--name=value", cut at the equals sign. */
static size_t long_name_length(const char *text)
{
	return strcspn(text, "=");
}

/* @near is what may have been meant, or NULL: then where to look. */
static void report_unknown(struct cli *cli, const char *given, const char *near)
{
	STRBUF(help);

	strbuf_addf(&help, "%s --help lists them all", cli->console.as);
	say_error_hint(&cli->console, near ? near : strbuf_text(&help),
		       "unknown option %s", given);
}

static void report_unknown_long(struct cli *cli, const char *text,
				const struct cmd_option *const *options)
{
	char given[64];
	struct nearest near;
	size_t n = long_name_length(text);

	snprintf(given, sizeof(given), "%.*s", (int)n, text);
	nearest_init(&near, given + 2);
	for (; *options; options++)
		nearest_add(&near, (*options)->name);
	report_unknown(cli, given, nearest_text(&near, "--"));
}

/* Options of perf, for fingers that know them. */
static const struct {
	const struct command *command;
	char letter;
	const char *hint;
} perf_options[] = {
	{ &command_count, 'x', "for CSV use --format csv" },
	{ &command_count, 'a', "to count a running program use -p PID" },
	{ &command_count, 'd', "for cache events use -g cache" },
	{ &command_count, 'M', "for metrics use -g GROUP or -m FILE" },
	{ &command_count, 't', "for threads use --per-thread" },
	{ &command_record, 'a', "to sample a running program use -p PID" },
};

static void report_unknown_letter(struct cli *cli, int letter)
{
	const char given[] = { '-', (char)letter, '\0' };
	const char *hint = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(perf_options); i++)
		if (perf_options[i].command == cli->command &&
		    perf_options[i].letter == letter)
			hint = perf_options[i].hint;
	report_unknown(cli, given, hint);
}

/*
 * Why getopt_long() returned '?': it leaves only hints. optopt is the key of a
 * known option that was given a value, 0 for a long one that is unknown (and
 * then optind is just behind it), else the unknown letter.
 */
static void report_bad_option(struct cli *cli, char **argv,
			      const struct cmd_option *const *options)
{
	const struct cmd_option *o = option_by_key(options, optopt);

	if (o)
		say_error(&cli->console, "--%s takes no value", o->name);
	else if (optopt == 0)
		report_unknown_long(cli, argv[optind - 1], options);
	else
		report_unknown_letter(cli, optopt);
}

static void report_missing(struct cli *cli,
			   const struct cmd_option *const *options)
{
	const struct cmd_option *o = option_by_key(options, optopt);

	if (o)
		say_error(&cli->console, "--%s requires a value: %s", o->name,
			  o->argument);
	else
		say_error(&cli->console, "an option requires a value");
}

static int take_option(struct cli *cli, const struct cmd_option *o,
		       const char *argument)
{
	if (o->store)
		return store_option(&cli->console, o, cli->state, argument);
	switch (o->key) {
	case KEY_PMU:
		return take_pmu(cli, argument);
	case KEY_MODEL:
		return take_model(cli, argument);
	case KEY_ENGINE:
		return take_engine(cli, argument);
	case KEY_COLOR:
		return take_color(cli, argument);
	case CMD_FORMAT:
		cli->output.format = argument;
		return 0;
	case KEY_STRICT:
		cli->strict = true;
		return 0;
	case 'o':
		cli->output.path = argument;
		return 0;
	case 'j':
		cli->output.format = "json";
		return 0;
	case 'q':
		cli->console.quiet = true;
		return 0;
	case 'v':
		cli->console.verbose++;
		return 0;
	default:
		return cli->command->take(cli, o->key, argument);
	}
}

/* Returns -1 when all is parsed, else the exit status. */
static int parse_with(struct cli *cli, int argc, char **argv,
		      const struct cmd_option *const *options,
		      const struct getopt_tables *t)
{
	opterr = 0;
	optind = 0; /* glibc: start anew, also with another option string */
	for (;;) {
		int key = getopt_long(argc, argv, t->letters.text, t->longs,
				      NULL);
		int status;

		if (key == -1)
			return -1;
		if (key == 'h') {
			options_write_help(cli->command, stdout);
			return CMD_OK;
		}
		if (key == '?' || key == ':') {
			if (key == '?')
				report_bad_option(cli, argv, options);
			else
				report_missing(cli, options);
			return CMD_USAGE;
		}
		status = take_option(cli, option_by_key(options, key), optarg);
		if (status)
			return status;
	}
}

/* Options of the PMU that environment variables give. */
static int take_environment(struct cli *cli)
{
	const char *pmu = getenv("ASSAY_PMU"), *engine = getenv("ASSAY_ENGINE");
	int status = 0;

	if (pmu && *pmu)
		status = take_pmu(cli, pmu);
	if (!status && engine && *engine)
		status = take_engine(cli, engine);
	return status;
}

int options_parse(struct cli *cli, int argc, char **argv, int *status)
{
	OWNED const struct cmd_option **options = options_of(cli->command);
	struct getopt_tables tables = { 0 };
	int wrong = 0;

	*status = CMD_FAILED;
	if (!cli->environment_read && (cli->command->common & COMMON_PMU))
		wrong = take_environment(cli);
	cli->environment_read = true;
	if (!options || build_tables(cli->command, options, &tables))
		say_error(&cli->console, "out of memory");
	else if (wrong)
		*status = CMD_USAGE;
	else
		*status = parse_with(cli, argc, argv, options, &tables);
	free_tables(&tables);
	return *status == -1 ? optind : -1;
}
