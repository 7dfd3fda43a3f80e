/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters and their vectors. Vectors are sparse: a block has some 15 of the
 * signals, so the terms of all lie in one pool, a word each.
 */
#include "simpmu/fast/count.h"

#include "simpmu/fast/keep/image.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"

#define MAX_TERMS   (64u << 20)
#define FEW_THREADS 16
#define LAST        4     /* counters that are not used, see next_used() */
#define SPARE       4096u /* counters, more than a few translations have */

_Static_assert(TALLY_ARCH_COUNT < 256, "a signal has eight bits of a term");

struct vector {
	uint32_t first; /* in the pool */
	uint32_t n;
};

static struct {
	struct vector *vectors;
	int32_t *terms; /* amount above the signal's eight bits */
	uint32_t n_terms, n;
	uint64_t ended[TALLY_ARCH_COUNT];
	uint64_t *gathered; /* executions, by count_gather() */
	bool are_huge;
} counters;

void count_init(void)
{
	counters.vectors = sys_memory(sizeof(struct vector) * MAX_COUNTERS);
	counters.terms = sys_memory(sizeof(int32_t) * MAX_TERMS);
	counters.gathered = sys_memory(sizeof(uint64_t) * MAX_COUNTERS);
	counters.n = 1;
}

void count_use_huge_pages(void)
{
	counters.are_huge = true;
	for (struct thread *t = threads; t; t = t->next)
		count_add_thread(t);
	sys_make_huge(counters.vectors, sizeof(struct vector) * MAX_COUNTERS);
}

void count_add_thread(struct thread *t)
{
	if (counters.are_huge && t->number <= FEW_THREADS)
		sys_make_huge(t, sizeof(*t));
}

uint32_t count_new(void)
{
	if (counters.n >= MAX_COUNTERS - LAST)
		host_give_up(125,
			     "out of counters: the program has too much "
			     "code for the fast engine%s",
			     "");
	return counters.n++;
}

void count_means(uint32_t c, const int32_t amount[TALLY_ARCH_COUNT])
{
	struct vector *v = &counters.vectors[c];

	if (counters.n_terms + TALLY_ARCH_COUNT > MAX_TERMS)
		host_give_up(125,
			     "out of counters: the program has too much "
			     "code for the fast engine%s",
			     "");
	v->first = counters.n_terms;
	for (int32_t s = 0; s < TALLY_ARCH_COUNT; s++)
		if (amount[s])
			counters.terms[counters.n_terms++] =
				(int32_t)((uint32_t)amount[s] << 8) | s;
	v->n = counters.n_terms - v->first;
}

uint32_t count_offset(uint32_t c)
{
	return (uint32_t)offsetof(struct thread, count) + 8 * c;
}

/* The next counter of @t from @c on that is not 0, below @n; else @n. There is
 * room behind the last one. */
static uint32_t next_used(const struct thread *t, uint32_t c, uint32_t n)
{
	const uint64_t *at = t->count + c, *end = t->count + n;

	while (at < end && !(at[0] | at[1] | at[2] | at[3]))
		at += 4;
	while (at < end && !*at)
		at++;
	return at < end ? (uint32_t)(at - t->count) : n;
}

static void add_terms(uint32_t c, uint64_t times, uint64_t *out)
{
	const struct vector *v = &counters.vectors[c];
	const int32_t *term = counters.terms + v->first;

	for (uint32_t i = 0; i < v->n; i++)
		out[term[i] & 255] += times * (uint64_t)(int64_t)(term[i] >> 8);
}

void count_gather(struct thread *t)
{
	uint32_t n = __atomic_load_n(&counters.n, __ATOMIC_ACQUIRE);

	for (uint32_t c = next_used(t, 1, n); c < n;
	     c = next_used(t, c + 1, n)) {
		uint64_t times = t->count[c];

		t->count[c] = 0;
		add_terms(c, times, (uint64_t *)t->adjust);
		__atomic_add_fetch(&counters.gathered[c], times,
				   __ATOMIC_RELAXED);
	}
}

bool count_has_room(void)
{
	return counters.n < MAX_COUNTERS - LAST - SPARE &&
	       counters.n_terms < MAX_TERMS - SPARE * TALLY_ARCH_COUNT;
}

void count_flush(void)
{
	for (struct thread *t = threads; t; t = t->next)
		for (uint32_t c = next_used(t, 1, counters.n); c < counters.n;
		     c = next_used(t, c + 1, counters.n)) {
			add_terms(c, t->count[c], t->flushed);
			t->count[c] = 0;
		}
	memset(counters.gathered, 0, sizeof(uint64_t) * counters.n);
	counters.n_terms = 0;
	counters.n = 1;
}

void count_keep(struct image *image)
{
	image_number(image, &counters.n, MAX_COUNTERS);
	image_number(image, &counters.n_terms, MAX_TERMS);
	if (!image->is_loading)
		for (uint32_t c = 1; c < counters.n; c++)
			counters.gathered[c] = count_executions(c);
	image_memory(image, counters.vectors,
		     sizeof(struct vector) * counters.n);
	image_memory(image, counters.terms, sizeof(int32_t) * counters.n_terms);
	image_memory(image, counters.gathered, sizeof(uint64_t) * counters.n);
}

void count_add(const struct thread *t, uint64_t out[TALLY_ARCH_COUNT])
{
	uint32_t n = __atomic_load_n(&counters.n, __ATOMIC_ACQUIRE);

	for (uint32_t c = next_used(t, 1, n); c < n; c = next_used(t, c + 1, n))
		add_terms(c, t->count[c], out);
	for (int s = 0; s < TALLY_ARCH_COUNT; s++)
		out[s] += (uint64_t)t->adjust[s] + t->flushed[s];
}

void count_keep_ended(const struct thread *t)
{
	count_add(t, counters.ended);
}

void count_add_ended(uint64_t out[TALLY_ARCH_COUNT])
{
	for (int s = 0; s < TALLY_ARCH_COUNT; s++)
		out[s] += counters.ended[s];
}

uint64_t count_executions(uint32_t c)
{
	uint64_t sum = counters.gathered[c];

	for (const struct thread *t = threads; t; t = t->next)
		sum += t->count[c];
	return sum;
}
