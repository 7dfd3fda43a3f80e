/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches from sysfs, which has them for every architecture; from CPUID where
 * sysfs is hidden and this is x86.
 */
#include "host/cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "host/cpuid.h"
#include "host/text.h"

#define CACHE_DIR  "sys/devices/system/cpu/cpu0/cache"
#define MAX_LEAVES 16 /* of CPUID's cache lists; they end much earlier */

static int add_cache(struct host_caches *out, struct host_cache cache)
{
	if (array_grow(&out->caches, out->n_caches, sizeof(cache)))
		return PAPI_ENOMEM;
	out->caches[out->n_caches++] = cache;
	return 0;
}

int tlb_add(struct host_caches *out, struct host_tlb tlb)
{
	if (tlb.entries == 0)
		return 0;
	if (array_grow(&out->tlbs, out->n_tlbs, sizeof(tlb)))
		return PAPI_ENOMEM;
	out->tlbs[out->n_tlbs++] = tlb;
	return 0;
}

/* "Data", "Instruction", "Unified"; 0 for anything else. */
static unsigned kind_of(const char *type)
{
	switch (type[0]) {
	case 'D':
		return CACHE_DATA;
	case 'I':
		return CACHE_INSTRUCTION;
	case 'U':
		return CACHE_UNIFIED;
	default:
		return 0;
	}
}

/* "48K", "32M" */
static uint64_t parse_size(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	switch (*end) {
	case 'K':
		return n << 10;
	case 'M':
		return n << 20;
	case 'G':
		return n << 30;
	default:
		return n;
	}
}

static unsigned count_list(const char *text)
{
	struct cpulist list = { .at = text };
	unsigned n = 0;
	unsigned cpu;

	while (cpulist_next(&list, &cpu))
		n++;
	return n;
}

static unsigned small_number(const struct fs *fs, const char *index,
			     const char *file)
{
	uint64_t value;

	if (!text_read_number(fs, &value, CACHE_DIR "/%s/%s", index, file) ||
	    value > 1U << 30)
		return 0;
	return (unsigned)value;
}

/*
 * One indexN folder. POWER has a fully associative cache as 0 ways; x86 says
 * 0 sets or 1 set for that, and arm64 leaves both files out when the firmware
 * does not tell: only then the number of ways is not known.
 */
static bool read_index(const struct fs *fs, const char *index,
		       struct host_cache *out)
{
	struct host_cache cache = { 0 };
	char text[1024];
	unsigned kind;

	text_read(fs, text, sizeof(text), CACHE_DIR "/%s/type", index);
	kind = kind_of(text);
	cache.level = small_number(fs, index, "level");
	if (!kind || !cache.level)
		return false;
	cache.kind = (enum cache_kind)kind;
	if (text_read(fs, text, sizeof(text), CACHE_DIR "/%s/size", index))
		cache.bytes = parse_size(text);
	cache.line_bytes = small_number(fs, index, "coherency_line_size");
	cache.ways = small_number(fs, index, "ways_of_associativity");
	if (small_number(fs, index, "number_of_sets") == 1 && cache.ways != 1)
		cache.ways = CACHE_FULLY_ASSOCIATIVE;
	if (text_read(fs, text, sizeof(text), CACHE_DIR "/%s/shared_cpu_list",
		      index))
		cache.shared_cpus = count_list(text);
	*out = cache;
	return true;
}

static int read_sysfs(const struct fs *fs, struct host_caches *out)
{
	struct host_cache cache;
	char **names;
	size_t n;
	int err = fs_list(fs, CACHE_DIR, &names, &n);

	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++)
		if (strncmp(names[i], "index", 5) == 0 &&
		    read_index(fs, names[i], &cache))
			err = add_cache(out, cache);
	fs_free_names(names, n);
	return err;
}

/*
 * Intel's leaf 4 and AMD's 0x8000001d have one form: EAX type 4:0 (1 data, 2
 * instruction, 3 unified), level 7:5, fully associative 9; EBX ways 31:22,
 * partitions 21:12, line 11:0; ECX sets; all but the first two minus one.
 * [Intel SDM vol. 2A, CPUID leaf 04H; AMD APM vol. 3, E.4.15]
 */
static bool decode_leaf(const struct cpuid_regs *r, struct host_cache *out)
{
	unsigned ways = (r->ebx >> 22) + 1;
	unsigned partitions = (r->ebx >> 12 & 0x3ff) + 1;
	unsigned line = (r->ebx & 0xfff) + 1;

	*out = (struct host_cache){
		.level = r->eax >> 5 & 7,
		.bytes = (uint64_t)ways * partitions * line *
			 ((uint64_t)r->ecx + 1),
		.line_bytes = line,
		.ways = r->eax & 1U << 9 ? CACHE_FULLY_ASSOCIATIVE : ways,
	};
	switch (r->eax & 0x1f) {
	case 1:
		out->kind = CACHE_DATA;
		return true;
	case 2:
		out->kind = CACHE_INSTRUCTION;
		return true;
	case 3:
		out->kind = CACHE_UNIFIED;
		return true;
	default:
		return false;
	}
}

static int read_cpuid_leaf(const struct fs *fs, uint32_t leaf,
			   struct host_caches *out)
{
	struct host_cache cache;
	struct cpuid_regs r;
	int err = 0;

	for (uint32_t i = 0; !err && i < MAX_LEAVES; i++) {
		if (!cpuid_get(fs, leaf, i, &r) || !decode_leaf(&r, &cache))
			break;
		err = add_cache(out, cache);
	}
	return err;
}

static int by_level_and_kind(const void *a, const void *b)
{
	const struct host_cache *x = a;
	const struct host_cache *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static int by_level_kind_page(const void *a, const void *b)
{
	const struct host_tlb *x = a;
	const struct host_tlb *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->page_bytes != y->page_bytes)
		return x->page_bytes < y->page_bytes ? -1 : 1;
	return x->entries < y->entries ? 1 : x->entries > y->entries ? -1 : 0;
}

int caches_read(const struct fs *fs, struct host_caches *out)
{
	struct host_caches found = { 0 };
	int err = read_sysfs(fs, &found);

	if (!err && found.n_caches == 0)
		err = read_cpuid_leaf(fs, 4, &found);
	if (!err && found.n_caches == 0)
		err = read_cpuid_leaf(fs, 0x8000001dU, &found);
	if (!err)
		err = tlb_read_cpuid(fs, &found);
	if (err) {
		caches_fini(&found);
		return err;
	}
	if (found.n_caches)
		qsort(found.caches, found.n_caches, sizeof(*found.caches),
		      by_level_and_kind);
	if (found.n_tlbs)
		qsort(found.tlbs, found.n_tlbs, sizeof(*found.tlbs),
		      by_level_kind_page);
	*out = found;
	return 0;
}

void caches_fini(struct host_caches *caches)
{
	free(caches->caches);
	free(caches->tlbs);
	*caches = (struct host_caches){ 0 };
}

const struct host_cache *cache_find(const struct host_caches *caches,
				    unsigned level, enum cache_kind kind)
{
	for (size_t i = 0; i < caches->n_caches; i++) {
		const struct host_cache *c = &caches->caches[i];

		if (c->level == level && (c->kind & kind) == kind)
			return c;
	}
	return NULL;
}
