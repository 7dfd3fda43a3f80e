/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that look like one that was not found: few letters different, or the
 * same words in it. "tot_cyc" is near PAPI_TOT_CYC, "l1d misses" near
 * perf::L1-DCACHE-LOAD-MISSES.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

#include "event/events.h"

enum {
	LONGEST = 128
}; /* of a name, that is looked at */

/* A name as it is compared: small letters, words apart, no PMU before it. */
struct folded {
	char text[LONGEST + 1];
	size_t n;
};

static void fold(const char *name, struct folded *out)
{
	const char *colons;

	while ((colons = strstr(name, "::")) != NULL && colons[2])
		name = colons + 2 + (colons[2] == ':');
	if (ascii_is_same_n(name, "PAPI_", 5))
		name += 5;
	for (out->n = 0; name[out->n] && out->n < LONGEST; out->n++) {
		unsigned char c = (unsigned char)name[out->n];

		out->text[out->n] = isalnum(c) ? ascii_lower((char)c) : '_';
	}
	out->text[out->n] = '\0';
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to change, add, drop or swap (Damerau and Levenshtein). */
static size_t distance(const struct folded *a, const struct folded *b)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b->n; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= a->n; i++) {
		size_t *swap = before;

		now[0] = i;
		for (size_t j = 1; j <= b->n; j++) {
			char x = a->text[i - 1], y = b->text[j - 1];

			now[j] = least(last[j - 1] + (x != y),
				       least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == b->text[j - 2] &&
			    y == a->text[i - 2])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = swap;
	}
	return last[b->n];
}

/* Words of @a, and how many of them are in @b. */
static void count_words(const struct folded *a, const struct folded *b,
			size_t *words, size_t *shared)
{
	const char *s = a->text;

	*words = *shared = 0;
	while (*(s += strspn(s, "_"))) {
		size_t n = strcspn(s, "_");
		char word[LONGEST + 1];

		memcpy(word, s, n);
		word[n] = '\0';
		*words += 1;
		*shared += n > 1 && strstr(b->text, word) != NULL;
		s += n;
	}
}

/* 0 for the same name; above 1 for one that has nothing to do with it. */
static double unlikeness(const struct folded *wanted, const struct folded *name)
{
	size_t longer = wanted->n > name->n ? wanted->n : name->n;
	size_t words, shared;

	if (longer == 0)
		return 2;
	count_words(wanted, name, &words, &shared);
	return (double)distance(wanted, name) / (double)longer +
	       0.5 * (1 - (double)shared / (double)(words ? words : 1));
}

/* The best so far, best first. */
struct best {
	const struct folded *wanted;
	const char **names;
	double *unlike;
	int n, capacity;
};

static void consider(struct best *best, const char *name)
{
	struct folded folded;
	double unlike;
	int at;

	if (!name)
		return;
	fold(name, &folded);
	unlike = unlikeness(best->wanted, &folded);
	if (unlike > 0.9)
		return;
	for (at = best->n; at > 0 && best->unlike[at - 1] > unlike; at--)
		;
	if (at == best->capacity)
		return;
	if (best->n < best->capacity)
		best->n++;
	for (int i = best->n - 1; i > at; i--) {
		best->names[i] = best->names[i - 1];
		best->unlike[i] = best->unlike[i - 1];
	}
	best->names[at] = name;
	best->unlike[at] = unlike;
}

static void consider_all(struct events *e, struct best *best)
{
	int code = PRESET_CODE(0);

	for (int i = 0; i < PRESET_COUNT; i++)
		consider(best, preset_info[i].name);
	for (const struct preset_alias *a = preset_aliases; a->name; a++)
		consider(best, a->name);
	code = USER_CODE(0);
	for (int err = events_next(e, &code, PAPI_ENUM_FIRST, -1); !err;
	     err = events_next(e, &code, PAPI_ENUM_EVENTS, -1))
		consider(best, events_name(e, code));
	code = NATIVE_CODE(0, 0);
	for (int err = events_next(e, &code, PAPI_ENUM_FIRST, -1); !err;
	     err = events_next(e, &code, PAPI_ENUM_EVENTS, -1))
		consider(best, events_name(e, code));
}

int events_nearest(struct events *e, const char *name, const char **names,
		   int n)
{
	struct folded wanted;
	struct best best = { .wanted = &wanted, .names = names, .capacity = n };

	if (n <= 0)
		return 0;
	best.unlike = calloc((size_t)n, sizeof(*best.unlike));
	if (!best.unlike)
		return PAPI_ENOMEM;
	fold(name, &wanted);
	consider_all(e, &best);
	free(best.unlike);
	return best.n;
}
