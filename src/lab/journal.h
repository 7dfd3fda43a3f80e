/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal of an experiment: a text file with a line for each unit that is
 * finished, so that an experiment that was interrupted can be taken up again.
 *
 *   assay-experiment 1 HASH     of all that the counts depend on
 *   u UNIT COUNT COUNT ... .    repeats one after the other; "-": none
 *   x UNIT SENTENCE .           could not be run
 *
 * A line is written with one call and ends with a dot: one that a kill has cut
 * short is known by its end, and cut off.
 */
#pragma once

#include <stdint.h>

#include "lab/experiment.h"

/*
 * A number for all that the counts of an experiment depend on: the program
 * that runs the kernels, the machine, the events, the units and repeats. A
 * journal with another number is another experiment's.
 */

/* @result: with its events and repeats. */
uint64_t experiment_hash(const struct experiment *experiment,
			 const struct experiment_result *result);

/* Of a file's bytes, on top of @hash; nothing if there is none. */
uint64_t journal_hash_file(uint64_t hash, const char *path);
uint64_t journal_hash_text(uint64_t hash, const char *text);

struct journal {
	int fd; /* -1: nobody wants one */
};

/*
 * Open the journal of @experiment, whose counts depend on what @hash stands
 * for, and take over what it holds: units that are in it are marked in @done.
 * 0, or an exit status after a message.
 */
int journal_open(struct journal *journal, const struct console *console,
		 const struct experiment *experiment, uint64_t hash,
		 struct experiment_result *result, bool *done);

/* Unit @unit of @result is finished. 0, or an errno. */
int journal_add(struct journal *journal, const struct experiment_result *result,
		size_t unit);
void journal_close(struct journal *journal);
