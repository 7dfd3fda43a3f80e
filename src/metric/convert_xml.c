/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions to XML. Each line of the file is one element, in order, so that
 * comments and blank lines survive.
 */
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "metric/convert.h"

#define NAMESPACE "urn:assay:metrics:1"

static const char *const key_elements[KEY_COUNT] = {
	[KEY_LDESC] = "description", [KEY_SDESC] = "title",
	[KEY_NOTE] = "note",         [KEY_UNIT] = "unit",
	[KEY_GOOD] = "good",         [KEY_BAD] = "bad",
	[KEY_VALID] = "valid",       [KEY_CATEGORY] = "category",
};

/* Bytes of the character at @s, if XML 1.0 allows it in a line; 0 if not. */
static size_t character(const char *s)
{
	bool control = (unsigned char)*s < ' ' && *s != '\t';

	return control ? 0 : utf8_length(s);
}

static int put_escaped(struct strbuf *out, const char *text, size_t line,
		       struct diag *diag)
{
	while (*text) {
		size_t n = character(text);

		if (n == 0) {
			diag_fail_at(diag, PAPI_EINVAL, 1,
				     "byte 0x%02x cannot be written as XML",
				     (unsigned char)*text);
			if (diag)
				diag->line = line;
			return PAPI_EINVAL;
		}
		if (*text == '<')
			strbuf_add(out, "&lt;");
		else if (*text == '>')
			strbuf_add(out, "&gt;");
		else if (*text == '&')
			strbuf_add(out, "&amp;");
		else if (*text == '"')
			strbuf_add(out, "&quot;");
		else if (*text == '\t')
			strbuf_add(out, "&#9;");
		else
			strbuf_addn(out, text, n);
		text += n;
	}
	return 0;
}

static int put_attribute(struct strbuf *out, const char *name,
			 const char *value, size_t line, struct diag *diag)
{
	int err;

	if (!value)
		return 0;
	strbuf_addf(out, " %s=\"", name);
	err = put_escaped(out, value, line, diag);
	strbuf_add(out, "\"");
	return err;
}

static int put_element(struct strbuf *out, const char *name, const char *value,
		       size_t line, struct diag *diag)
{
	int err;

	strbuf_addf(out, "    <%s>", name);
	err = put_escaped(out, value, line, diag);
	strbuf_addf(out, "</%s>\n", name);
	return err;
}

static int put_def(struct strbuf *out, const struct def *def, struct diag *diag)
{
	const char *element = def->is_preset                    ? "preset"
			      : def->derived == DERIVED_FORMULA ? "metric"
								: "event";
	const char *kind = def->derived == DERIVED_FORMULA
				   ? NULL
				   : derived_name(def->derived);
	int err;

	strbuf_addf(out, "  <%s", element);
	err = put_attribute(out, "name", def->name, def->line, diag);
	if (!err)
		err = put_attribute(out, "kind", kind, def->line, diag);
	if (!err)
		err = put_attribute(out, "formula", def->formula, def->line,
				    diag);
	if (def->n_bases + def->n_fields == 0) {
		strbuf_add(out, "/>\n");
		return err;
	}
	strbuf_add(out, ">\n");
	for (size_t i = 0; !err && i < def->n_bases; i++)
		err = put_element(out, "base", def->bases[i], def->line, diag);
	for (size_t i = 0; !err && i < def->n_fields; i++)
		err = put_element(out, key_elements[def->fields[i].key],
				  def->fields[i].value, def->line, diag);
	strbuf_addf(out, "  </%s>\n", element);
	return err;
}

static int put_cpu(struct strbuf *out, const char *cpu, const char *type,
		   size_t number, struct diag *diag)
{
	int err;

	strbuf_add(out, "  <cpu");
	err = put_attribute(out, "name", cpu, number, diag);
	if (!err && type && *type)
		err = put_attribute(out, "type", type, number, diag);
	strbuf_add(out, "/>\n");
	return err;
}

static int put_constant(struct strbuf *out, const struct def_constant *c,
			struct diag *diag)
{
	int err;

	strbuf_add(out, "  <constant");
	err = put_attribute(out, "name", c->name, c->line, diag);
	if (!err)
		err = put_attribute(out, "value", c->text, c->line, diag);
	strbuf_add(out, "/>\n");
	return err;
}

static int put_line(struct strbuf *out, const struct defs *defs, size_t number,
		    struct diag *diag)
{
	const struct def_line *line = &defs->lines[number - 1];
	const struct def_section *section = &defs->sections[line->section];
	int err = 0;

	switch (line->kind) {
	case LINE_BLANK:
		strbuf_add(out, "  <blank/>\n");
		break;
	case LINE_COMMENT:
		strbuf_add(out, "  <comment>");
		err = put_escaped(out, line->text, number, diag);
		strbuf_add(out, "</comment>\n");
		break;
	case LINE_CONSTANT:
		err = put_constant(out, &defs->constants[line->index], diag);
		break;
	case LINE_CPU:
		err = put_cpu(out, section->cpus[line->index], line->text,
			      number, diag);
		break;
	case LINE_DEF:
		err = put_def(out, &defs->defs[line->index], diag);
		break;
	}
	return err;
}

int convert_to_xml(const struct defs *defs, struct strbuf *out,
		   struct diag *diag)
{
	int err = 0;

	strbuf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<definitions xmlns=\"" NAMESPACE "\">\n");
	for (size_t i = 1; !err && i <= defs->n_lines; i++)
		err = put_line(out, defs, i, diag);
	strbuf_add(out, "</definitions>\n");
	if (err && diag)
		diag->file = defs->file;
	return err;
}
