/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches, TLBs and coherence against the naive hierarchy, on random machines
 * and random traffic; and that the filter changes no tally.
 */
#include "reference.h"
#include "rig.h"

#define MACHINES 60
#define ACCESSES 40000

static uint32_t between(uint64_t *state, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(rig_random(state) % (high - low + 1));
}

static void random_cache(uint64_t *state, struct cache_params *cache,
			 uint32_t sets, uint32_t ways)
{
	cache->sets = between(state, 1, sets);
	cache->ways = between(state, 1, ways);
}

/* Any geometry, powers of two or not, small enough that all is replaced. */
static struct params random_machine(uint64_t *state)
{
	struct params p = rig_plain("icx");

	p.line_bytes = 16u << between(state, 0, 2);
	do {
		random_cache(state, &p.l1i, 20, 4);
		random_cache(state, &p.l1d, 20, 6);
		random_cache(state, &p.l2, 40, 8);
		random_cache(state, &p.l3, 90, 8);
		p.l3_kind = between(state, 0, 2);
	} while (!params_check(&p, NULL));
	p.itlb.sets = between(state, 1, 5);
	p.itlb.ways = between(state, 1, 4);
	p.dtlb.sets = between(state, 1, 5);
	p.dtlb.ways = between(state, 1, 4);
	p.stlb.sets = between(state, 0, 9);
	p.stlb.ways = p.stlb.sets ? between(state, 1, 4) : 0;
	return p;
}

/* One access of a trace that loops, jumps and shares. */
struct step {
	unsigned core;
	enum ref_access kind;
	uint64_t address;
	size_t size;
};

static struct step random_step(uint64_t *state, unsigned cores)
{
	static const uint64_t spans[] = { 512, 4096, 40000, 300000 };
	uint64_t span = spans[between(state, 0, 3)];
	struct step step = {
		.core = between(state, 0, cores - 1),
		.kind = (enum ref_access)between(state, 0, 2),
		.address = 0x10000 + rig_random(state) % span,
		.size = (size_t)1 << between(state, 0, 4),
	};

	if (between(state, 0, 1)) /* private data of this core */
		step.address += (uint64_t)step.core << 30;
	return step;
}

static void apply(struct model *model, const struct step *step, bool filtered)
{
	struct core *core = model_core(model, step->core);
	uint64_t line = step->address & ~(core->line_bytes - 1);

	if (step->kind == REF_FETCH && filtered)
		model_fetch(core, line);
	else if (step->kind == REF_FETCH)
		model_fetch_slow(core, line);
	else if (step->kind == REF_STORE && filtered)
		model_store(core, 0, step->address, step->size);
	else if (step->kind == REF_STORE)
		model_store_slow(core, 0, step->address, step->size);
	else if (filtered)
		model_load(core, 0, step->address, step->size);
	else
		model_load_slow(core, 0, step->address, step->size);
}

static void expect_equal(unsigned machine, unsigned core, const uint64_t *want,
			 const uint64_t *got)
{
	for (unsigned i = 0; i < TALLY_COUNT; i++)
		if (want[i] != got[i])
			fail_msg("machine %u core %u %s: %llu, not %llu",
				 machine, core, rig_signal_name(i),
				 (unsigned long long)got[i],
				 (unsigned long long)want[i]);
}

static void compare_on(unsigned machine, uint64_t *state, unsigned cores)
{
	struct params params = random_machine(state);
	struct ref_machine *ref = ref_new(&params, cores);
	struct model *fast = rig_new(&params, PART_FETCH | PART_DATA, cores);
	struct model *slow = rig_new(&params, PART_FETCH | PART_DATA, cores);

	for (unsigned i = 0; i < ACCESSES; i++) {
		struct step step = random_step(state, cores);
		size_t size = step.size;

		if (step.kind == REF_FETCH) {
			step.address &= ~(uint64_t)(params.line_bytes - 1);
			size = 1;
		}
		apply(fast, &step, true);
		apply(slow, &step, false);
		ref_access(ref, step.core, step.kind, step.address, size);
	}
	for (unsigned i = 0; i < cores; i++) {
		expect_equal(machine, i, ref->core[i].tallies,
			     model_core(slow, i)->tallies);
		expect_equal(machine, i, ref->core[i].tallies,
			     model_core(fast, i)->tallies);
	}
	model_free(fast);
	model_free(slow);
	ref_free(ref);
}

static void test_one_core_equals_reference(void **unused)
{
	uint64_t state = 88172645463325252u;

	(void)unused;
	for (unsigned i = 0; i < MACHINES; i++)
		compare_on(i, &state, 1);
}

static void test_many_cores_equal_reference(void **unused)
{
	uint64_t state = 362436069u;

	(void)unused;
	for (unsigned i = 0; i < MACHINES; i++)
		compare_on(i, &state, 2 + i % 4);
}

/* The real geometries, with traffic large enough to fill them. */
static void test_shipped_models_equal_reference(void **unused)
{
	static const char *const names[] = { "icx", "hsw-ep", "p3" };
	uint64_t state = 521288629u;

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		struct params params = rig_plain(names[i]);
		struct ref_machine *ref = ref_new(&params, 1);
		struct model *model =
			rig_new(&params, PART_FETCH | PART_DATA, 1);

		for (unsigned k = 0; k < 400000; k++) {
			struct step step = random_step(&state, 1);

			if (step.kind == REF_FETCH)
				continue;
			if (k % 3 == 0)
				step.address = (uint64_t)k * 24;
			apply(model, &step, true);
			ref_access(ref, 0, step.kind, step.address, step.size);
		}
		expect_equal(i, 0, ref->core[0].tallies,
			     model_core(model, 0)->tallies);
		model_free(model);
		ref_free(ref);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_core_equals_reference),
		cmocka_unit_test(test_many_cores_equal_reference),
		cmocka_unit_test(test_shipped_models_equal_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
