/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kernel on the simulated PMU: what a time adds to each event against
 * what the kernel states of the concept that the event counts; and, of events
 * that count cycles, which share of all cycles they are. The model is not told
 * what kernels expect, nor the kernels what the model does.
 *
 * usage: expectations MODEL WORKER [KERNEL]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/experiment.h"

#define ROW(event, what)                                                       \
	{                                                                      \
		"sim::" event, what                                            \
	}

static const struct {
	const char *event;
	const char *what; /* a concept or a composite */
} table[] = {
	ROW("INST_RETIRED:ANY", "INS"),
	ROW("INST_RETIRED:NOP", "NOP"),
	ROW("INST_RETIRED:REP", "REP"),
	ROW("INST_RETIRED:REP_ITERATION", "REP_TURN"),
	ROW("INST_RETIRED:STACK", "STACK"),
	ROW("INST_RETIRED:MACRO_NON_BRANCH", "INS_NOT_BRANCH"),
	ROW("INST_RETIRED:BYTES", "INS_BYTES"),
	ROW("INST_EXEC:ANY", "INS_EXEC"),
	ROW("INST_EXEC:WRONG_PATH", "WRONG_PATH_INS"),
	ROW("BR_INST_EXEC:ALL_BRANCHES", "BR_ALL_EXEC"),
	ROW("BR_INST_EXEC:WRONG_PATH_OTHER", "WRONG_PATH_JUMP"),
	ROW("MEM_UOPS_EXEC:ALL_LOADS", "LOADS_EXEC"),
	ROW("MEM_UOPS_EXEC:ALL_STORES", "STORES_EXEC"),
	ROW("MEM_UOPS_EXEC:WRONG_PATH_LOADS", "WRONG_PATH_LOAD"),
	ROW("CPU_CLK_UNHALTED:CORE", "CYCLES"),
	ROW("BR_INST_RETIRED:ALL_BRANCHES", "BR_ALL"),
	ROW("BR_INST_RETIRED:COND", "BR_COND"),
	ROW("BR_INST_RETIRED:COND_TAKEN", "BR_TAKEN"),
	ROW("BR_INST_RETIRED:COND_NTAKEN", "BR_NOT_TAKEN"),
	ROW("BR_INST_RETIRED:NEAR_TAKEN", "BR_NEAR_TAKEN"),
	ROW("BR_INST_RETIRED:UNCOND", "BR_UNCOND"),
	ROW("BR_INST_RETIRED:DIRECT_JMP", "BR_DIRECT"),
	ROW("BR_INST_RETIRED:NEAR_CALL", "BR_CALLS"),
	ROW("BR_INST_RETIRED:DIRECT_CALL", "BR_CALL"),
	ROW("BR_INST_RETIRED:NEAR_RETURN", "BR_RET"),
	ROW("BR_INST_RETIRED:INDIRECT", "BR_INDIRECT"),
	ROW("BR_INST_RETIRED:INDIRECT_JMP", "BR_IND_JUMP"),
	ROW("BR_INST_RETIRED:INDIRECT_CALL", "BR_IND_CALL"),
	ROW("BR_INST_EXEC:COND", "BR_COND_EXEC"),
	ROW("BR_INST_EXEC:TAKEN_COND", "BR_TAKEN_EXEC"),
	ROW("BR_INST_EXEC:NTAKEN_COND", "BR_NOT_TAKEN_EXEC"),
	ROW("BR_INST_EXEC:WRONG_PATH_COND", "BR_WRONG_PATH"),
	ROW("BR_MISP_RETIRED:ALL_BRANCHES", "BR_MISP_ALL"),
	ROW("BR_MISP_RETIRED:COND", "BR_MISP"),
	ROW("BR_MISP_RETIRED:COND_TAKEN", "BR_MISP_TAKEN"),
	ROW("BR_MISP_RETIRED:RET", "BR_MISP_RET"),
	ROW("BR_MISP_RETIRED:INDIRECT", "BR_MISP_IND"),
	ROW("BR_PRED_RETIRED:COND", "BR_PREDICTED"),
	ROW("MEM_INST_RETIRED:ANY", "LOAD_STORE_INS"),
	ROW("MEM_INST_RETIRED:ALL_LOADS", "LOAD_INS"),
	ROW("MEM_INST_RETIRED:ALL_STORES", "STORE_INS"),
	ROW("MEM_INST_RETIRED:LOCK_LOADS", "LOCKED"),
	ROW("MEM_INST_RETIRED:SPLIT_LOADS", "SPLIT_LOAD"),
	ROW("MEM_INST_RETIRED:SPLIT_STORES", "SPLIT_STORE"),
	ROW("MEM_UOPS_RETIRED:ALL_LOADS", "LOADS"),
	ROW("MEM_UOPS_RETIRED:ALL_STORES", "STORES"),
	ROW("MEM_UOPS_RETIRED:LOAD_BYTES", "LOAD_BYTES"),
	ROW("MEM_UOPS_RETIRED:STORE_BYTES", "STORE_BYTES"),
	ROW("LOAD_SIZE:B1", "LOAD_1"),
	ROW("LOAD_SIZE:B2", "LOAD_2"),
	ROW("LOAD_SIZE:B4", "LOAD_4"),
	ROW("LOAD_SIZE:B8", "LOAD_8"),
	ROW("LOAD_SIZE:B16", "LOAD_16"),
	ROW("LOAD_SIZE:B32", "LOAD_32"),
	ROW("STORE_SIZE:B1", "STORE_1"),
	ROW("STORE_SIZE:B2", "STORE_2"),
	ROW("STORE_SIZE:B4", "STORE_4"),
	ROW("STORE_SIZE:B8", "STORE_8"),
	ROW("STORE_SIZE:B16", "STORE_16"),
	ROW("STORE_SIZE:B32", "STORE_32"),
	ROW("MEM_SYNC:FENCE", "FENCE"),
	ROW("MEM_SYNC:ANY", "SYNC"),
	ROW("SW_PREFETCH_ACCESS:ANY", "SW_PREFETCH"),
	ROW("SW_PREFETCH_ACCESS:T0", "PREFETCH_T0"),
	ROW("SW_PREFETCH_ACCESS:T1_T2", "PREFETCH_T1"),
	ROW("SW_PREFETCH_ACCESS:NTA", "PREFETCH_NTA"),
	ROW("SW_PREFETCH_ACCESS:PREFETCHW", "PREFETCH_W"),
	ROW("SW_PREFETCH:L1D_HIT", "SWPF_L1_HIT"),
	ROW("SW_PREFETCH:L1D_FILL", "SWPF_L1_FILL"),
	ROW("L2_RQSTS:SWPF_HIT", "SWPF_L2_HIT"),
	ROW("L2_RQSTS:SWPF_MISS", "SWPF_L2_MISS"),
	ROW("NT_STORE_RETIRED:ANY", "NT_STORE"),
	ROW("FP_ARITH_INST_RETIRED:ANY", "FP_INS"),
	ROW("FP_ARITH_INST_RETIRED:SCALAR_SINGLE", "FP_S1"),
	ROW("FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "FP_D1"),
	ROW("FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE", "FP_S128"),
	ROW("FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", "FP_D128"),
	ROW("FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE", "FP_S256"),
	ROW("FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", "FP_D256"),
	ROW("FP_ARITH_INST_RETIRED:SCALAR", "FP_SCALAR"),
	ROW("FP_ARITH_INST_RETIRED:VECTOR", "FP_VECTOR"),
	ROW("FP_ARITH_INST_RETIRED:PACKED_SINGLE", "FP_PACKED_S"),
	ROW("FP_ARITH_INST_RETIRED:PACKED_DOUBLE", "FP_PACKED_D"),
	ROW("FP_ARITH_INST_RETIRED:X87", "FP_X87"),
	ROW("FP_OPS_RETIRED:ANY", "FP_OPS"),
	ROW("FP_OPS_RETIRED:SINGLE", "SP_OPS"),
	ROW("FP_OPS_RETIRED:DOUBLE", "DP_OPS"),
	ROW("FP_INST_KIND:ADD", "FP_ADD"),
	ROW("FP_INST_KIND:MUL", "FP_MUL"),
	ROW("FP_INST_KIND:FMA", "FP_FMA"),
	ROW("FP_INST_KIND:DIV", "FP_DIV"),
	ROW("FP_INST_KIND:SQRT", "FP_SQRT"),
	ROW("FP_INST_KIND:DIV_SQRT", "FP_DIV_SQRT"),
	ROW("FP_INST_KIND:CMP", "FP_CMP"),
	ROW("FP_INST_KIND:CVT", "FP_CVT"),
	ROW("FP_INST_KIND:MOVE", "VEC_MOVE"),
	ROW("VEC_INST_RETIRED:ANY", "VEC_ANY"),
	ROW("VEC_INST_RETIRED:INT", "VEC_INT"),
	ROW("INT_INST_RETIRED:ANY", "INT_ANY"),
	ROW("INT_INST_RETIRED:ADD", "INT_ADD"),
	ROW("INT_INST_RETIRED:MUL", "INT_MUL"),
	ROW("INT_INST_RETIRED:DIV", "INT_DIV"),
	ROW("INT_INST_RETIRED:LOGIC", "INT_LOGIC"),
	ROW("INT_INST_RETIRED:SHIFT", "INT_SHIFT"),
	ROW("INT_INST_RETIRED:LEA", "INT_LEA"),
	ROW("INT_INST_RETIRED:BIT", "INT_BIT"),
	ROW("INT_INST_RETIRED:MOVE", "INT_MOVE"),
	ROW("INT_INST_RETIRED:CMOV", "INT_CMOV"),
	ROW("L1D:ACCESS", "L1D_ACCESS"),
	ROW("L1D:MISS", "L1D_MISS"),
	ROW("L1D:LOAD_MISS", "L1D_LOAD_MISS"),
	ROW("L1D:STORE_MISS", "L1D_STORE_MISS"),
	ROW("L1D:LOAD_HIT", "L1D_LOAD_HIT"),
	ROW("L1D:STORE_HIT", "L1D_STORE_HIT"),
	ROW("ICACHE:ACCESS", "L1I_ACCESS"),
	ROW("ICACHE:MISS", "L1I_MISS"),
	ROW("ICACHE:HIT", "L1I_HIT"),
	ROW("L2_RQSTS:DEMAND_DATA_RD_MISS", "L2_LOAD_MISS"),
	ROW("L2_RQSTS:DEMAND_DATA_RD_HIT", "L2_LOAD_HIT"),
	ROW("L2_RQSTS:RFO_HIT", "L2_STORE_HIT"),
	ROW("L2_RQSTS:RFO_MISS", "L2_STORE_MISS"),
	ROW("L2_RQSTS:CODE_RD_MISS", "L2_CODE_MISS"),
	ROW("L2_RQSTS:CODE_RD_HIT", "L2_CODE_HIT"),
	ROW("LLC_RQSTS:DATA_HIT", "L3_DATA_HIT"),
	ROW("LLC_RQSTS:DATA_MISS", "L3_DATA_MISS"),
	ROW("DTLB_LOAD_MISSES:ANY", "DTLB_LOAD_MISS"),
	ROW("DTLB_LOAD_MISSES:STLB_HIT", "STLB_LOAD_HIT"),
	ROW("DTLB_LOAD_MISSES:WALK_COMPLETED", "WALK_LOAD"),
	ROW("DTLB_STORE_MISSES:ANY", "DTLB_STORE_MISS"),
	ROW("DTLB_STORE_MISSES:STLB_HIT", "STLB_STORE_HIT"),
	ROW("DTLB_STORE_MISSES:WALK_COMPLETED", "WALK_STORE"),
	ROW("L1D:EVICT", "L1D_EVICT"),
	ROW("L1D:WRITEBACK", "L1D_WB"),
	ROW("L2_LINES_OUT:ANY", "L2_EVICT"),
	ROW("L2_LINES_OUT:MODIFIED", "L2_WB"),
	ROW("LLC_LINES_OUT:ANY", "L3_EVICT"),
	ROW("LLC_LINES_OUT:MODIFIED", "L3_WB"),
	ROW("DRAM:READ_LINES", "DRAM_READ"),
	ROW("DRAM:WRITE_LINES", "DRAM_WRITE"),
	ROW("L2_PREFETCH:ISSUED", "PF_L2"),
	ROW("L2_PREFETCH:USED", "PF_L2_USED"),
	ROW("L2_PREFETCH:MISS", "PF_L2_MEM"),
	ROW("L2_LINES_OUT:USELESS_HWPF", "PF_L2_UNUSED"),
	ROW("LLC_RQSTS:RFO_MISS", "MEM_STORE"),
	ROW("LLC_RQSTS:CODE_RD_MISS", "MEM_CODE"),
	ROW("BACLEARS:ANY", "BTB_MISS"),
	ROW("ITLB:ACCESS", "ITLB_ACCESS"),
	ROW("ITLB_MISSES:ANY", "ITLB_MISS"),
	ROW("ITLB_MISSES:STLB_HIT", "STLB_CODE_HIT"),
	ROW("ITLB_MISSES:WALK_COMPLETED", "WALK_CODE"),
	ROW("PAGE_TOUCHES:ANY", "PAGE_TOUCH"),
	ROW("SYSCALLS:ANY", "SYSCALL"),
	ROW("SNOOP:HIT", "SNOOP_HIT"),
	ROW("SNOOP:HITM", "SNOOP_HITM"),
	ROW("SNOOP:INVALIDATE", "INVALIDATE"),
	ROW("SNOOP:INTERVENTION", "INTERVENE"),
	ROW("RFO:SHARED", "STORE_SHARED"),
	ROW("RFO:CLEAN", "STORE_CLEAN"),
};
#define ROWS (sizeof(table) / sizeof(table[0]))

/* Shares of cycles; the first is cycles themselves. */
static const struct {
	const char *event;
	enum concept concept;
} shares[] = {
	{ "sim::CPU_CLK_UNHALTED:CORE", CONCEPT_CYCLES },
	{ "sim::CYCLE_ACTIVITY:STALLS_L1D", CONCEPT_STALL_L1 },
	{ "sim::CYCLE_ACTIVITY:STALLS_L2", CONCEPT_STALL_L2 },
	{ "sim::CYCLE_ACTIVITY:STALLS_L3", CONCEPT_STALL_L3 },
	{ "sim::CYCLE_ACTIVITY:STALLS_DRAM", CONCEPT_STALL_DRAM },
	{ "sim::CYCLE_ACTIVITY:STALLS_STORE", CONCEPT_STALL_STORE },
	{ "sim::CYCLE_ACTIVITY:STALLS_FP", CONCEPT_STALL_FP },
	{ "sim::CYCLE_ACTIVITY:STALLS_FRONTEND", CONCEPT_STALL_FETCH },
	{ "sim::CYCLE_ACTIVITY:STALLS_MISPREDICT", CONCEPT_STALL_MISP },
	{ "sim::UOPS_RETIRED:STALL_CYCLES", CONCEPT_STALL_RETIRE },
	{ "sim::CYCLE_ACTIVITY:CYCLES_ISSUE_FULL", CONCEPT_FULL_ISSUE },
	{ "sim::UOPS_RETIRED:FULL_CYCLES", CONCEPT_FULL_RETIRE },
	{ "sim::UNIT_IDLE:BRANCH", CONCEPT_IDLE_BR },
	{ "sim::UNIT_IDLE:INTEGER", CONCEPT_IDLE_INT },
	{ "sim::UNIT_IDLE:FLOAT", CONCEPT_IDLE_FP },
	{ "sim::UNIT_IDLE:LOAD_STORE", CONCEPT_IDLE_LS },
};
#define SHARES (sizeof(shares) / sizeof(shares[0]))
#define EVENTS (ROWS + SHARES)

/* A share may be off what is said of it by this. */
#define OFF 0.05

/* What a unit is expected to add to a concept or composite; its deviation. */
static double expected(const char *what, const double *expect, const double *sd,
		       double *deviation)
{
	double sum = 0, variance = 0;

	for (int c = 0; c < CONCEPT_COUNT; c++)
		if (strcmp(concepts[c].name, what) == 0) {
			*deviation = sd[c];
			return expect[c];
		}
	for (size_t i = 0; i < composites_n; i++) {
		const struct composite *m = &composites[i];

		if (strcmp(m->name, what) != 0)
			continue;
		for (size_t t = 0; m->terms[t].weight != 0; t++) {
			double weight = m->terms[t].weight;

			sum += weight * expect[m->terms[t].concept];
			variance += fabs(weight) * sd[m->terms[t].concept];
		}
		*deviation = variance;
		return sum;
	}
	fprintf(stderr, "expectations: no concept %s\n", what);
	exit(2);
}

/* Whether two units are the same but for how long they run. */
static bool is_longer(const struct experiment_unit *a,
		      const struct experiment_unit *b)
{
	struct kernel_point p = b->point;

	p.times = a->point.times;
	return a->kernel == b->kernel && b->point.times > a->point.times &&
	       memcmp(&p, &a->point, sizeof(p)) == 0;
}

/* What an old machine lacks has no value there. */
static bool is_lacking(const char *event, const struct kernel_machine *machine)
{
	if (strstr(event, "STLB_HIT"))
		return machine->stlb.entries == 0;
	return machine->l3.bytes <= 1 &&
	       (strstr(event, "LLC") || strstr(event, "LAT_CACHE") ||
		strstr(event, "STALLS_L3") ||
		strcmp(event, "sim::L2_PREFETCH:MISS") == 0);
}

/*
 * The branch target buffer of an old machine is small and direct-mapped:
 * whether two branches of one loop share an entry is a matter of where the
 * linker puts them.
 */
static bool is_unsure(const char *event, double want,
		      const struct kernel_machine *machine)
{
	return machine->l3.bytes <= 1 && !(want > 0) &&
	       strcmp(event, "sim::BACLEARS:ANY") == 0;
}

static int check(const struct experiment_result *r,
		 const struct experiment_unit *units, size_t last, size_t first,
		 const struct kernel_machine *machine, size_t *cells)
{
	const struct experiment_unit *unit = &units[last];
	double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT];
	double n = (double)unit->point.times;
	int bad = 0;

	if (first != last)
		n -= (double)units[first].point.times;
	kernel_expect(unit->kernel, &unit->point, machine, expect, sd);
	for (size_t e = 0; e < ROWS; e++) {
		double deviation, allowed;
		double want = expected(table[e].what, expect, sd, &deviation);
		double count = experiment_count(r, last, 0, e);

		if (isnan(want))
			continue;
		if (is_unsure(table[e].event, want, machine))
			continue;
		(*cells)++;
		if (is_lacking(table[e].event, machine)) {
			if (isnan(count))
				continue;
			want = NAN;
		}
		if (first != last)
			count -= experiment_count(r, first, 0, e);
		allowed = 0.01 + 0.01 * fabs(want) + 8 * deviation / sqrt(n);
		if (first == last)         /* starting and stopping is in it, */
			allowed += 80 / n; /* and what is mispredicted then */
		/* on the wrong path, or eight bytes each */
		if (first == last && (strstr(table[e].event, "EXEC") ||
				      strstr(table[e].event, "BYTES")))
			allowed += 640 / n;
		if (fabs(count / n - want) <= allowed)
			continue;
		printf("%s (footprint %llu, unit %u, k %u): %s is %.4f, "
		       "expected %.4f\n",
		       unit->kernel->name,
		       (unsigned long long)unit->point.footprint,
		       unit->point.unit, unit->point.k, table[e].event,
		       count / n, want);
		bad++;
	}
	return bad;
}

