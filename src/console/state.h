/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What verbs remember of this machine, in the user's state folder
 * (XDG_STATE_HOME, else ~/.local/state), for other verbs to look at.
 */
#ifndef CONSOLE_STATE_H
#define CONSOLE_STATE_H

#include "console/output.h"

/*
 * The path of the state file @name, to be freed. NULL if there is nowhere for
 * it, or no memory.
 */
char *state_path(const char *name);

/*
 * Let @write write @what into the state file @name, making folders as needed.
 * 0, or PAPI_ESYS: that it cannot be kept is no reason to fail.
 */
int state_write(const char *name, write_fn write, const void *what);

#endif /* CONSOLE_STATE_H */
