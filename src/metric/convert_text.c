/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions to text, in the one form that convert.h promises. */
#include <string.h>

#include "base/ascii.h"

#include "metric/convert.h"

static void put_quoted(struct strbuf *out, const char *text)
{
	strbuf_add(out, "\"");
	for (; *text; text++)
		strbuf_add(out,
			   *text == '"' ? "\"\"" : (char[]){ *text, '\0' });
	strbuf_add(out, "\"");
}

/* A base event; in quotes where it could be taken for something else. */
static void put_base(struct strbuf *out, const char *base)
{
	bool is_keyword = false;

	for (int key = 0; key < KEY_COUNT; key++)
		is_keyword |=
			ascii_is_same(base, def_key_name((enum def_key)key));
	if (is_keyword || strpbrk(base, ",\"'"))
		put_quoted(out, base);
	else
		strbuf_add(out, base);
}

/* NAME, FORMULA, UNIT, "..." */
static void put_formula_line(struct strbuf *out, const struct def *def)
{
	strbuf_addf(out, "%s, %s", def->name, def->formula);
	for (size_t i = 0; i < def->n_fields; i++) {
		strbuf_addf(out, ", %s, ", def_key_name(def->fields[i].key));
		put_quoted(out, def->fields[i].value);
	}
	strbuf_add(out, "\n");
}

/* PRESET,NAME,KIND,... */
static void put_event_line(struct strbuf *out, const struct def *def)
{
	strbuf_addf(out, "%s,%s,%s", def->is_preset ? "PRESET" : "EVENT",
		    def->name, derived_name(def->derived));
	if (def->formula)
		strbuf_addf(out, ",%s", def->formula);
	for (size_t i = 0; i < def->n_bases; i++) {
		strbuf_add(out, ",");
		put_base(out, def->bases[i]);
	}
	for (size_t i = 0; i < def->n_fields; i++) {
		strbuf_addf(out, ",%s,", def_key_name(def->fields[i].key));
		put_quoted(out, def->fields[i].value);
	}
	strbuf_add(out, "\n");
}

static void put_cpu(struct strbuf *out, const char *cpu, const char *type)
{
	strbuf_add(out, "CPU,");
	put_base(out, cpu);
	if (type && *type)
		strbuf_addf(out, ",%s", type);
	strbuf_add(out, "\n");
}

static void put_line(struct strbuf *out, const struct defs *defs,
		     const struct def_line *line)
{
	const struct def_section *section = &defs->sections[line->section];
	const struct def *def;

	switch (line->kind) {
	case LINE_BLANK:
		strbuf_add(out, "\n");
		break;
	case LINE_COMMENT:
		strbuf_addf(out, "#%s\n", line->text);
		break;
	case LINE_CONSTANT:
		strbuf_addf(out, "#define %s %s\n",
			    defs->constants[line->index].name,
			    defs->constants[line->index].text);
		break;
	case LINE_CPU:
		put_cpu(out, section->cpus[line->index], line->text);
		break;
	case LINE_DEF:
		def = &defs->defs[line->index];
		if (def->derived == DERIVED_FORMULA)
			put_formula_line(out, def);
		else
			put_event_line(out, def);
		break;
	}
}

void convert_to_text(const struct defs *defs, struct strbuf *out)
{
	for (size_t i = 0; i < defs->n_lines; i++)
		put_line(out, defs, &defs->lines[i]);
}