/* What was counted of @event from unit @first to @last, which is longer. */
static double growth(const struct experiment_result *r, size_t first,
		     size_t last, size_t event)
{
	double count = experiment_count(r, last, 0, event);

	return first == last ? count
			     : count - experiment_count(r, first, 0, event);
}

static int check_shares(const struct experiment_result *r,
			const struct experiment_unit *units, size_t last,
			size_t first, const struct kernel_machine *machine)
{
	const struct experiment_unit *unit = &units[last];
	enum kernel_bound bound =
		kernel_bound(unit->kernel, &unit->point, machine);
	double cycles = growth(r, first, last, ROWS);
	int bad = 0;

	for (size_t i = 1; i < SHARES; i++) {
		double share = growth(r, first, last, ROWS + i) / cycles;
		double low, high;

		if (is_lacking(shares[i].event, machine) && isnan(share))
			continue;
		if (!kernel_spends(bound, shares[i].concept, &low, &high) ||
		    (share >= low - OFF && share <= high + OFF))
			continue;
		printf("%s (footprint %llu, unit %u, k %u): %s is %.2f of "
		       "cycles, expected %g to %g\n",
		       unit->kernel->name,
		       (unsigned long long)unit->point.footprint,
		       unit->point.unit, unit->point.k, shares[i].event, share,
		       low, high);
		bad++;
	}
	return bad;
}

