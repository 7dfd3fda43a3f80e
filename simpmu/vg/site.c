/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store of sites. Code is translated again and again (traps, parts that
 * are switched on and off); equal sites are kept once.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

#include "simpmu/vg/plan.h"
#include "simpmu/vg/site.h"

#define HASH_SIZE  (1u << 14)
#define MANY_SITES (1u << 16) /* bytes */

static struct site *sites[HASH_SIZE];

static uint32_t mix(uint32_t hash, const void *bytes, SizeT n)
{
	const UChar *p = bytes;

	for (SizeT i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 16777619u;
	return hash;
}

static uint32_t hash_of(const struct site_draft *d)
{
	uint32_t hash = 2166136261u;

	hash = mix(hash, d->line, d->lines * sizeof(d->line[0]));
	hash = mix(hash, d->access, d->accesses * sizeof(d->access[0]));
	hash = mix(hash, d->insn, d->insns * sizeof(d->insn[0]));
	return mix(hash, &d->branch.pc, sizeof(d->branch.pc));
}

static bool is_same(const struct site *s, const struct site_draft *d)
{
	return s->block == d->block && s->lines == d->lines &&
	       s->accesses == d->accesses &&
	       s->stretch.segment.count == d->insns &&
	       s->stretch.segment.pc == d->pc &&
	       s->stretch.segment.piece == d->piece &&
	       s->stretch.branch[1].pc == d->branch.pc &&
	       s->stretch.branch[1].target == d->branch.target &&
	       s->stretch.branch[1].next == d->branch.next &&
	       s->stretch.branch[1].kind == d->branch.kind &&
	       s->stretch.branch[1].taken == d->branch.taken &&
	       !VG_(memcmp)(s->line, d->line, d->lines * sizeof(*s->line)) &&
	       !VG_(memcmp)(s->line_for, d->line_for,
			    d->lines * sizeof(*s->line_for)) &&
	       !VG_(memcmp)(s->line_at, d->line_at,
			    d->lines * sizeof(*s->line_at)) &&
	       !VG_(memcmp)(s->access, d->access,
			    d->accesses * sizeof(*s->access)) &&
	       !VG_(memcmp)(s->stretch.segment.insn, d->insn,
			    d->insns * sizeof(*d->insn));
}

static void *keep(const void *bytes, SizeT n)
{
	void *copy = NULL;

	if (n) {
		copy = VG_(malloc)("simpmu.site", n);
		VG_(memcpy)(copy, bytes, n);
	}
	return copy;
}

/* At the start of a line of the host, where its branch then is. */
static struct site *new_site(void)
{
	static Addr next, end;
	SizeT bytes = (sizeof(struct site) + 63) & ~(SizeT)63;
	struct site *s;

	if (next + bytes > end) {
		next = (Addr)VG_(calloc)("simpmu.site", 1, MANY_SITES + 63);
		next = (next + 63) & ~(Addr)63;
		end = next + MANY_SITES;
	}
	s = (struct site *)next;
	next += bytes;
	return s;
}

/* Where loads and stores go, for who learns of them later. */
static void keep_operands(struct stretch *stretch, const struct site_draft *d)
{
	SizeT bytes = d->accesses * sizeof(*stretch->operand);

	if (!d->insns || !d->accesses)
		return;
	stretch->operand = VG_(malloc)("simpmu.site", bytes);
	for (unsigned i = 0; i < d->accesses; i++) {
		const struct site_access *a = &d->access[i];

		if (a->kind >= ACCESS_FLUSH)
			continue;
		stretch->operand[stretch->operands++] =
			(struct stretch_operand){ (uint64_t)a->offset,
						  a->root };
		if (a->root != SITE_ABSOLUTE && a->root >= stretch->roots)
			stretch->roots = a->root + 1u;
	}
}

struct site *site_intern(const struct site_draft *d)
{
	uint32_t hash = hash_of(d);
	struct site **slot = &sites[hash % HASH_SIZE], *s;

	for (s = *slot; s; s = s->hash_next)
		if (s->hash == hash && is_same(s, d))
			return s;
	s = new_site();
	s->hash_next = *slot;
	*slot = s;
	s->hash = hash;
	s->block = d->block;
	s->lines = (uint16_t)d->lines;
	s->line = keep(d->line, d->lines * sizeof(*s->line));
	s->line_for = keep(d->line_for, d->lines * sizeof(*s->line_for));
	s->line_at = keep(d->line_at, d->lines * sizeof(*s->line_at));
	s->accesses = (uint16_t)d->accesses;
	s->access = keep(d->access, d->accesses * sizeof(*s->access));
	s->stretch.branch[0] = s->stretch.branch[1] = d->branch;
	s->stretch.branch[0].taken = false;
	s->stretch.segment.pc = d->pc;
	s->stretch.segment.count = d->insns;
	s->stretch.segment.piece = d->piece;
	s->stretch.segment.insn = keep(d->insn, d->insns * sizeof(*d->insn));
	keep_operands(&s->stretch, d);
	return s;
}
