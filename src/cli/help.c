/* SPDX-License-Identifier: BSD-3-Clause */
/* The option tables as text: --help, man page sections, and plain lines. */

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/options.h"

#define HELP_WIDTH  79
#define HELP_INDENT 26 /* where explanations start */

/* Print @text from column @column on, each line at most HELP_WIDTH wide. */
static void put_wrapped(const char *text, size_t indent, FILE *to)
{
	size_t column = indent;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > indent && column + 1 + word > HELP_WIDTH) {
			fprintf(to, "\n%*s", (int)indent, "");
			column = indent;
		}
		if (column > indent) {
			putc(' ', to);
			column++;
		}
		fwrite(text, 1, word, to);
		column += word;
		text += word + strspn(text + word, " ");
	}
	putc('\n', to);
}

static void put_option(const struct cmd_option *o, FILE *to)
{
	STRBUF(left);

	if (option_letter(o))
		strbuf_addf(&left, "  -%c, --%s", o->key, o->name);
	else
		strbuf_addf(&left, "      --%s", o->name);
	if (o->argument)
		strbuf_addf(&left, " %s", o->argument);

	fputs(strbuf_text(&left), to);
	if (left.len + 2 > HELP_INDENT)
		fprintf(to, "\n%*s", HELP_INDENT, "");
	else
		fprintf(to, "%*s", (int)(HELP_INDENT - left.len), "");
	put_wrapped(o->help, HELP_INDENT, to);
}

void options_write_help(const struct command *command, FILE *to)
{
	OWNED const struct cmd_option **options = options_of(command);
	int before = fprintf(to, "usage: assay %s ", command->name);

	put_wrapped(command->synopsis, before > 0 ? (size_t)before : 0, to);
	putc('\n', to);
	put_wrapped(command->text, 0, to);
	fputs("\noptions:\n", to);
	for (size_t i = 0; options && options[i]; i++)
		put_option(options[i], to);
}

/* scdoc reads _, * and \ as markup. */
static void put_scdoc_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (strchr("_*\\", *text))
			putc('\\', to);
		putc(*text, to);
	}
}

void options_write_scdoc(const struct command *command, FILE *to)
{
	OWNED const struct cmd_option **options = options_of(command);

	for (size_t i = 0; options && options[i]; i++) {
		const struct cmd_option *o = options[i];

		if (option_letter(o))
			fprintf(to, "*-%c*, ", o->key);
		fprintf(to, "*--%s*", o->name);
		if (o->argument)
			fprintf(to, " _%s_", o->argument);
		fputs("\n\t", to);
		put_scdoc_text(o->help, to);
		fputs(".\n\n", to);
	}
}

void options_write_table(const struct command *command, FILE *to)
{
	OWNED const struct cmd_option **options = options_of(command);

	for (size_t i = 0; options && options[i]; i++) {
		const struct cmd_option *o = options[i];

		fprintf(to, "--%s\t", o->name);
		if (option_letter(o))
			fprintf(to, "-%c", o->key);
		fprintf(to, "\t%s\n", o->argument ? o->argument : "");
	}
}