static int check_all(const struct experiment_result *r,
		     const struct experiment_unit *units,
		     const struct kernel_machine *machine)
{
	int bad = 0;
	size_t checked = 0, cells = 0;

	for (size_t first = 0, last; first < r->n_units; first = last + 1) {
		last = first;
		while (last + 1 < r->n_units &&
		       is_longer(&units[last], &units[last + 1]))
			last++;
		if (r->reasons[last]) {
			printf("%s: %s\n", units[last].kernel->name,
			       r->reasons[last]);
			bad += !(units[last].kernel->needs & NEEDS_AVX512);
			continue;
		}
		bad += check(r, units, last, first, machine, &cells);
		bad += check_shares(r, units, last, first, machine);
		checked++;
	}
	printf("%zu points, %zu cells checked on %zu events, %d wrong\n",
	       checked, cells, r->n_events, bad);
	return bad || checked == 0;
}

int main(int argc, char **argv)
{
	struct console console = { .as = "expectations" };
	struct simulator_options simulator = { .counters = "unlimited" };
	struct experiment experiment = { .simulator = &simulator };
	struct experiment_result *result;
	struct kernel_machine machine;
	const struct kernel *kernels[512];
	const char *events[EVENTS];
	struct experiment_unit *units;
	size_t n_kernels = 0;
	int status;

	if (argc < 3)
		return 2;
	simulator.model = argv[1];
	experiment.worker = argv[2];
	for (size_t i = 0; i < kernels_count(); i++)
		if (argc < 4 || strncmp(kernels_get(i)->name, argv[3],
					strlen(argv[3])) == 0)
			kernels[n_kernels++] = kernels_get(i);
	if (experiment_machine(&console, true, argv[1], &machine))
		return 2;
	for (size_t i = 0; i < ROWS; i++)
		events[i] = table[i].event;
	for (size_t i = 0; i < SHARES; i++)
		events[ROWS + i] = shares[i].event;
	units = experiment_units(kernels, n_kernels, &machine,
				 &experiment.n_units);
	experiment.units = units;
	experiment.events = events;
	experiment.n_events = EVENTS;
	status = experiment_run(&console, &experiment, &result);
	if (status)
		return status;
	status = check_all(result, units, &machine);
	experiment_free(result);
	free(units);
	return status;
}
