/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the best few of the names offered, by edit distance. */
#ifndef CONSOLE_NEAREST_H
#define CONSOLE_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX 3

struct nearest {
	const char *wanted;             /* borrowed */
	const char *names[NEAREST_MAX]; /* borrowed, best first */
	unsigned distances[NEAREST_MAX];
	size_t n;
	char text[160];
};

void nearest_init(struct nearest *near, const char *wanted);

/* Offer @name; it is kept if it is close enough and among the best. */
void nearest_add(struct nearest *near, const char *name);

/* "did you mean --a, --b or --c?", or NULL if nothing is close. */
const char *nearest_text(struct nearest *near, const char *prefix);

/* Insertions, deletions, replacements and swaps of neighbours between. */
unsigned edit_distance(const char *a, const char *b);

#endif /* CONSOLE_NEAREST_H */
