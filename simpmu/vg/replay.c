/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the model what guest code did at a site: the way out of translated
 * code into the model. General registers only; Valgrind's code expects vector
 * registers to be lost, but saving time is what this file is about.
 */
#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>

#include "simpmu/model/later.h"
#include "simpmu/vg/contention.h"
#include "simpmu/vg/machine.h"
#include "simpmu/vg/pages.h"
#include "simpmu/vg/plan.h"
#include "simpmu/vg/second.h"
#include "simpmu/vg/site.h"
#include "simpmu/vg/tier.h"
#include "simpmu/vg/trap.h"

/* The shadow registers begin right behind the guest's. */
static struct core *core_of(void *guest)
{
	return *(struct core **)((char *)guest + sizeof(VexGuestAMD64State) +
				 SHADOW_CORE);
}

/* Of a thread that is paused nothing is shown. */
static inline bool is_idle(const struct core *core)
{
	return __builtin_expect(core == machine_idle, 0);
}

static void show_piece(struct core *core, const struct site_access *a,
		       uint64_t ea, size_t size)
{
	if (a->kind == ACCESS_LOADS)
		model_load(core, a->pc, ea, size);
	else if (a->kind == ACCESS_STORES)
		model_store(core, a->pc, ea, size);
	else if (a->kind == ACCESS_NT)
		model_store_nt(core, ea, size);
	else if (a->kind == ACCESS_FLUSH)
		model_clflush(core, ea);
	else
		model_prefetch(core, ea, a->kind - ACCESS_TO_L1);
}

/* A prefetch brings a line, but the program does not touch its page. */
static void touch_pages(const struct site_access *a, uint64_t ea)
{
	if (a->kind < ACCESS_TO_L1)
		pages_touch(ea, a->size);
}

/*
 * Any access: of any kind and size, with pages to be watched. Pages may be
 * watched beside branches alone: then the core has no caches.
 */
static void show_any(struct core *core, const struct site_access *a,
		     uint64_t ea)
{
	size_t left = engine.parts & PART_DATA ? a->size : 0;

	if (engine.parts & ENGINE_PAGES)
		touch_pages(a, ea);
	while (left) {
		size_t size = left < 64 ? left : 64;

		show_piece(core, a, ea, size);
		ea += size;
		left -= size;
	}
}

static inline void show_access(struct core *core, const struct site_access *a,
			       uint64_t ea)
{
	if (a->size > 64 || a->kind > ACCESS_STORES ||
	    engine.parts & ENGINE_PAGES)
		show_any(core, a, ea);
	else if (a->kind == ACCESS_LOADS)
		model_load(core, a->pc, ea, a->size);
	else
		model_store(core, a->pc, ea, a->size);
}

static void check_traps(void *guest, Addr address)
{
	if (trap_watches_model)
		trap_check_model(guest, address);
}

/* One by one, so that a trap learns which instruction it was. */
static void show_watched(void *guest, const struct site *site,
			 const uint64_t root[SITE_ROOTS + 1], uint64_t *addrs)
{
	struct core *core = core_of(guest);

	unsigned line = 0;

	for (unsigned i = 0; i <= site->accesses; i++) {
		const struct site_access *a = &site->access[i];
		uint64_t ea;

		for (; line < site->lines && site->line_at[line] == i; line++) {
			model_fetch(core, site->line[line]);
			trap_check_model(guest, site->line_for[line]);
		}
		if (i == site->accesses)
			break;
		ea = root[a->root] + (uint64_t)a->offset;
		if (addrs && a->kind < ACCESS_FLUSH)
			*addrs++ = ea;
		show_any(core, a, ea);
		contention_check(core, a->pc, ea);
		trap_check_model(guest, a->pc);
	}
}

/* Fetches and accesses in order; addresses go to @addrs if it is there. */
static inline void show_memory(struct core *core, const struct site *site,
			       const uint64_t root[SITE_ROOTS + 1],
			       uint64_t *addrs)
{
	unsigned line = 0;

	for (unsigned i = 0; i < site->accesses; i++) {
		const struct site_access *a = &site->access[i];
		uint64_t ea = root[a->root] + (uint64_t)a->offset;

		for (; line < site->lines && site->line_at[line] == i; line++)
			model_fetch(core, site->line[line]);
		if (addrs && a->kind < ACCESS_FLUSH)
			*addrs++ = ea;
		show_access(core, a, ea);
		contention_check(core, a->pc, ea);
	}
	for (; line < site->lines; line++)
		model_fetch(core, site->line[line]);
}

/* @way: whether a conditional branch is taken, else where the branch goes if
 * that is not always the same. */
