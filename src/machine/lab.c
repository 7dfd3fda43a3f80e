/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples between rulers, rounds of samples, quantiles. */

#include "machine/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/doubles.h"
#include "base/err.h"

#define RULER_TIMES  10
#define RULER_CYCLES ((double)(RULER_TIMES * LOAD_RULER_ADDS))
/* Rulers before and after may differ by this much. */
#define RULER_SLACK 0.015
/* A load whose every other sample is thrown away is still measured. */
#define PATIENCE 4
/* Independent additions: how many, and how much slower is not alone. */
#define WIDE_TIMES     6
#define WIDTH_SLACK    1.15
#define WIDTH_PATIENCE 16   /* samples in a row that were not */
#define LONG_WARM      1024 /* times */
#define LEAST          5    /* rounds, even when time is up */
#define SHORT          4    /* a steady load's short run is this part of it */

int lab_init(struct lab *lab, struct lab_clock clock, size_t memory_bytes)
{
	void *memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return PAPI_ENOMEM;
	/* What is measured is what ordinary memory does. */
	madvise(memory, memory_bytes, MADV_NOHUGEPAGE);
	*lab = (struct lab){
		.clock = clock,
		.rounds = clock.is_cycles ? 1 : 31,
		.random = 88172645463325252ULL,
		.memory = memory,
		.memory_bytes = memory_bytes,
		.line_bytes = 64,
		.page_bytes = 4096,
		.ticks = 1,
	};
	if (clock.is_cycles) {
		struct load nothing = { .run = loads_nothing,
					.times = 1,
					.warm = 1,
					.operations = 1 };
		double ticks;

		/* Until the way there is warm. */
		for (int i = 0; i < 4; i++)
			lab_sample(lab, &nothing, &ticks);
		lab->empty = ticks;
	}
	return 0;
}

void lab_fini(struct lab *lab)
{
	munmap(lab->memory, lab->memory_bytes);
	lab->memory = NULL;
}

/* Marsaglia's xorshift. */
uint64_t lab_random(struct lab *lab, uint64_t bound)
{
	lab->random ^= lab->random << 13;
	lab->random ^= lab->random >> 7;
	lab->random ^= lab->random << 17;
	return bound ? lab->random % bound : lab->random;
}

static long switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

static double ticks_between(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) : 0;
}

static double ticks_of(const struct lab *lab, const struct load *load,
		       uint64_t times)
{
	uint64_t from = lab->clock.now(lab->clock.context);
	uint64_t to;

	load->run(load->arg, times);
	to = lab->clock.now(lab->clock.context);
	return ticks_between(from, to);
}

static void sample_exact(const struct lab *lab, const struct load *load,
			 double *cycles)
{
	uint64_t less = load->steady ? load->times / SHORT : 0;
	double share = 1 - (double)less / (double)load->times;
	double without = lab->empty;

	if (less) {
		/* The first time the clock itself is cold, too. */
		ticks_of(lab, load, less);
		without = ticks_of(lab, load, less);
	}
	*cycles = (ticks_of(lab, load, load->times) - without) /
		  (load->operations * share);
}

/*
 * A core may run another thread beside this one, of this machine or, in a
 * guest, of anybody's. A chain of additions, as the ruler is, is as fast then;
 * independent ones are not. Who is never alone is measured as it is.
 */
static bool is_alone(struct lab *lab, double ruler)
{
	uint64_t from = lab->clock.now(lab->clock.context);
	double width;

	loads_wide(NULL, WIDE_TIMES);
	width = ticks_between(from, lab->clock.now(lab->clock.context)) / ruler;
	if (lab->width == 0 || width < lab->width)
		lab->width = width;
	if (width < lab->width * WIDTH_SLACK ||
	    lab->crowded++ >= WIDTH_PATIENCE) {
		lab->crowded = 0;
		return true;
	}
	return false;
}

static bool sample_ruled(struct lab *lab, const struct load *load,
			 double *cycles)
{
	uint64_t (*now)(void *) = lab->clock.now;
	void *context = lab->clock.context;
	uint64_t t[4];
	double before, after;

	/* What warmed the caches may have put the ruler's code out of them. */
	loads_ruler(NULL, 1);
	t[0] = now(context);
	loads_ruler(NULL, RULER_TIMES);
	t[1] = now(context);
	load->run(load->arg, load->times);
	t[2] = now(context);
	loads_ruler(NULL, RULER_TIMES);
	t[3] = now(context);
	before = ticks_between(t[0], t[1]);
	after = ticks_between(t[2], t[3]);
	if (fabs(before - after) > RULER_SLACK * before || before <= 0)
		return false;
	if (load->whole && !is_alone(lab, (before + after) / 2))
		return false;
	lab->ticks = (before + after) / 2 / RULER_CYCLES;
	*cycles = ticks_between(t[1], t[2]) / lab->ticks / load->operations;
	return true;
}

