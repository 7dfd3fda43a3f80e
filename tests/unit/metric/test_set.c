/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metric sets that are shipped, each metric on counts whose value was
 * worked out by hand, and how sets are put together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "metric/set.h"
#include "tests/unit/testing.h"

static struct defs *parse(const char *file, const char *text, size_t len)
{
	struct diag diag = { 0 };
	struct defs *defs = NULL;

	if (defs_parse(file, text, len, &defs, &diag))
		fail_msg("%s:%zu:%zu: %s", file, diag.line, diag.column,
			 diag.text);
	return defs;
}

static struct defs *load(const char *file)
{
	char *path = str_format(SHARE "/metrics/%s.txt", file);
	struct defs *defs;
	char *text;
	size_t len;

	assert_int_equal(file_read(path, &text, &len, NULL), 0);
	defs = parse(path, text, len);
	free(text);
	free(path);
	return defs;
}

static struct metric_set *set_of(const struct defs *defs, const char *cpu)
{
	const char *cpus[] = { cpu, NULL };
	struct metric_set *set = NULL;
	struct diag diag = { 0 };

	if (metric_set_new(defs, cpus, &set, &diag))
		fail_msg("%s", diag.text);
	return set;
}

/* The count of @name in "A=1 B=2". */
static double count_of(const char *name, const char *counts)
{
	size_t n = strlen(name);

	while (*counts) {
		if (strncmp(counts, name, n) == 0 && counts[n] == '=')
			return strtod(counts + n + 1, NULL);
		counts += strcspn(counts, " ");
		counts += strspn(counts, " ");
	}
	return (double)NAN;
}

static double value_of(const struct metric_set *set, const char *name,
		       const char *counts)
{
	const struct metric *metric = metric_set_find(set, name);
	double *values = calloc(set->names.n + 1, sizeof(*values));
	double value;

	if (!metric)
		fail_msg("there is no %s", name);
	for (size_t i = 0; i < set->names.n; i++)
		values[i] = count_of(set->names.names[i], counts);
	value = metric_eval(metric, values);
	free(values);
	return value;
}

/* Counts of one imagined run, on which most rows are worked out. */
#define RUN                                                                    \
	"PAPI_TOT_CYC=2000 PAPI_TOT_INS=3000 PAPI_TOT_IIS=3600 "               \
	"PAPI_STL_ICY=200 PAPI_LD_INS=800 PAPI_SR_INS=200 PAPI_LST_INS=1000 "  \
	"PAPI_LSU_IDL=500 PAPI_L1_DCM=50 PAPI_L2_DCM=10 PAPI_L1_ICM=20 "       \
	"PAPI_L1_LDM=40 PAPI_L1_STM=10 PAPI_L2_LDM=8 PAPI_L2_STM=2 "           \
	"PAPI_TLB_DM=4 PAPI_TLB_IM=3 PAPI_FP_INS=600 PAPI_FMA_INS=200 "        \
	"PAPI_FDV_INS=5 PAPI_FSQ_INS=1 PAPI_INT_INS=900 PAPI_BR_INS=300 "      \
	"PAPI_BR_MSP=6 PAPI_CSR_FAL=1 PAPI_CSR_TOT=20 PAPI_CA_ITV=3 "          \
	"PAPI_CA_SNP=12 PAPI_L1_DCA=1000 PAPI_L2_DCA=50 PAPI_L3_DCA=10 "       \
	"PAPI_L3_DCM=2 PAPI_L1_ICA=1500 PAPI_L2_ICA=20 PAPI_L3_ICA=4 "         \
	"PAPI_L3_ICM=1 #=1000 wall_s=4"
#define CORE                                                                   \
	"RS_UOPS_DISPATCHED=1200 RS_UOPS_DISPATCHED:c=1=600 "                  \
	"RS_UOPS_DISPATCHED:c=1:i=1=390 UOPS_RETIRED:ANY=900 "                 \
	"UOPS_RETIRED:FUSED=100 UNHALTED_CORE_CYCLES=1000 "                    \
	"MEM_LOAD_RETIRED:DTLB_MISS=5 PAGE_WALKS:CYCLES=70 "                   \
	"BUS_TRANS_BURST:SELF=50 #=2000"
