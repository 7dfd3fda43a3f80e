/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that look things up: a hash join, a walk of a tree, a parser of
 * JSON, a matcher of patterns, updates at random places.
 */
#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

/* ---- hash join ---- */

#define JOIN_BITS 17u
#define JOIN_SIZE (1u << JOIN_BITS)
#define JOIN_KEYS (JOIN_SIZE / 2)

static uint64_t *slots_of(const struct workload_run *run)
{
	return (uint64_t *)(void *)run->memory;
}

static size_t slot_of(uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >>
			(64 - JOIN_BITS));
}

static void make_join(struct workload_run *run)
{
	uint64_t *slot = slots_of(run);
	uint64_t *probe = slot + JOIN_SIZE, state = 7;

	for (uint64_t k = 1; k <= JOIN_KEYS; k++) {
		size_t at = slot_of(3 * k);

		while (slot[at])
			at = (at + 1) % JOIN_SIZE;
		slot[at] = 3 * k;
	}
	for (size_t i = 0; i < JOIN_SIZE; i++)
		probe[i] = workload_random(&state) % (6 * JOIN_KEYS) + 1;
}

static void join(struct workload_run *run)
{
	const uint64_t *slot = slots_of(run), *probe = slot + JOIN_SIZE;
	uint64_t found = 0;

	for (size_t i = 0; i < JOIN_SIZE; i++) {
		size_t at = slot_of(probe[i]);

		while (slot[at] && slot[at] != probe[i])
			at = (at + 1) % JOIN_SIZE;
		found += slot[at] != 0;
	}
	run->result += found;
}

/* ---- a binary tree, built from keys in random order ---- */

#define TREE_NODES 60000u
#define TREE_LOOKS 30000u

struct node {
	struct node *child[2];
	uint64_t key;
	uint64_t unused;
};

static void make_tree(struct workload_run *run)
{
	struct node *nodes = (struct node *)(void *)run->memory;
	uint64_t state = 3;

	for (size_t i = 0; i < TREE_NODES; i++) {
		struct node *at = nodes;

		nodes[i].key = workload_random(&state);
		while (i > 0) {
			struct node **next = &at->child[nodes[i].key > at->key];

			if (!*next) {
				*next = &nodes[i];
				break;
			}
			at = *next;
		}
	}
}

static void walk_tree(struct workload_run *run)
{
	const struct node *root = (const struct node *)(void *)run->memory;
	uint64_t state = 11, steps = 0;

	for (size_t i = 0; i < TREE_LOOKS; i++) {
		uint64_t key = workload_random(&state);

		for (const struct node *at = root; at && at->key != key;
		     at = at->child[key > at->key])
			steps++;
	}
	run->result += steps;
}

/* ---- a parser of JSON ---- */

#define JSON_ROWS 6000u

static void make_json(struct workload_run *run)
{
	char *at = run->memory, *end = run->memory + run->bytes;
	uint64_t state = 5;

	*at++ = '[';
	for (size_t i = 0; i < JSON_ROWS; i++)
		at += snprintf(
			at, (size_t)(end - at),
			"%s{\"id\": %zu, \"name\": \"user %llu\", "
			"\"score\": %llu.%llu, \"tags\": [true, null]}",
			i ? ", " : "", i,
			(unsigned long long)workload_random(&state),
			(unsigned long long)workload_random(&state) % 1000,
			(unsigned long long)workload_random(&state) % 100);
	snprintf(at, (size_t)(end - at), "]");
}

struct parsed {
	const char *at;
	uint64_t values, sum;
};

static void skip_blanks(struct parsed *p)
{
	while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
		p->at++;
}

static void parse_string(struct parsed *p)
{
	for (p->at++; *p->at && *p->at != '"'; p->at++)
		p->sum += (unsigned char)*p->at;
	p->at++;
}

static void parse_number(struct parsed *p)
{
	uint64_t value = 0;

	for (; (*p->at >= '0' && *p->at <= '9') || *p->at == '.'; p->at++)
		if (*p->at != '.')
			value = value * 10 + (uint64_t)(*p->at - '0');
	p->sum += value;
}

static void parse_value(struct parsed *p);

