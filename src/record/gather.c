/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples become rows of a profile, each address attributed once. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "record/record.h"

#define DEEPEST 512 /* frames of a stack */

/* Objects. */

static enum profile_kind kind_of(const char *path)
{
	if (strcmp(path, "[vdso]") == 0)
		return PROFILE_VDSO;
	if (strcmp(path, "[unknown]") == 0)
		return PROFILE_UNKNOWN;
	if (strcmp(path, "[kernel]") == 0)
		return PROFILE_KERNEL;
	return path[0] == '/' && path[1] != '/' ? PROFILE_FILE
						: PROFILE_ANONYMOUS;
}

/* Say once what will be missing. */
static int note_symbols(struct gather *g, const struct gather_object *o,
			const struct diag *diag)
{
	char *note = NULL;
	int err;

	if (!o->symbols)
		note = str_format("no function names: %s", diag->text);
	else if (symbol_source(o->symbols) == SYMBOL_NONE)
		note = str_format(
			"%s is stripped: functions are shown by start address",
			o->path);
	else
		return 0;
	err = note ? profile_add_note(&g->profile, note) : PAPI_ENOMEM;
	free(note);
	return err;
}

static int add_row(struct gather *g, struct gather_object *o)
{
	struct profile_object row = {
		.path = o->path,
		.kind = o->kind,
		.symbols = PROFILE_NO_SYMBOLS,
	};

	if (o->symbols) {
		row.build_id = (char *)symbol_build_id(o->symbols);
		row.symbols = (enum profile_symbols)symbol_source(o->symbols);
	}
	return profile_add_object(&g->profile, &row, &o->row);
}

static int add_object(struct gather *g, const char *path)
{
	struct gather_object o = { .path = strdup(path),
				   .kind = kind_of(path) };
	struct diag diag = { .text = "" };
	int err = o.path ? 0 : PAPI_ENOMEM;

	if (!err && (o.kind == PROFILE_FILE || o.kind == PROFILE_VDSO))
		symbol_open(o.path, &o.symbols, &diag);
	if (!err)
		err = add_row(g, &o);
	if (!err && o.kind == PROFILE_FILE)
		err = note_symbols(g, &o, &diag);
	if (!err)
		err = array_grow(&g->objects, g->n_objects, sizeof(o));
	if (!err)
		err = map_set(&g->object_rows, o.path, g->n_objects);
	if (err) {
		symbol_close(o.symbols);
		free(o.path);
		return err;
	}
	g->objects[g->n_objects++] = o;
	return 0;
}

int gather_find_object(struct gather *g, const char *path, size_t *out)
{
	int err;

	if (!*path || strcmp(path, "//anon") == 0)
		path = "[anonymous memory]";
	if (map_find(&g->object_rows, path, out))
		return 0;
	err = add_object(g, path);
	*out = g->n_objects - 1;
	return err;
}

/* Files and functions. */

/* Keep @key for as long as the maps; NULL: no memory. */
static const char *keep_key(struct gather *g, char *key)
{
	if (!key || array_add(g->keys, g->n_keys, key)) {
		free(key);
		return NULL;
	}
	return key;
}

