/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own events, which need no table of any CPU. */
#pragma once

#include "components/perf_event/event.h"

/*
 * The event that perf and libpfm4 call @name ("page-faults",
 * "perf::PAGE-FAULTS", "PERF_COUNT_SW_PAGE_FAULTS"), in any case and without
 * modifiers; its place in the table in *@row. False if there is none.
 */
bool pe_generic_find(const char *name, size_t length, struct pe_event *out,
		     size_t *row);

/* The event of row @row, which there is. */
struct pe_event pe_generic_event(size_t row);

/* What a filter for privilege levels does to software event @config. */
enum pe_side pe_generic_side(uint64_t config);

/* Room for the words that pe_generic_naming() makes. */
struct pe_words {
	char name[64];
	char text[96];
};

/* Name as listed, text and unit of row @row; name NULL behind the last. */
struct pe_naming pe_generic_naming(size_t row, struct pe_words *words);
