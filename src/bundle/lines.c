/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines of a file of counts that both sides need: the bundle writes them,
 * the command reads them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/counts.h"
#include "bundle/request.h"

#define NUMBERS 28

/* The fields of a machine in the order of the line. */
static void list_numbers(const struct kernel_machine *m, uint64_t n[NUMBERS])
{
	const struct kernel_cache *caches[] = { &m->l1i, &m->l1d, &m->l2,
						&m->l3 };
	const struct kernel_tlb *tlbs[] = { &m->itlb, &m->dtlb, &m->stlb };
	size_t i = 0;

	n[i++] = m->line_bytes;
	n[i++] = m->page_bytes;
	for (size_t k = 0; k < 4; k++) {
		n[i++] = caches[k]->bytes;
		n[i++] = caches[k]->ways;
		n[i++] = caches[k]->latency;
	}
	for (size_t k = 0; k < 3; k++) {
		n[i++] = tlbs[k]->entries;
		n[i++] = tlbs[k]->ways;
	}
	n[i++] = m->l3_is_victim;
	n[i++] = m->pairs;
	n[i++] = m->lru;
	n[i++] = m->in_order;
	n[i++] = m->history;
	n[i++] = m->ras;
	n[i++] = m->l1_alone;
	n[i++] = m->waits;
}

static struct kernel_cache cache_of(const uint64_t *n)
{
	return (struct kernel_cache){ n[0], (unsigned)n[1], (unsigned)n[2] };
}

static struct kernel_tlb tlb_of(const uint64_t *n)
{
	return (struct kernel_tlb){ (unsigned)n[0], (unsigned)n[1] };
}

/* Bounds keep sums of what kernels compute of them from overflowing. */
static bool is_sane(const struct kernel_machine *m)
{
	const struct kernel_cache *caches[] = { &m->l1i, &m->l1d, &m->l2,
						&m->l3 };

	for (size_t i = 0; i < 4; i++)
		if (caches[i]->bytes > UINT64_C(1) << 36 ||
		    caches[i]->ways > 1 << 16)
			return false;
	return m->line_bytes <= 4096 && m->page_bytes <= 1 << 21;
}

bool counts_take_geometry(const char *text, struct kernel_machine *machine)
{
	uint64_t n[NUMBERS];
	char *end;

	for (size_t i = 0; i < NUMBERS; i++, text = end) {
		n[i] = strtoull(text, &end, 10);
		if (end == text || n[i] > UINT64_C(1) << 36)
			return false;
	}
	*machine = (struct kernel_machine){
		.line_bytes = (unsigned)n[0],
		.page_bytes = (unsigned)n[1],
		.l1i = cache_of(n + 2),
		.l1d = cache_of(n + 5),
		.l2 = cache_of(n + 8),
		.l3 = cache_of(n + 11),
		.itlb = tlb_of(n + 14),
		.dtlb = tlb_of(n + 16),
		.stlb = tlb_of(n + 18),
		.l3_is_victim = n[20],
		.pairs = n[21],
		.lru = n[22],
		.in_order = n[23],
		.history = (unsigned)n[24],
		.ras = (unsigned)n[25],
		.l1_alone = n[26],
		.waits = n[27],
	};
	return *end == '\0' && is_sane(machine);
}

void counts_geometry(struct strbuf *to, const struct kernel_machine *machine)
{
	uint64_t n[NUMBERS];

	list_numbers(machine, n);
	strbuf_add(to, "geometry");
	for (size_t i = 0; i < NUMBERS; i++)
		strbuf_addf(to, " %" PRIu64, n[i]);
	strbuf_add(to, "\n");
}

/* In a few digits: the last ones may differ from one processor to another. */
uint64_t counts_fingerprint(const struct kernel *kernel,
			    const struct kernel_point *point,
			    const struct kernel_machine *machine)
{
	double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT];
	uint64_t hash = HASH_START;
	char text[64];

	kernel_expect(kernel, point, machine, expect, sd);
	for (size_t i = 0; i < CONCEPT_COUNT; i++) {
		int n = isnan(expect[i])
				? snprintf(text, sizeof(text), "-")
				: snprintf(text, sizeof(text), "%.6g %.6g",
					   expect[i], sd[i]);

		hash = request_hash(hash, concepts[i].name,
				    strlen(concepts[i].name));
		hash = request_hash(hash, text, (size_t)n);
	}
	return hash;
}

void counts_unit(struct strbuf *to, const struct experiment_unit *unit,
		 const struct kernel_machine *machine)
{
	const struct kernel_point *p = &unit->point;

	strbuf_addf(to,
		    "unit %s %" PRIu64 " %" PRIu64 " %u %u %u %u %016" PRIx64
		    "\n",
		    unit->kernel->name, p->times, p->footprint, p->unit,
		    p->offset, p->pages_per_block, p->k,
		    counts_fingerprint(unit->kernel, p, machine));
}

bool counts_is_whole(const char *line)
{
	size_t n = strlen(line);

	return n > 3 && strcmp(line + n - 2, " .") == 0;
}