#define FAM10H                                                                 \
	"SYSTEM_READ_RESPONSES:EXCLUSIVE:MODIFIED:SHARED=100 "                 \
	"QUADWORDS_WRITTEN_TO_SYSTEM:QUADWORD_WRITE_TRANSFER=50 "              \
	"DRAM_ACCESSES_PAGE:HIT:MISS:CONFLICT=30 "                             \
	"DRAM_ACCESSES_PAGE:DCT1_PAGE_HIT:DCT1_PAGE_MISS:"                     \
	"DCT1_PAGE_CONFLICT=20 wall_s=2"
#define SIMULATED                                                              \
	"INST_RETIRED:ANY=1000000 CPU_CLK_UNHALTED:CORE=2000000 "              \
	"CPU_CLK_UNHALTED:REF_TSC=2000000 LONGEST_LAT_CACHE:HIT=100000 "       \
	"L1D:ACCESS=500000 RESOURCE_STALLS:ANY=100000 "                        \
	"DRAM:READ_LINES=20000 DRAM:LINES=40000"
#define NEHALEM                                                                \
	"INSTRUCTIONS_RETIRED=1000000 UNHALTED_CORE_CYCLES=900000 "            \
	"UNHALTED_REFERENCE_CYCLES=600000 nhm_unc::UNC_LLC_HITS:ANY=10000 "    \
	"L1D_ALL_REF:ANY=400000 RESOURCE_STALLS:ANY=100000 "                   \
	"nhm_unc::UNC_QHL_REQUESTS:LOCAL_READS=2000"
#define POWER7                                                                 \
	"PM_RUN_CYC=4000 PM_RUN_INST_CMPL=2000 PM_CYC=5000 "                   \
	"PM_MEM0_RQ_DISP=60 PM_MEM0_WQ_DISP=40"

/* 3600 issued in 1800 cycles, 180 without, of 2000. */
#define ICX                                                                    \
	"UOPS_ISSUED:ANY=3600 UOPS_ISSUED:ANY:c=1=1800 "                       \
	"UOPS_RETIRED:SLOTS=3000 UOPS_ISSUED:STALL_CYCLES=180 "                \
	"UNHALTED_CORE_CYCLES=2000"
#define SIM                                                                    \
	"INST_ISSUED:ANY=3600 CYCLE_ACTIVITY:CYCLES_ISSUE=1800 "               \
	"INST_ISSUED:NOT_RETIRED=600 CYCLE_ACTIVITY:STALLS_TOTAL=180 "         \
	"CPU_CLK_UNHALTED:CORE=2000"

#define FLOPS                                                                  \
	"PAPI_FP_OPS=700 PAPI_LD_INS=800 PAPI_SR_INS=200 PAPI_FMA_INS=140 "    \
	"RETIRED_SSE_AVX_FLOPS:MAC_FLOPS=70 wall_s=4"
#define CAS "cas_count_read=8 cas_count_write=4 wall_s=2"

