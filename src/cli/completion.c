/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion is made from the tables that the parser uses: verbs, their
 * options, and for an option's argument its name in the table ("FILE",
 * "EVENT,...", "auto|hw|sim|none"). Shells get it with `assay help --next`, so
 * no script of theirs knows a verb or an option.
 */

#include "cli/completion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "console/console.h"
#include "measure/pmu.h"
#include "survey/survey.h"

/* What is being completed, and where answers go. */
struct completion {
	const struct cli *cli;
	const struct format *formats; /* of the verb; or NULL */
	const char *typed; /* the word so far, or its part after "--name=" */
	size_t lead;       /* how much of typed comes before the last comma */
	FILE *to;
};

static void offer_what(const struct completion *c, const char *what)
{
	fprintf(c->to, "%s\n", what);
}

/* One answer, if it begins as what was typed does. */
static void offer(const struct completion *c, const char *word,
		  const char *text)
{
	const char *part = c->typed + c->lead;

	if (strncmp(word, part, strlen(part)) == 0)
		fprintf(c->to, "%.*s%s\t%s\n", (int)c->lead, c->typed, word,
			text);
}

static void offer_verbs(const struct completion *c)
{
	for (size_t i = 0; commands[i]; i++)
		offer(c, commands[i]->name, commands[i]->summary);
}

static void offer_options(const struct completion *c,
			  const struct cmd_option **options)
{
	char word[64];

	for (size_t i = 0; options[i]; i++) {
		snprintf(word, sizeof(word), "--%s", options[i]->name);
		offer(c, word, options[i]->help);
	}
}

static void no_progress(void *context, size_t done, size_t total)
{
	(void)context;
	(void)done;
	(void)total;
}

/* Events that can be counted here; with @metrics those, too. */
static void offer_events(const struct completion *c, bool metrics)
{
	struct listing_filter filter = {
		.presets = true,
		.native = true,
		.metrics = metrics,
		.words = (char *[]){ NULL },
	};
	struct console quiet = c->cli->console;
	struct metrics shipped = { 0 };
	struct listing l = { 0 };
	struct pmu pmu;

	quiet.quiet = true;
	if (pmu_browse(&quiet, &c->cli->pmu, &pmu))
		return;
	if (!listing_collect(&l, &filter) &&
	    (!metrics || (!metrics_init(&shipped, pmu.model, NULL) &&
			  !listing_add_metrics(&l, &shipped, &filter))) &&
	    !listing_try(&l, no_progress, NULL))
		for (size_t i = 0; i < l.n_events; i++)
			if (l.events[i].available)
				offer(c, l.events[i].name, l.events[i].brief);
	metrics_fini(&shipped);
	listing_fini(&l);
	pmu_close(&pmu);
}

static void offer_groups(const struct completion *c)
{
	struct metrics shipped = { 0 };
	char *names = NULL;

	if (!metrics_init(&shipped, "", NULL))
		names = metrics_group_names(&shipped);
	for (char *name = names ? strtok(names, ",") : NULL; name;
	     name = strtok(NULL, ","))
		offer(c, name + strspn(name, " "), "group of metrics");
	free(names);
	metrics_fini(&shipped);
}

static void offer_formats(const struct completion *c)
{
	for (const struct format *f = c->formats; f && f->name; f++)
		if (!format_is_hidden(c->formats, f))
			offer(c, f->name, "format");
}

/* The words among the parts of an argument's name, "auto|hw|FILE". */
static void offer_choices(const struct completion *c, const char *argument)
{
	char part[64];
	bool more = true;

	while (more) {
		size_t len = strcspn(argument, "| ]");

		if (islower((unsigned char)*argument)) {
			snprintf(part, sizeof(part), "%.*s", (int)len,
				 argument);
			offer(c, part, "");
		}
		more = argument[len] == '|';
		argument += len + more;
	}
}

/* Where a verb's first operand is one of some words: "list|show ..."; NULL. */
static const char *first_words(const struct command *command)
{
	const char *words = command->synopsis + (*command->synopsis == '[');
	size_t len = strcspn(words, " ]");

	return islower((unsigned char)*words) && memchr(words, '|', len) ? words
									 : NULL;
}

