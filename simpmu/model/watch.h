/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watching lines of code: who knows that L1I has a line and the TLB its page
 * need not look again until one of them leaves. The watcher is told by a flag
 * that becomes false; it notes by itself when the line is used, and stores that
 * to both stamps before the next fetch that misses (model_fetch_slow()).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct core;

/* In the list of a slot; once that is empty or another's, it watches nothing.
 */
struct watch {
	struct watch *next;
	bool *holds;
	bool is_on;
};

struct fetch_watch {
	struct watch line, page;
	uint64_t *line_stamp, *page_stamp; /* valid while they are on */
};

/* Let fetches of @core be watched. False if there is no memory. */
bool watch_init(struct core *core);

/* Watch the line of @address and its page, if both are there, and set *@holds
 * to false when one of them leaves. False if one is not there. */
bool watch_fetch(struct core *core, uint64_t address, struct fetch_watch *w,
		 bool *holds);

/* End all watches of @core. */
void watch_end(struct core *core);
