/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rests on what: a constant whose measurement used another that is in
 * doubt is in doubt, too, however clear its own curve was.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdio.h>

#include "base/array.h"

/* In the order of measurement, so that doubt goes all the way. */
static const struct {
	const char *name, *on;
} rests[] = {
	{ "L1D_sets", "line_bytes" },
	{ "L1D_bytes", "line_bytes" },
	{ "DTLB_entries", "L1D_bytes" },
	{ "DTLB_ways", "DTLB_entries" },
	{ "DTLB_sets", "DTLB_ways" },
	{ "page_bytes", "DTLB_entries" },
	{ "STLB_entries", "DTLB_ways" },
	{ "STLB_ways", "DTLB_ways" },
	{ "STLB_sets", "STLB_entries" },
	{ "STLB_sets", "STLB_ways" },
	{ "STLB_lat", "DTLB_ways" },
	{ "STLB_lat", "L1_lat" },
	{ "TLB_data_lat", "DTLB_ways" },
	{ "TLB_data_lat", "L1_lat" },
	{ "L2_lat", "L1D_bytes" },
	{ "L2_ways", "L1D_bytes" },
	{ "L2_sets", "L2_ways" },
	{ "L2_sets", "line_bytes" },
	{ "L2_bytes", "L2_sets" },
	{ "L1I_bytes", "line_bytes" },
	{ "L1I_ways", "L1I_bytes" },
	{ "L1I_sets", "L1I_bytes" },
	{ "L3_lat", "L2_ways" },
	{ "L3_lat", "STLB_entries" },
	{ "L3_bytes", "L3_lat" },
	{ "L3_bytes", "STLB_entries" },
	{ "L1_read", "L1D_bytes" },
	{ "L1_write", "L1D_bytes" },
	{ "L1_copy", "L1D_bytes" },
	{ "L2_read", "L2_bytes" },
	{ "L2_write", "L2_bytes" },
	{ "L2_copy", "L2_bytes" },
	{ "L3_read", "L3_bytes" },
	{ "L3_write", "L3_bytes" },
	{ "L3_copy", "L3_bytes" },
	{ "Mem_min", "line_bytes" },
	{ "bytes_one_miss_at_a_time", "line_bytes" },
};

void parts_spread_doubt(struct machine *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(rests); i++) {
		struct machine_constant *c =
			(struct machine_constant *)machine_find(m,
								rests[i].name);
		const struct machine_constant *on =
			machine_find(m, rests[i].on);
		char reason[96];

		if (!c || !c->stable || !on || on->stable)
			continue;
		snprintf(reason, sizeof(reason),
			 "%s, from which it is "
			 "derived, is %s",
			 rests[i].on,
			 isnan(on->value) ? "not known" : "not certain");
		machine_doubt(m, c, reason);
	}
}
