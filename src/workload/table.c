/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all workloads, and the memory they work on. */

#include "workload/workload.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct workload_table *const tables[] = {
#if defined(__x86_64__)
	&workload_units,
#endif
	&workload_memory, &workload_numeric,
	&workload_search, &workload_versions,
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

const char *const workload_kinds[WORKLOAD_KINDS] = { "kernel", "program",
						     "version" };
const char *const workload_parts[PART_COUNT] = {
	[PART_ANY] = "any",       [PART_ISSUE] = "issue",
	[PART_UNITS] = "units",   [PART_BRANCH] = "branches",
	[PART_STORE] = "stores",  [PART_L1] = "L1D",
	[PART_L2] = "L2",         [PART_L3] = "L3",
	[PART_MEMORY] = "memory",
};

size_t workload_count(void)
{
	size_t n = 0;

	for (size_t t = 0; t < TABLES; t++)
		n += tables[t]->n;
	return n;
}

const struct workload *workload_get(size_t i)
{
	for (size_t t = 0; t < TABLES; t++) {
		if (i < tables[t]->n)
			return &tables[t]->rows[i];
		i -= tables[t]->n;
	}
	return NULL;
}

const struct workload *workload_find(const char *name)
{
	const struct workload *w;

	for (size_t i = 0; (w = workload_get(i)); i++)
		if (strcmp(w->name, name) == 0)
			return w;
	return NULL;
}

static size_t cache_bytes(int name, size_t guess)
{
	long bytes = sysconf(name);

	return bytes > 0 ? (size_t)bytes : guess;
}

void workload_describe_machine(struct workload_machine *machine)
{
	machine->l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, (size_t)32 << 10);
	machine->l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, (size_t)1 << 20);
	machine->l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE, (size_t)16 << 20);
}

#define MOST_BYTES ((size_t)256 << 20)

static size_t bytes_of(const struct workload *w,
		       const struct workload_machine *m)
{
	size_t cache = w->part == PART_L1       ? m->l1
		       : w->part == PART_L2     ? m->l2
		       : w->part == PART_L3     ? m->l2
		       : w->part == PART_MEMORY ? m->l3
						: 0;
	size_t bytes = w->share ? cache / 100 * w->share : w->bytes;

	if (bytes > MOST_BYTES)
		bytes = MOST_BYTES;
	return (bytes + 4095) / 4096 * 4096;
}

int workload_start(struct workload_run *run, const struct workload *workload,
		   const struct workload_machine *machine)
{
	*run = (struct workload_run){ .workload = workload,
				      .machine = *machine };
	run->bytes = bytes_of(workload, &run->machine) + 4096;
	run->memory = mmap(NULL, run->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (run->memory == MAP_FAILED)
		return -1;
	/* the model knows which pages are large only where it is told */
	madvise(run->memory, run->bytes, MADV_NOHUGEPAGE);
	run->bytes -= 4096;
	memset(run->memory, 0, run->bytes);
	if (workload->prepare)
		workload->prepare(run);
	return 0;
}

void workload_end(struct workload_run *run)
{
	munmap(run->memory, run->bytes + 4096);
}
