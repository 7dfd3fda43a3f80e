/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More events than counters: the estimate has to be near the truth, and its
 * error bar has to cover it.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/vm/guest.h"

#define EVENTS 24
#define TRIES  6

/*
 * A set of @n events that count the same: instructions in user space, under
 * raw numbers of which the PMU looks at the low 16 bits only.
 */
static int multiplexed_set(int n)
{
	int set = PAPI_NULL;

	EXPECT(PAPI_OK, PAPI_multiplex_init());
	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	EXPECT(PAPI_OK, PAPI_assign_eventset_component(set, 0));
	EXPECT(PAPI_OK, PAPI_set_multiplex(set));
	for (int i = 0; i < n; i++) {
		char name[32];
		int err;

		snprintf(name, sizeof(name), "r%x0008", i);
		err = PAPI_add_named_event(set, name);
		CHECK(err == PAPI_OK, "%s gives %d: %s", name, err,
		      assay_error());
	}
	return set;
}

/* The same rate all the time. */
static double run_steady(int try)
{
	uint64_t n = 20000000 + 1000000 * (uint64_t)try;

	guest_loop(n);
	return 2.0 * (double)n;
}

/*
 * Bursts of instructions between work in the kernel, which takes time and
 * counts nothing here; of lengths that are not in step with the kernel's turns.
 */
static double run_bursts(int try)
{
	static char buffer[1 << 20];
	unsigned seed = 12345U + (unsigned)try;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	double total = 0;

	CHECK(zero >= 0, "no /dev/zero");
	for (int i = 0; i < 40; i++) {
		uint64_t n = 1000 + (uint64_t)rand_r(&seed) % 1000000;
		int kernel = rand_r(&seed) % 20;

		guest_loop(n);
		total += 2.0 * (double)n;
		while (kernel-- > 0)
			CHECK(read(zero, buffer, sizeof(buffer)) > 0, "read");
	}
	close(zero);
	return total;
}

struct tally {
	int values;
	int within_one; /* standard error */
	int within_two;
	int scaled;
	double worst;  /* relative error */
	double widest; /* relative error bar */
};

static void tally_values(struct tally *t, const struct assay_value *v, int n,
			 double truth)
{
	for (int i = 0; i < n; i++) {
		double off = fabs(v[i].value - truth);

		t->values++;
		t->scaled += v[i].quality == ASSAY_SCALED;
		t->within_one += off <= v[i].error;
		t->within_two += off <= 2 * v[i].error;
		t->worst = fmax(t->worst, off / truth);
		t->widest = fmax(t->widest, v[i].error / truth);
	}
}

static struct tally tally_runs(int n, double (*run)(int))
{
	struct assay_value v[EVENTS];
	struct tally t = { 0 };
	int set = multiplexed_set(n);

	for (int try = 0; try < TRIES; try++) {
		double truth;

		EXPECT(PAPI_OK, PAPI_start(set));
		truth = run(try);
		EXPECT(PAPI_OK, PAPI_stop(set, NULL));
		EXPECT(PAPI_OK, assay_read(set, v, n));
		tally_values(&t, v, n, truth);
	}
	printf("     %d events: %d values, %d scaled, worst %.2f %%, bar up to %.2f %%, %.1f %% within it, %.1f %% within two\n",
	       n, t.values, t.scaled, 100 * t.worst, 100 * t.widest,
	       100.0 * t.within_one / t.values,
	       100.0 * t.within_two / t.values);
	return t;
}

static void steady_estimates_are_covered(void)
{
	static const int sizes[] = { 8, 12, EVENTS };

	guest_init();
	for (size_t i = 0; i < 3; i++) {
		struct tally t = tally_runs(sizes[i], run_steady);

		CHECK(t.scaled == t.values, "only %d of %d are estimates",
		      t.scaled, t.values);
		CHECK(t.worst < 0.05, "off by %.1f %%", 100 * t.worst);
		CHECK(t.within_two >= 0.9 * t.values, "%d of %d covered",
		      t.within_two, t.values);
	}
}

static void estimates_of_bursts_are_covered(void)
{
	static const int sizes[] = { 8, EVENTS };

	guest_init();
	for (size_t i = 0; i < 2; i++) {
		struct tally t = tally_runs(sizes[i], run_bursts);

		CHECK(t.within_two >= 0.9 * t.values, "%d of %d covered",
		      t.within_two, t.values);
	}
}

static void few_events_are_not_scaled(void)
{
	struct tally t;

	guest_init();
	t = tally_runs(6, run_steady);
	CHECK(t.scaled == 0, "%d of %d are estimates", t.scaled, t.values);
	CHECK(t.worst < 0.001, "off by %.3f %%", 100 * t.worst);
	CHECK(t.widest == 0, "a bar of %.3f %%", 100 * t.widest);
}

const struct guest_test multiplex_tests[] = {
	{ "few events are not scaled", few_events_are_not_scaled, false },
	{ "steady estimates are covered", steady_estimates_are_covered, false },
	{ "estimates of bursts are covered", estimates_of_bursts_are_covered,
	  false },
	{ NULL, NULL, false },
};
