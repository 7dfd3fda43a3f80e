/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XML to definitions: each element becomes the line of text that it stands
 * for, and the text is read as any other. So there is one reader that knows
 * what a definition may be, and this one knows only what XML looks like.
 */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metric/convert.h"
#include "metric/fields.h"

#define NAMESPACE "urn:assay:metrics:1"

/* Elements of a file, one a line; what they may have is in the schema. */
enum kind {
	KIND_BLANK,
	KIND_COMMENT,
	KIND_CONSTANT,
	KIND_CPU,
	KIND_METRIC,
	KIND_EVENT,
	KIND_PRESET,
	KIND_COUNT
};

static const char *const kinds[KIND_COUNT] = {
	[KIND_BLANK] = "blank",       [KIND_COMMENT] = "comment",
	[KIND_CONSTANT] = "constant", [KIND_CPU] = "cpu",
	[KIND_METRIC] = "metric",     [KIND_EVENT] = "event",
	[KIND_PRESET] = "preset",
};

/* An element's parts, until it ends. */
struct element {
	enum kind kind;
	char *name, *value, *type, *derived, *formula;
	struct strbuf bases;  /* ",A,B" as in the text */
	struct strbuf fields; /* ",UNIT,\"s\"" */
};

struct xml {
	XML_Parser parser;
	struct diag *diag;
	int err;
	int depth;
	struct element element;
	struct strbuf content; /* of the innermost element */
	bool takes_content;
	struct strbuf text; /* made so far */
	size_t *lines;      /* where in the XML each line of text is from */
	size_t n_lines;
};

static const struct {
	const char *element;
	const char *key;
} parts[] = {
	{ "base", NULL },   { "title", "SDESC" }, { "description", "LDESC" },
	{ "note", "NOTE" }, { "unit", "UNIT" },   { "good", "GOOD" },
	{ "bad", "BAD" },   { "valid", "VALID" }, { "category", "CATEGORY" },
};

static void refuse(struct xml *x, const char *what, const char *name)
{
	if (x->err)
		return;
	x->err = diag_fail_at(x->diag, PAPI_EINVAL,
			      XML_GetCurrentColumnNumber(x->parser) + 1,
			      "%s <%.40s>", what, name);
	if (x->diag)
		x->diag->line = XML_GetCurrentLineNumber(x->parser);
	XML_StopParser(x->parser, XML_FALSE);
}

static void refuse_for_memory(struct xml *x)
{
	if (x->err)
		return;
	x->err = diag_fail(x->diag, PAPI_ENOMEM, "out of memory");
	XML_StopParser(x->parser, XML_FALSE);
}

static void element_fini(struct element *e)
{
	free(e->name);
	free(e->value);
	free(e->type);
	free(e->derived);
	free(e->formula);
	strbuf_fini(&e->bases);
	strbuf_fini(&e->fields);
	*e = (struct element){ 0 };
}

/* The local part of "namespace name"; NULL if it is another namespace's. */
static const char *local_name(const char *name)
{
	size_t n = strlen(NAMESPACE);

	if (strncmp(name, NAMESPACE, n) != 0 || name[n] != ' ')
		return NULL;
	return name + n + 1;
}

static void take_attributes(struct xml *x, const char **attributes)
{
	struct element *e = &x->element;
	const struct {
		const char *name;
		char **place;
	} known[] = {
		{ "name", &e->name },       { "value", &e->value },
		{ "type", &e->type },       { "kind", &e->derived },
		{ "formula", &e->formula },
	};

	for (; *attributes; attributes += 2) {
		size_t i = 0;

		while (i < ARRAY_SIZE(known) &&
		       strcmp(known[i].name, attributes[0]) != 0)
			i++;
		if (i == ARRAY_SIZE(known)) {
			refuse(x, "unknown attribute in", kinds[e->kind]);
			return;
		}
		*known[i].place = strdup(attributes[1]);
		if (!*known[i].place)
			refuse_for_memory(x);
	}
}

static void begin_line(struct xml *x, const char *name, const char **attributes)
{
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		if (strcmp(kinds[kind], name) == 0) {
			x->element.kind = (enum kind)kind;
			x->takes_content = kind == KIND_COMMENT;
			take_attributes(x, attributes);
			return;
		}
	}
	refuse(x, "there is no element", name);
}