/* Take "folder/.." and "." out of @path, in place. */
static void tidy(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		size_t n = strcspn(from + 1, "/") + 1;

		if (n == 2 && from[1] == '.') {
			/* this folder: nothing to write */
		} else if (n == 3 && from[1] == '.' && from[2] == '.' &&
			   to > path) {
			while (to > path && *--to != '/')
				continue;
		} else {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
}

/* A path without detours, if that leads to the same place. */
static char *tidy_path(const char *path)
{
	char *copy = strdup(path);

	if (copy && path[0] == '/') {
		tidy(copy);
		if (access(copy, R_OK) != 0 && access(path, R_OK) == 0)
			strcpy(copy, path); /* a link was on the way */
	}
	return copy;
}

static int find_file(struct gather *g, const char *path, size_t *row)
{
	const char *key;
	char *tidied;
	int err;

	*row = PROFILE_NONE;
	if (!path || !*path)
		return 0;
	tidied = tidy_path(path);
	if (tidied && map_find(&g->file_rows, tidied, row)) {
		free(tidied);
		return 0;
	}
	key = keep_key(g, tidied);
	if (!key)
		return PAPI_ENOMEM;
	err = profile_add_file(&g->profile, key, access(key, R_OK) == 0, row);
	return err ? err : map_set(&g->file_rows, key, *row);
}

int gather_find_function(struct gather *g, size_t object,
			 const struct symbol_frame *frame, size_t *row)
{
	struct profile_function f = {
		.name = (char *)frame->function,
		.object = object,
		.line = frame->defined_at,
		.inlined = frame->inlined,
		.address = frame->inlined ? 0 : frame->address,
		.bytes = frame->inlined ? 0 : frame->bytes,
	};
	char *name = str_format("%zu %d %" PRIx64 " %ld %s", object, f.inlined,
				f.address, f.line, f.name);
	const char *key;
	int err;

	if (name && map_find(&g->function_rows, name, row)) {
		free(name);
		return 0;
	}
	key = keep_key(g, name);
	err = key ? find_file(g, frame->defined_in, &f.file) : PAPI_ENOMEM;
	if (!err)
		err = profile_add_function(&g->profile, &f, row);
	return err ? err : map_set(&g->function_rows, key, *row);
}

/* Locations. */

/* What is known of a place in an object without symbols. */
static void name_by_object(const struct gather_object *o,
			   struct symbol_place *place, char *name,
			   size_t capacity)
{
	memset(place, 0, sizeof(*place));
	if (o->kind == PROFILE_FILE)
		snprintf(name, capacity, "[%s]", symbol_base_name(o->path));
	else
		snprintf(name, capacity, "%s", o->path);
	place->frames[0].function = name;
	place->n = 1;
}

static int add_location(struct gather *g, size_t object, uint64_t address,
			uint64_t bytes, size_t *row)
{
	const struct gather_object *o = &g->objects[object];
	struct profile_frame frames[SYMBOL_FRAMES];
	struct profile_location l = { .object = o->row,
				      .address = address,
				      .bytes = bytes,
				      .frames = frames };
	struct symbol_place place;
	char name[256];
	int err = 0;

	if (o->symbols)
		symbol_find(o->symbols, address, &place);
	else
		name_by_object(o, &place, name, sizeof(name));
	for (size_t i = 0; !err && i < place.n; i++) {
		const struct symbol_frame *from = &place.frames[i];

		frames[i].line = from->line;
		err = gather_find_function(g, o->row, from,
					   &frames[i].function);
		if (!err)
			err = find_file(g, from->file, &frames[i].file);
	}
	l.n = place.n;
	if (!err)
		err = profile_add_location(&g->profile, &l, row);
	return err ? err : pairs_set(&g->location_rows, object, address, *row);
}

int gather_find_location(struct gather *g, size_t object, uint64_t address,
			 uint64_t bytes, size_t *row)
{
	if (pairs_find(&g->location_rows, object, address, row))
		return 0;
	return add_location(g, object, address, bytes, row);
}

static int locate(struct gather *g, const struct space *space, uint64_t address,
		  size_t *row)
{
	size_t object;
	uint64_t own;
	int err = space_find(g, space, address, &object, &own);

	return err ? err : gather_find_location(g, object, own, 1, row);
}

/* The function that a location's code belongs to. */
static size_t function_of(const struct profile *p, size_t location)
{
	const struct profile_location *l = &p->locations[location];

	return l->frames[l->n - 1].function;
}

/*
 * The thread's state may be from after the sampled instruction, with a call
 * or a return in between. How many of the innermost of @n places are then
 * the instruction's own doing: 1 where it stayed in its function, 2 where it
 * called another, 0 where it returned.
 */
static size_t places_to_replace(const struct profile *p, size_t sampled,
				const size_t *places, size_t n)
{
	size_t function = function_of(p, sampled);

	for (size_t i = 0; i < n && i < 2; i++)
		if (function_of(p, places[i]) == function)
			return i + 1;
	return 0;
}

/* The row of the stack of a sample. */
static int find_stack(struct gather *g, struct space *space,
		      const struct assay_record *record, size_t *row)
{
	uint64_t pcs[DEEPEST];
	size_t places[DEEPEST];
	size_t sampled, n = 0, skip;
	int err = locate(g, space, record->address, &sampled);

	*row = PROFILE_NONE;
	if (record->stack_bytes)
		n = space_unwind(g, space, record, pcs, DEEPEST);
	for (size_t i = 0; !err && i < n; i++)
		err = locate(g, space, pcs[i], &places[i]);
	if (err)
		return err;
	g->truncated += n == DEEPEST || (record->stack_bytes && n < 2);
	skip = places_to_replace(&g->profile, sampled, places, n);
	for (size_t i = n; !err && i-- > skip;)
		err = profile_find_stack(&g->profile, *row, places[i], row);
	return err ? err : profile_find_stack(&g->profile, *row, sampled, row);
}

static int find_thread(struct gather *g, const struct space *space, pid_t tid,
		       size_t *row)
{
	uint64_t who = (uint64_t)(uint32_t)space->pid << 32 | (uint32_t)tid;
	struct profile_thread thread = {
		.pid = space->pid,
		.tid = tid,
		.name = space->name ? space->name : (char *)"",
	};
	int err;

	if (pairs_find(&g->thread_rows, who, space->image, row))
		return 0;
	err = profile_add_thread(&g->profile, &thread, row);
	return err ? err : pairs_set(&g->thread_rows, who, space->image, *row);
}

static int take_sample(struct gather *g, const struct assay_record *record)
{
	struct space *space = space_get(g, record->pid);
	struct profile_place place = { .event = record->event };
	uint64_t time = record->time > g->began ? record->time - g->began : 0;
	int err = space ? find_thread(g, space, record->tid, &place.thread)
			: PAPI_ENOMEM;

	if (!err)
		err = find_stack(g, space, record, &place.stack);
	return err ? err : profile_add_at(&g->profile, &place, time);
}

int gather_take(void *gather, const struct assay_record *record)
{
	struct gather *g = gather;

	if (!g->has_begun) {
		g->has_begun = true;
		g->began = record->time;
	}
	switch (record->kind) {
	case ASSAY_RECORD_EXEC:
		return space_exec(g, record->pid, record->text);
	case ASSAY_RECORD_FORK:
		return space_fork(g, record->pid, record->parent);
	case ASSAY_RECORD_MAP:
		return space_map(g, record);
	case ASSAY_RECORD_SAMPLE:
		return take_sample(g, record);
	case ASSAY_RECORD_TAKEN:
		return taken_add(g, record);
	case ASSAY_RECORD_LOST:
		g->profile.lost += record->lost;
		return 0;
	case ASSAY_RECORD_THROTTLED:
		g->profile.throttled++;
		return 0;
	default:
		return 0;
	}
}

void gather_fini(struct gather *g)
{
	for (size_t i = 0; i < g->n_spaces; i++)
		space_fini(&g->spaces[i]);
	for (size_t i = 0; i < g->n_objects; i++) {
		symbol_close(g->objects[i].symbols);
		free(g->objects[i].path);
	}
	for (size_t i = 0; i < g->n_keys; i++)
		free(g->keys[i]);
	taken_fini(g);
	free(g->spaces);
	free(g->objects);
	free(g->keys);
	map_fini(&g->object_rows);
	map_fini(&g->function_rows);
	map_fini(&g->file_rows);
	pairs_fini(&g->thread_rows);
	pairs_fini(&g->location_rows);
}
