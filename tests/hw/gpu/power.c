/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A GPU's power.
 *
 *   power energy [SECONDS]   the energy counter against the integral of power
 *   power model [SECONDS]    samples for assay model power --fit, in CSV: mean
 *                            watts of a set of loads, and how often a second
 *                            each did what
 *
 * The first ends with 0 if both agree within 3 %.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "tests/hw/gpu/counting.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define GIB           ((size_t)1 << 30)

/* About a millisecond of work on a large GPU. */
struct load {
	const char *function;
	uint32_t turns;
	size_t bytes;
};

static const struct load loads[] = {
	{ "k_busy_ffma", 2000, 0 },      { "k_busy_dfma", 1000, 0 },
	{ "k_busy_hfma", 2000, 0 },      { "k_busy_imad", 1000, 0 },
	{ "k_busy_logic", 1000, 0 },     { "k_busy_special", 500, 0 },
	{ "k_stream_read", 1, GIB },     { "k_stream_write", 1, GIB },
	{ "k_stream_copy", 1, 2 * GIB }, { "k_stream_ffma", 1, GIB },
};

/* Blocks, by turns for the halves that a model is fitted on and tried on. */
static const unsigned sizes[] = { 33, 66, 132, 264, 528, 1056 };
#define LARGEST 1056

static const char *const energy_name[] = { "nvml::gpu0:energy" };
static const char *const power_names[] = { "nvml::gpu0:power:instant",
					   "nvml::gpu0:power" };

/* Counted in two passes, one after the other: a load is steady. */
#define FIRST 6 /* counters of the first pass */

static const struct {
	const char *event;
	const char *column;
} counters[] = {
	{ "cuda::dram__bytes_read", "dram_read" },
	{ "cuda::dram__bytes_write", "dram_write" },
	{ "cuda::smsp__inst_executed_pipe_fmaheavy", "fmaheavy" },
	{ "cuda::smsp__inst_executed_pipe_fmalite", "fmalite" },
	{ "cuda::smsp__inst_executed_pipe_fp64", "fp64" },
	{ "cuda::smsp__inst_executed_pipe_alu", "alu" },
	{ "cuda::smsp__inst_executed_pipe_xu", "xu" },
	{ "cuda::smsp__inst_executed_pipe_tensor_op_hmma_type_hfma2", "hfma2" },
	{ "cuda::sm__cycles_active", "active" },
};

static void work(const struct load *load, unsigned blocks)
{
	if (!driver_run_blocks(load->function, blocks, load->turns,
			       load->bytes)) {
		printf("%s cannot be run\n", load->function);
		exit(1);
	}
}

static void work_for(const struct load *load, unsigned blocks, double seconds)
{
	double end = now_s() + seconds;

	do {
		work(load, blocks);
	} while (now_s() < end);
}

/* Power, read while kernels run: a GPU that is asked between two is idle. */
struct sampler {
	volatile bool end;
	size_t n;
	double instant_j, mean_j;
	double began_s, ended_s;
};

static void *sample_power(void *context)
{
	const struct timespec pause = { 0, 10000000 };
	struct sampler *s = context;
	int set = need_set(power_names, ARRAY_SIZE(power_names));
	long long last[2], v[2];

	need(PAPI_start(set), "PAPI_start()");
	need(PAPI_read(set, last), "PAPI_read()");
	s->began_s = s->ended_s = now_s();
	while (!s->end) {
		double t;

		nanosleep(&pause, NULL);
		need(PAPI_read(set, v), "PAPI_read()");
		t = now_s();
		/* trapezia; in milliwatts */
		s->instant_j +=
			(double)(v[0] + last[0]) / 2000 * (t - s->ended_s);
		s->mean_j += (double)(v[1] + last[1]) / 2000 * (t - s->ended_s);
		memcpy(last, v, sizeof(v));
		s->ended_s = t;
		s->n++;
	}
	need(PAPI_stop(set, v), "PAPI_stop()");
	return NULL;
}

