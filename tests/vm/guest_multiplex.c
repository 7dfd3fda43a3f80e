/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More events than counters: the estimate has to be near the truth, and its
 * error bar has to cover it.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/guest.h"

#define EVENTS        24
#define TRIES         6
#define UNKNOWN_TRIES 8

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

static void print_tally(int n, const struct tally *t)
{
	printf("     %d events: %d values, %d scaled, worst %.2f %%, bar up to %.2f %%, %.1f %% within it, %.1f %% within two\n",
	       n, t->values, t->scaled, 100 * t->worst, 100 * t->widest,
	       100.0 * t->within_one / t->values,
	       100.0 * t->within_two / t->values);
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
	print_tally(n, &t);
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
		/* every start begins with the first events, so the last ones
		 * may be a turn short: up to 5.2 % with 24 of them */
		CHECK(t.worst < 0.07, "off by %.1f %%", 100 * t.worst);
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

/*
 * Counters that somebody else holds: instructions of user space, pinned. The
 * first is also the truth, where a program's own count is not known.
 */
struct others {
	int fds[4];
	int n;
};

static void occupy(struct others *o, int n)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = 8,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	for (o->n = 0; o->n < n; o->n++) {
		o->fds[o->n] = (int)syscall(SYS_perf_event_open, &attr, 0, -1,
					    -1, PERF_FLAG_FD_CLOEXEC);
		CHECK(o->fds[o->n] >= 0, "no counter to pin");
	}
}

static double truth_of(const struct others *o)
{
	uint64_t value = 0;

	CHECK(read(o->fds[0], &value, sizeof(value)) == sizeof(value),
	      "the pinned counter has an error");
	return (double)value;
}

static void leave(struct others *o)
{
	while (o->n > 0)
		close(o->fds[--o->n]);
}

/* The PMU has six counters, and somebody else has three of them. */
static void six_events_on_three_counters_are_covered(void)
{
	struct others others;
	struct tally t;

	guest_init();
	occupy(&others, 3);
	t = tally_runs(6, run_steady);
	CHECK(t.scaled == t.values, "only %d of %d are estimates", t.scaled,
	      t.values);
	CHECK(t.worst < 0.05, "off by %.1f %%", 100 * t.worst);
	CHECK(t.within_two >= 0.9 * t.values, "%d of %d covered", t.within_two,
	      t.values);
	t = tally_runs(6, run_bursts);
	CHECK(t.within_two >= 0.9 * t.values, "%d of %d covered", t.within_two,
	      t.values);
	leave(&others);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Sizes of which few are most of the work: 1 / u, at most @most. */
static size_t heavy_tailed(unsigned *seed, size_t most)
{
	size_t size = most * 40 / ((size_t)rand_r(seed) % most + 40);

	return size;
}

static void sort_some(unsigned *seed)
{
	static int numbers[20000];
	size_t n = heavy_tailed(seed, 20000);

	for (size_t i = 0; i < n; i++)
		numbers[i] = rand_r(seed);
	qsort(numbers, n, sizeof(*numbers), compare);
}

static void touch_some(unsigned *seed)
{
	size_t bytes = heavy_tailed(seed, 2000) * 4096;
	char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(area != MAP_FAILED, "mmap");
	for (size_t i = 0; i < bytes; i += 4096)
		*(volatile char *)(area + i) = 1;
	munmap(area, bytes);
}

static void send_some(unsigned *seed)
{
	static char buffer[4096];
	size_t n = heavy_tailed(seed, 1000);
	int ends[2];

	CHECK(!pipe(ends), "pipe");
	while (n-- > 0)
		CHECK(write(ends[1], buffer, sizeof(buffer)) > 0 &&
			      read(ends[0], buffer, sizeof(buffer)) > 0,
		      "pipe");
	close(ends[0]);
	close(ends[1]);
}

/*
 * A program that the error bar was not made for: it sorts, takes and returns
 * memory, and sends through a pipe, in any order, and few large pieces are
 * most of its work. What it is judged by is what a pinned counter says.
 */
static void run_unknown_program(unsigned seed)
{
	static void (*const parts[])(unsigned *) = { sort_some, touch_some,
						     send_some };

	for (int i = 0; i < 120; i++)
		parts[rand_r(&seed) % 3](&seed);
}

static struct tally tally_unknown(int n, int pinned)
{
	struct assay_value v[EVENTS];
	struct tally t = { 0 };
	struct others others;
	int set;

	occupy(&others, pinned);
	set = multiplexed_set(n);
	for (int try = 0; try < UNKNOWN_TRIES; try++) {
		double before, after;

		EXPECT(PAPI_OK, PAPI_start(set));
		before = truth_of(&others);
		run_unknown_program(777U * (unsigned)try + (unsigned)n);
		after = truth_of(&others);
		EXPECT(PAPI_OK, PAPI_stop(set, NULL));
		EXPECT(PAPI_OK, assay_read(set, v, n));
		tally_values(&t, v, n, after - before);
	}
	print_tally(n, &t);
	leave(&others);
	return t;
}

/*
 * Seen, with 6 events on 3 counters, 12 and 24 on 5: 69 to 73 % of the values
 * within one standard error, 87 to 90 % within two. More cannot be had: a turn
 * that missed the few large pieces does not know of them.
 */
static void an_unknown_program_is_covered(void)
{
	static const struct {
		int n, pinned;
	} rows[] = { { 6, 3 }, { 12, 1 } };

	guest_init();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally t = tally_unknown(rows[i].n, rows[i].pinned);

		CHECK(t.within_two >= 0.75 * t.values, "%d of %d covered",
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
	{ "six events on three counters are covered",
	  six_events_on_three_counters_are_covered, false },
	{ "an unknown program is covered", an_unknown_program_is_covered,
	  false },
	{ NULL, NULL, false },
};
