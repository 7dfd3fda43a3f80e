/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefetch instructions: how many of each kind, exactly, and what the loads
 * behind them find. Addresses are made in all the ways there are, among them
 * registers that change in between, whose values the simulator's translator
 * would not keep.
 */
#include <papi.h>
#include <stdio.h>
#include <string.h>

#include <assay/assay.h>

#define LINES 256L
#define LINE  64

static char buffer[LINES * LINE] __attribute__((aligned(4096)));

static int wrong;

static void check(int good, const char *what, const char *event,
		  long long value)
{
	if (good)
		return;
	printf("%s: %s is %lld\n", what, event, value);
	wrong = 1;
}

/* ---- how many ---- */

static void some_of_each(void)
{
	long n = 1000;

	__asm__ volatile("1:	prefetcht0 (%[b])\n"
			 "	prefetcht0 64(%[b])\n"
			 "	prefetcht0 64(%[b],%[n])\n"
			 "	prefetcht1 (%[b])\n"
			 "	prefetcht2 (%[b])\n"
			 "	prefetchnta (%[b])\n"
			 "	prefetchnta (%[b])\n"
			 "	prefetchw (%[b])\n"
			 "	nopl (%[b])\n" /* of the same opcode row */
			 "	dec %[n]\n"
			 "	jnz 1b\n"
			 : [n] "+r"(n)
			 : [b] "r"(buffer)
			 : "cc", "memory");
}

static const struct {
	const char *name;
	long long value;
} counts[] = {
	{ "sim::SW_PREFETCH_ACCESS:ANY", 8000 },
	{ "sim::SW_PREFETCH_ACCESS:T0", 3000 },
	{ "sim::SW_PREFETCH_ACCESS:T1_T2", 2000 },
	{ "sim::SW_PREFETCH_ACCESS:NTA", 2000 },
	{ "sim::SW_PREFETCH_ACCESS:PREFETCHW", 1000 },
};

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static void check_counts(void)
{
	long long values[COUNTS];
	int set = PAPI_NULL;

	PAPI_create_eventset(&set);
	for (size_t i = 0; i < COUNTS; i++)
		if (PAPI_add_named_event(set, counts[i].name))
			check(0, "cannot add", counts[i].name, 0);
	PAPI_start(set);
	some_of_each();
	PAPI_stop(set, values);
	for (size_t i = 0; i < COUNTS; i++)
		check(values[i] == counts[i].value, "a loop", counts[i].name,
		      values[i]);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* ---- what loads find ---- */

static void by_base(void)
{
	for (long i = 0; i < LINES; i++)
		__asm__ volatile("prefetcht0 (%0)" : : "r"(buffer + i * LINE));
}

static void by_index(void)
{
	for (long i = 0; i < LINES; i++)
		__asm__ volatile("prefetcht0 -8(%0,%1,8)"
				 :
				 : "r"(buffer + 8), "r"(i * 8));
}

/* Four a block; all values of the register but the last are overwritten. */
static void by_changing(void)
{
	char *p = buffer;

	for (long i = 0; i < LINES; i += 4)
		__asm__ volatile("prefetchnta (%0)\n"
				 "add $64, %0\n"
				 "prefetchnta (%0)\n"
				 "add $64, %0\n"
				 "prefetchnta (%0)\n"
				 "lea 64(%0), %0\n"
				 "prefetchnta (%0)\n"
				 "add $64, %0\n"
				 : "+r"(p)
				 :
				 : "cc");
}

static void for_writing(void)
{
	for (long i = 0; i < LINES; i++)
		__asm__ volatile("prefetchw (%0)" : : "r"(buffer + i * LINE));
}

static void into_l2(void)
{
	for (long i = 0; i < LINES; i += 2)
		__asm__ volatile("prefetcht1 (%0)\n"
				 "prefetcht2 64(%0)\n"
				 :
				 : "r"(buffer + i * LINE));
}

static void of_nothing(void)
{
	for (long i = 0; i < LINES; i++)
		__asm__ volatile("prefetcht0 (%0)\n"
				 "prefetcht0 (%1)\n"
				 :
				 : "r"(0L), "r"(-64L));
}

/* One load a line and no other, from the last to the first. */
static void load_all(void)
{
	long n = LINES * LINE;

	__asm__ volatile("1:	movb -64(%[b],%[n]), %%al\n"
			 "	sub $64, %[n]\n"
			 "	jnz 1b\n"
			 : [n] "+r"(n)
			 : [b] "r"(buffer)
			 : "cc", "memory", "rax");
}

enum {
	L1_MISS,
	L2_MISS,
	FILLS,
	HITS,
	FINDS
};

static const char *const finds[FINDS] = { "PAPI_L1_LDM", "PAPI_L2_LDM",
					  "sim::SW_PREFETCH:L1D_FILL",
					  "sim::SW_PREFETCH:L1D_HIT" };

static const struct {
	const char *name;
	void (*prefetch)(void);
	int times;
	long long expect[FINDS];
} cases[] = {
	{ "by base", by_base, 1, { 0, 0, LINES, 0 } },
	{ "twice", by_base, 2, { 0, 0, LINES, LINES } },
	{ "by index", by_index, 1, { 0, 0, LINES, 0 } },
	{ "by changing registers", by_changing, 1, { 0, 0, LINES, 0 } },
	{ "for writing", for_writing, 1, { 0, 0, LINES, 0 } },
	{ "into L2", into_l2, 1, { LINES, 0, 0, 0 } },
	{ "of nothing", of_nothing, 1, { LINES, -1, 0, 0 } },
};

static void check_case(int set, size_t which)
{
	long long values[FINDS + 1]; /* and the one that stands beside */

	assay_make_cold();
	PAPI_start(set);
	for (int i = 0; i < cases[which].times; i++)
		cases[which].prefetch();
	load_all();
	PAPI_stop(set, values);
	for (int i = 0; i < FINDS; i++) {
		long long expect = cases[which].expect[i];

		/* the stack's own line may miss L1 */
		check(expect < 0 ||
			      (values[i] >= expect && values[i] <= expect + 4),
		      cases[which].name, finds[i], values[i]);
	}
}

static void check_cases(const char *with)
{
	int set = PAPI_NULL;

	PAPI_create_eventset(&set);
	for (int i = 0; i < FINDS; i++)
		if (PAPI_add_named_event(set, finds[i]))
			check(0, "cannot add", finds[i], 0);
	if (with && PAPI_add_named_event(set, with))
		check(0, "cannot add", with, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(set, i);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

int main(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	memset(buffer, 1, sizeof(buffer));
	check_counts();
	check_cases(NULL);
	check_cases("PAPI_TOT_CYC");
	return wrong;
}
