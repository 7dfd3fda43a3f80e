/* SPDX-License-Identifier: BSD-3-Clause */
/* From the cache back to the guest; see map.h. */
#include "simpmu/fast/map.h"

#include "simpmu/fast/emit.h"
#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/sys.h"
#include "simpmu/pmu/host.h"

#define MAX_ENTRIES (32u << 20)
#define MAX_PATHS   (1u << 24)
#define SPARE       4096u /* more than a few translations have */

static struct {
	struct map_entry *entries;
	uint32_t n;
	struct map_path *paths;
	uint32_t n_paths;
	unsigned held;
} map;

void map_init(void)
{
	map.entries = sys_memory(sizeof(struct map_entry) * MAX_ENTRIES);
	map.paths = sys_memory(sizeof(struct map_path) * MAX_PATHS);
}

void map_begin(uint32_t block, bool is_trace, bool is_silent)
{
	map.paths[map.n_paths] = (struct map_path){ .first = map.n,
						    .block = block & 0x3fffffff,
						    .is_silent = is_silent,
						    .is_trace = is_trace };
	map.n_paths++;
	map.held = 0;
}

void map_set_script(const struct script *script)
{
	map.paths[map.n_paths - 1].script = script;
}

void map_set_held(unsigned reg)
{
	map.held = reg;
}

void map_flush(void)
{
	map.n = map.n_paths = 0;
}

bool map_has_room(void)
{
	return map.n < MAX_ENTRIES - SPARE && map.n_paths < MAX_PATHS - SPARE;
}

void map_keep(struct image *image)
{
	image_number(image, &map.n, MAX_ENTRIES);
	image_number(image, &map.n_paths, MAX_PATHS);
	image_memory(image, map.entries, sizeof(struct map_entry) * map.n);
	image_memory(image, map.paths, sizeof(struct map_path) * map.n_paths);
}

uint32_t map_count(void)
{
	return map.n;
}

void map_add(uint64_t pc, enum map_fix fix)
{
	if (map.n >= MAX_ENTRIES - 1 || map.n_paths >= MAX_PATHS - 1)
		host_give_up(125,
			     "the program has too much code for the fast "
			     "engine; use --engine valgrind%s",
			     "");
	map.entries[map.n] =
		(struct map_entry){ .at = (uint32_t)(uint64_t)emit_at,
				    .path = (map.n_paths - 1) & 0xffffff,
				    .fix = fix & 0xff,
				    .pc = pc & 0xffffffffffffff,
				    .held = map.held & 0xff };
	__atomic_store_n(&map.n, map.n + 1, __ATOMIC_RELEASE);
}

uint32_t map_find(uint64_t at)
{
	uint32_t low = 0, high = __atomic_load_n(&map.n, __ATOMIC_ACQUIRE);

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (map.entries[middle].at <= (uint32_t)at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct map_entry *map_get(uint32_t entry)
{
	return &map.entries[entry];
}

const struct map_path *map_path_of(uint32_t entry)
{
	return &map.paths[map.entries[entry].path];
}

bool map_is_same_path(uint32_t entry, uint32_t i)
{
	return i < __atomic_load_n(&map.n, __ATOMIC_ACQUIRE) &&
	       map.entries[i].path == map.entries[entry].path;
}
