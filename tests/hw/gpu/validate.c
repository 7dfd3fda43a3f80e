/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of a GPU's events against closed forms, as a table in Markdown.
 *
 *   validate [REPEATS]
 *
 * Instructions: a kernel of n turns executes per_turn * n + once instructions
 * in each warp, by the machine code of nvcc 13.0 for compute capability 9.0;
 * events of threads count 32 times that. They must be equal for n from 1 to a
 * million. Memory: bytes read and written by going over a piece of memory that
 * is many times the second-level cache, within 2 %. The exit status is 0 if all
 * is so.
 */
#include <math.h>
#include <string.h>

#include "tests/hw/gpu/counting.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define REPEATS       5
#define MOST_REPEATS  100
#define SMALL         ((size_t)4 << 20)
#define THREADS       32

struct row {
	const char *what;
	const char *function;
	const char *event;
	int width; /* 1: warps; THREADS */
	int per_turn;
	int once;
};

#define SASS "cuda::smsp__sass_thread_inst_executed_op_"

static const struct row rows[] = {
	{ "FFMA", "k_ffma", SASS "ffma_pred_on", THREADS, 1, 0 },
	{ "FADD", "k_fadd", SASS "fadd_pred_on", THREADS, 1, 0 },
	{ "FMUL", "k_fmul", SASS "fmul_pred_on", THREADS, 1, 0 },
	{ "DFMA", "k_dfma", SASS "dfma_pred_on", THREADS, 1, 0 },
	{ "HFMA2", "k_hfma", SASS "hfma_pred_on", THREADS, 1, 0 },
	/* the body and the loop's comparison; before it four more */
	{ "integer", "k_imad", SASS "integer_pred_on", THREADS, 2, 4 },
	{ "global loads", "k_load",
	  "cuda::smsp__sass_inst_executed_op_global_ld", 1, 1, 0 },
	{ "global stores", "k_store",
	  "cuda::smsp__sass_inst_executed_op_global_st", 1, 1, 0 },
	{ "shared loads", "k_shared_load",
	  "cuda::smsp__sass_inst_executed_op_shared_ld", 1, 1, 0 },
	{ "global atomics", "k_atomic",
	  "cuda::smsp__sass_inst_executed_op_global_atom", 1, 1, 0 },
	{ "FP64 pipe", "k_dfma", "cuda::smsp__inst_executed_pipe_fp64", 1, 1,
	  0 },
	{ "global loads (hardware)", "k_load",
	  "cuda::smsp__inst_executed_op_global_ld", 1, 1, 0 },
	{ "global stores (hardware)", "k_store",
	  "cuda::smsp__inst_executed_op_global_st", 1, 1, 0 },
	{ "warp instructions (hardware)", "k_imad", "cuda::smsp__inst_executed",
	  1, 4, 11 },
	{ "bank conflicts, 32 ways", "k_shared_load_32",
	  "cuda::l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", 1, 31,
	  0 },
};

struct stream {
	const char *what;
	const char *function;
	const char *event;
	size_t mebibytes; /* of memory gone over */
	double share;     /* of these that the event counts, once a turn */
};

#define DRAM_READ  "cuda::dram__bytes_read"
#define DRAM_WRITE "cuda::dram__bytes_write"

static const struct stream streams[] = {
	{ "DRAM read", "k_stream_read", DRAM_READ, 1024, 1 },
	{ "DRAM read", "k_stream_read", DRAM_READ, 4096, 1 },
	{ "DRAM read", "k_stream_read", DRAM_READ, 16384, 1 },
	{ "DRAM written", "k_stream_write", DRAM_WRITE, 4096, 1 },
	{ "DRAM written", "k_stream_write", DRAM_WRITE, 16384, 1 },
	{ "DRAM read by a copy", "k_stream_copy", DRAM_READ, 16384, 0.5 },
	{ "DRAM written by a copy", "k_stream_copy", DRAM_WRITE, 16384, 0.5 },
};

#define STREAM_TURNS 4

struct values {
	size_t n;
	double value[MOST_REPEATS];
};

static double mean(const struct values *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += v->value[i];
	return sum / (double)v->n;
}

static double deviation(const struct values *v)
{
	double m = mean(v), sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += (v->value[i] - m) * (v->value[i] - m);
	return v->n > 1 ? sqrt(sum / (double)(v->n - 1)) : 0;
}

/* The farthest of the values from @predicted, as a share of it. */
static double worst(const struct values *v, double predicted)
{
	double most = 0;

	for (size_t i = 0; i < v->n; i++)
		most = fmax(most, fabs(v->value[i] / predicted - 1));
	return most;
}

static void count(const char *event, const char *function, uint32_t turns,
		  size_t bytes, struct values *v, size_t repeats)
{
	int set = need_set(&event, 1);

	v->n = 0;
	while (v->n < repeats) {
		long long value;

		need(PAPI_start(set), "PAPI_start()");
		if (!driver_run(function, turns, bytes)) {
			printf("%s cannot be run\n", function);
			exit(1);
		}
		need(PAPI_stop(set, &value), "PAPI_stop()");
		v->value[v->n++] = (double)value;
	}
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static int show(const char *what, const char *size, double predicted,
		const struct values *v, double allowed)
{
	double error = worst(v, predicted);
	int failed = error > allowed;

	printf("| %s | %s | %zu | %.0f | %.0f | %.0f | %.4f %% | %s |\n", what,
	       size, v->n, predicted, mean(v), deviation(v), 100 * error,
	       failed      ? "**off**"
	       : error > 0 ? "within"
			   : "equal");
	fflush(stdout);
	return failed;
}

static int validate_row(const struct row *row, size_t repeats)
{
	int failed = 0;

	for (uint32_t n = 1; n <= 1000000; n *= 10) {
		double predicted = (double)DRIVER_WARPS * row->width *
				   ((double)row->per_turn * n + row->once);
		struct values v;
		char size[32];

		snprintf(size, sizeof(size), "%u", n);
		count(row->event, row->function, n, SMALL, &v, repeats);
		failed |= show(row->what, size, predicted, &v, 0);
	}
	return failed;
}

static int validate_stream(const struct stream *s, size_t repeats)
{
	size_t bytes = s->mebibytes << 20;
	struct values v;
	char size[32];

	if (!driver_prepare(bytes)) {
		printf("| %s | %zu MiB | - | - | - | - | - | no memory |\n",
		       s->what, s->mebibytes);
		return 0;
	}
	count(s->event, s->function, STREAM_TURNS, bytes, &v, repeats);
	snprintf(size, sizeof(size), "%zu MiB", s->mebibytes);
	return show(s->what, size, (double)bytes * s->share * STREAM_TURNS, &v,
		    0.02);
}

int main(int argc, char **argv)
{
	size_t repeats = argc > 1 ? strtoul(argv[1], NULL, 10) : REPEATS;
	int failed = 0;

	if (repeats < 1 || repeats > MOST_REPEATS)
		repeats = REPEATS;
	need_gpu();
	if (!driver_prepare(SMALL)) {
		printf("the kernels cannot be loaded on this GPU\n");
		return SKIPPED;
	}
	printf("| what | turns or bytes | repeats | predicted | mean | "
	       "deviation | farthest | verdict |\n"
	       "|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		failed |= validate_row(&rows[i], repeats);
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		failed |= validate_stream(&streams[i], repeats);
	return failed;
}
