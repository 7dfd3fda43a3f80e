/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A number for all that the counts of an experiment depend on: the program
 * that runs the kernels, the machine, the events, the units and repeats. A
 * journal with another number is another experiment's.
 */
#ifndef LAB_HASH_H
#define LAB_HASH_H

#include <stdint.h>

#include "lab/experiment.h"

/* @result: with its events and repeats. */
uint64_t experiment_hash(const struct experiment *experiment,
			 const struct experiment_result *result);

#endif /* LAB_HASH_H */
