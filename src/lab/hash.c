/* SPDX-License-Identifier: BSD-3-Clause */
/* What the counts of an experiment depend on, as a hash (FNV-1a). */

#include "lab/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lab/process.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t journal_hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

uint64_t journal_hash_file(uint64_t hash, const char *path)
{
	struct diag diag;
	OWNED char *bytes = NULL;
	size_t n;

	if (path && !file_read(path, &bytes, &n, &diag))
		hash = hash_bytes(hash, bytes, n);
	return hash;
}

static uint64_t hash_program(const struct experiment *e, uint64_t hash)
{
	struct diag diag;
	OWNED char *path =
		e->worker ? strdup(e->worker) : process_find_program(&diag);

	return journal_hash_file(hash, path);
}

uint64_t experiment_hash(const struct experiment *e,
			 const struct experiment_result *result)
{
	const struct simulator_options *s = e->simulator;
	uint64_t hash = hash_program(e, HASH_START);

	hash = journal_hash_text(hash, s ? s->model : "machine");
	if (s) {
		hash = journal_hash_file(hash,
					 s->model); /* if it is a file's name */
		hash = journal_hash_text(hash, s->counters);
		hash = journal_hash_text(hash, s->blind);
		hash = journal_hash_text(hash, s->noise);
		hash = journal_hash_text(hash, s->seed);
	}
	for (size_t i = 0; i < result->n_events; i++)
		hash = journal_hash_text(hash, result->events[i].name);
	for (size_t i = 0; i < e->n_units; i++) {
		hash = journal_hash_text(hash, e->units[i].kernel->name);
		hash = hash_bytes(hash, &e->units[i].point,
				  sizeof(e->units[i].point));
		hash = hash_bytes(hash, &e->units[i].pattern,
				  sizeof(e->units[i].pattern));
		hash = hash_bytes(hash, &e->units[i].events,
				  sizeof(e->units[i].events));
	}
	return hash_bytes(hash, &result->repeats, sizeof(result->repeats));
}
