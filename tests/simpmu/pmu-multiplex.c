/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program in phases, counted for many events at once. Prints each event
 * with its value and its standard error. On unlimited counters this is the
 * truth; on few it is an estimate.
 */
#include <assay/assay.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
	"PAPI_TOT_INS", "PAPI_BR_CN",   "PAPI_BR_TKN",  "PAPI_BR_NTK",
	"PAPI_LD_INS",  "PAPI_SR_INS",  "PAPI_INT_INS", "PAPI_FP_INS",
	"PAPI_FAD_INS", "PAPI_FML_INS", "PAPI_BR_INS",  "PAPI_BR_UCN",
	"PAPI_LST_INS", "PAPI_FDV_INS",
};

#define EVENTS ((int)(sizeof(names) / sizeof(names[0])))

static volatile double real;
static volatile unsigned whole;
static unsigned table[4096];

static void floats(int n)
{
	for (int i = 0; i < n; i++)
		real = real * 1.0000001 + 0.5;
}

static void divides(int n)
{
	for (int i = 1; i < n; i++)
		real = real / (1.0 + i);
}

static void walks(int n)
{
	for (int i = 0; i < n; i++)
		table[(unsigned)i * 7 % 4096] += whole;
}

static void branches(int n)
{
	unsigned x = 12345;

	for (int i = 0; i < n; i++) {
		x = x * 1103515245 + 12345;
		if (x >> 20 & 1)
			whole++;
	}
}

static void work(unsigned seed)
{
	static void (*const phases[])(int) = { floats, divides, walks,
					       branches };

	for (int i = 0; i < 60; i++) {
		seed = seed * 1664525 + 1013904223;
		phases[seed >> 16 & 3]((int)(seed >> 18 & 8191) + 500);
	}
}

static int fail(const char *what, int code)
{
	printf("%s: %s\n", what, PAPI_strerror(code));
	return 1;
}

static int measure(unsigned seed)
{
	struct assay_value values[EVENTS];
	int set = PAPI_NULL, err;

	err = PAPI_create_eventset(&set);
	if (!err)
		err = PAPI_assign_eventset_component(
			set, PAPI_get_component_index("sim"));
	if (!err)
		err = PAPI_set_multiplex(set);
	for (int i = 0; !err && i < EVENTS; i++)
		err = PAPI_add_named_event(set, names[i]);
	if (err)
		return fail("add", err);
	PAPI_start(set);
	work(seed);
	PAPI_stop(set, NULL);
	err = assay_read(set, values, EVENTS);
	if (err)
		return fail("read", err);
	for (int i = 0; i < EVENTS; i++)
		printf("%u %s %.0f %.3f\n", seed, names[i], values[i].value,
		       values[i].error);
	PAPI_cleanup_eventset(set);
	return PAPI_destroy_eventset(&set);
}

int main(void)
{
	int err = PAPI_library_init(PAPI_VER_CURRENT);

	if (err != PAPI_VER_CURRENT)
		return fail("init", err);
	PAPI_multiplex_init();
	for (unsigned seed = 1; seed <= 10; seed++)
		if (measure(seed))
			return 1;
	return 0;
}
