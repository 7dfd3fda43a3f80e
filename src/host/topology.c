/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs, cores and sockets are counted by what distinguishes them: a core by
 * the first CPU of its siblings, because core_id is only unique within a die;
 * a socket by its package id.
 */
#include "host/topology.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "host/text.h"

#define CPU_DIR  "sys/devices/system/cpu"
#define NODE_DIR "sys/devices/system/node"

struct place {
	unsigned cpu;
	unsigned core;   /* first CPU of the core, or any number unique to it */
	unsigned socket; /* package id */
};

struct places {
	struct place *items;
	size_t n;
};

static int add_place(struct places *places, struct place place)
{
	if (array_grow(&places->items, places->n, sizeof(place)))
		return PAPI_ENOMEM;
	places->items[places->n++] = place;
	return 0;
}

/* The first CPU of "3,67" or "3-4". */
static bool first_of_list(const char *list, unsigned *cpu)
{
	struct cpulist walk = { .at = list };

	return cpulist_next(&walk, cpu);
}

static struct place place_of(const struct fs *fs, unsigned cpu)
{
	struct place place = { .cpu = cpu, .core = cpu };
	uint64_t socket;
	char list[256];

	if (text_read_number(fs, &socket,
			     CPU_DIR "/cpu%u/topology/physical_package_id",
			     cpu))
		place.socket = (unsigned)socket;
	if (text_read(fs, list, sizeof(list),
		      CPU_DIR "/cpu%u/topology/thread_siblings_list", cpu) ||
	    text_read(fs, list, sizeof(list),
		      CPU_DIR "/cpu%u/topology/core_cpus_list", cpu))
		first_of_list(list, &place.core);
	return place;
}

static int places_from_sysfs(const struct fs *fs, struct places *places)
{
	OWNED char *online = fs_read(fs, CPU_DIR "/online");
	struct cpulist list = { .at = online ? online : "" };
	unsigned cpu;
	int err = 0;

	while (!err && cpulist_next(&list, &cpu))
		err = add_place(places, place_of(fs, cpu));
	return err;
}

/*
 * /proc/cpuinfo has a paragraph a CPU; core numbers there are only unique
 * within a socket, so both make the key.
 */
static int places_from_cpuinfo(const struct fs *fs, struct places *places)
{
	OWNED char *cpuinfo = fs_read(fs, "proc/cpuinfo");
	char *paragraph = cpuinfo;
	int err = 0;

	while (!err && paragraph && *paragraph) {
		char *end = strstr(paragraph, "\n\n");
		uint64_t cpu, socket = 0, core;
		struct place place;

		if (end)
			*end = '\0';
		if (text_find_number(paragraph, "processor", &cpu)) {
			place = (struct place){ .cpu = (unsigned)cpu,
						.core = (unsigned)cpu };
			text_find_number(paragraph, "physical id", &socket);
			place.socket = (unsigned)socket;
			if (text_find_number(paragraph, "core id", &core))
				place.core = (unsigned)(socket << 16 | core);
			err = add_place(places, place);
		}
		paragraph = end ? end + 2 : NULL;
	}
	return err;
}

/* The machine itself, where nothing is mounted: CPUs that we may run on. */
static int places_from_kernel(const struct fs *fs, struct places *places)
{
	cpu_set_t allowed[8]; /* of 1024 CPUs each */
	int err = 0;

	if (fs->root[0] || sched_getaffinity(0, sizeof(allowed), allowed))
		return 0;
	for (unsigned cpu = 0; !err && cpu < 8 * sizeof(allowed); cpu++)
		if (CPU_ISSET_S(cpu, sizeof(allowed), allowed))
			err = add_place(places, (struct place){ .cpu = cpu,
								.core = cpu });
	return err;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a;
	unsigned y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/*
 * How often the most frequent of @n numbers occurs; how many different ones
 * there are in *@distinct. Sorts them.
 */
static unsigned most_frequent(unsigned *numbers, size_t n, unsigned *distinct)
{
	unsigned most = 0, run = 0;

	*distinct = 0;
	qsort(numbers, n, sizeof(*numbers), by_number);
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && numbers[i] == numbers[i - 1];

		run = same ? run + 1 : 1;
		if (!same)
			(*distinct)++;
		if (run > most)
			most = run;
	}
	return most;
}

