/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine written down as one text, so that it can be looked at elsewhere: a
 * line "-- PATH --" begins each file of capture.def that is there, and what
 * CPUID says comes last, as a file "cpuid". Tests unpack such a text below a
 * folder and use that as the root of /proc and /sys.
 */
#pragma once

#include <stdio.h>

#include "base/fs.h"

/* Write the machine below @fs to @to. 0, PAPI_ENOMEM or PAPI_ESYS. */
int capture_write(const struct fs *fs, FILE *to);
