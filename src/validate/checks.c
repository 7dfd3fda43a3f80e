/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel makes an event happen, and how its count is predicted. The
 * first 14 are the events of the 2005 paper's Table 2.
 */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "validate/validate.h"

#define EXACTLY       0, 0, 0
#define WITHIN(pct)   pct, 0, 0
#define ALSO(pct, by) pct, by, 0
/* and so many for each mispredicted branch */
#define RESTARTS(pct, by) pct, 0, by

/*
 * How often the branch that ends a loop is mispredicted depends on the
 * predictor and on how long the loop ran. What issues on the wrong path, and
 * cycles until the right one is fetched, at most: those of the machines in
 * share/models, and more.
 */
#define WRONG_PATH 64
#define RESTART    32

#define THREADS(operation, kernel)                                             \
	{                                                                      \
		"cuda::smsp__sass_thread_inst_executed_op_" operation, kernel, \
			PART_NONE, FROM_THREADS, EXACTLY, false, 1, 0          \
	}
#define WARPS(event, kernel)                                                   \
	{                                                                      \
		"cuda::smsp__" event, kernel, PART_NONE, FROM_WARPS, EXACTLY,  \
			false, 1, 0                                            \
	}

/* Ten thousand of them take half a second, or 40 MB. */
#define SOFTWARE(event, kernel, within, each)                                  \
	{                                                                      \
		"perf::" event, kernel, PART_NONE, FROM_FORM, within, false,   \
			each, 10000                                            \
	}

/*
 * Issued instructions include those on the wrong path. Cycles are
 * rounded when they are read, twice.
 */
const struct validate_check validate_checks[] = {
	{ "PAPI_BR_MSP", "count/mispredict", PART_NONE, FROM_CHANCE, EXACTLY,
	  true, 0, 0 },
	{ "PAPI_FSQ_INS", "count/sqrt", PART_NONE, FROM_SQRT, EXACTLY, true, 0,
	  0 },
	{ "PAPI_FP_INS", "count/fp", PART_NONE, FROM_FP, EXACTLY, true, 0, 0 },
	{ "PAPI_L1_DCM", "count/miss", PART_L1D, FROM_FORM, EXACTLY, true, 0,
	  0 },
	{ "PAPI_L1_ICM", "count/miss-code", PART_L1I, FROM_FORM, EXACTLY, true,
	  0, 0 },
	{ "PAPI_L2_DCM", "count/miss", PART_L2, FROM_FORM, EXACTLY, true, 0,
	  0 },
	{ "PAPI_L2_ICM", "count/miss-code", PART_L2_CODE, FROM_FORM, EXACTLY,
	  true, 0, 0 },
	{ "PAPI_LD_INS", "count/load", PART_NONE, FROM_LOADS, EXACTLY, true, 0,
	  0 },
	{ "PAPI_SR_INS", "count/store", PART_NONE, FROM_STORES, EXACTLY, true,
	  0, 0 },
	{ "PAPI_TLB_DM", "count/miss", PART_DTLB, FROM_FORM, EXACTLY, true, 0,
	  0 },
	{ "PAPI_TLB_TL", "count/miss", PART_DTLB, FROM_FORM, EXACTLY, true, 0,
	  0 },
	{ "PAPI_TOT_IIS", "count/add", PART_NONE, FROM_INSTRUCTIONS,
	  RESTARTS(1, WRONG_PATH), true, 0, 0 },
	{ "PAPI_TOT_INS", "count/add", PART_NONE, FROM_INSTRUCTIONS, EXACTLY,
	  true, 0, 0 },
	{ "PAPI_TOT_CYC", "count/add", PART_NONE, FROM_FORM,
	  RESTARTS(1, RESTART), true, 0, 0 },
	{ "PAPI_BR_INS", "count/jump", PART_NONE, FROM_BRANCHES, EXACTLY, false,
	  0, 0 },
	{ "PAPI_BR_CN", "count/jump", PART_NONE, FROM_FORM, EXACTLY, false, 0,
	  0 },
	{ "PAPI_BR_UCN", "count/jump", PART_NONE, FROM_FORM, EXACTLY, false, 0,
	  0 },
	{ "PAPI_LST_INS", "count/load", PART_NONE, FROM_LOADS, EXACTLY, false,
	  0, 0 },
	{ "PAPI_FAD_INS", "count/fp", PART_NONE, FROM_FP, EXACTLY, false, 0,
	  0 },
	{ "PAPI_FP_OPS", "count/fp", PART_NONE, FROM_FP, EXACTLY, false, 0, 0 },
	{ "PAPI_DP_OPS", "count/fp", PART_NONE, FROM_FP, EXACTLY, false, 0, 0 },
	{ "PAPI_L1_LDM", "count/miss", PART_L1D, FROM_FORM, EXACTLY, false, 0,
	  0 },
	{ "PAPI_L1_TCM", "count/miss", PART_L1D, FROM_FORM, EXACTLY, false, 0,
	  0 },
	{ "PAPI_L2_LDM", "count/miss", PART_L2, FROM_FORM, EXACTLY, false, 0,
	  0 },
	{ "PAPI_L2_TCM", "count/miss", PART_L2, FROM_FORM, EXACTLY, false, 0,
	  0 },
	/* not a preset: PAPI_BR_MSP=figure3 counts that with this kernel */
	{ "figure3", "count/loop10", PART_NONE, FROM_HISTORY, ALSO(1, 32),
	  false, 0, 0 },
	/*
	 * Of the operating system. A fault is a fault. Whoever sleeps leaves
	 * the CPU, but others may send the thread away, too. A microsecond is
	 * a thousand nanoseconds; to look at the clock takes one or two.
	 */
	SOFTWARE("PAGE-FAULTS", "software/page-fault", EXACTLY, 0),
	SOFTWARE("MINOR-FAULTS", "software/page-fault", EXACTLY, 0),
	SOFTWARE("CONTEXT-SWITCHES", "software/switch", ALSO(5, 2), 0),
	SOFTWARE("TASK-CLOCK", "software/cpu-time", ALSO(1, 5000), 1000),
	SOFTWARE("CPU-CLOCK", "software/cpu-time", ALSO(1, 5000), 1000),
	/* of a GPU: an occurrence is a turn of every thread */
	THREADS("fadd_pred_on", "gpu/fadd"),
	THREADS("fmul_pred_on", "gpu/fmul"),
	THREADS("ffma_pred_on", "gpu/ffma"),
	THREADS("dadd_pred_on", "gpu/dadd"),
	THREADS("dmul_pred_on", "gpu/dmul"),
	THREADS("dfma_pred_on", "gpu/dfma"),
	THREADS("hfma_pred_on", "gpu/hfma"),
	/* the addition, and the loop's comparison */
	{ "cuda::smsp__sass_thread_inst_executed_op_integer_pred_on",
	  "gpu/iadd", PART_NONE, FROM_THREADS, EXACTLY, false, 2, 0 },
	WARPS("sass_inst_executed_op_global_ld", "gpu/load"),
	WARPS("sass_inst_executed_op_global_st", "gpu/store"),
	WARPS("sass_inst_executed_op_shared_ld", "gpu/shared_load"),
	WARPS("sass_inst_executed_op_shared_st", "gpu/shared_store"),
	WARPS("sass_inst_executed_op_global_atom", "gpu/atomic"),
	WARPS("sass_inst_executed_op_global_red", "gpu/reduction"),
	WARPS("inst_executed_op_global_ld", "gpu/load"),
	WARPS("inst_executed_op_global_st", "gpu/store"),
	WARPS("inst_executed_pipe_fp64", "gpu/dfma"),
	{ "cuda::l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
	  "gpu/shared_load_32", PART_NONE, FROM_WARPS, EXACTLY, false, 31, 0 },
};

