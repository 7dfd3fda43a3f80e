/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts with PAPI's interface; any failure is an exit status. */
#include <papi.h>
#include <stdio.h>

#include <assay/assay.h>

int main(void)
{
	int set = PAPI_NULL;
	long long value = -1;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	if (PAPI_create_eventset(&set) ||
	    PAPI_add_named_event(set, "perf::TASK-CLOCK") || PAPI_start(set) ||
	    PAPI_stop(set, &value))
		return 2;
	printf("%s\n", value > 0 ? "counted" : "nothing");
	return value <= 0;
}
