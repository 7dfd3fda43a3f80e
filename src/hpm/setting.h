/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A name from the environment. A setuid program gets none, and a variable that
 * is empty counts as not set: no file has an empty name.
 */
#pragma once

#include <stdlib.h>

/* The value of @variable, or NULL. */
static inline const char *setting(const char *variable)
{
	const char *value = secure_getenv(variable);

	return value && *value ? value : NULL;
}