bool lab_sample(struct lab *lab, const struct load *load, double *cycles)
{
	bool exact = lab->clock.is_cycles;
	long before = exact ? 0 : switches();
	bool good;

	if (load->warm)
		load->run(load->arg, load->warm);
	/* The kernel uses caches, too, so it is asked before the load warms
	 * up, unless that takes long enough to be interrupted itself. */
	if (!exact && load->warm > LONG_WARM)
		before = switches();
	if (lab->clock.is_cycles) {
		sample_exact(lab, load, cycles);
		lab->kept++;
		return true;
	}
	good = sample_ruled(lab, load, cycles) && switches() == before;
	if (good)
		lab->kept++;
	else
		lab->thrown++;
	return good;
}

struct timing timing_of(double *samples, size_t n)
{
	if (n == 0)
		return (struct timing){ 0, NAN, NAN, NAN, 0 };
	doubles_sort(samples, n);
	return (struct timing){
		.low = samples[(n - 1) / 10],
		.value = samples[(n - 1) / 4],
		.median = samples[(n - 1) / 2],
		.samples = (unsigned)n,
	};
}

double timing_spread(const struct timing *timing)
{
	if (timing->samples == 0)
		return NAN;
	return (timing->median - timing->low) / timing->value;
}

bool lab_is_late(const struct lab *lab)
{
	return lab->deadline_ns && clock_real_ns() > lab->deadline_ns;
}

struct timing lab_time(struct lab *lab, const struct load *load)
{
	double samples[128];
	size_t wanted = lab->rounds < 128 ? lab->rounds : 128;
	size_t n = 0;

	for (size_t tries = 0; n < wanted && tries < wanted * PATIENCE;
	     tries++) {
		if (tries >= LEAST && n > 0 && lab_is_late(lab))
			break;
		n += lab_sample(lab, load, &samples[n]);
	}
	return timing_of(samples, n);
}

static void shuffle(struct lab *lab, size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = lab_random(lab, i);
		size_t kept = order[i - 1];

		order[i - 1] = order[j];
		order[j] = kept;
	}
}

/* A sweep under way. */
struct sweep {
	size_t *order;
	double *samples; /* rounds for each point */
	unsigned *taken; /* of each point */
};

static void sweep_round(struct lab *lab, struct sweep *s,
			const struct timing *points, size_t n,
			lab_prepare_fn prepare, void *context)
{
	if (!lab->clock.is_cycles)
		shuffle(lab, s->order, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = s->order[i];
		struct load load = { .operations = 1 };
		double *sample = &s->samples[k * lab->rounds + s->taken[k]];

		if (s->taken[k] == lab->rounds)
			continue;
		prepare(lab, context, points[k].x, &load);
		s->taken[k] += lab_sample(lab, &load, sample);
	}
}

static bool is_complete(const struct lab *lab, const struct sweep *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s->taken[i] < lab->rounds)
			return false;
	return true;
}

int lab_sweep(struct lab *lab, struct timing *points, size_t n,
	      lab_prepare_fn prepare, void *context)
{
	struct sweep s = {
		.order = calloc(n, sizeof(*s.order)),
		.samples = calloc(n * lab->rounds, sizeof(*s.samples)),
		.taken = calloc(n, sizeof(*s.taken)),
	};
	bool good = s.order && s.samples && s.taken;

	for (size_t i = 0; good && i < n; i++)
		s.order[i] = i;
	for (unsigned r = 0; good && r < lab->rounds * PATIENCE; r++) {
		if (is_complete(lab, &s, n) || (r >= LEAST && lab_is_late(lab)))
			break;
		sweep_round(lab, &s, points, n, prepare, context);
		if (lab->progress)
			lab->progress(lab->progress_context,
				      (double)(r + 1) / lab->rounds);
	}
	for (size_t i = 0; good && i < n; i++) {
		double x = points[i].x;

		points[i] = timing_of(&s.samples[i * lab->rounds], s.taken[i]);
		points[i].x = x;
	}
	free(s.order);
	free(s.samples);
	free(s.taken);
	return good ? 0 : PAPI_ENOMEM;
}