static int compare_energy(double seconds)
{
	int set = need_set(energy_name, 1);
	struct sampler s = { 0 };
	pthread_t thread;
	double start_s, ran_s, used, share;
	long long mj;

	work_for(&loads[0], LARGEST, 3); /* until power is steady */
	need(PAPI_start(set), "PAPI_start()");
	start_s = now_s();
	need(pthread_create(&thread, NULL, sample_power, &s) ? PAPI_ESYS : 0,
	     "pthread_create()");
	work_for(&loads[0], LARGEST, seconds);
	s.end = true;
	need(PAPI_stop(set, &mj), "PAPI_stop()");
	ran_s = now_s() - start_s;
	pthread_join(thread, NULL);
	/* the sampler began a little later: the same mean power is meant */
	used = (double)mj / 1000;
	share = ran_s / (s.ended_s - s.began_s);
	printf("seconds,samples,energy_counter_J,integral_of_instant_power_J,"
	       "difference_pct,integral_of_mean_power_J,difference_pct\n"
	       "%.2f,%zu,%.2f,%.2f,%.3f,%.2f,%.3f\n",
	       ran_s, s.n, used, s.instant_j * share,
	       100 * (s.instant_j * share / used - 1), s.mean_j * share,
	       100 * (s.mean_j * share / used - 1));
	return fabs(s.instant_j * share / used - 1) > 0.03;
}

/* How often a second counters @first to @end count, in units of 1e9. */
static void rates(const struct load *load, unsigned blocks, double seconds,
		  size_t first, size_t end, double *rate)
{
	const char *names[ARRAY_SIZE(counters)];
	long long counts[ARRAY_SIZE(counters)];
	double start_s;
	int set;

	for (size_t i = first; i < end; i++)
		names[i - first] = counters[i].event;
	set = need_set(names, end - first);
	need(PAPI_start(set), "PAPI_start()");
	start_s = now_s();
	work_for(load, blocks, seconds);
	seconds = now_s() - start_s;
	need(PAPI_stop(set, counts), "PAPI_stop()");
	for (size_t i = first; i < end; i++)
		rate[i] = (double)counts[i - first] / seconds / 1e9;
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Power first, undisturbed; then what it was for. */
static void sample(const struct load *load, unsigned blocks, double seconds)
{
	int energy = need_set(energy_name, 1);
	double rate[ARRAY_SIZE(counters)];
	double start_s, watts;
	long long mj;

	work_for(load, blocks, 1); /* until clocks and power are steady */
	need(PAPI_start(energy), "PAPI_start()");
	start_s = now_s();
	work_for(load, blocks, seconds);
	need(PAPI_stop(energy, &mj), "PAPI_stop()");
	watts = (double)mj / 1000 / (now_s() - start_s);
	rates(load, blocks, 0.2, 0, FIRST, rate);
	rates(load, blocks, 0.2, FIRST, ARRAY_SIZE(counters), rate);
	printf("%.3f", watts);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		printf(",%.6g", rate[i]);
	putchar('\n');
	fprintf(stderr, "%s in %u blocks: %.1f W\n", load->function, blocks,
		watts);
	fflush(stdout);
	PAPI_cleanup_eventset(energy);
	PAPI_destroy_eventset(&energy);
}

static void sample_all(double seconds)
{
	printf("watts");
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		printf(",%s", counters[i].column);
	putchar('\n');
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
			sample(&loads[i], sizes[s], seconds);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;

	if (argc < 2 ||
	    (strcmp(argv[1], "energy") != 0 && strcmp(argv[1], "model") != 0)) {
		printf("usage: power energy|model [SECONDS]\n");
		return 2;
	}
	need_gpu();
	if (!driver_prepare(2 * GIB)) {
		printf("the kernels cannot be loaded on this GPU\n");
		return SKIPPED;
	}
	if (strcmp(argv[1], "energy") == 0)
		return compare_energy(seconds > 0 ? seconds : 30);
	sample_all(seconds > 0 ? seconds : 1.5);
	return 0;
}