static void begin(void *context, const char *qualified, const char **attributes)
{
	struct xml *x = context;
	const char *name = local_name(qualified);

	strbuf_fini(&x->content);
	x->takes_content = false;
	if (!name)
		refuse(x, "not of " NAMESPACE ":", qualified);
	else if (x->depth == 0 && strcmp(name, "definitions") != 0)
		refuse(x, "the root element must be <definitions>, not", name);
	else if (x->depth == 1)
		begin_line(x, name, attributes);
	else if (x->depth == 2)
		x->takes_content = true;
	else if (x->depth > 2)
		refuse(x, "this element may not contain others:", name);
	x->depth++;
}

/* Quoted as in the text: the quote doubled stands for itself. */
static void put_quoted(struct strbuf *out, const char *text)
{
	strbuf_add(out, ",\"");
	for (; *text; text++) {
		strbuf_addn(out, text, 1);
		if (*text == '"')
			strbuf_addn(out, text, 1);
	}
	strbuf_add(out, "\"");
}

static void end_part(struct xml *x, const char *name)
{
	struct element *e = &x->element;
	const char *content = strbuf_text(&x->content);

	if (e->kind < KIND_METRIC) {
		refuse(x, "nothing is allowed within", kinds[e->kind]);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strcmp(parts[i].element, name) != 0)
			continue;
		if (parts[i].key)
			strbuf_addf(&e->fields, ",%s", parts[i].key);
		put_quoted(parts[i].key ? &e->fields : &e->bases, content);
		return;
	}
	refuse(x, "there is no part", name);
}

/* A comment that begins like a constant would be read as one. */
static void put_comment(struct xml *x)
{
	const char *content = strbuf_text(&x->content);

	if (strncmp(content, "define ", 7) == 0 ||
	    strncmp(content, "define\t", 7) == 0)
		refuse(x, "this would be read as a constant:", "comment");
	strbuf_addf(&x->text, "#%s", content);
}

/* The line of text that the element stands for. */
static void put_line(struct xml *x)
{
	struct element *e = &x->element;
	struct strbuf *out = &x->text;

	switch (e->kind) {
	case KIND_COMMENT:
		put_comment(x);
		break;
	case KIND_CONSTANT:
		strbuf_addf(out, "#define %s %s", e->name, e->value);
		break;
	case KIND_CPU:
		strbuf_add(out, "CPU");
		put_quoted(out, e->name);
		strbuf_addf(out, ",%s", e->type ? e->type : "");
		break;
	case KIND_METRIC:
		strbuf_addf(out, "%s, %s", e->name, e->formula);
		break;
	case KIND_EVENT:
	case KIND_PRESET:
		strbuf_addf(out, "%s,%s,%s",
			    e->kind == KIND_PRESET ? "PRESET" : "EVENT",
			    e->name, e->derived);
		if (e->formula)
			strbuf_addf(out, ",%s", e->formula);
		break;
	default:
		break;
	}
	strbuf_add(out, strbuf_text(&e->bases));
	strbuf_add(out, strbuf_text(&e->fields));
}

/* Attributes that the element cannot be without. */
static bool is_complete(const struct element *e)
{
	switch (e->kind) {
	case KIND_CONSTANT:
		return e->name && e->value;
	case KIND_CPU:
		return e->name;
	case KIND_METRIC:
		return e->name && e->formula && !e->derived;
	case KIND_EVENT:
	case KIND_PRESET:
		return e->name && e->derived;
	default:
		return true;
	}
}

/* Whether all of @formula is one field of a line. */
static bool is_one_field(const char *formula)
{
	struct texts texts = { 0 };
	struct fields from = { &texts, formula, formula };
	struct field field;
	int err = fields_read_formula(&from, &field, NULL);

	texts_fini(&texts);
	return err ? err == PAPI_ENOMEM : !from.next;
}

/* Attributes that would become something else in a line of text. */
static bool has_stray_text(const struct element *e)
{
	static const char stray[] = ",#\"' \t";

	return (e->name && e->kind != KIND_CPU && strpbrk(e->name, stray)) ||
	       (e->derived && strpbrk(e->derived, stray)) ||
	       (e->type && strpbrk(e->type, stray)) ||
	       (e->formula && !is_one_field(e->formula));
}

static bool has_line_break(const struct xml *x, size_t from)
{
	return x->text.len > from &&
	       strpbrk(strbuf_text(&x->text) + from, "\n\r") != NULL;
}

