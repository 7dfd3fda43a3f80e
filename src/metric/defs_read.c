/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of definition files. Every formula is compiled once here, with
 * all names accepted, so that what was loaded is known to be well formed;
 * whether this machine has the events is found out when one is used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/strbuf.h"
#include "metric/defs.h"
#include "metric/fields.h"
#include "metric/names.h"

struct reader {
	struct defs *defs;
	struct map seen; /* names of user events -> index; all sections */
	size_t line;
	bool after_cpu; /* the line before was a CPU line */
	bool shipped;   /* its formulas are known to be right */
	bool chosen;    /* only what is for @cpus */
	const char *const *cpus;
	struct diag *diag;
};

static int out_of_memory(struct reader *r)
{
	return diag_fail_at(r->diag, PAPI_ENOMEM, 1, "out of memory");
}

/* A copy of @n bytes that lives as long as the definitions do. */
static const char *keep(struct reader *r, const char *text, size_t n)
{
	char *copy = texts_reserve(&r->defs->texts, n);

	return copy ? memcpy(copy, text, n) : NULL;
}

static bool is_letter(char c)
{
	c = ascii_lower(c);
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_name(const char *s)
{
	if (!is_letter(*s))
		return false;
	while (is_letter(*s) || (*s && strchr("0123456789.:-@/=", *s)))
		s++;
	return *s == '\0';
}

static int add_line(struct reader *r, enum def_line_kind kind, size_t index,
		    const char *text)
{
	struct defs *d = r->defs;
	struct def_line line = { .kind = kind,
				 .index = index,
				 .section = d->n_sections - 1,
				 .text = text };

	return array_add(d->lines, d->n_lines, line) ? out_of_memory(r) : 0;
}

static int add_section(struct reader *r)
{
	struct defs *d = r->defs;

	if (array_grow(&d->sections, d->n_sections, sizeof(*d->sections)))
		return out_of_memory(r);
	d->sections[d->n_sections++] = (struct def_section){ .line = r->line };
	return 0;
}

/* #define NAME value */

static int constant_value(struct reader *r, const char *text, size_t column,
			  double *value)
{
	int err = defs_constant_value(r->defs, r->defs->n_constants, text,
				      value, r->diag);

	if (err && r->diag)
		r->diag->column += column - 1;
	return err;
}

static int add_constant(struct reader *r, struct def_constant c, size_t column)
{
	struct defs *d = r->defs;
	size_t i;

	if (!is_name(c.name))
		return diag_fail_at(r->diag, PAPI_EINVAL, column,
				    "'%.40s' cannot be a constant's name",
				    c.name);
	if (map_find(&d->constant_names, c.name, &i))
		return diag_fail_at(r->diag, PAPI_EINVAL, column,
				    "%.40s is defined already, in line %zu",
				    c.name, d->constants[i].line);
	if (array_grow(&d->constants, d->n_constants, sizeof(*d->constants)) ||
	    map_set(&d->constant_names, c.name, d->n_constants))
		return out_of_memory(r);
	d->constants[d->n_constants++] = c;
	return 0;
}

/* @line begins with "#define" and a blank. */
static int read_constant(struct reader *r, const char *line)
{
	const char *name = line + strlen("#define");
	const char *end, *value;
	struct def_constant c = { .line = r->line };
	size_t column, length;
	int err;

	name += strspn(name, " \t");
	end = name + strcspn(name, " \t");
	value = end + strspn(end, " \t");
	column = (size_t)(name - line) + 1;
	c.name = keep(r, name, (size_t)(end - name));
	length = strlen(value);
	while (length > 0 && strchr(" \t", value[length - 1]))
		length--;
	c.text = keep(r, value, length);
	if (!c.name || !c.text)
		return out_of_memory(r);
	err = constant_value(r, c.text, (size_t)(value - line) + 1, &c.value);
	if (!err)
		err = add_constant(r, c, column);
	if (err)
		return err;
	return add_line(r, LINE_CONSTANT, r->defs->n_constants - 1, NULL);
}

/* CPU,name[,type] */

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

static int add_cpu(struct reader *r, const char *cpu)
{
	struct def_section *s;

	if (!r->after_cpu && add_section(r))
		return PAPI_ENOMEM;
	s = &r->defs->sections[r->defs->n_sections - 1];
	if (array_add(s->cpus, s->n, cpu))
		return out_of_memory(r);
	return 0;
}

static int read_cpu(struct reader *r, struct fields *from)
{
	struct field cpu = { 0 }, type = { 0 };
	int err = fields_read(from, &cpu, r->diag);

	if (err == PAPI_ENOEVNT || (!err && !*cpu.text)) {
		err = diag_fail_at(r->diag, PAPI_EINVAL, strlen(from->line) + 1,
				   "the CPU line names no CPU");
	} else if (!err) {
		err = fields_read(from, &type, r->diag);
		if (err == PAPI_ENOEVNT)
			err = 0;
		else if (!err && *type.text && !is_number(type.text))
			err = diag_fail_at(r->diag, PAPI_EINVAL, type.column,
					   "'%.40s' is not a PMU type (a "
					   "number)",
					   type.text);
	}
	if (!err)
		err = add_cpu(r, cpu.text);
	if (err)
		return err;
	r->after_cpu = true;
	return add_line(r, LINE_CPU,
			r->defs->sections[r->defs->n_sections - 1].n - 1,
			type.text);
}

/* Definitions. */

static bool find_word(const char *text, const char *(*word)(size_t), size_t n,
		      size_t *i)
{
	for (*i = 0; *i < n; ++*i)
		if (ascii_is_same(text, word(*i)))
			return true;
	return false;
}

static const char *key_word(size_t i)
{
	return def_key_name((enum def_key)i);
}

static const char *derived_word(size_t i)
{
	return derived_name((enum derived)i);
}

static int check_threshold(struct reader *r, enum def_key key,
			   const struct field *value)
{
	char op[3];
	double limit;

	if (key != KEY_GOOD && key != KEY_BAD && key != KEY_VALID)
		return 0;
	if (def_parse_threshold(value->text, op, &limit))
		return 0;
	return diag_fail_at(r->diag, PAPI_EINVAL, value->column,
			    "'%.40s' is not a threshold such as \">0.9\"",
			    value->text);
}

/* The value after keyword @key. */
static int read_value(struct reader *r, struct fields *from, struct def *def,
		      enum def_key key, size_t column)
{
	struct field value;
	int err;

	if (def_field(def, key))
		return diag_fail_at(r->diag, PAPI_EINVAL, column,
				    "%s is given twice", def_key_name(key));
	if (array_grow(&def->fields, def->n_fields, sizeof(*def->fields)))
		return out_of_memory(r);
	err = fields_read(from, &value, r->diag);
	if (err == PAPI_ENOEVNT)
		return diag_fail_at(r->diag, PAPI_EINVAL, column,
				    "%s has no text after it",
				    def_key_name(key));
	if (err)
		return err;
	def->fields[def->n_fields++] = (struct def_field){ key, value.text };
	return check_threshold(r, key, &value);
}

static int add_base(struct reader *r, struct def *def,
		    const struct field *field)
{
	if (def->n_fields > 0 || def->derived == DERIVED_FORMULA)
		return diag_fail_at(r->diag, PAPI_EINVAL, field->column,
				    "'%.40s' is not a keyword (LDESC, SDESC, "
				    "NOTE, UNIT, GOOD, BAD, CATEGORY)",
				    field->text);
	return array_add(def->bases, def->n_bases, field->text)
		       ? out_of_memory(r)
		       : 0;
}

/* Base events, then keywords with their texts. */
static int read_rest(struct reader *r, struct fields *from, struct def *def)
{
	for (;;) {
		struct field field = { 0 };
		size_t key;
		int err = fields_read(from, &field, r->diag);

		if (err == PAPI_ENOEVNT)
			return 0;
		if (err)
			return err;
		if (!*field.text)
			err = 0; /* PAPI's own files have stray commas */
		else if (!field.quoted &&
			 find_word(field.text, key_word, KEY_COUNT, &key))
			err = read_value(r, from, def, (enum def_key)key,
					 field.column);
		else
			err = add_base(r, def, &field);
		if (err)
			return err;
	}
}

static int check_bases(struct reader *r, const struct def *def)
{
	size_t least =
		def->derived == DERIVED_PS || def->derived == DERIVED_ADD_PS
			? 2
			: 1;

	if (def->derived == DERIVED_FORMULA || def->n_bases >= least)
		return 0;
	return diag_fail_at(r->diag, PAPI_EINVAL, def->column,
			    "%s needs %zu base event%s, there %s %zu",
			    derived_name(def->derived), least,
			    least == 1 ? "" : "s",
			    def->n_bases == 1 ? "is" : "are", def->n_bases);
}

/* Compile it, to see that it can be. */
static int check_formula(struct reader *r, const struct def *def)
{
	struct name_list list = { 0 };
	struct formula_names names = { name_list_push, &list };
	struct formula *f;
	int err = defs_compile(r->defs, def, &names, &f, r->diag);

	if (!err)
		formula_free(f);
	name_list_fini(&list);
	return err;
}

/* A user event's name may come again, but not for the same CPUs. */
static int check_name(struct reader *r, const struct def *def)
{
	const struct defs *d = r->defs;
	size_t i;

	if (def->is_preset || !map_find(&r->seen, def->name, &i) ||
	    d->defs[i].section != def->section)
		return 0;
	return diag_fail_at(r->diag, PAPI_EINVAL, 1,
			    "%.60s is defined already, in line %zu", def->name,
			    d->defs[i].line);
}

static int add_def(struct reader *r, struct def *def)
{
	struct defs *d = r->defs;
	int err;

	def->line = r->line;
	def->section = d->n_sections - 1;
	def->constants = d->n_constants;
	err = check_bases(r, def);
	if (!err)
		err = check_name(r, def);
	if (!err && !r->shipped)
		err = check_formula(r, def);
	if (err)
		return err;
	if (array_grow(&d->defs, d->n, sizeof(*d->defs)) ||
	    map_set(&r->seen, def->name, d->n))
		return out_of_memory(r);
	d->defs[d->n++] = *def;
	*def = (struct def){ 0 }; /* its parts are theirs now */
	return add_line(r, LINE_DEF, d->n - 1, NULL);
}

static int read_formula(struct reader *r, struct fields *from, struct def *def)
{
	struct field field = { 0 };
	int err = fields_read_formula(from, &field, r->diag);

	if (err == PAPI_ENOEVNT)
		return diag_fail_at(r->diag, PAPI_EINVAL,
				    strlen(from->line) + 1,
				    "the formula is missing");
	if (err)
		return err;
	def->formula = field.text;
	def->column = field.column;
	return 0;
}

/* PRESET,name,derived,[formula,]bases: @from stands after the keyword. */
static int read_event(struct reader *r, struct fields *from, struct def *def)
{
	struct field name = { 0 }, kind = { 0 };
	size_t derived = 0;
	int err = fields_read(from, &name, r->diag);

	if (!err) {
		def->name = name.text;
		if (!is_name(name.text))
			return diag_fail_at(r->diag, PAPI_EINVAL, name.column,
					    "'%.40s' cannot be an event's name",
					    name.text);
		err = fields_read(from, &kind, r->diag);
	}
	if (err == PAPI_ENOEVNT)
		return diag_fail_at(r->diag, PAPI_EINVAL,
				    strlen(from->line) + 1,
				    "the line ends too early");
	if (err)
		return err;
	def->column = kind.column;
	if (!find_word(kind.text, derived_word, DERIVED_FORMULA, &derived))
		err = diag_fail_at(r->diag, PAPI_EINVAL, kind.column,
				   "'%.40s' is not a kind of event "
				   "(NOT_DERIVED, DERIVED_ADD, ...)",
				   kind.text);
	def->derived = (enum derived)derived;
	if (!err && (derived == DERIVED_POSTFIX || derived == DERIVED_INFIX))
		err = read_formula(r, from, def);
	return err;
}

/* NAME, FORMULA: @name has been read. */
static int read_text_def(struct reader *r, struct fields *from,
			 const struct field *name, struct def *def)
{
	def->derived = DERIVED_FORMULA;
	if (!is_name(name->text))
		return diag_fail_at(r->diag, PAPI_EINVAL, name->column,
				    "'%.40s' cannot be an event's name",
				    name->text);
	def->name = name->text;
	return read_formula(r, from, def);
}

static int read_def(struct reader *r, struct fields *from,
		    const struct field *first)
{
	struct def def = { 0 };
	int err;

	r->after_cpu = false;
	def.is_preset = ascii_is_same(first->text, "PRESET");
	if (def.is_preset || ascii_is_same(first->text, "EVENT"))
		err = read_event(r, from, &def);
	else
		err = read_text_def(r, from, first, &def);
	if (!err)
		err = read_rest(r, from, &def);
	if (!err)
		err = add_def(r, &def);
	free(def.bases);
	free(def.fields);
	return err;
}

static bool is_define(const char *line)
{
	return strncmp(line, "#define", 7) == 0 &&
	       (line[7] == ' ' || line[7] == '\t');
}

static int read_line(struct reader *r, const char *line)
{
	struct fields from = { &r->defs->texts, line, line };
	struct field first = { 0 };
	int err;

	if (line[strspn(line, " \t")] == '\0')
		return add_line(r, LINE_BLANK, 0, NULL);
	if (is_define(line))
		return read_constant(r, line);
	if (line[strspn(line, " \t")] == '#')
		return add_line(r, LINE_COMMENT, 0, strchr(line, '#') + 1);
	err = fields_read(&from, &first, r->diag);
	if (err)
		return err;
	return ascii_is_same(first.text, "CPU") ? read_cpu(r, &from)
						: read_def(r, &from, &first);
}

/* Leave out the line at @start if nothing of it was asked for. */
static bool pass_over(struct reader *r, const char *start)
{
	if (!r->chosen || is_define(start) || ascii_is_same_n(start, "CPU,", 4))
		return false;
	if (*start == '#' || *start == '\n')
		return true;
	if (defs_section_is_for(r->defs, r->defs->n_sections - 1, r->cpus))
		return false;
	r->after_cpu = false;
	return true;
}

/* One line of the file, without its end. */
static int read_bytes(struct reader *r, const char *start, size_t len)
{
	const char *nul = memchr(start, '\0', len);
	const char *line;

	r->line++;
	if (pass_over(r, start))
		return 0;
	if (nul)
		return diag_fail_at(r->diag, PAPI_EINVAL,
				    (size_t)(nul - start) + 1,
				    "there is a NUL byte: this is not text");
	if (len > 0 && start[len - 1] == '\r')
		len--;
	line = keep(r, start, len);
	return line ? read_line(r, line) : out_of_memory(r);
}

static int read_lines(struct reader *r, const char *text, size_t len)
{
	const char *end = text + len;
	int err = 0;

	while (!err && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		err = read_bytes(r, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return err;
}

static int parse(struct reader *r, const char *file, const char *text,
		 size_t len, struct defs **out)
{
	int err = PAPI_ENOMEM;

	r->defs = calloc(1, sizeof(*r->defs));
	if (r->defs)
		r->defs->file = keep(r, file, strlen(file));
	if (r->defs && r->defs->file)
		err = add_section(r);
	if (!err)
		err = read_lines(r, text, len);
	map_fini(&r->seen);
	if (err) {
		defs_free(r->defs);
		if (r->diag) {
			r->diag->file = file;
			r->diag->line = r->line;
		}
		return err;
	}
	*out = r->defs;
	return 0;
}

int defs_parse(const char *file, const char *text, size_t len,
	       struct defs **out, struct diag *diag)
{
	struct reader r = { .diag = diag };

	return parse(&r, file, text, len, out);
}

int defs_parse_shipped(const char *file, const char *text, size_t len,
		       struct defs **out, struct diag *diag)
{
	struct reader r = { .diag = diag, .shipped = true };

	return parse(&r, file, text, len, out);
}

int defs_parse_for(const char *file, const char *text, size_t len,
		   const char *const *cpus, struct defs **out,
		   struct diag *diag)
{
	struct reader r = {
		.diag = diag, .shipped = true, .chosen = true, .cpus = cpus
	};

	return parse(&r, file, text, len, out);
}