static const struct row {
	int line;
	const char *file, *cpu, *metric, *counts;
	double want;
} rows[] = {
	/* (300*5 + 6*45) / 3000 */
	{ __LINE__, "figure1", NULL, "Branch_cat", RUN, 0.59 },
	/* 1000*3 + 50*13 + 10*450 */
	{ __LINE__, "figure1", NULL, "Mem_cat", RUN, 8150 },

	{ __LINE__, "papi", NULL, "l1_data_hit_rate", RUN, 0.95 },
	{ __LINE__, "papi", NULL, "l2_data_hit_rate", RUN, 0.8 },
	{ __LINE__, "papi", NULL, "instructions_per_cycle", RUN, 1.5 },
	{ __LINE__, "papi", NULL, "ls_per_cycle", RUN, 0.5 },
	{ __LINE__, "papi", NULL, "fp_per_cycle", RUN, 0.3 },
	{ __LINE__, "papi", NULL, "issued_per_completed", RUN, 1.2 },
	{ __LINE__, "papi", NULL, "failed_store_conditionals", RUN, 0.05 },

	{ __LINE__, "hpm", NULL, "user_time", RUN, 2 },
	{ __LINE__, "hpm", NULL, "utilization", RUN, 0.5 },
	{ __LINE__, "hpm", NULL, "ipc", RUN, 1.5 },
	{ __LINE__, "hpm", NULL, "mips", RUN, 0.00075 },
	{ __LINE__, "hpm", NULL, "ins_per_icache_miss", RUN, 150 },
	{ __LINE__, "hpm", NULL, "total_ls", RUN, 1000 },
	{ __LINE__, "hpm", NULL, "lsu_idle", RUN, 25 },
	{ __LINE__, "hpm", NULL, "ins_per_ls", RUN, 3 },
	{ __LINE__, "hpm", NULL, "loads_per_load_miss", RUN, 20 },
	{ __LINE__, "hpm", NULL, "stores_per_store_miss", RUN, 20 },
	{ __LINE__, "hpm", NULL, "loads_per_l2_load_miss", RUN, 100 },
	{ __LINE__, "hpm", NULL, "stores_per_l2_store_miss", RUN, 100 },
	{ __LINE__, "hpm", NULL, "loads_per_tlb_miss", RUN, 200 },
	{ __LINE__, "hpm", NULL, "ls_per_d1_miss", RUN, 20 },
	{ __LINE__, "hpm", NULL, "l1_hit_rate", RUN, 95 },
	{ __LINE__, "hpm", NULL, "l2_hit_rate", RUN, 99 },
	{ __LINE__, "hpm", NULL, "snoop_hit_ratio", RUN, 25 },
	{ __LINE__, "hpm", NULL, "fp_ins_per_cycle", RUN, 0.3 },
	{ __LINE__, "hpm", NULL, "fp_operations", RUN, 800 },
	{ __LINE__, "hpm", NULL, "fp_rate", RUN, 0.0002 },
	{ __LINE__, "hpm", NULL, "computation_intensity", RUN, 0.8 },
	{ __LINE__, "hpm", NULL, "fma_percentage", RUN, 50 },
	{ __LINE__, "hpm", NULL, "fixed_point_ins", RUN, 900 },
	{ __LINE__, "hpm", NULL, "branches_mispredicted", RUN, 2 },
	{ __LINE__, "hpm", "sim", "snoop_hit_ratio", "SNOOP:HIT=1 SNOOP:SENT=8",
	  12.5 },

	/* (300*2 + 6*12) / 3000 */
	{ __LINE__, "lcpi", NULL, "lcpi_branch", RUN, 0.224 },
	/* (1000*3 + 50*17 + 10*60 + 2*540) / 3000 */
	{ __LINE__, "lcpi", NULL, "lcpi_data", RUN, 5530.0 / 3000 },
	/* (1500*2 + 20*17 + 4*60 + 1*540) / 3000 */
	{ __LINE__, "lcpi", NULL, "lcpi_instruction", RUN, 4120.0 / 3000 },
	/* the same with 2*540 */
	{ __LINE__, "lcpi", NULL, "lcpi_instruction_2011", RUN, 4660.0 / 3000 },
	/* without an L3: 1000*3 + 50*17 + 10*540 */
	{ __LINE__, "lcpi", "sim-p3", "lcpi_data", RUN, 9250.0 / 3000 },
	/* 1500*2 + 20*17 + 4*540, and as printed with 10 */
	{ __LINE__, "lcpi", "sim-p3", "lcpi_instruction", RUN " PAPI_L2_ICM=4",
	  5500.0 / 3000 },
	{ __LINE__, "lcpi", "sim-p3", "lcpi_instruction_2011", RUN,
	  8740.0 / 3000 },
	{ __LINE__, "lcpi", NULL, "lcpi_data_tlb", RUN, 200.0 / 3000 },
	{ __LINE__, "lcpi", NULL, "lcpi_instruction_tlb", RUN, 0.05 },
	/* (600*4 + 6*38) / 3000 */
	{ __LINE__, "lcpi", NULL, "lcpi_fp", RUN, 0.876 },
	{ __LINE__, "lcpi", NULL, "cpi", RUN, 2.0 / 3 },

	/* (300*1 + 6*12) / 3000 */
	{ __LINE__, "bounds", NULL, "least_branch", RUN, 0.124 },
	/* max(1000*0.5, 2*10) / 3000 */
	{ __LINE__, "bounds", NULL, "least_data", RUN, 500.0 / 3000 },
	/* (594*0.5 + 6*13) / 3000 */
	{ __LINE__, "bounds", "sim-p3", "least_data",
	  "PAPI_L1_DCA=1000 PAPI_L2_DCM=60 PAPI_TOT_INS=3000", 0.2 },
	{ __LINE__, "bounds", "sim-p3", "least_cpi", RUN, 1.0 / 3 + 0.024 },
	{ __LINE__, "bounds", NULL, "least_fp", RUN, 0.125 },
	/* max(1/3 + 6*12/3000, ...) */
	{ __LINE__, "bounds", NULL, "least_cpi", RUN, 1.0 / 3 + 0.024 },

	{ __LINE__, "roofline", NULL, "flops_per_byte",
	  "PAPI_FP_OPS=640 PAPI_L3_TCM=20", 0.5 },
	{ __LINE__, "roofline", NULL, "flops_per_cycle",
	  "PAPI_FP_OPS=640 PAPI_TOT_CYC=320", 2 },
	{ __LINE__, "roofline", NULL, "bytes_per_cycle",
	  "PAPI_L3_TCM=20 PAPI_TOT_CYC=320", 4 },
	{ __LINE__, "roofline", NULL, "flops_per_l2_byte",
	  "PAPI_FP_OPS=640 PAPI_L1_DCM=40", 0.25 },
	{ __LINE__, "roofline", NULL, "flops_per_l3_byte",
	  "PAPI_FP_OPS=640 PAPI_L2_DCM=20", 0.5 },
	{ __LINE__, "roofline", "sim", "flops_per_byte",
	  "PAPI_FP_OPS=640 DRAM:BYTES=2560", 0.25 },
	{ __LINE__, "roofline", "sim", "bytes_per_cycle",
	  "DRAM:BYTES=2560 PAPI_TOT_CYC=320", 8 },

	/* 3600 issued in 1800 cycles */
	{ __LINE__, "cycles", NULL, "issue_rate", RUN, 2 },
	{ __LINE__, "cycles", NULL, "retired_cycles", RUN, 1500 },
	{ __LINE__, "cycles", NULL, "non_retired_cycles", RUN, 300 },
	{ __LINE__, "cycles", NULL, "stall_cycles", RUN, 200 },
	{ __LINE__, "cycles", "core", "issue_rate", CORE, 2 },
	{ __LINE__, "cycles", "core", "retired_cycles", CORE, 500 },
	{ __LINE__, "cycles", "core", "non_retired_cycles", CORE, 100 },
	{ __LINE__, "cycles", "core", "stall_cycles", CORE, 390 },
	{ __LINE__, "cycles", "core", "residual", CORE, 0.01 },
	{ __LINE__, "cycles", "core", "dtlb_stall_cycles", CORE, 90 },
	{ __LINE__, "cycles", "icx", "issue_rate", ICX, 2 },
	{ __LINE__, "cycles", "icx", "retired_cycles", ICX, 1500 },
	{ __LINE__, "cycles", "icx", "non_retired_cycles", ICX, 300 },
	{ __LINE__, "cycles", "icx", "stall_cycles", ICX, 180 },
	{ __LINE__, "cycles", "icx", "residual", ICX, 0.01 },
	{ __LINE__, "cycles", "sim", "issue_rate", SIM, 2 },
	{ __LINE__, "cycles", "sim", "retired_cycles", SIM, 1500 },
	{ __LINE__, "cycles", "sim", "non_retired_cycles", SIM, 300 },
	{ __LINE__, "cycles", "sim", "stall_cycles", SIM, 180 },
	{ __LINE__, "cycles", "sim", "residual", SIM, 0.01 },
	{ __LINE__, "cycles", "icx", "dtlb_stall_cycles",
	  "DTLB_LOAD_MISSES:STLB_HIT=10 DTLB_LOAD_MISSES:WALK_ACTIVE=30", 100 },
	{ __LINE__, "cycles", "sim", "dtlb_stall_cycles",
	  "DTLB_MISSES:STLB_HIT=10 PAGE_WALKS:CYCLES=30", 100 },
	{ __LINE__, "cycles", "sim-p3", "dtlb_stall_cycles",
	  "PAGE_WALKS:CYCLES=30", 30 },
	{ __LINE__, "cycles", "sim", "frontend_stall_cycles",
	  "CYCLE_ACTIVITY:STALLS_FRONTEND=5", 5 },
	{ __LINE__, "cycles", "sim", "mispredict_stall_cycles",
	  "CYCLE_ACTIVITY:STALLS_MISPREDICT=6", 6 },
	{ __LINE__, "cycles", "sim", "memory_stall_cycles",
	  "CYCLE_ACTIVITY:STALLS_MEM_ANY=7", 7 },
	{ __LINE__, "cycles", "sim", "store_stall_cycles",
	  "CYCLE_ACTIVITY:STALLS_STORE=8", 8 },
	{ __LINE__, "cycles", "sim", "fp_stall_cycles",
	  "CYCLE_ACTIVITY:STALLS_FP=9", 9 },

	/* 64*50*2000/1000 */
	/* FP_OPS where the processor counts operations: 700 / (800 + 200) */
	{ __LINE__, "hpm", "amd64_fam17h_zen1", "fp_operations", FLOPS, 700 },
	{ __LINE__, "hpm", "amd64_fam17h_zen1", "fp_rate", FLOPS, 0.000175 },
	{ __LINE__, "hpm", "amd64_fam17h_zen1", "computation_intensity", FLOPS,
	  0.7 },
	{ __LINE__, "hpm", "amd64_fam17h_zen1", "fma_percentage", FLOPS, 20 },
	{ __LINE__, "hpm", "amd64_fam17h_zen2", "fma_percentage", FLOPS, 10 },

	{ __LINE__, "bandwidth", "core", "memory_bandwidth", CORE, 6400 },
	/* (100*64 + 50*8) / 2 */
	{ __LINE__, "bandwidth", "amd64_fam10h_shanghai", "memory_bandwidth",
	  FAM10H, 3400 },
	{ __LINE__, "bandwidth", "amd64_fam10h_shanghai", "dram_bandwidth",
	  FAM10H, 1600 },
	/* 8 MiB read and 4 MiB written in 2 s */
	{ __LINE__, "bandwidth", "spr", "memory_read_bandwidth", CAS,
	  4 * 1048576 },
	{ __LINE__, "bandwidth", "spr", "memory_write_bandwidth", CAS,
	  2 * 1048576 },
	{ __LINE__, "bandwidth", "spr", "memory_bandwidth", CAS, 6 * 1048576 },
	{ __LINE__, "bandwidth", "spr", "memory_bandwidth_socket0",
	  "cas_count_read:socket0=8 cas_count_write:socket0=4 wall_s=2",
	  6 * 1048576 },
	{ __LINE__, "bandwidth", "spr", "memory_bandwidth_socket1",
	  "cas_count_read:socket1=8 cas_count_write:socket1=4 wall_s=2",
	  6 * 1048576 },
	{ __LINE__, "bandwidth", "sim", "memory_traffic", "DRAM:BYTES=640",
	  640 },
	{ __LINE__, "bandwidth", "sim", "memory_bandwidth",
	  "DRAM:BYTES=640 CPU_CLK_UNHALTED:CORE=320", 2 },
	{ __LINE__, "bandwidth", "sim", "operational_intensity",
	  "DRAM:BYTES=640 FP_OPS_RETIRED:ANY=160", 0.25 },

	{ __LINE__, "power", "nhm", "frequency_ratio", NEHALEM, 1.5 },
	/* -26.158 + 50.5593 + 69.90795 + 0.36163 + 18.3468 - 4.9286 + 0.50946
	   + 25.7593 */
	{ __LINE__, "power", "nhm", "power", NEHALEM, 134.35784 },
	/* 32*2.5/2, and 64*100/(5000/2.5) */
	{ __LINE__, "power", "power7", "gips_save", POWER7, 40 },
	{ __LINE__, "power", "power7", "gbs_save", POWER7, 3.2 },
	/* 8.4*40 + 4.3*3.2 + 666.3 */
	{ __LINE__, "power", "power7", "power_save", POWER7, 1016.06 },
	{ __LINE__, "power", "power7", "gips_nominal", POWER7, 56.8 },
	{ __LINE__, "power", "power7", "gbs_nominal", POWER7, 4.544 },
	/* 22.3*56.8 + 4.3*4.544 + 877.1 */
	{ __LINE__, "power", "power7", "power_nominal", POWER7, 2163.2792 },
	{ __LINE__, "power", "power7", "power_nominal_2011", POWER7, 2339.132 },
	/* 0.5*(-26.158 + 112.354 + 3.6163 + 22.9335 - 4.9286 + 5.0946)
	   + 46.6053 + 25.7593 */
	{ __LINE__, "power", "sim", "power_i7", SIMULATED, 128.8205 },
	/* 32*2.5/2, and 64*40000/(2000000/2.5) */
	{ __LINE__, "power", "sim", "gips_save", SIMULATED, 40 },
	{ __LINE__, "power", "sim", "gbs_save", SIMULATED, 3.2 },
	{ __LINE__, "power", "sim", "power_save", SIMULATED, 1016.06 },
	{ __LINE__, "power", "sim", "gips_nominal", SIMULATED, 56.8 },
	{ __LINE__, "power", "sim", "gbs_nominal", SIMULATED, 4.544 },
	{ __LINE__, "power", "sim", "power_nominal", SIMULATED, 2163.2792 },
};

