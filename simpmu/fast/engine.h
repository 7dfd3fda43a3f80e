/* SPDX-License-Identifier: BSD-3-Clause */
/* What of the seam to the PMU layer the engine itself uses. */
#pragma once

#include <stdbool.h>

/* An option of the engine's own; false if it is not known. */
bool engine_option(const char *arg);

/* Write all signals of the process, where an option asks for it. */
void engine_dump(void);

/* In the child of a fork: what is written begins here. */
void engine_note_fork(void);
