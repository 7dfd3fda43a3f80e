/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of verbs, made from their table. */

#include "cli/overview.h"

#include "cli/cmd.h"

void overview_write(FILE *to)
{
	fputs("assay counts what a program makes the processor do, and says "
	      "how good the\nnumbers are.\n\n"
	      "usage: assay VERB [options] [--] [command ...]\n\n",
	      to);
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "  %-9s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nStart with:  assay count ./program\n"
	      "             assay doctor\n"
	      "More:        assay help VERB, man assay\n",
	      to);
}

void overview_unknown_verb(const char *as, const char *name)
{
	const struct console console = { .as = as };
	struct nearest near;
	const char *hint;

	nearest_init(&near, name);
	for (size_t i = 0; commands[i]; i++)
		nearest_add(&near, commands[i]->name);
	nearest_add(&near, "stat");
	hint = nearest_text(&near, "");
	say_error_hint(&console, hint ? hint : "'assay help' lists the verbs",
		       "there is no verb '%s'", name);
}
