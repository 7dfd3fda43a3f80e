/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address spaces: what each process had mapped when a sample was taken. Records
 * come in the order of time, so an address means what was mapped last, also
 * if it is unmapped by now.
 */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/record.h"

static struct space *find(struct gather *g, pid_t pid)
{
	for (size_t i = g->n_spaces; i-- > 0;)
		if (g->spaces[i].pid == pid)
			return &g->spaces[i];
	return NULL;
}

struct space *space_get(struct gather *g, pid_t pid)
{
	struct space *space = find(g, pid);

	if (space)
		return space;
	if (array_grow(&g->spaces, g->n_spaces, sizeof(*g->spaces)))
		return NULL;
	space = &g->spaces[g->n_spaces++];
	*space = (struct space){ .pid = pid, .image = ++g->images };
	return space;
}

void space_fini(struct space *space)
{
	unwinder_free(space->unwinder);
	free(space->maps);
	free(space->name);
	*space = (struct space){ .pid = space->pid };
}

int space_exec(struct gather *g, pid_t pid, const char *program)
{
	struct space *space = space_get(g, pid);

	if (!space)
		return PAPI_ENOMEM;
	space_fini(space);
	space->image = ++g->images;
	space->name = strdup(symbol_base_name(program));
	return space->name ? 0 : PAPI_ENOMEM;
}

int space_fork(struct gather *g, pid_t pid, pid_t parent)
{
	const struct space *from = find(g, parent);
	int err = space_exec(g, pid, from && from->name ? from->name : "");
	struct space *to = find(g, pid);

	from = find(g, parent); /* the array may have moved */
	for (size_t i = 0; !err && from && i < from->n; i++) {
		err = array_add(to->maps, to->n, from->maps[i]);
	}
	to = find(g, pid);
	if (to)
		to->is_stale = true;
	return err;
}

int space_map(struct gather *g, const struct assay_record *record)
{
	struct space_map map = { record->start, record->end, record->offset,
				 0 };
	struct space *space;
	int err = gather_find_object(g, record->text, &map.object);

	if (err)
		return err;
	space = space_get(g, record->pid);
	if (!space)
		return PAPI_ENOMEM;
	space->is_stale = true;
	/* one that is hidden altogether is not needed any more */
	for (size_t i = 0; i < space->n; i++) {
		if (space->maps[i].start < map.start ||
		    space->maps[i].end > map.end)
			continue;
		memmove(&space->maps[i], &space->maps[i + 1],
			(space->n - i - 1) * sizeof(map));
		space->maps[space->n - 1] = map;
		return 0;
	}
	return array_add(space->maps, space->n, map);
}

static const struct space_map *map_at(const struct space *space,
				      uint64_t address)
{
	for (size_t i = space->n; i-- > 0;)
		if (address >= space->maps[i].start &&
		    address < space->maps[i].end)
			return &space->maps[i];
	return NULL;
}

static uint64_t own_address(const struct gather *g, const struct space_map *m,
			    uint64_t address)
{
	const struct gather_object *object = &g->objects[m->object];
	uint64_t offset = m->offset + (address - m->start);

	if (object->symbols)
		return symbol_address(object->symbols, offset);
	return object->kind == PROFILE_FILE ? offset : address;
}

int space_find(struct gather *g, const struct space *space, uint64_t address,
	       size_t *object, uint64_t *own)
{
	const struct space_map *map = map_at(space, address);

	*own = address;
	if (address >> 63) { /* the upper half; which part is not told */
		*own = 0;
		return gather_find_object(g, "[kernel]", object);
	}
	if (!map)
		return gather_find_object(g, "[unknown]", object);
	*object = map->object;
	*own = own_address(g, map, address);
	return 0;
}

/* Every object once: its maps have the same bias. */
static struct unwinder *make_unwinder(const struct gather *g,
				      const struct space *space)
{
	OWNED struct unwind_module *modules =
		calloc(space->n + 1, sizeof(*modules));
	size_t n = 0;

	if (!modules)
		return NULL;
	for (size_t i = 0; i < space->n; i++) {
		const struct space_map *map = &space->maps[i];
		const struct gather_object *o = &g->objects[map->object];
		bool again = false;

		for (size_t k = 0; k < n; k++)
			again |= modules[k].path == o->path;
		if (again || !o->symbols || o->kind != PROFILE_FILE)
			continue;
		modules[n].path = o->path;
		modules[n++].bias =
			map->start - own_address(g, map, map->start);
	}
	return n > 0 ? unwinder_new(modules, n) : NULL;
}

size_t space_unwind(struct gather *g, struct space *space,
		    const struct assay_record *record, uint64_t *pcs,
		    size_t capacity)
{
	const struct unwind_state state = {
		.registers = record->registers,
		.known = record->known,
		.pc = record->pc,
		.stack_start = record->stack_start,
		.stack = record->stack,
		.stack_bytes = record->stack_bytes,
	};

	if (space->is_stale) {
		unwinder_free(space->unwinder);
		space->unwinder = make_unwinder(g, space);
		space->is_stale = false;
	}
	if (!space->unwinder || record->stack_bytes == 0)
		return 0;
	return unwinder_run(space->unwinder, &state, pcs, capacity);
}
