/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points that tell about the machine and the program. PAPI hands out
 * pointers that stay valid, so what was read is kept: the machine and the
 * executable once, the list of shared libraries anew when it has changed, with
 * the old ones beside. What could not be read is tried again by the next call.
 * There are no locks that a fork could leave closed.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

#include "papi/entry.h"
#include "papi/hwinfo.h"

static const struct fs here = { .root = "" };

/* A list of shared libraries that was handed out. */
struct handed {
	PAPI_shlib_info_t info;
	PAPI_address_map_t *map;
	struct handed *older;
};

struct machine {
	struct host host;
	PAPI_hw_info_t hw;
};

/* What was read of this process's machine and program; NULL: not yet. */
static struct {
	_Atomic(struct machine *) machine;
	_Atomic(PAPI_exe_info_t *) exe;
	_Atomic(struct handed *) shlibs; /* the newest */
} kept;

static struct machine *read_machine(void)
{
	const struct component_machine *machine;
	struct machine *m = calloc(1, sizeof(*m));

	if (!m || host_read(&here, &m->host)) {
		free(m);
		return NULL;
	}
	hwinfo_from_host(&m->host, &m->hw);
	machine = events_machine(library_get()->events);
	if (machine && machine->is_here)
		hwinfo_put_machine(machine, &m->hw);
	return m;
}

/* NULL: no memory; the next call tries again. */
static struct machine *get_machine(void)
{
	struct machine *first = atomic_load(&kept.machine);
	struct machine *made = first ? NULL : read_machine();

	if (!made ||
	    atomic_compare_exchange_strong(&kept.machine, &first, made))
		return made ? made : first;
	host_fini(&made->host);
	free(made);
	return first;
}

const struct host *hwinfo_host(void)
{
	const struct machine *m = get_machine();

	return m ? &m->host : NULL;
}

const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
	const struct machine *m;

	if (!library_need())
		return NULL;
	m = get_machine();
	if (!m) {
		error_say(PAPI_ENOMEM, "out of memory");
		return NULL;
	}
	return &m->hw;
}

int PAPI_get_dmem_info(PAPI_dmem_info_t *dest)
{
	struct process_memory memory;
	int err;

	if (!library_need())
		return PAPI_ENOINIT;
	if (!dest)
		return error_say(PAPI_EINVAL, "dest is NULL");
	err = process_read_memory(&here, &memory);
	if (err)
		return error_say(err, "/proc/self/status does not say");
	hwinfo_from_memory(&memory, dest);
	return PAPI_OK;
}

static int read_executable(PAPI_exe_info_t *exe)
{
	struct process_objects objects;
	const char *slash;
	int err = process_read_objects(&here, &objects);

	if (err)
		return error_say(err, "/proc/self/maps cannot be read");
	if (objects.n > 0 &&
	    strcmp(objects.items[0].path, objects.executable) == 0)
		hwinfo_from_object(&objects.items[0], &exe->address_info);
	slash = strrchr(objects.executable, '/');
	snprintf(exe->fullname, sizeof(exe->fullname), "%s",
		 objects.executable);
	snprintf(exe->address_info.name, sizeof(exe->address_info.name), "%s",
		 slash ? slash + 1 : objects.executable);
	process_fini_objects(&objects);
	return 0;
}

const PAPI_exe_info_t *PAPI_get_executable_info(void)
{
	PAPI_exe_info_t *first, *made;

	if (!library_need())
		return NULL;
	first = atomic_load(&kept.exe);
	if (first)
		return first;
	made = calloc(1, sizeof(*made));
	if (!made)
		error_say(PAPI_ENOMEM, "out of memory");
	if (!made || read_executable(made)) {
		free(made);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&kept.exe, &first, made))
		return made;
	free(made); /* another thread was first */
	return first;
}

/* All objects but the executable, as PAPI has them. */
static struct handed *make_shlibs(const struct process_objects *objects)
{
	struct handed *made = calloc(1, sizeof(*made));
	size_t n = 0;

	if (!made)
		return NULL;
	made->map = calloc(objects->n ? objects->n : 1, sizeof(*made->map));
	if (!made->map) {
		free(made);
		return NULL;
	}
	for (size_t i = 0; i < objects->n; i++)
		if (strcmp(objects->items[i].path, objects->executable) != 0)
			hwinfo_from_object(&objects->items[i], &made->map[n++]);
	made->info = (PAPI_shlib_info_t){ .map = made->map, .count = (int)n };
	return made;
}

static bool is_same(const struct handed *a, const struct handed *b)
{
	return a->info.count == b->info.count &&
	       memcmp(a->map, b->map,
		      (size_t)a->info.count * sizeof(*a->map)) == 0;
}

/* Keep @made, unless it is what was handed out last. */
static const PAPI_shlib_info_t *keep_shlibs(struct handed *made)
{
	struct handed *newest = atomic_load(&kept.shlibs);

	do {
		if (newest && is_same(newest, made)) {
			free(made->map);
			free(made);
			return &newest->info;
		}
		made->older = newest;
	} while (!atomic_compare_exchange_weak(&kept.shlibs, &newest, made));
	return &made->info;
}

const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void)
{
	struct process_objects objects;
	struct handed *made;
	int err;

	if (!library_need())
		return NULL;
	err = process_read_objects(&here, &objects);
	if (err) {
		error_say(err, "/proc/self/maps cannot be read");
		return NULL;
	}
	made = make_shlibs(&objects);
	process_fini_objects(&objects);
	if (!made) {
		error_say(PAPI_ENOMEM, "out of memory");
		return NULL;
	}
	return keep_shlibs(made);
}
