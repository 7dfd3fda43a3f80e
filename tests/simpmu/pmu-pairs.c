/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every pair of events is counted together once. What runs in the simulator
 * depends on which parts of the model an event needs, so events are grouped by
 * that; sets of two groups cover all their pairs, with exactly the parts that
 * those pairs need. Counts that follow from the instructions alone must not
 * depend on the company; the others must be possible.
 */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <assay/assay.h>

#include "simpmu/model/tally.h"

#define HALF       32 /* of the most events that a set holds */
#define CLASSES    16
#define PART_PAGES 256u
#define IMPOSSIBLE 100000000LL

enum {
	PART_ARCH = 0
};

static const unsigned part_of[TALLY_COUNT] = {
#define X(name, text) [TALLY_##name] = PART_ARCH,
	ARCH_TALLIES(X)
#undef X
#define X(name, part, text) [TALLY_##name] = PART_##part,
		MODEL_TALLIES(X)
#undef X
};

#define T(weight, signal) TALLY_##signal + 1,

static const struct row {
	const char *name;
	int signals[16]; /* plus 1; 0 ends */
} rows[] = {
#define EVENT(name, counters, text, ...) { name, { __VA_ARGS__ } },
#include "simpmu/events.def"
#undef EVENT
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct {
	unsigned parts;
	size_t row[ROWS];
	size_t n;
} classes[CLASSES];

static size_t class_count;
static long long before[ROWS]; /* the first count of each, plus 1 */
static int wrong;
static char memory[1 << 16] __attribute__((aligned(4096)));

static unsigned parts_of(const struct row *row)
{
	unsigned parts = 0;

	for (const int *s = row->signals; *s; s++) {
		parts |= part_of[*s - 1];
		if (*s - 1 == TALLY_PAGE_TOUCH)
			parts |= PART_PAGES;
	}
	return parts;
}

static void classify(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		unsigned parts = parts_of(&rows[i]);
		size_t c = 0;

		while (c < class_count && classes[c].parts != parts)
			c++;
		if (c == class_count)
			classes[class_count++].parts = parts;
		classes[c].row[classes[c].n++] = i;
	}
}

/* Something of everything, often enough that the simulator inlines it. */
static void work(void)
{
	unsigned state = 1;

	memset(memory, 1, sizeof(memory));
	for (unsigned i = 0; i < 1200; i++) {
		char *at;

		state = state * 1103515245u + 12345u;
		at = &memory[state >> 16 & (sizeof(memory) - 8)];
		__builtin_prefetch(at);
		if (state >> 20 & 1)
			*at = (char)((double)i * 1.5);
		else
			__atomic_fetch_add((int *)((uintptr_t)at & ~3ull), 1,
					   __ATOMIC_RELAXED);
	}
}

static void check(size_t row, long long value)
{
	unsigned parts = parts_of(&rows[row]);

	if (!before[row])
		before[row] = value + 1;
	if (value < 0 || value > IMPOSSIBLE ||
	    (!parts && value + 1 != before[row])) {
		printf("%s is %lld, was %lld\n", rows[row].name, value,
		       before[row] - 1);
		wrong = 1;
	}
}

/* Count all of @row together. */
static void count(const size_t *row, size_t n)
{
	long long values[2 * HALF];
	int set = PAPI_NULL;

	PAPI_create_eventset(&set);
	for (size_t i = 0; i < n; i++) {
		char name[80];

		snprintf(name, sizeof(name), "sim::%s", rows[row[i]].name);
		if (PAPI_add_named_event(set, name)) {
			printf("cannot add %s: %s\n", name, assay_error());
			wrong = 1;
			return;
		}
	}
	if (PAPI_start(set) || (work(), PAPI_stop(set, values))) {
		printf("cannot count: %s\n", assay_error());
		wrong = 1;
		return;
	}
	for (size_t i = 0; i < n; i++)
		check(row[i], values[i]);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static size_t part_of_class(size_t c, size_t chunk, size_t *out)
{
	size_t n = 0;

	for (size_t i = chunk * HALF; i < classes[c].n && n < HALF; i++)
		out[n++] = classes[c].row[i];
	return n;
}

/* All pairs of chunk @x of class @a with all of class @b. */
static void count_with(size_t a, size_t x, size_t b)
{
	size_t row[2 * HALF];
	size_t n = part_of_class(a, x, row);

	for (size_t y = 0; y * HALF < classes[b].n; y++) {
		size_t more = 0;

		if (a == b && y < x)
			continue;
		if (a != b || x != y)
			more = part_of_class(b, y, row + n);
		count(row, n + more);
	}
}

int main(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	classify();
	work(); /* once, so that no call has to be bound any more */
	for (size_t a = 0; a < class_count; a++)
		for (size_t x = 0; x * HALF < classes[a].n; x++)
			for (size_t b = a; b < class_count; b++)
				count_with(a, x, b);
	printf("%zu events of %zu kinds\n", ROWS, class_count);
	return wrong;
}
