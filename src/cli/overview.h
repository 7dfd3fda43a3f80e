/* SPDX-License-Identifier: BSD-3-Clause */
/* The command as a whole: its verbs, and what to say to one it lacks. */
#pragma once

#include <stdio.h>

/* Every verb with its line. */
void overview_write(FILE *to);

/* "assay: there is no verb 'cuont'; did you mean count?" */
void overview_unknown_verb(const char *as, const char *name);
