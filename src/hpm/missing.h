/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children that the simulated PMU could not count, and that are missing in the
 * sections of the process.
 */
#pragma once

#include <stdbool.h>

struct hpm_missing {
	unsigned killed, lost, aside; /* before the first section */
	char text[200];               /* what is missing; "": nothing */
};

/* Called before the first section: what is missing by then belongs to no
 * section. */
void missing_begin(struct hpm_missing *missing);

/* See what is missing by now. */
void missing_look(struct hpm_missing *missing);
