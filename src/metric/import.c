/* SPDX-License-Identifier: BSD-3-Clause */
/* What the importers share: a metric becomes a line of text, or a comment. */
#include "metric/import.h"

#include <ctype.h>
#include <string.h>

#include "base/ascii.h"

#include "metric/names.h"

static bool is_keyword(const char *name)
{
	return ascii_is_same(name, "CPU") || ascii_is_same(name, "EVENT") ||
	       ascii_is_same(name, "PRESET");
}

/* A name that the text format takes: odd characters become '_'. */
static void put_name(struct strbuf *out, const char *name)
{
	if ((!isalpha((unsigned char)*name) && *name != '_') ||
	    is_keyword(name))
		strbuf_add(out, "_");
	for (; *name; name++) {
		bool fits = isalnum((unsigned char)*name) || *name == '_';

		strbuf_addn(out, fits ? name : "_", 1);
	}
}

/* Text for one line: quotes doubled, line breaks become blanks. */
static void put_text(struct strbuf *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	strbuf_addf(out, ", %s, \"", key);
	for (; *text; text++) {
		if (*text == '"')
			strbuf_add(out, "\"\"");
		else
			strbuf_addn(out,
				    (unsigned char)*text < ' ' ? " " : text, 1);
	}
	strbuf_add(out, "\"");
}

/* Whether a line above defines @name. */
static bool is_defined(const struct strbuf *out, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = strbuf_text(out); *line;) {
		const char *end = strchr(line, '\n');

		if (strncmp(line, name, n) == 0 && line[n] == ',')
			return true;
		if (!end)
			break;
		line = end + 1;
	}
	return false;
}

static int check(const char *formula, struct diag *diag)
{
	struct name_list list = { 0 };
	struct formula_names names = { name_list_push, &list };
	struct formula *f = NULL;
	int err = formula_compile_infix(formula, &names, &f, diag);

	formula_free(f);
	name_list_fini(&list);
	return err;
}

/* @text on one line: an expression may go over several, a comment may not. */
static void put_line(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_addn(out, (unsigned char)*text < ' ' ? " " : text, 1);
}

void import_put(struct strbuf *out, const struct import_metric *metric,
		struct import_counts *counts)
{
	struct strbuf name = { 0 }, formula = { 0 };
	struct diag diag = { 0 };
	int err;

	put_name(&name, metric->name);
	put_line(&formula, metric->formula);
	err = check(strbuf_text(&formula), &diag);
	if (!err && is_defined(out, strbuf_text(&name)))
		err = diag_fail(&diag, PAPI_EINVAL, "it is defined above");
	if (err) {
		strbuf_addf(out, "# not converted: %s: %s\n",
			    strbuf_text(&name), diag.text);
		counts->left++;
	} else {
		strbuf_addf(out, "%s, %s", strbuf_text(&name),
			    strbuf_text(&formula));
		put_text(out, "UNIT", metric->unit);
		put_text(out, "CATEGORY", metric->category);
		put_text(out, "SDESC", metric->title);
		put_text(out, "LDESC", metric->text);
		strbuf_add(out, "\n");
		counts->taken++;
	}
	strbuf_fini(&formula);
	strbuf_fini(&name);
}
