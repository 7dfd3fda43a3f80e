/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From core to core: two threads on two CPUs hand a line to and fro. Both must
 * be running at once, so a batch is short and most of them are slow ones on a
 * busy machine; the lower quantiles are what counts.
 */
#include "machine/parts.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"

#define TRIPS    64 /* there and back, in a batch */
#define BATCHES  200
#define ABSURD   1e5 /* cycles: they took turns on the CPU */
#define LIMIT_NS 1500000000ULL

struct ball {
	_Alignas(256) atomic_uint at; /* even: here, odd: there */
	_Alignas(256) atomic_bool over;
	unsigned cpus[2];
};

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *answer(void *arg)
{
	struct ball *ball = arg;

	pin(ball->cpus[1]);
	while (!atomic_load_explicit(&ball->over, memory_order_relaxed)) {
		unsigned at =
			atomic_load_explicit(&ball->at, memory_order_acquire);

		if (at & 1)
			atomic_store_explicit(&ball->at, at + 1,
					      memory_order_release);
	}
	return NULL;
}

static void play(struct ball *ball)
{
	for (int i = 0; i < TRIPS; i++) {
		unsigned at =
			atomic_load_explicit(&ball->at, memory_order_relaxed);

		atomic_store_explicit(&ball->at, at + 1, memory_order_release);
		while (atomic_load_explicit(&ball->at, memory_order_acquire) !=
		       at + 2)
			;
	}
}

static size_t take_batches(struct lab *lab, struct ball *ball, double *ticks)
{
	uint64_t end = clock_real_ns() + LIMIT_NS;
	size_t n = 0;

	for (; n < BATCHES && clock_real_ns() < end; n++) {
		uint64_t from = lab->clock.now(lab->clock.context);

		play(ball);
		ticks[n] = (double)(lab->clock.now(lab->clock.context) - from) /
			   (2 * TRIPS);
	}
	return n;
}

/* The first two CPUs that this process may use. */
static bool find_cpus(const cpu_set_t *allowed, unsigned *cpus)
{
	int n = 0;

	for (unsigned i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, allowed))
			cpus[n++] = i;
	return n == 2;
}

static struct timing time_pair(struct lab *lab, struct ball *ball,
			       const cpu_set_t *allowed)
{
	double ticks[BATCHES];
	pthread_t thread;
	size_t n;

	if (pthread_create(&thread, NULL, answer, ball))
		return timing_of(NULL, 0);
	pin(ball->cpus[0]);
	n = take_batches(lab, ball, ticks);
	atomic_store(&ball->over, true);
	pthread_join(thread, NULL);
	pthread_setaffinity_np(pthread_self(), sizeof(*allowed), allowed);
	for (size_t i = 0; i < n; i++)
		ticks[i] /= lab->ticks;
	return timing_of(ticks, n);
}

int part_pair(struct lab *lab, struct machine *m)
{
	struct ball ball = { .over = false };
	struct timing timing = timing_of(NULL, 0);
	const char *reason = NULL;
	struct machine_constant *c;
	cpu_set_t allowed;

	CPU_ZERO(&allowed);
	if (lab->clock.is_cycles)
		reason = "the simulated PMU runs one thread at a time";
	else if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
		 !find_cpus(&allowed, ball.cpus))
		reason = "there is only one CPU";
	else
		timing = time_pair(lab, &ball, &allowed);
	if (timing.value > ABSURD)
		timing = timing_of(NULL, 0);
	c = machine_add(m, "core_to_core_lat", machine_round(timing.value),
			"cycles",
			"two threads on two CPUs pass a line back and forth: "
			"time for one direction");
	if (c && timing.samples)
		c->spread = timing_spread(&timing);
	if (reason)
		machine_doubt(m, c, reason);
	else if (timing.samples < 20)
		machine_doubt(
			m, c,
			"the two threads hardly ever ran at the same time");
	else if (m->virtual_)
		machine_doubt(m, c,
			      "the hypervisor decides which cores these are");
	else if (c && !(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples vary too much");
	return 0;
}
