/* SPDX-License-Identifier: BSD-3-Clause */
/* What is missing in the sections of the process; see missing.h. */
#include "hpm/missing.h"

#include <stdio.h>
#include <string.h>

#include <assay/assay.h>

static struct hpm_missing count(void)
{
	struct hpm_missing now = { .killed = 0 };
	struct assay_simulation seen;

	if (assay_get_simulation(&seen))
		return now;
	now.killed = seen.killed;
	now.lost = seen.lost;
	for (int i = 0; i < ASSAY_ASIDE_KINDS; i++)
		now.aside += seen.aside[i];
	return now;
}

void missing_begin(struct hpm_missing *missing)
{
	*missing = count();
}

static void add(char *text, size_t room, unsigned before, unsigned now,
		const char *what)
{
	size_t used = strlen(text);

	if (now > before)
		snprintf(text + used, room - used, "%s%u %s", used ? "; " : "",
			 now - before, what);
}

void missing_look(struct hpm_missing *missing)
{
	struct hpm_missing now = count();

	add(now.text, sizeof(now.text), missing->aside, now.aside,
	    "program(s) below this one that cannot be simulated");
	add(now.text, sizeof(now.text), missing->killed, now.killed,
	    "killed process(es), since they last published their counts");
	add(now.text, sizeof(now.text), missing->lost, now.lost,
	    "process(es) for which there was no room");
	memcpy(missing->text, now.text, sizeof(now.text));
}
