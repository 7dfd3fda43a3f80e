/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks such a list, number by number. Which list is meant, and whether a CPU
 * is online, is left to the callers.
 */
#include "components/perf_event/cpus.h"

#include <stdlib.h>

/* Read a number or a range at the walk's place. */
static bool take_range(struct pe_cpus *walk)
{
	char *end;

	walk->next = walk->last = strtol(walk->at, &end, 10);
	if (end == walk->at || walk->next < 0)
		return false;
	if (*end == '-')
		walk->last = strtol(end + 1, &end, 10);
	walk->at = *end == ',' ? end + 1 : end;
	return walk->next <= walk->last;
}

bool pe_cpus_next(struct pe_cpus *walk, int *cpu)
{
	if (!walk->inside && !take_range(walk))
		return false;
	*cpu = (int)walk->next++;
	walk->inside = walk->next <= walk->last;
	return true;
}

bool pe_cpus_have(const char *list, int cpu)
{
	struct pe_cpus walk = { list, 0, 0, false };
	int each;

	while (pe_cpus_next(&walk, &each))
		if (each == cpu)
			return true;
	return false;
}
