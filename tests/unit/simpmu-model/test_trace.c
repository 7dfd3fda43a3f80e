/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hierarchy on a real trace: every instruction fetch, load and store of a
 * small program, as lackey tells them, through the model and the naive one.
 */
#include "reference.h"
#include "rig.h"

struct step {
	uint64_t address;
	uint32_t size;
	char kind; /* I, L, S, M (a load and a store) */
};

static struct step *steps;
static size_t count;

/* Lines of the trace: "I  04001090,3", " L 1ffeffe7e0,8". */
static bool parse_step(const char *line, struct step *step)
{
	unsigned long long address;

	step->kind = line[0] == 'I' ? 'I' : line[1];
	if ((line[0] != 'I' && line[0] != ' ') || !strchr("ILSM", step->kind))
		return false;
	if (sscanf(line + 2, "%llx,%u", &address, &step->size) != 2)
		return false;
	step->address = address;
	return step->size >= 1 && step->size <= 64;
}

static bool read_trace(void)
{
	FILE *pipe = popen("valgrind --tool=lackey --trace-mem=yes "
			   "--log-fd=1 /bin/true 2>/dev/null",
			   "r");
	size_t room = 1 << 20;
	char line[256];

	steps = malloc(room * sizeof(*steps));
	while (pipe && count < room && fgets(line, sizeof(line), pipe))
		count += parse_step(line, &steps[count]);
	while (pipe && fgets(line, sizeof(line), pipe))
		;
	return pipe && !pclose(pipe) && count > 10000;
}

static void apply(struct core *core, struct ref_machine *ref,
		  const struct step *step)
{
	uint64_t line = step->address & ~(core->line_bytes - 1);

	if (step->kind == 'I') {
		model_fetch(core, line);
		ref_access(ref, 0, REF_FETCH, line, 1);
		return;
	}
	if (step->kind != 'S') {
		model_load(core, 0, step->address, step->size);
		ref_access(ref, 0, REF_LOAD, step->address, step->size);
	}
	if (step->kind != 'L') {
		model_store(core, 0, step->address, step->size);
		ref_access(ref, 0, REF_STORE, step->address, step->size);
	}
}

static void compare_on(const struct params *params)
{
	struct ref_machine *ref = ref_new(params, 1);
	struct model *model = rig_new(params, PART_FETCH | PART_DATA, 1);
	struct core *core = model_core(model, 0);

	for (size_t i = 0; i < count; i++)
		apply(core, ref, &steps[i]);
	assert_memory_equal(core->tallies, ref->core[0].tallies,
			    sizeof(ref->core[0].tallies));
	assert_true(core->tallies[TALLY_L1D_LOAD_MISS] > 100);
	assert_true(core->tallies[TALLY_L1I_MISS] > 100);
	model_free(model);
	ref_free(ref);
}

static void test_shipped_models_on_a_real_trace(void **state)
{
	static const char *const names[] = { "icx", "hsw-ep", "p3" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct params p = rig_plain(names[i]);

		compare_on(&p);
	}
}

static void test_odd_geometries_on_a_real_trace(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct params p = rig_plain("icx");

		p.line_bytes = 16u << i % 3;
		p.l1d = (struct cache_params){ 23 + i, 3, 5, REPLACE_LRU };
		p.l1i = (struct cache_params){ 11, 2 + i, 5, REPLACE_LRU };
		p.l2 = (struct cache_params){ 95, 4 + i, 14, REPLACE_LRU };
		p.l3 = (struct cache_params){ 333, 7, 70, REPLACE_LRU };
		p.l3_kind = i % 2 ? L3_INCLUSIVE : L3_VICTIM;
		p.dtlb.sets = 3 + i;
		p.stlb.sets = 7;
		p.stlb.ways = 3;
		compare_on(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped_models_on_a_real_trace),
		cmocka_unit_test(test_odd_geometries_on_a_real_trace),
	};
	int failed;

	if (!read_trace()) {
		printf("SKIP: valgrind's lackey does not run here\n");
		free(steps);
		return 77;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(steps);
	return failed;
}
