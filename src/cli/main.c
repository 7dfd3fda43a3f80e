/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The assay command: find the verb, hand over. Called hpmcount it is
 * "assay count" under the name that the 2001 toolkit gave it.
 */

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/overview.h"
#include "console/build.h"

/* Names under which the command is one of its verbs. */
static const struct {
	const char *name;
	const char *verb;
} historic[] = {
	{ "hpmcount", "count" },
	{ NULL, NULL },
};

static int run_verb(int argc, char **argv)
{
	const struct command *command = command_find(argv[0]);
	char as[32];

	if (!command) {
		overview_unknown_verb("assay", argv[0]);
		return CMD_USAGE;
	}
	snprintf(as, sizeof(as), "assay %s", command->name);
	return command_run(command, as, argc, argv);
}

static int run_option(const char *option)
{
	const struct console console = { .as = "assay" };

	if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
		overview_write(stdout);
		return say_flush(&console, CMD_OK);
	}
	if (strcmp(option, "--version") == 0) {
		printf("assay " ASSAY_VERSION "%s\n", build_kind());
		return say_flush(&console, CMD_OK);
	}
	return say_usage(
		&console,
		"options come after the verb; before it only --help and "
		"--version are accepted, not '%s'",
		option);
}

/*
 * Only the character set is the user's: numbers are written and letters are
 * told apart in the same way everywhere.
 */
static void set_character_set(void)
{
	bool is_utf8 = setlocale(LC_CTYPE, "") &&
		       strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	if (!is_utf8 || !setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, is_utf8 ? "" : "C");
}

/*
 * A stream that the caller closed stays one that cannot be used: otherwise the
 * next file that is opened would take its number, and what is meant for the
 * terminal would go there. The program that is run has it closed.
 */
static void guard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/full",
				    (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

static void go_on(int number)
{
	(void)number;
}

/* A file that would be too large is an error to be told, not the end. */
static void catch_limit(void)
{
	struct sigaction action = { .sa_handler = go_on };

	sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "assay";

	guard_streams();
	catch_limit();
	set_character_set();
	if (build_kernels() && strcmp(name, "kernels") == 0)
		return build_kernels()(argc, argv);
	for (size_t i = 0; historic[i].name; i++) {
		const struct command *command = command_find(historic[i].verb);

		if (command && strcmp(historic[i].name, name) == 0)
			return command_run(command, name, argc, argv);
	}
	if (argc < 2) {
		overview_write(stderr);
		return CMD_USAGE;
	}
	if (argv[1][0] == '-')
		return run_option(argv[1]);
	if (strcmp(argv[1], "version") == 0)
		return run_option("--version");
	return run_verb(argc - 1, argv + 1);
}
