/* SPDX-License-Identifier: BSD-3-Clause */
/* Booting a modelled machine: its PMUs and CPUs from the tree below a root. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

#define DEVICES "sys/bus/event_source/devices"

static bool read_text(const char *root, const char *path, char *to, size_t n)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	file = fopen(full, "re");
	if (!file)
		return false;
	if (!fgets(to, (int)n, file))
		*to = '\0';
	to[strcspn(to, "\n")] = '\0';
	fclose(file);
	return true;
}

/* "0-3,28" */
static void parse_cpus(const char *list, uint64_t *set, int *last)
{
	while (*list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (end == list)
			return;
		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		for (long cpu = from; cpu <= to && cpu < MK_CPUS; cpu++)
			set[cpu / 64] |= 1ULL << (cpu % 64);
		if (last && to > *last)
			*last = (int)to;
		list = *end == ',' ? end + 1 : end;
	}
}

static const struct mk_pmu_kind *kind_of(const char *name)
{
	const struct mk_machine *m = &mk_machines[mk->machine];

	for (size_t i = 0; i < sizeof(m->pmus) / sizeof(m->pmus[0]); i++)
		if (m->pmus[i].prefix &&
		    strncmp(name, m->pmus[i].prefix,
			    strlen(m->pmus[i].prefix)) == 0)
			return &m->pmus[i];
	return NULL;
}

static void add_pmu(const char *root, const char *name)
{
	const struct mk_pmu_kind *kind = kind_of(name);
	struct mk_pmu *p = &mk->pmus[mk->n_pmus];
	char path[512], text[512];

	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	if (!kind || mk->n_pmus == MK_PMUS ||
	    !read_text(root, path, text, sizeof(text)))
		return;
	*p = (struct mk_pmu){ .type = (uint32_t)atoi(text), .kind = *kind };
	p->kind.prefix = NULL;
	snprintf(p->name, sizeof(p->name), "%.63s", name);
	snprintf(path, sizeof(path), DEVICES "/%s/%s", name,
		 kind->driver < MK_UNCORE ? "cpus" : "cpumask");
	if (read_text(root, path, text, sizeof(text)))
		parse_cpus(text, p->cpus, NULL);
	else
		memcpy(p->cpus, mk->online, sizeof(p->cpus));
	mk->n_pmus++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int by_type(const void *a, const void *b)
{
	const struct mk_pmu *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

static void add_pmus(const char *root)
{
	struct dirent **names;
	char path[256];
	int n;

	snprintf(path, sizeof(path), "%s/" DEVICES, root);
	n = scandir(path, &names, NULL, by_name);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.')
			add_pmu(root, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	/* the order in which drivers registered them */
	qsort(mk->pmus, mk->n_pmus, sizeof(mk->pmus[0]), by_type);
}

static void *map_state(const char *root)
{
	char path[256];
	void *at;
	int fd;

	snprintf(path, sizeof(path), "%s/kernel", root);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct mk_kernel)))
		abort();
	at = mmap(NULL, sizeof(struct mk_kernel), PROT_READ | PROT_WRITE,
		  MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

bool mk_join(const char *root)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/kernel", root);
	if (access(path, R_OK | W_OK))
		return false;
	mk = map_state(root);
	mk_calls_init(root);
	return mk != NULL;
}

void mk_boot(const char *name, const char *root, int paranoid)
{
	const struct mk_machine *m = mk_machine_find(name);
	char text[512];
	int last = 0;

	if (!m)
		abort();
	if (mk)
		munmap(mk, sizeof(*mk));
	mk = NULL;
	mk = map_state(root);
	if (!mk)
		abort();
	memset(mk, 0, sizeof(*mk));
	mk->machine = (int)(m - mk_machines);
	mk->version = m->kernel;
	mk->traits = m->traits;
	mk->paranoid = paranoid;
	mk->max_sample_rate = 100000;
	if (read_text(root, "sys/devices/system/cpu/online", text,
		      sizeof(text)))
		parse_cpus(text, mk->online, &last);
	mk->cpus = last + 1;
	mk->max_locked_pages = 129u * (unsigned)mk->cpus; /* 516 KiB a CPU */
	add_pmus(root);
	mk_calls_init(root);
}
