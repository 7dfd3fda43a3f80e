/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The performance file of a task: docs/formats/performance-file.md. Written
 * without allocating, so that a dying program can do it.
 */
#pragma once

#include "hpm/state.h"

enum file_moment {
	FILE_CHECKPOINT, /* the program goes on */
	FILE_FINAL,
	FILE_DYING, /* perhaps in a signal handler: locks may be held for ever
		     */
};

/*
 * Write the file of @state. 0, or PAPI_ESYS with the old file untouched and
 * the sentence in state_error(), and on standard error if it was the last try.
 */
int file_write(struct hpm_state *state, enum file_moment moment);

/*
 * One line on standard error: what was counted is lost, and there is no file to
 * say so in.
 */
void file_complain(const char *sentence);

/*
 * The same as text, to be freed, and how long it is; NULL if it cannot be had,
 * with the sentence in state_error().
 */
char *file_text(struct hpm_state *state, size_t *size);

/* The name that the file has, or will have. */
void file_name(const struct hpm_state *state, char *path, size_t size);

/* Write it also when a signal that the program does not handle ends it. */
void file_write_on_signals(void);