const size_t validate_checks_n = ARRAY_SIZE(validate_checks);

const struct validate_check *validate_find(const char *event)
{
	for (size_t i = 0; i < validate_checks_n; i++)
		if (strcmp(validate_checks[i].event, event) == 0)
			return &validate_checks[i];
	return NULL;
}

bool validate_is_gpu(const struct validate_check *check)
{
	return check->source == FROM_WARPS || check->source == FROM_THREADS;
}

bool validate_is_software(const struct validate_check *check)
{
	return strncmp(check->event, "perf::", 6) == 0;
}

double validate_size(size_t i)
{
	double size = 1;

	while (i-- > 0)
		size *= 10;
	return size;
}

size_t validate_count(const struct validation *v, enum validate_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += v->events[i].verdict == verdict;
	return n;
}

bool validate_is_asked(const struct validate_row *row)
{
	return row->predicted > 0 || row->allowed > 0;
}

bool validate_has_patterns(const struct validation *v)
{
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_row *row =
			&v->events[e].patterns[PATTERN_READ_READ];

		if (validate_is_asked(row) && !isnan(row->overhead))
			return true;
	}
	return false;
}

const char *const validate_verdicts[] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_FAIL] = "fail",
	[VERDICT_NONE] = "none",
};

const char *const validate_classes[] = {
	[CLASS_EXACT] = "exact",     [CLASS_CONSTANT] = "constant",
	[CLASS_CHANCE] = "chance",   [CLASS_STABLE] = "stable",
	[CLASS_VARYING] = "varying", [CLASS_UNKNOWN] = "unknown",
};

const char *const validate_patterns[] = {
	[PATTERN_START_STOP] = "start-stop",
	[PATTERN_START_READ] = "start-read",
	[PATTERN_READ_READ] = "read-read",
	[PATTERN_READ_STOP] = "read-stop",
};
