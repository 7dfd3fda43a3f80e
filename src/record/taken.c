/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that cores take from each other, as the simulated PMU tells of them: by
 * address, variable and the source lines that did it. Where two variables of
 * one line are used by different threads, this is false sharing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "record/record.h"

#define SHOWN 5  /* lines */
#define FEW   50 /* times that a line changes hands without contention */

/* "file.c:12", or the function where there is no line; NULL: no memory. */
static char *describe_code(struct gather *g, const struct space *space,
			   uint64_t pc)
{
	struct symbol_place place;
	size_t object;
	uint64_t own;

	if (space_find(g, space, pc, &object, &own))
		return NULL;
	if (!g->objects[object].symbols)
		return str_format("%#" PRIx64, pc);
	symbol_find(g->objects[object].symbols, own, &place);
	if (place.frames[0].line)
		return str_format("%s:%ld",
				  symbol_base_name(place.frames[0].file),
				  place.frames[0].line);
	return str_format("%s", place.frames[0].function);
}

/*
 * The variable at @address: one of an object whose code is mapped. What is not
 * initialised lies behind the object's file, so its own map does not tell.
 */
static char *describe_data(struct gather *g, const struct space *space,
			   uint64_t address)
{
	for (size_t i = 0; i < space->n; i++) {
		const struct space_map *map = &space->maps[i];
		const struct symbol_object *symbols =
			g->objects[map->object].symbols;
		uint64_t own, offset = 0;
		const char *name;

		if (!symbols)
			continue;
		own = address - map->start +
		      symbol_address(symbols, map->offset);
		name = symbol_find_variable(symbols, own, &offset);
		if (name && offset)
			return str_format("%s+%" PRIu64, name, offset);
		if (name)
			return strdup(name);
	}
	return strdup("on the heap or a stack");
}

static struct taken_line *find_line(struct gather *g,
				    const struct assay_record *record)
{
	for (size_t i = 0; i < g->n_taken; i++)
		if (g->taken[i].pid == record->pid &&
		    g->taken[i].start == record->start)
			return &g->taken[i];
	if (array_grow(&g->taken, g->n_taken, sizeof(*g->taken)))
		return NULL;
	g->taken[g->n_taken] = (struct taken_line){ .pid = record->pid,
						    .start = record->start,
						    .end = record->end };
	return &g->taken[g->n_taken++];
}

static bool has_name(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') &&
		    (at[n] == ',' || at[n] == '\0'))
			return true;
	return false;
}

/* One more of what is in the line; NULL: no memory. */
static int add_variable(struct taken_line *line, char *name)
{
	char *more;

	if (!name)
		return PAPI_ENOMEM;
	if (!line->what) {
		line->what = name;
		return 0;
	}
	more = has_name(line->what, name)
		       ? strdup(line->what)
		       : str_format("%s, %s", line->what, name);
	free(name);
	if (!more)
		return PAPI_ENOMEM;
	free(line->what);
	line->what = more;
	return 0;
}

static int add_code(struct taken_line *line, char *where, uint64_t count)
{
	size_t least = 0;

	if (!where)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < TAKEN_BY; i++) {
		if (line->by[i].where && !strcmp(line->by[i].where, where)) {
			line->by[i].count += count;
			free(where);
			return 0;
		}
		if (line->by[i].count < line->by[least].count)
			least = i;
	}
	if (line->by[least].count >= count) {
		free(where);
		return 0;
	}
	free(line->by[least].where);
	line->by[least].where = where;
	line->by[least].count = count;
	return 0;
}

int taken_add(struct gather *g, const struct assay_record *record)
{
	const struct space *space = space_get(g, record->pid);
	struct taken_line *line = space ? find_line(g, record) : NULL;
	int err;

	if (!line)
		return PAPI_ENOMEM;
	line->count += record->lost;
	err = add_variable(line, describe_data(g, space, record->offset));
	return err ? err
		   : add_code(line, describe_code(g, space, record->address),
			      record->lost);
}

static int compare(const void *a, const void *b)
{
	const struct taken_line *x = a, *y = b;

	return x->count < y->count ? 1 : -(x->count > y->count);
}

static int note_line(struct gather *g, const struct taken_line *line)
{
	STRBUF(text);

	strbuf_addf(&text,
		    "cores took the line at %#" PRIx64 " (%s) from each other "
		    "%" PRIu64 " times, at ",
		    line->start, line->what, line->count);
	for (size_t i = 0; i < TAKEN_BY; i++)
		if (line->by[i].where)
			strbuf_addf(&text, "%s%s", i ? ", " : "",
				    line->by[i].where);
	strbuf_add(&text, ": give each thread its own line if they use "
			  "different parts of it");
	return profile_add_note(&g->profile, strbuf_text(&text));
}

int taken_note(struct gather *g)
{
	int err = 0;

	if (g->n_taken)
		qsort(g->taken, g->n_taken, sizeof(*g->taken), compare);
	for (size_t i = 0; !err && i < g->n_taken && i < SHOWN; i++)
		if (g->taken[i].count >= FEW)
			err = note_line(g, &g->taken[i]);
	return err;
}

void taken_fini(struct gather *g)
{
	for (size_t i = 0; i < g->n_taken; i++) {
		free(g->taken[i].what);
		for (size_t k = 0; k < TAKEN_BY; k++)
			free(g->taken[i].by[k].where);
	}
	free(g->taken);
}