static inline void show_branch(struct core *core, const struct site *site,
			       uint64_t way)
{
	const struct branch *b = &site->stretch.branch[1];

	if (core->later & PART_BRANCH) {
		if (b->kind == BRANCH_COND)
			later_cond(core, &site->stretch.branch[way]);
		else
			later_other(core, b, way ? way : b->target);
	} else if (b->kind == BRANCH_COND) {
		model_cond(core, &site->stretch.branch[way]);
	} else {
		model_other(core, b, way ? way : b->target);
	}
}

/* The guest is about to use what it has not used for long. */
static void expect_accesses(const struct site *site,
			    const uint64_t root[SITE_ROOTS + 1])
{
	for (unsigned i = 0; i < site->accesses; i++) {
		const struct site_access *a = &site->access[i];

		__builtin_prefetch((const void *)(Addr)(root[a->root] +
							(uint64_t)a->offset));
	}
}

/* All lines are there, and no access crosses lines. */
static void show_data_pages(struct core *core, const struct site *site,
			    const uint64_t root[SITE_ROOTS + 1])
{
	core->clock += site->lines * CLOCK_STEP;
	for (unsigned i = 0; i < site->accesses; i++) {
		const struct site_access *a = &site->access[i];

		model_touch(core, a->pc, root[a->root] + (uint64_t)a->offset,
			    a->kind == ACCESS_STORES);
	}
}

__attribute__((noinline)) static void
show_accesses(struct core *core, const struct site *site,
	      const uint64_t root[SITE_ROOTS + 1])
{
	expect_accesses(site, root);
	show_memory(core, site, root, NULL);
}

void replay_front(const struct site *site, uint64_t lines, uint64_t r0,
		  uint64_t r1, uint64_t r2)
{
	const uint64_t root[SITE_ROOTS + 1] = { r0, r1, r2, 0 };

	if (lines || engine.parts & ENGINE_PAGES)
		show_accesses(second_core(), site, root);
	else
		show_data_pages(second_core(), site, root);
}

void replay_accesses(void *guest, const struct site *site, uint64_t lines,
		     uint64_t r0, uint64_t r1, uint64_t r2)
{
	const uint64_t root[SITE_ROOTS + 1] = { r0, r1, r2, 0 };
	struct core *core = core_of(guest);

	if (is_idle(core))
		return;
	if (trap_watches_model)
		show_watched(guest, site, root, NULL);
	else if (lines || engine.parts & ENGINE_PAGES)
		show_accesses(core, site, root);
	else
		show_data_pages(core, site, root);
	contention_finish(guest);
}

void replay_branch(void *guest, const struct site *site, uint64_t way)
{
	struct core *core = core_of(guest);

	if (is_idle(core))
		return;
	show_branch(core, site, way);
	check_traps(guest, site->stretch.branch[1].pc);
}

void replay_cond(void *guest, const struct site *site, uint64_t way)
{
	struct core *core = core_of(guest);

	if (is_idle(core))
		return;
	model_cond(core, &site->stretch.branch[way]);
	check_traps(guest, site->stretch.branch[1].pc);
}

/* Code that ran as often as this is to be inlined, where that can be. */
static void heat(struct site *site)
{
	if (++site->runs == TIER_RUNS &&
	    (!(engine.parts & PART_CYCLE) || second_parts() & PART_CYCLE))
		tier_heat(site->block);
}

static void show_site(void *guest, struct core *core, const struct site *site,
		      uint64_t way, const uint64_t root[SITE_ROOTS + 1])
{
	uint64_t addrs[SITE_ACCESSES];

	if (trap_watches_model)
		show_watched(guest, site, root, addrs);
	else
		show_memory(core, site, root, addrs);
	if (site->stretch.branch[1].kind != BRANCH_NONE) {
		show_branch(core, site, way);
		check_traps(guest, site->stretch.branch[1].pc);
	}
	if (site->stretch.segment.count) {
		model_retire(core, &site->stretch.segment, addrs);
		check_traps(guest, site->stretch.segment.pc);
	}
}

void replay_all(void *guest, struct site *site, uint64_t way, uint64_t r0,
		uint64_t r1, uint64_t r2)
{
	const uint64_t root[SITE_ROOTS + 1] = { r0, r1, r2, 0 };
	struct core *core = core_of(guest);

	heat(site);
	if (is_idle(core))
		return;
	if (core->later & PART_CYCLE) {
		show_memory(core, site, root, NULL);
		later_stretch(core, &site->stretch, way, root);
	} else {
		show_site(guest, core, site, way, root);
		contention_finish(guest);
	}
}

void replay_pages(void *guest, const struct site *site, uint64_t r0,
		  uint64_t r1, uint64_t r2)
{
	const uint64_t root[SITE_ROOTS + 1] = { r0, r1, r2, 0 };

	if (thread_get(engine.running)->paused)
		return;
	for (unsigned i = 0; i < site->accesses; i++) {
		const struct site_access *a = &site->access[i];

		touch_pages(a, root[a->root] + (uint64_t)a->offset);
		check_traps(guest, a->pc);
	}
}
