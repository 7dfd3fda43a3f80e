/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which program files are mapped where. The kernel lists mappings by address,
 * so those of one file follow each other, and the anonymous one right behind a
 * file's last writable page is the rest of its .bss.
 */
#include "host/process.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"

struct mapping {
	uintptr_t start;
	uintptr_t end;
	bool writable;
	bool executable;
	const char *path; /* "" if anonymous; into the text being parsed */
};

/* "55d0-55d1 r-xp 00001000 fe:00 1234   /usr/bin/cat" */
static bool parse_mapping(char *line, struct mapping *out)
{
	unsigned long long start, end;
	char mode[5];
	int n = 0;

	if (sscanf(line, "%llx-%llx %4s %*s %*s %*s %n", &start, &end, mode,
		   &n) != 3 ||
	    n == 0 || end <= start || strlen(mode) != 4)
		return false;
	*out = (struct mapping){
		.start = (uintptr_t)start,
		.end = (uintptr_t)end,
		.writable = mode[1] == 'w',
		.executable = mode[2] == 'x',
		.path = line + n,
	};
	return true;
}

static void free_object(struct process_object *object)
{
	free(object->path);
}

/* The object that @path belongs to; made if new. */
static int find_object(struct process_objects *objects, const char *path,
		       struct process_object **out)
{
	struct process_object *object;

	for (size_t i = 0; i < objects->n; i++)
		if (strcmp(objects->items[i].path, path) == 0) {
			*out = &objects->items[i];
			return 0;
		}
	if (array_grow(&objects->items, objects->n, sizeof(*objects->items)))
		return PAPI_ENOMEM;
	object = &objects->items[objects->n];
	*object = (struct process_object){ .path = strdup(path) };
	if (!object->path)
		return PAPI_ENOMEM;
	objects->n++;
	*out = object;
	return 0;
}

static void widen(uintptr_t *start, uintptr_t *end, const struct mapping *m)
{
	if (*end == 0 || m->start < *start)
		*start = m->start;
	if (m->end > *end)
		*end = m->end;
}

static int add_mapping(struct process_objects *objects, const struct mapping *m,
		       struct process_object **last)
{
	int err;

	if (m->path[0] == '/') {
		err = find_object(objects, m->path, last);
		if (err)
			return err;
		if (m->executable)
			widen(&(*last)->text_start, &(*last)->text_end, m);
		else if (m->writable)
			widen(&(*last)->data_start, &(*last)->data_end, m);
		return 0;
	}
	if (*last && m->path[0] == '\0' && m->writable &&
	    m->start == (*last)->data_end)
		widen(&(*last)->bss_start, &(*last)->bss_end, m);
	*last = NULL;
	return 0;
}

/* Files without code, such as locale archives, are no program files. */
static void drop_without_text(struct process_objects *objects)
{
	size_t kept = 0;

	for (size_t i = 0; i < objects->n; i++) {
		if (objects->items[i].text_end)
			objects->items[kept++] = objects->items[i];
		else
			free_object(&objects->items[i]);
	}
	objects->n = kept;
}

/* The path that /proc/self/exe points to; "" if it cannot be read. NULL: no
 * memory. */
static char *executable_path(const struct fs *fs)
{
	OWNED char *link = str_format("%s/proc/self/exe", fs->root);
	char path[PATH_MAX];
	ssize_t n;

	if (!link)
		return NULL;
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return strdup(path);
}

static void put_executable_first(struct process_objects *objects)
{
	for (size_t i = 1; i < objects->n; i++)
		if (strcmp(objects->items[i].path, objects->executable) == 0) {
			struct process_object found = objects->items[i];

			memmove(&objects->items[1], &objects->items[0],
				i * sizeof(found));
			objects->items[0] = found;
			return;
		}
}

int process_read_objects(const struct fs *fs, struct process_objects *out)
{
	struct process_objects objects = { 0 };
	struct process_object *last = NULL;
	OWNED char *maps = fs_read(fs, "proc/self/maps");
	char *rest = maps;
	char *line;
	int err = 0;

	if (!maps)
		return PAPI_ESYS;
	while (!err && (line = strsep(&rest, "\n"))) {
		struct mapping m;

		if (parse_mapping(line, &m))
			err = add_mapping(&objects, &m, &last);
	}
	objects.executable = executable_path(fs);
	if (err || !objects.executable) {
		process_fini_objects(&objects);
		return PAPI_ENOMEM;
	}
	drop_without_text(&objects);
	put_executable_first(&objects);
	*out = objects;
	return 0;
}

void process_fini_objects(struct process_objects *objects)
{
	while (objects->n > 0)
		free_object(&objects->items[--objects->n]);
	free(objects->items);
	free(objects->executable);
	*objects = (struct process_objects){ 0 };
}
