/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The example file of the 2011 paper through PAPI's calls, on the simulated
 * PMU: both events against what the raw events in the same set give by hand.
 *
 *     figure1 environment          the file is in PAPI_USER_EVENTS_FILE
 *     figure1 option FILE          it is given to PAPI_set_opt()
 *     figure1 few                  too few counters, then multiplexed
 *     figure1 known                just says whether Branch_cat is known
 */
#include <assay/assay.h>
#include <math.h>
#include <papi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* In the order of the set. */
enum {
	BR_INS,
	BR_MSP,
	TOT_INS,
	L1_DCA,
	L2_DCA,
	L2_DCM,
	BRANCH_CAT,
	MEM_CAT,
	EVENTS
};

static const char *const names[EVENTS] = {
	"PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_TOT_INS", "PAPI_L1_DCA",
	"PAPI_L2_DCA", "PAPI_L2_DCM", "Branch_cat",   "Mem_cat",
};

static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

static void need(int err, const char *what)
{
	if (err != PAPI_OK)
		fail("%s: %s (%s)", what, PAPI_strerror(err), assay_error());
}

/* Branches that nobody foresees, and memory beyond the caches' first level. */
static unsigned work(unsigned rounds)
{
	enum {
		WORDS = 1 << 19
	};
	static unsigned table[WORDS];
	unsigned x = 2463534242u, n = 0;

	for (unsigned i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (x & 1u << 20) {
			n++;
			__asm__ volatile("" : "+r"(n));
		}
		table[x % WORDS] += n;
	}
	return n;
}

static int new_set(bool multiplexed)
{
	int set = PAPI_NULL;

	need(PAPI_create_eventset(&set), "create");
	if (multiplexed) {
		need(PAPI_multiplex_init(), "multiplex_init");
		need(PAPI_assign_eventset_component(
			     set, PAPI_get_component_index("sim")),
		     "assign");
		need(PAPI_set_multiplex(set), "set_multiplex");
	}
	return set;
}

/* As the paper writes it: the name's code, then PAPI_add_event(). */
static int add(int set, const char *name)
{
	int code = 0;

	need(PAPI_event_name_to_code(name, &code), name);
	return PAPI_add_event(set, code);
}

static void check(const char *what, double got, double want, double tolerance)
{
	printf("%s: %.6f, by hand %.6f\n", what, got, want);
	if (!(fabs(got - want) <= tolerance))
		exit(1);
}

static void measure(int set, unsigned rounds, long long *counts,
		    struct assay_value *values)
{
	for (int i = 0; i < EVENTS; i++)
		need(add(set, names[i]), names[i]);
	need(PAPI_start(set), "start");
	work(rounds);
	need(PAPI_stop(set, counts), "stop");
	need(assay_read(set, values, EVENTS), "assay_read");
}

static double branch_cat(const long long *c)
{
	return (5.0 * (double)c[BR_INS] + 45.0 * (double)c[BR_MSP]) /
	       (double)c[TOT_INS];
}

static double mem_cat(const long long *c)
{
	return 3.0 * (double)c[L1_DCA] + 13.0 * (double)c[L2_DCA] +
	       450.0 * (double)c[L2_DCM];
}

static void test_values(void)
{
	struct assay_value values[EVENTS];
	long long counts[EVENTS];

	measure(new_set(false), 20000, counts, values);
	for (int i = 0; i < EVENTS; i++)
		printf("%s %lld\n", names[i], counts[i]);
	if (counts[BR_MSP] < 5000 || counts[L2_DCM] < 5000)
		fail("the work has too few misses to tell anything");
	check("Branch_cat as a double", values[BRANCH_CAT].value,
	      branch_cat(counts), 1e-9);
	check("Branch_cat through PAPI", (double)counts[BRANCH_CAT],
	      round(branch_cat(counts)), 0);
	check("Mem_cat as a double", values[MEM_CAT].value, mem_cat(counts),
	      0.5);
	check("Mem_cat through PAPI", (double)counts[MEM_CAT], mem_cat(counts),
	      0);
	check("its error", values[MEM_CAT].error, 0, 0);
}

/* One alone has three events; two counters do not do. */
static void test_refusal(void)
{
	int set = new_set(false);
	int err = add(set, "Mem_cat");

	if (err == PAPI_OK)
		fail("Mem_cat was added to a set that cannot count it");
	printf("Mem_cat is refused: %s\n", PAPI_strerror(err));
	err = add(set, "Branch_cat");
	if (err == PAPI_OK)
		fail("Branch_cat was added to a set that cannot count it");
	if (PAPI_num_events(set) != 0)
		fail("something of it stayed in the set");
}

static void test_multiplexed(void)
{
	struct assay_value v[EVENTS];
	long long counts[EVENTS];
	double error;

	measure(new_set(true), 400000, counts, v);
	if (v[MEM_CAT].quality != ASSAY_SCALED ||
	    v[BRANCH_CAT].quality != ASSAY_SCALED)
		fail("multiplexed values are not called scaled");
	check("Mem_cat of the estimates", v[MEM_CAT].value,
	      3 * v[L1_DCA].value + 13 * v[L2_DCA].value +
		      450 * v[L2_DCM].value,
	      1e-6 * v[MEM_CAT].value);
	error = sqrt(pow(3 * v[L1_DCA].error, 2) +
		     pow(13 * v[L2_DCA].error, 2) +
		     pow(450 * v[L2_DCM].error, 2));
	check("error of Mem_cat", v[MEM_CAT].error, error, 1e-6 * error);
	if (!(error > 0))
		fail("an estimate without an error");
	/* of a quotient, to first order: the parts by their shares */
	error = sqrt(pow(5 * v[BR_INS].error, 2) +
		     pow(45 * v[BR_MSP].error, 2) +
		     pow(v[BRANCH_CAT].value * v[TOT_INS].error, 2)) /
		v[TOT_INS].value;
	check("error of Branch_cat", v[BRANCH_CAT].error, error, 0.02 * error);
}

static int is_known(void)
{
	int code;

	if (!getauxval(AT_SECURE))
		puts("not secure");
	puts(PAPI_event_name_to_code("Branch_cat", &code) == PAPI_OK
		     ? "known"
		     : "unknown");
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	PAPI_option_t option = { 0 };
	int code;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		fail("init: %s", assay_error());
	if (strcmp(how, "known") == 0)
		return is_known();
	if (strcmp(how, "option") == 0 && argc == 3) {
		if (PAPI_event_name_to_code("Mem_cat", &code) == PAPI_OK)
			fail("Mem_cat is there before its file");
		option.events_file = argv[2];
		need(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option), "set_opt");
	}
	if (strcmp(how, "few") == 0) {
		test_refusal();
		test_multiplexed();
	} else {
		test_values();
	}
	return 0;
}
