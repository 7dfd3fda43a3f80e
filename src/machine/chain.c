/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains are linked in place: no memory is needed but where they lie. */

#include "machine/lab.h"

/* Samples of this many steps are long enough to be timed, ... */
#define LEAST_STEPS 2048
/* ... and of this many short enough to escape most interruptions. */
#define MOST_STEPS 8192
/* A part of fewer passes may be a cheaper part of the ring. */
#define LEAST_PASSES 4

size_t chain_capacity(const struct lab *lab, size_t stride_pages)
{
	return lab->memory_bytes / lab->page_bytes / stride_pages - 1;
}

static void *stop_at(const struct lab *lab, const struct chain *c, size_t i)
{
	size_t at = i * c->spacing;

	if (c->within)
		at += i / (c->every ? c->every : 1) * c->rotate % c->within;
	return (char *)lab->memory + at;
}

/*
 * A ring of all stops in an order that is random within blocks, by Sattolo's
 * way: begin with each stop pointing to itself, and exchange what two point to.
 */
static void link_block(struct lab *lab, const struct chain *c, size_t from,
		       size_t to)
{
	for (size_t i = from; i < to; i++)
		*(void **)stop_at(lab, c, i) = stop_at(lab, c, i);
	for (size_t i = to - 1; i > from; i--) {
		void **a = stop_at(lab, c, i);
		void **b = stop_at(lab, c, from + lab_random(lab, i - from));
		void *kept = *a;

		*a = *b;
		*b = kept;
	}
}

/* Join two rings by exchanging one pointer of each. */
static void join(void **a, void **b)
{
	void *kept = *a;

	*a = *b;
	*b = kept;
}

void *chain_make(struct lab *lab, const struct chain *c)
{
	size_t block = c->block ? c->block : c->n;
	void **last = NULL;

	for (size_t from = 0; from < c->n; from += block) {
		size_t to = from + block < c->n ? from + block : c->n;

		link_block(lab, c, from, to);
		/* A ring that is joined behind the one before is visited
		 * whole before that goes on. */
		if (last)
			join(last, stop_at(lab, c, from));
		last = stop_at(lab, c, from);
	}
	return stop_at(lab, c, 0);
}

void *chain_link(struct lab *lab, void **stops, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = lab_random(lab, i);
		void *kept = stops[i - 1];

		stops[i - 1] = stops[j];
		stops[j] = kept;
	}
	for (size_t i = 0; i < n; i++)
		*(void **)stops[i] = stops[(i + 1) % n];
	return stops[0];
}

struct load chain_load(void **first, size_t n, double passes)
{
	double steps = passes * (double)n;
	uint64_t warm = (2 * n + LOAD_CHASE_STEPS - 1) / LOAD_CHASE_STEPS;
	uint64_t times;

	if (steps < LEAST_STEPS)
		steps = LEAST_STEPS;
	if (steps > MOST_STEPS)
		steps = MOST_STEPS;
	times = (uint64_t)steps / LOAD_CHASE_STEPS;
	return (struct load){
		.run = loads_chase,
		.arg = first,
		.times = times,
		.warm = warm,
		.operations = (double)(times * LOAD_CHASE_STEPS),
		.steady = steps >= (double)(LEAST_PASSES * n),
	};
}