static void end_line(struct xml *x)
{
	size_t from = x->text.len;

	if (!is_complete(&x->element)) {
		refuse(x, "an attribute is missing in", kinds[x->element.kind]);
		return;
	}
	if (has_stray_text(&x->element)) {
		refuse(x, "an attribute has invalid characters in",
		       kinds[x->element.kind]);
		return;
	}
	put_line(x);
	if (has_line_break(x, from))
		refuse(x, "a line break is not allowed in",
		       kinds[x->element.kind]);
	strbuf_add(&x->text, "\n");
	if (array_add(x->lines, x->n_lines,
		      XML_GetCurrentLineNumber(x->parser))) {
		refuse_for_memory(x);
		return;
	}
	element_fini(&x->element);
}

static void end(void *context, const char *qualified)
{
	struct xml *x = context;
	const char *name = local_name(qualified);

	x->depth--;
	if (x->err)
		return;
	if (x->depth == 2)
		end_part(x, name);
	if (x->content.failed || x->element.bases.failed ||
	    x->element.fields.failed)
		refuse_for_memory(x);
	else if (x->depth == 1)
		end_line(x);
	if (x->text.failed)
		refuse_for_memory(x);
	strbuf_fini(&x->content);
	x->takes_content = false;
}

static void take_content(void *context, const char *text, int n)
{
	struct xml *x = context;

	if (x->takes_content) {
		strbuf_addn(&x->content, text, (size_t)n);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (!strchr(" \t\r\n", text[i])) {
			refuse(x, "text is not allowed in",
			       x->depth == 1 ? "definitions"
					     : kinds[x->element.kind]);
			return;
		}
	}
}

/* Entities of one's own can grow without bound, and nobody needs them. */
static void refuse_entity(void *context, const XML_Char *name, int is_parameter,
			  const XML_Char *value, int len, const XML_Char *base,
			  const XML_Char *system, const XML_Char *public,
			  const XML_Char *notation)
{
	(void)is_parameter;
	(void)value;
	(void)len;
	(void)base;
	(void)system;
	(void)public;
	(void)notation;
	refuse(context, "entities are not supported:", name);
}

/* What the parser itself found. */
static void refuse_damage(struct xml *x)
{
	enum XML_Error error = XML_GetErrorCode(x->parser);

	if (error == XML_ERROR_NO_MEMORY)
		refuse_for_memory(x);
	if (x->err)
		return;
	x->err = diag_fail_at(x->diag, PAPI_EINVAL,
			      XML_GetCurrentColumnNumber(x->parser) + 1, "%s",
			      XML_ErrorString(error));
	if (x->diag)
		x->diag->line = XML_GetCurrentLineNumber(x->parser);
}

static int read_xml(struct xml *x, const char *text, size_t len)
{
	x->parser = XML_ParserCreateNS("UTF-8", ' ');
	if (!x->parser)
		return diag_fail(x->diag, PAPI_ENOMEM, "out of memory");
	XML_SetUserData(x->parser, x);
	XML_SetElementHandler(x->parser, begin, end);
	XML_SetCharacterDataHandler(x->parser, take_content);
	XML_SetEntityDeclHandler(x->parser, refuse_entity);
	if (XML_Parse(x->parser, text, (int)len, 1) != XML_STATUS_OK)
		refuse_damage(x);
	XML_ParserFree(x->parser);
	return x->err;
}

int convert_parse_xml(const char *file, const char *text, size_t len,
		      struct defs **out, struct diag *diag)
{
	struct xml x = { .diag = diag };
	int err;

	if (len > (size_t)1 << 30)
		return diag_fail(diag, PAPI_EINVAL, "the file is too large");
	err = read_xml(&x, text, len);
	if (err && diag)
		diag->file = file;
	if (!err) {
		err = defs_parse(file, strbuf_text(&x.text), x.text.len, out,
				 diag);
		if (err && diag && diag->line > 0 && diag->line <= x.n_lines) {
			diag->line = x.lines[diag->line - 1];
			diag->column = 0; /* of a line that nobody has seen */
		}
	}
	element_fini(&x.element);
	strbuf_fini(&x.content);
	strbuf_fini(&x.text);
	free(x.lines);
	return err;
}

int convert_parse(const char *file, const char *text, size_t len,
		  struct defs **out, struct diag *diag)
{
	const char *start = text + strspn(text, " \t\r\n");

	if (strncmp(start, "\xef\xbb\xbf", 3) == 0)
		start += 3;
	if (*start == '<')
		return convert_parse_xml(file, text, len, out, diag);
	return defs_parse(file, text, len, out, diag);
}
