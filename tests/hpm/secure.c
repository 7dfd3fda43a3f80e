/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A section and a region: what they leave is told by the environment, except in
 * a program with more rights than its user.
 */
#include <hpm.h>
#include <papi.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
	puts(getauxval(AT_SECURE) ? "secure" : "not secure");
	hpmInit(3, "secure");
	hpmStart(1, "section");
	hpmStop(1);
	hpmTerminate(3);
	if (PAPI_hl_region_begin("region") != PAPI_OK ||
	    PAPI_hl_region_end("region") != PAPI_OK)
		return 1;
	return 0;
}
