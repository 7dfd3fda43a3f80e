/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the journal of an experiment that goes on. What was taken from
 * it is within the experiment, and a unit can be added behind it.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "lab/journal.h"
#include "tests/fuzz/input.h"

#define UNITS  3
#define EVENTS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct console console = { .as = "fuzz", .quiet = true };
	struct experiment experiment = { .journal = input_path(data, size) };
	double counts[UNITS * EVENTS];
	char *reasons[UNITS] = { 0 };
	bool done[UNITS] = { 0 };
	struct experiment_result result = { .n_events = EVENTS,
					    .n_units = UNITS,
					    .repeats = 1,
					    .counts = counts,
					    .reasons = reasons };
	struct journal journal = { .fd = -1 };

	for (int i = 0; i < UNITS * EVENTS; i++)
		counts[i] = NAN;
	if (journal_open(&journal, &console, &experiment, 1, &result, done) ==
	    0) {
		assert(result.resumed <= UNITS);
		counts[0] = 1;
		assert(journal_add(&journal, &result, 0) == 0);
		journal_close(&journal);
	}
	for (int i = 0; i < UNITS; i++)
		free(reasons[i]);
	return 0;
}