TEST(test_shipped_metrics_on_known_counts)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct defs *defs = load(rows[i].file);
		struct metric_set *set = set_of(defs, rows[i].cpu);
		double got = value_of(set, rows[i].metric, rows[i].counts);

		if (!(fabs(got - rows[i].want) <=
		      1e-12 * (1 + fabs(rows[i].want))))
			fail_msg("row at line %d: %s is %.17g, not %.17g",
				 rows[i].line, rows[i].metric, got,
				 rows[i].want);
		metric_set_free(set);
		defs_free(defs);
	}
}

/* One string instruction misses many times: no share of hits is below 0. */
TEST(test_a_value_that_is_not_valid_is_none)
{
	static const struct row none[] = {
		{ __LINE__, "hpm", NULL, "l1_hit_rate",
		  "PAPI_LD_INS=5 PAPI_SR_INS=5 PAPI_L1_LDM=1 PAPI_L1_STM=9.5",
		  0 },
		{ __LINE__, "papi", NULL, "l1_data_hit_rate",
		  "PAPI_LD_INS=5 PAPI_SR_INS=5 PAPI_L1_DCM=11", 0 },
	};
	struct defs *defs;
	struct metric_set *set;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		defs = load(none[i].file);
		set = set_of(defs, NULL);
		assert_true(
			isnan(value_of(set, none[i].metric, none[i].counts)));
		metric_set_free(set);
		defs_free(defs);
	}
	defs = load("papi");
	set = set_of(defs, NULL);
	assert_true(value_of(set, "l1_data_hit_rate",
			     "PAPI_LD_INS=5 PAPI_SR_INS=5 PAPI_L1_DCM=10") ==
		    0);
	metric_set_free(set);
	defs_free(defs);
}

