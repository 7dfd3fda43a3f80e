/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which PAPI this library is. PAPI 7.1 has the layouts of 7.0, so compat/
 * builds it of the same objects and compiles only this file again.
 */
#include "papi/library.h"

#if ASSAY_PAPI_MINOR == 0
__attribute__((weak))
#endif
int library_version(void)
{
	return PAPI_VERSION;
}
