/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of one event, and what the page of all events shares with it. */
#pragma once

#include "classify/inside.h"

/* The part that holds a page for each event that could be counted. */
void classify_put_pages(const struct classified *d, struct html_report *page);

/* Each of these is to be freed; NULL if memory ran out. */

/* Events that are the same, by their short names. */
char *classify_list_equals(const struct classification *c, size_t event);
/* "loads that hit L1D, or loads that hit the DTLB". */
char *classify_counts_text(const struct classification *c,
			   const struct classify_event *e);
/* "BR_INST_RETIRED:COND - BR_INST_RETIRED:COND_NTAKEN" */
char *classify_recipe(const struct classification *c,
		      const struct classify_preset *p);