/* A metric that is shipped and not in the table above was forgotten. */
TEST(test_every_shipped_metric_is_in_the_table)
{
	static const char *const files[] = { "figure1", "papi",   "hpm",
					     "lcpi",    "cycles", "bandwidth",
					     "power",   "bounds", "roofline" };

	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		struct defs *defs = load(files[f]);

		for (size_t i = 0; i < defs->n; i++) {
			const struct def *def = &defs->defs[i];
			bool found = false;

			for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
				found |=
					!strcmp(rows[r].file, files[f]) &&
					!strcmp(rows[r].metric, def->name) &&
					(def->section == 0
						 ? !rows[r].cpu
						 : rows[r].cpu &&
							   defs_section_has(
								   defs,
								   def->section,
								   rows[r].cpu));
			if (!found)
				fail_msg("%s of %s, line %zu", def->name,
					 files[f], def->line);
		}
		defs_free(defs);
	}
}

static struct metric_set *set_of_text(const char *text, struct defs **defs)
{
	*defs = parse("test", text, strlen(text));
	return set_of(*defs, "mine");
}

TEST(test_a_set_names_what_it_needs)
{
	struct defs *defs;
	struct metric_set *set = set_of_text("a, x + y\n"
					     "b, a / 'z-1'\n"
					     "CPU,other\n"
					     "a, w\n",
					     &defs);
	const struct metric *b = metric_set_find(set, "b");

	assert_int_equal(set->n, 2);
	assert_int_equal(set->names.n, 3);
	assert_int_equal(b->n_slots, 3);
	assert_int_equal(metric_set_find(set, "a")->n_slots, 2);
	assert_null(metric_set_find(set, "w"));
	assert_true(value_of(set, "b", "x=6 y=2 z-1=4") == 2);
	assert_true(isnan(value_of(set, "b", "x=6 y=2")));
	metric_set_free(set);
	defs_free(defs);
}

