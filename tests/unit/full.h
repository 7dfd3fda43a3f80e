/* SPDX-License-Identifier: BSD-3-Clause */
/* A disk that is full, for tests of those who write. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tests/unit/testing.h"

/*
 * A stream into it: writing fails @at_once, or when the stream is flushed. The
 * test is skipped where there is no such device.
 */
static inline FILE *open_full(bool at_once)
{
	FILE *to = fopen("/dev/full", "w");

	if (!to)
		skip();
	if (at_once)
		setvbuf(to, NULL, _IONBF, 0);
	return to;
}
