/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's own events: software, generic hardware and cache events, under
 * the names that perf(1) and libpfm4's "perf" table give them. Written out
 * here so that a software event is found without loading libpfm4.
 */
#include "components/perf_event/generic.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

#ifndef PERF_COUNT_SW_CGROUP_SWITCHES
#define PERF_COUNT_SW_CGROUP_SWITCHES 11 /* Linux 5.13 */
#endif

struct generic {
	const char *name;   /* as listed, behind "perf::" */
	const char *others; /* separated by blanks */
	const char *text;
	const char *unit;
	uint32_t type;
	uint64_t config;
	enum pe_side side;
};

#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id

/* clang-format off */
static const struct generic table[] = {
	{ "CPU-CLOCK", "PERF_COUNT_SW_CPU_CLOCK",
	  "time on the CPU, by the per-CPU clock", "ns", SW(CPU_CLOCK), PE_SIDE_CLOCK },
	{ "TASK-CLOCK", "PERF_COUNT_SW_TASK_CLOCK",
	  "time the task was running", "ns", SW(TASK_CLOCK), PE_SIDE_CLOCK },
	{ "PAGE-FAULTS", "FAULTS PERF_COUNT_SW_PAGE_FAULTS",
	  "page faults", NULL, SW(PAGE_FAULTS), PE_SIDE_FAULTS },
	{ "CONTEXT-SWITCHES", "CS PERF_COUNT_SW_CONTEXT_SWITCHES",
	  "times the task left the CPU", NULL, SW(CONTEXT_SWITCHES),
	  PE_SIDE_KERNEL },
	{ "CPU-MIGRATIONS", "MIGRATIONS PERF_COUNT_SW_CPU_MIGRATIONS",
	  "migrations to another CPU", NULL, SW(CPU_MIGRATIONS), PE_SIDE_KERNEL },
	{ "MINOR-FAULTS", "PERF_COUNT_SW_PAGE_FAULTS_MIN",
	  "page faults served without reading a disk", NULL,
	  SW(PAGE_FAULTS_MIN), PE_SIDE_FAULTS },
	{ "MAJOR-FAULTS", "PERF_COUNT_SW_PAGE_FAULTS_MAJ",
	  "page faults that required disk I/O", NULL, SW(PAGE_FAULTS_MAJ),
	  PE_SIDE_FAULTS },
	{ "ALIGNMENT-FAULTS", "PERF_COUNT_SW_ALIGNMENT_FAULTS",
	  "unaligned accesses that the kernel had to handle", NULL,
	  SW(ALIGNMENT_FAULTS), PE_SIDE_USER },
	{ "EMULATION-FAULTS", "PERF_COUNT_SW_EMULATION_FAULTS",
	  "instructions that the kernel had to emulate", NULL,
	  SW(EMULATION_FAULTS), PE_SIDE_USER },
	{ "DUMMY", "PERF_COUNT_SW_DUMMY",
	  "counts nothing", NULL, SW(DUMMY), PE_SIDE_USER },
	{ "BPF-OUTPUT", "PERF_COUNT_SW_BPF_OUTPUT",
	  "records written by BPF programs", NULL, SW(BPF_OUTPUT),
	  PE_SIDE_KERNEL },
	{ "CGROUP-SWITCHES", "PERF_COUNT_SW_CGROUP_SWITCHES",
	  "switches to a task of another control group", NULL,
	  SW(CGROUP_SWITCHES), PE_SIDE_KERNEL },

	{ "CYCLES", "CPU-CYCLES PERF_COUNT_HW_CPU_CYCLES",
	  "CPU cycles", NULL, HW(CPU_CYCLES), PE_SIDE_USER },
	{ "INSTRUCTIONS", "PERF_COUNT_HW_INSTRUCTIONS",
	  "instructions retired", NULL, HW(INSTRUCTIONS), PE_SIDE_USER },
	{ "CACHE-REFERENCES", "PERF_COUNT_HW_CACHE_REFERENCES",
	  "last-level cache accesses", NULL, HW(CACHE_REFERENCES),
	  PE_SIDE_USER },
	{ "CACHE-MISSES", "PERF_COUNT_HW_CACHE_MISSES",
	  "last-level cache misses", NULL, HW(CACHE_MISSES),
	  PE_SIDE_USER },
	{ "BRANCH-INSTRUCTIONS",
	  "BRANCHES PERF_COUNT_HW_BRANCH_INSTRUCTIONS",
	  "branches retired", NULL, HW(BRANCH_INSTRUCTIONS), PE_SIDE_USER },
	{ "BRANCH-MISSES", "PERF_COUNT_HW_BRANCH_MISSES",
	  "branches mispredicted", NULL, HW(BRANCH_MISSES), PE_SIDE_USER },
	{ "BUS-CYCLES", "PERF_COUNT_HW_BUS_CYCLES",
	  "bus cycles", NULL, HW(BUS_CYCLES), PE_SIDE_USER },
	{ "STALLED-CYCLES-FRONTEND",
	  "IDLE-CYCLES-FRONTEND PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
	  "cycles in which no instruction could be issued", NULL,
	  HW(STALLED_CYCLES_FRONTEND), PE_SIDE_USER },
	{ "STALLED-CYCLES-BACKEND",
	  "IDLE-CYCLES-BACKEND PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
	  "cycles in which no instruction could be retired", NULL,
	  HW(STALLED_CYCLES_BACKEND), PE_SIDE_USER },
	{ "REF-CYCLES", "PERF_COUNT_HW_REF_CPU_CYCLES",
	  "CPU cycles at a constant rate", NULL, HW(REF_CPU_CYCLES),
	  PE_SIDE_USER },
};

