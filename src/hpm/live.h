/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Section boundaries for who watches while the program runs (`assay live`),
 * which names the file of marks in the environment.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HPM_LIVE_VARIABLE "ASSAY_LIVE_MARKS"

/* The file of marks, opened at the first call; NULL: nobody watches. */
struct marks *live_marks(void);

void live_mark(struct marks *marks, uint64_t ns, int id, const char *label,
	       bool begins);
