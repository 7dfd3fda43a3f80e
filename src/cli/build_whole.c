/* SPDX-License-Identifier: BSD-3-Clause */
/* The usual build: what the command needs lies beside it. */
#include "console/build.h"

#include <stddef.h>

const char *build_kind(void)
{
	return "";
}

const char *build_lacks(void)
{
	return NULL;
}

build_program *build_kernels(void)
{
	return NULL;
}