/* Cache events are a product: which cache, what is done, hit or miss. */
static const struct {
	const char *name;
	uint64_t id;
	const char *what;
} caches[] = {
	{ "L1-DCACHE", PERF_COUNT_HW_CACHE_L1D, "first-level data cache" },
	{ "L1-ICACHE", PERF_COUNT_HW_CACHE_L1I, "first-level instruction cache" },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, "last-level cache" },
	{ "DTLB", PERF_COUNT_HW_CACHE_DTLB, "data TLB" },
	{ "ITLB", PERF_COUNT_HW_CACHE_ITLB, "instruction TLB" },
	{ "BRANCH", PERF_COUNT_HW_CACHE_BPU, "branch predictor" },
	{ "NODE", PERF_COUNT_HW_CACHE_NODE, "memory of the local node" },
};

static const struct {
	const char *name;
	uint64_t op, result;
	const char *what;
} cache_ops[] = {
	{ "LOADS", PERF_COUNT_HW_CACHE_OP_READ,
	  PERF_COUNT_HW_CACHE_RESULT_ACCESS, "loads from" },
	{ "LOAD-MISSES", PERF_COUNT_HW_CACHE_OP_READ,
	  PERF_COUNT_HW_CACHE_RESULT_MISS, "loads that missed" },
	{ "STORES", PERF_COUNT_HW_CACHE_OP_WRITE,
	  PERF_COUNT_HW_CACHE_RESULT_ACCESS, "stores to" },
	{ "STORE-MISSES", PERF_COUNT_HW_CACHE_OP_WRITE,
	  PERF_COUNT_HW_CACHE_RESULT_MISS, "stores that missed" },
	{ "PREFETCHES", PERF_COUNT_HW_CACHE_OP_PREFETCH,
	  PERF_COUNT_HW_CACHE_RESULT_ACCESS, "prefetches into" },
	{ "PREFETCH-MISSES", PERF_COUNT_HW_CACHE_OP_PREFETCH,
	  PERF_COUNT_HW_CACHE_RESULT_MISS, "prefetches that missed" },
};
/* clang-format on */

#define PREFIX "perf::"

static bool same(const char *a, size_t length, const char *b)
{
	return strlen(b) == length && ascii_is_same_n(a, b, length);
}

static bool is_one_of(const char *name, size_t length, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (n == length && ascii_is_same_n(name, words, n))
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

static bool find_cache(const char *name, size_t length, size_t *row)
{
	for (size_t c = 0; c < ARRAY_SIZE(caches); c++) {
		size_t n = strlen(caches[c].name);

		if (length <= n + 1 ||
		    !ascii_is_same_n(name, caches[c].name, n) || name[n] != '-')
			continue;
		for (size_t o = 0; o < ARRAY_SIZE(cache_ops); o++) {
			if (!same(name + n + 1, length - n - 1,
				  cache_ops[o].name))
				continue;
			*row = ARRAY_SIZE(table) + c * ARRAY_SIZE(cache_ops) +
			       o;
			return true;
		}
	}
	return false;
}

static bool find_row(const char *name, size_t length, size_t *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (same(name, length, table[i].name) ||
		    is_one_of(name, length, table[i].others)) {
			*row = i;
			return true;
		}
	}
	return find_cache(name, length, row);
}

struct pe_event pe_generic_event(size_t row)
{
	struct pe_event e = pe_event_init();
	size_t cache = row - ARRAY_SIZE(table);

	if (row < ARRAY_SIZE(table)) {
		e.code.type = table[row].type;
		e.code.config = table[row].config;
		e.code.side = table[row].side;
	} else {
		size_t op = cache % ARRAY_SIZE(cache_ops);

		e.code.type = PERF_TYPE_HW_CACHE;
		e.code.config = caches[cache / ARRAY_SIZE(cache_ops)].id |
				cache_ops[op].op << 8 |
				cache_ops[op].result << 16;
	}
	e.code.place =
		e.code.type == PERF_TYPE_SOFTWARE ? PE_SOFTWARE : PE_CORE;
	return e;
}

enum pe_side pe_generic_side(uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].type == PERF_TYPE_SOFTWARE &&
		    table[i].config == config)
			return table[i].side;
	return PE_SIDE_USER;
}

bool pe_generic_find(const char *name, size_t length, struct pe_event *out,
		     size_t *row)
{
	if (length > strlen(PREFIX) && !strncmp(name, PREFIX, strlen(PREFIX))) {
		name += strlen(PREFIX);
		length -= strlen(PREFIX);
	}
	if (!find_row(name, length, row))
		return false;
	*out = pe_generic_event(*row);
	return true;
}

/* As <linux/perf_event.h> has it: the last of the other names. */
static const char *kernel_name(const struct generic *row)
{
	const char *blank = strrchr(row->others, ' ');

	return blank ? blank + 1 : row->others;
}

struct pe_naming pe_generic_naming(size_t row, struct pe_words *words)
{
	struct pe_naming naming = { .parent = EVENT_NO_PARENT };
	size_t cache = row - ARRAY_SIZE(table);
	size_t which = cache / ARRAY_SIZE(cache_ops);
	size_t op = cache % ARRAY_SIZE(cache_ops);

	if (row < ARRAY_SIZE(table)) {
		snprintf(words->name, sizeof(words->name), PREFIX "%s",
			 table[row].name);
		naming.text = table[row].text;
		naming.kernel = kernel_name(&table[row]);
		naming.unit = table[row].unit;
	} else if (which < ARRAY_SIZE(caches)) {
		snprintf(words->name, sizeof(words->name), PREFIX "%s-%s",
			 caches[which].name, cache_ops[op].name);
		snprintf(words->text, sizeof(words->text), "%s the %s",
			 cache_ops[op].what, caches[which].what);
		naming.text = words->text;
	} else {
		return naming;
	}
	naming.name = words->name;
	return naming;
}
