/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edit distance over short names (verbs, options, groups). Longer input is
 * compared by its first letters only: nobody mistypes a verb of 64 letters.
 */

#include "console/console.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned edit_distance(const char *a, const char *b)
{
	size_t na = strnlen(a, LONGEST);
	size_t nb = strnlen(b, LONGEST);
	unsigned d[3][LONGEST + 1]; /* rows i - 2, i - 1 and i, in turns */

	for (size_t j = 0; j <= nb; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *row = d[i % 3];
		unsigned *last = d[(i + 2) % 3];
		unsigned *before = d[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);

			row[j] = least(last[j - 1] + (x != y),
				       least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return d[na % 3][nb];
}

void nearest_init(struct nearest *near, const char *wanted)
{
	memset(near, 0, sizeof(*near));
	near->wanted = wanted;
}

/* A third of the letters may be wrong; a beginning is always close. */
static unsigned closeness(const char *wanted, const char *name)
{
	size_t n = strlen(wanted);

	if (n > 0 && strncmp(wanted, name, n) == 0)
		return 0;
	return edit_distance(wanted, name);
}

void nearest_add(struct nearest *near, const char *name)
{
	unsigned distance = closeness(near->wanted, name);
	size_t at = near->n;

	if (distance > strlen(near->wanted) / 3 + 1)
		return;
	while (at > 0 && near->distances[at - 1] > distance)
		at--;
	if (at == NEAREST_MAX)
		return;
	if (near->n < NEAREST_MAX)
		near->n++;
	for (size_t i = near->n - 1; i > at; i--) {
		near->names[i] = near->names[i - 1];
		near->distances[i] = near->distances[i - 1];
	}
	near->names[at] = name;
	near->distances[at] = distance;
}

const char *nearest_text(struct nearest *near, const char *prefix)
{
	size_t used = 0;

	if (near->n == 0)
		return NULL;
	for (size_t i = 0; i < near->n && used < sizeof(near->text); i++) {
		const char *join = i == 0            ? "did you mean "
				   : i + 1 < near->n ? ", "
						     : " or ";

		used += (size_t)snprintf(near->text + used,
					 sizeof(near->text) - used, "%s%s%s",
					 join, prefix, near->names[i]);
	}
	if (used < sizeof(near->text))
		snprintf(near->text + used, sizeof(near->text) - used, "?");
	return near->text;
}