/* Whether one part of an argument's name is @kind. */
static bool takes(const char *argument, const char *kind)
{
	const char *found = strstr(argument, kind);

	return found && (found == argument || found[-1] == '|');
}

static void complete_argument(struct completion *c, const char *argument)
{
	const char *comma = strrchr(c->typed, ',');

	offer_what(c, takes(argument, "FILE") ? "files" : "words");
	if (comma && strstr(argument, ",..."))
		c->lead = (size_t)(comma + 1 - c->typed);
	if (takes(argument, "EVENT"))
		offer_events(c, false);
	else if (takes(argument, "GROUP"))
		offer_groups(c);
	else if (takes(argument, "FORMAT"))
		offer_formats(c);
	else
		offer_choices(c, argument);
}

/* Whether further operands are of these words, too: "[a|b ...]". */
static bool has_many_words(const char *words)
{
	return strncmp(words + strcspn(words, " ]"), " ...", 4) == 0;
}

/* A word that is neither an option nor an option's argument. */
static void complete_operand(const struct completion *c,
			     const struct command *command, bool is_first)
{
	const char *words = first_words(command);

	if (words && (is_first || has_many_words(words))) {
		offer_what(c, "words");
		offer_choices(c, words);
	} else if (command->runs_program) {
		offer_what(c, "commands");
	} else if (strncmp(command->synopsis, "NAME", 4) == 0 ||
		   strstr(command->synopsis, " NAME")) {
		offer_what(c, "words");
		offer_events(c, true);
	} else if (strstr(command->synopsis, "VERB")) {
		offer_what(c, "words");
		offer_verbs(c);
	} else {
		offer_what(c, "files");
	}
}

/* The option that @word names, "-x" or "--name"; NULL if none or "--name=". */
static const struct cmd_option *find_option(const struct cmd_option **options,
					    const char *word)
{
	for (size_t i = 0; options[i]; i++) {
		if (word[1] == '-' && strcmp(word + 2, options[i]->name) == 0)
			return options[i];
		if (word[1] == options[i]->key && word[2] == '\0')
			return options[i];
	}
	return NULL;
}

/* "--name=typed": completes what follows the sign. Whether it was one. */
static bool complete_joined(struct completion *c,
			    const struct cmd_option **options)
{
	const char *sign = strchr(c->typed, '=');

	for (size_t i = 0; sign && options[i]; i++) {
		size_t len = strlen(options[i]->name);

		if (strncmp(c->typed, "--", 2) == 0 &&
		    (size_t)(sign - c->typed) == len + 2 &&
		    strncmp(c->typed + 2, options[i]->name, len) == 0) {
			c->typed = sign + 1;
			complete_argument(c, options[i]->argument
						     ? options[i]->argument
						     : "");
			return true;
		}
	}
	return false;
}

static void complete_for(struct completion *c, const struct command *command,
			 const struct cmd_option **options, int n, char **words)
{
	const struct cmd_option *pending = NULL;
	bool is_first = true;

	c->formats = command->formats;
	for (int i = 0; i < n; i++) {
		bool operand = !pending && words[i][0] != '-';
		bool is_word = operand && is_first && first_words(command);

		if (strcmp(words[i], "--") == 0 && !pending) {
			offer_what(c, i == n - 1 ? "commands" : "files");
			return;
		}
		if (operand && command->runs_program && !is_word) {
			offer_what(c, "files");
			return;
		}
		is_first = is_first && !operand;
		pending = pending || operand ? NULL
					     : find_option(options, words[i]);
		if (pending && !pending->argument)
			pending = NULL;
	}
	if (pending)
		complete_argument(c, pending->argument);
	else if (complete_joined(c, options))
		return;
	else if (c->typed[0] == '-') {
		offer_what(c, "words");
		offer_options(c, options);
	} else {
		complete_operand(c, command, is_first);
	}
}

void completion_write(const struct cli *cli, int n, char **words, FILE *to)
{
	struct completion c = { .cli = cli, .to = to };
	const struct command *command;
	OWNED const struct cmd_option **options = NULL;

	c.typed = n ? words[n - 1] : "";
	if (n < 2) {
		offer_what(&c, "words");
		offer_verbs(&c);
		return;
	}
	command = command_find(words[0]);
	options = command ? options_of(command) : NULL;
	if (options)
		complete_for(&c, command, options, n - 2, words + 1);
}