static int by_core(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/*
 * Count what @places says; @scratch has room for as many numbers. Sorts the
 * places by core.
 */
static void count_places(struct places *places, unsigned *scratch,
			 struct host_topology *t)
{
	unsigned cores, sockets;
	size_t n = 0;

	qsort(places->items, places->n, sizeof(*places->items), by_core);
	for (size_t i = 0; i < places->n; i++)
		scratch[i] = places->items[i].core;
	t->threads = most_frequent(scratch, places->n, &cores);

	/* Each core once, at its first CPU: then sockets count cores. */
	for (size_t i = 0; i < places->n; i++)
		if (i == 0 ||
		    places->items[i].core != places->items[i - 1].core)
			scratch[n++] = places->items[i].socket;
	t->cores = most_frequent(scratch, n, &sockets);
	t->sockets = sockets;
	t->cpus = (unsigned)places->n;
}

static int count_cpus(const struct fs *fs, struct host_topology *t)
{
	struct places places = { 0 };
	unsigned *scratch = NULL;
	int err = places_from_sysfs(fs, &places);

	if (!err && places.n == 0)
		err = places_from_cpuinfo(fs, &places);
	if (!err && places.n == 0)
		err = places_from_kernel(fs, &places);
	if (!err && places.n == 0) /* something runs this program */
		err = add_place(&places, (struct place){ 0 });
	if (!err) {
		scratch = calloc(places.n, sizeof(*scratch));
		t->cpu_ids = calloc(places.n, sizeof(*t->cpu_ids));
		t->cpu_node = calloc(places.n, sizeof(*t->cpu_node));
		if (!scratch || !t->cpu_ids || !t->cpu_node)
			err = PAPI_ENOMEM;
	}
	if (!err) {
		for (size_t i = 0; i < places.n; i++)
			t->cpu_ids[i] = places.items[i].cpu;
		count_places(&places, scratch, t);
	}
	free(scratch);
	free(places.items);
	return err;
}

static int append_node(struct host_topology *t, struct host_node node)
{
	if (array_grow(&t->nodes, t->n_nodes, sizeof(node)))
		return PAPI_ENOMEM;
	t->nodes[t->n_nodes++] = node;
	return 0;
}

/* "Node 0 MemTotal:        4548828 kB" is the first line of a node's file. */
static uint64_t node_memory_kb(const struct fs *fs, unsigned id)
{
	char line[128];
	const char *colon;

	if (!text_read(fs, line, sizeof(line), NODE_DIR "/node%u/meminfo", id))
		return 0;
	colon = strstr(line, "MemTotal:");
	return colon ? strtoull(colon + strlen("MemTotal:"), NULL, 10) : 0;
}

/* Say of each CPU in the list that it belongs to the node added last. */
static unsigned claim_cpus(struct host_topology *t, const char *text)
{
	struct cpulist list = { .at = text };
	unsigned claimed = 0;
	unsigned cpu;

	while (cpulist_next(&list, &cpu))
		for (unsigned i = 0; i < t->cpus; i++)
			if (t->cpu_ids[i] == cpu) {
				t->cpu_node[i] = (unsigned)t->n_nodes - 1;
				claimed++;
			}
	return claimed;
}

static int read_nodes(const struct fs *fs, struct host_topology *t)
{
	OWNED char *online = fs_read(fs, NODE_DIR "/online");
	struct cpulist list = { .at = online ? online : "" };
	unsigned id;
	int err = 0;

	while (!err && cpulist_next(&list, &id)) {
		struct host_node node = { .id = id };
		char cpus[1024];

		node.memory_kb = node_memory_kb(fs, id);
		err = append_node(t, node);
		if (!err && text_read(fs, cpus, sizeof(cpus),
				      NODE_DIR "/node%u/cpulist", id))
			t->nodes[t->n_nodes - 1].cpus = claim_cpus(t, cpus);
	}
	return err;
}

static uint64_t total_memory_kb(const struct fs *fs)
{
	OWNED char *meminfo = fs_read(fs, "proc/meminfo");
	uint64_t kb = 0;

	if (meminfo)
		text_find_number(meminfo, "MemTotal", &kb);
	return kb;
}

int topology_read(const struct fs *fs, struct host_topology *out)
{
	struct host_topology t = { 0 };
	int err = count_cpus(fs, &t);

	if (!err)
		err = read_nodes(fs, &t);
	if (!err) {
		t.memory_kb = total_memory_kb(fs);
		/* A kernel without NUMA has one node of everything. */
		if (t.n_nodes == 0)
			err = append_node(&t, (struct host_node){
						      .memory_kb = t.memory_kb,
						      .cpus = t.cpus });
	}
	if (err) {
		topology_fini(&t);
		return err;
	}
	*out = t;
	return 0;
}

void topology_fini(struct host_topology *t)
{
	free(t->nodes);
	free(t->cpu_ids);
	free(t->cpu_node);
	*t = (struct host_topology){ 0 };
}
