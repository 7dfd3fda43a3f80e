/* SPDX-License-Identifier: BSD-3-Clause */
/* libdw as a part of the program: nothing is to be loaded. */
#define LIBDW_BY_NAME
#include "symbol/libdw.h"

#define CALL(name) .call_##name = name,
struct libdw libdw = { LIBDW_CALLS(CALL) };

bool libdw_load(void)
{
	return true;
}
