/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of code that was made at run time. Compilers that do so (of
 * JavaScript, Java, Python) can leave a list for profilers in
 * /tmp/perf-PID.map, a convention of Linux perf: lines of address, size and
 * name. The list is complete only in the end, so names are given then.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "record/record.h"

#define LARGEST_LIST (64 << 20) /* bytes */

struct piece {
	uint64_t start, bytes;
	char *name;
};

struct pieces {
	struct piece *items;
	size_t n;
};

/* Others may write to that folder too: only a file of our own counts. */
static FILE *open_list(pid_t pid)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > LARGEST_LIST) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

static int add_line(struct pieces *pieces, char *line)
{
	struct piece piece;
	char *at;

	line[strcspn(line, "\n")] = '\0';
	piece.start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	piece.bytes = strtoull(at + 1, &at, 16);
	if (*at != ' ' || !at[1])
		return 0;
	piece.name = strdup(at + 1);
	if (!piece.name || array_add(pieces->items, pieces->n, piece)) {
		free(piece.name);
		return PAPI_ENOMEM;
	}
	return 0;
}

static int read_list(struct pieces *pieces, pid_t pid)
{
	FILE *from = open_list(pid);
	OWNED char *line = NULL;
	size_t capacity = 0;
	int err = 0;

	if (!from)
		return 0;
	while (!err && getline(&line, &capacity, from) > 0)
		err = add_line(pieces, line);
	fclose(from);
	return err;
}

/* The latest at @address: code is made anew in the same place. */
static const struct piece *piece_at(const struct pieces *pieces,
				    uint64_t address)
{
	for (size_t i = pieces->n; i-- > 0;)
		if (address - pieces->items[i].start < pieces->items[i].bytes)
			return &pieces->items[i];
	return NULL;
}

static int name_location(struct gather *g, struct profile_location *l,
			 const struct pieces *pieces)
{
	const struct piece *piece = piece_at(pieces, l->address);
	struct symbol_frame frame = { 0 };

	if (!piece)
		return 0;
	frame.function = piece->name;
	frame.address = piece->start;
	frame.bytes = piece->bytes;
	return gather_find_function(g, l->object, &frame,
				    &l->frames[0].function);
}

int gather_name_made_code(struct gather *g)
{
	struct profile *p = &g->profile;
	struct pieces pieces = { 0 };
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < p->n_objects; i++)
		any |= p->objects[i].kind == PROFILE_ANONYMOUS;
	for (size_t i = 0; any && !err && i < g->n_spaces; i++)
		err = read_list(&pieces, g->spaces[i].pid);
	for (size_t i = 0; pieces.n && !err && i < p->n_locations; i++)
		if (p->objects[p->locations[i].object].kind ==
		    PROFILE_ANONYMOUS)
			err = name_location(g, &p->locations[i], &pieces);
	for (size_t i = 0; i < pieces.n; i++)
		free(pieces.items[i].name);
	free(pieces.items);
	return err;
}