TEST(test_definitions_in_a_circle_are_refused)
{
	static const char text[] = "a, b\nb, c+1\nc, a\n";
	struct defs *defs = parse("test", text, strlen(text));
	struct metric_set *set = NULL;
	struct diag diag = { 0 };

	assert_int_equal(metric_set_new(defs, NULL, &set, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "in terms of itself"));
	assert_null(set);
	defs_free(defs);
}

TEST(test_definitions_too_deep_are_refused)
{
	struct strbuf text = { 0 };
	struct metric_set *set = NULL;
	struct diag diag = { 0 };
	struct defs *defs;

	for (int i = 0; i < 70; i++)
		strbuf_addf(&text, "m%d, m%d+1\n", i, i + 1);
	defs = parse("test", strbuf_text(&text), text.len);
	assert_int_equal(metric_set_new(defs, NULL, &set, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "more than 64 deep"));
	assert_null(set);
	defs_free(defs);
	strbuf_fini(&text);
}

TEST(test_constants_can_be_set)
{
	static const char text[] = "#define lat 3\n#define twice lat*2\n"
				   "#define inverse 1/(lat-4)\n"
				   "a, x*lat + twice\nb, x*inverse\n";
	struct defs *defs = parse("test", text, strlen(text));
	struct metric_set *set;

	assert_int_equal(defs_set_constant(defs, "lat", 5), 0);
	assert_int_equal(defs_set_constant(defs, "nothing", 5), PAPI_ENOEVNT);
	set = set_of(defs, NULL);
	assert_true(value_of(set, "a", "x=10") == 60);
	assert_true(value_of(set, "b", "x=10") == 10);
	metric_set_free(set);
	assert_int_equal(defs_set_constant(defs, "twice", 1), 0);
	assert_int_equal(defs_set_constant(defs, "lat", 4), 0);
	set = set_of(defs, NULL);
	assert_true(value_of(set, "a", "x=10") == 41);
	assert_true(isnan(value_of(set, "b", "x=10")));
	metric_set_free(set);
	defs_free(defs);
}

RUN_ALL_TESTS
