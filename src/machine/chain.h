/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of pointers through the lab's memory, in random order. */
#ifndef MACHINE_CHAIN_H
#define MACHINE_CHAIN_H

#include "machine/lab.h"

/* Where the stops of a chain are. */
struct chain {
	size_t n;       /* stops */
	size_t spacing; /* bytes from one to the next, as they lie */
	size_t rotate;  /* more bytes, modulo .within, for each ... */
	size_t within;
	size_t every; /* ... so many stops; 0: for each */
	/*
	 * Stops that are near each other are visited one after another, this
	 * many in a random order: fewer pages are in use at a time. 0: all.
	 */
	size_t block;
};

/* Pages, so far apart, that the lab's memory has room for. */
size_t chain_room(const struct lab *lab, size_t stride_pages);

/* Lay out and link the chain; the first stop, for loads_chase(). */
void *chain_make(struct lab *lab, const struct chain *chain);

/* Link the @n @stops into a ring, in random order; they are shuffled. */
void *chain_link(struct lab *lab, void **stops, size_t n);

/* The load that goes @passes times along a chain that begins at *@first. */
struct load chain_load(void **first, size_t n, double passes);

#endif /* MACHINE_CHAIN_H */
