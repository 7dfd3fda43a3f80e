/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/loading.h"

#include <stddef.h>

__attribute__((weak)) const char *loading_refused(void)
{
	return NULL;
}