static void parse_list(struct parsed *p, char end, int keys)
{
	p->at++;
	skip_blanks(p);
	while (*p->at && *p->at != end) {
		if (keys) {
			parse_string(p);
			skip_blanks(p);
			p->at++; /* : */
		}
		parse_value(p);
		skip_blanks(p);
		if (*p->at == ',')
			p->at++;
		skip_blanks(p);
	}
	p->at++;
}

static void parse_value(struct parsed *p)
{
	skip_blanks(p);
	p->values++;
	switch (*p->at) {
	case '{':
		parse_list(p, '}', 1);
		break;
	case '[':
		parse_list(p, ']', 0);
		break;
	case '"':
		parse_string(p);
		break;
	case 't':
	case 'n':
		p->at += 4;
		break;
	case 'f':
		p->at += 5;
		break;
	default:
		parse_number(p);
	}
}

static void parse_json(struct workload_run *run)
{
	struct parsed p = { .at = run->memory };

	parse_value(&p);
	run->result += p.values + p.sum;
}

/* ---- a matcher of patterns, by going back ---- */

static int matches_here(const char *pattern, const char *text);

static int matches_many(char c, const char *pattern, const char *text)
{
	do {
		if (matches_here(pattern, text))
			return 1;
	} while (*text && (*text++ == c || c == '.'));
	return 0;
}

static int matches_here(const char *pattern, const char *text)
{
	for (;;) {
		if (!*pattern)
			return 1;
		if (pattern[1] == '*')
			return matches_many(pattern[0], pattern + 2, text);
		if (!*text || (*pattern != '.' && *pattern != *text))
			return 0;
		pattern++;
		text++;
	}
}

#define LINES      2000u
#define LINE_BYTES 64u

static void make_lines(struct workload_run *run)
{
	uint64_t state = 9;

	for (size_t i = 0; i < LINES; i++)
		snprintf(run->memory + i * LINE_BYTES, LINE_BYTES,
			 "%llu GET /item/%llu 200 %llu abc",
			 (unsigned long long)workload_random(&state) % 100000,
			 (unsigned long long)workload_random(&state) % 1000,
			 (unsigned long long)workload_random(&state) % 5000);
}

static void match(struct workload_run *run)
{
	static const char *const patterns[] = { "item/1.*7 200", "3*4.*00 ab",
						"GET .*99 " };

	for (size_t i = 0; i < LINES * 3; i++) {
		const char *text = run->memory + i % LINES * LINE_BYTES;

		for (; *text; text++)
			if (matches_here(patterns[i / LINES], text)) {
				run->result++;
				break;
			}
	}
}

/* ---- updates at random places ---- */

static void update(struct workload_run *run)
{
	uint64_t *table = (uint64_t *)(void *)run->memory;
	uint64_t mask = run->bytes / sizeof(*table) - 1;
	uint64_t state = run->result + 1;

	for (uint64_t i = run->workload->times; i > 0; i--) {
		uint64_t r = workload_random(&state);

		table[r & mask] ^= r;
	}
	run->result = state;
}

#define PROGRAM(name_, text_, bytes_, times_, prepare_, run_)                  \
	{                                                                      \
		.name = name_, .text = text_, .kind = WORKLOAD_PROGRAM,        \
		.bytes = bytes_, .times = times_, .prepare = prepare_,         \
		.run = run_                                                    \
	}

static const struct workload rows[] = {
	PROGRAM("hash-join", "131,072 look-ups in a table of 1 MB",
		2 * JOIN_SIZE * sizeof(uint64_t), 1, make_join, join),
	PROGRAM("tree", "30,000 look-ups in a tree of 60,000 nodes",
		TREE_NODES * sizeof(struct node), 1, make_tree, walk_tree),
	PROGRAM("json", "a parser on 500 KB of JSON", JSON_ROWS * 120, 1,
		make_json, parse_json),
	PROGRAM("regex", "three patterns on 2,000 lines", LINES *LINE_BYTES, 1,
		make_lines, match),
	PROGRAM("random", "updates at random places of 128 MB",
		(size_t)128 << 20, 200000, NULL, update),
};

const struct workload_table workload_search = WORKLOAD_TABLE(rows);
