/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default: every program can load libraries. The static command replaces
 * this weak function, because it cannot.
 */
#include "base/loading.h"

#include <stddef.h>

__attribute__((weak)) const char *loading_refused(void)
{
	return NULL;
}
