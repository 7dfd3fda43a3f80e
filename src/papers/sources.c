/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in a paper each check's expectation stands, and what it says there:
 * the number or the shape that the check compares with, in our words. Of the
 * texts that this was read from one has page breaks, that of 2011: its pages
 * are counted from 1, by the breaks of that text. The others have sections,
 * tables and figures only.
 */
#include <string.h>

#include "base/array.h"
#include "papers/papers.h"

static const struct {
	const char *paper, *item, *source;
} sources[] = {
	/* 2000 */
	{ "papi", "Appendix",
	  "appendix: the table of the standard events' names" },
	{ "papi", "Table 1",
	  "section 2, Table 1: L1 2 or 3 cycles, L2 8 to 10, memory 75 to 250; "
	  "each level takes several times as long as the one before" },
	{ "papi", "Section 2, hit rates",
	  "section 2: the formulas of the L1 and L2 hit rates; 0.95 or more is "
	  "good" },
	{ "papi", "Section 2, issued and completed",
	  "section 2: mispredictions make more instructions issue than "
	  "complete" },
	{ "papi", "Section 2, TLB thrashing",
	  "section 2: data spread over too many pages makes many PAPI_TLB_DM" },
	{ "papi", "Figure 2",
	  "section 5.1, Figure 2: a trace of floating-point operations a second "
	  "tells phases of a program apart" },
	{ "papi", "Figure 3",
	  "section 5.1, Figure 3: the same for the L1 hit rate; section 2: "
	  "0.95 is the limit" },
	{ "papi", "Section 3.3",
	  "section 3.3: an EventSet with more events than the counters hold is "
	  "refused" },
	{ "papi", "Section 3.4",
	  "section 3.4: estimates of multiplexed events need runs that are "
	  "long enough" },
	{ "papi", "Sections 3.5 and 3.6",
	  "sections 3.5 and 3.6: a handler is called whenever the threshold is "
	  "exceeded; PAPI_profil() makes a histogram of the same" },
	{ "papi", "Figure 4",
	  "section 5.1, Figure 4: overflows show the line of code that causes "
	  "them" },
	/* 2001 */
	{ "hpm", "Table 1",
	  "section 3.1, Table 1: the derived metrics' "
	  "formulas" },
	{ "hpm", "Section 4.2",
	  "section 4.2: metrics below their threshold are red, above it green" },
	{ "hpm", "Table 2",
	  "section 3.2, Table 2: counting costs 285 cycles, 234 instructions, "
	  "40 stores, 69 loads, 93 fixed-point operations" },
	{ "hpm", "Table 3",
	  "section 3.2, Table 3: standard deviations of 1000 pairs of calls: "
	  "15.27 cycles, 1.216 instruction, 0.077 load and 0.150 TLB misses" },
	{ "hpm", "Section 3.2, compensation",
	  "section 3.2: what one pair of calls costs is measured and "
	  "subtracted" },
	/* 2005 */
	{ "microbenchmarks", "Table 1",
	  "section 1, Table 1: the Pentium III has 2 counters" },
	{ "microbenchmarks", "Table 2",
	  "section 2 and Table 2: 14 events, 1 to 1,000,000 occurrences, "
	  "reported against predicted" },
	{ "microbenchmarks", "Table 3",
	  "section 5, Table 3: which of the events were studied on each "
	  "platform" },
	{ "microbenchmarks", "Figure 3 on p3",
	  "section 4.1, Figure 3: a loop of ten is mispredicted once each time "
	  "it ends" },
	{ "microbenchmarks", "Figure 3 on icx and hsw-ep",
	  "section 4.1: predictors with a longer history predict the end of "
	  "the loop" },
	{ "microbenchmarks", "Figure 3 corrected",
	  "section 4.1: reported within 1 % of predicted" },
	{ "microbenchmarks", "Section 4.2, L1",
	  "section 4.2: instruction cache misses as predicted" },
	{ "microbenchmarks", "Section 4.2, L2",
	  "section 4.2: the same for the second level" },
	{ "microbenchmarks", "Section 4.3",
	  "section 4.3: cycles within 1 % of predicted" },
	{ "microbenchmarks", "Section 4.4",
	  "section 4.4: floating-point instructions within 1 % of predicted" },
	{ "microbenchmarks", "Section 4.4, mixes",
	  "section 4.4: combinations of add, multiply and divide, predicted "
	  "from the object code, within 1 %" },
	{ "microbenchmarks", "Figure 7",
	  "section 4.4, Figure 7: nine single-precision multiplications, "
	  "of which five are counted" },
	{ "microbenchmarks", "Section 4.5",
	  "section 4.5: square roots match the prediction" },
	{ "microbenchmarks", "Section 4.6, issued",
	  "section 4.6: less than 1 % between predicted and reported" },
	{ "microbenchmarks", "Section 4.6, completed",
	  "section 4.6: less than 1 % between predicted and reported" },
	{ "microbenchmarks", "Figure 2, ways of reading",
	  "section 2, Figure 2: counters are started before the code and "
	  "stopped after it" },
	/* 2018 */
	{ "counter-inspection", "Figures 1, 2 and 5",
	  "section 2: 2, 2.5 and 2 conditional branches executed per "
	  "iteration, 2 retired in all three; mispredicted: none, 0.5 and "
	  "0.5" },
	{ "counter-inspection", "Figures 6 to 8",
	  "section 3.1: at -O0 one of the two blocks of an if with an else "
	  "ends with an unconditional jump; at -O3 there is none" },
	{ "counter-inspection", "Table 1",
	  "section 5, Table 1: five categories of events over seven kernels" },
	{ "counter-inspection", "Table 1, clang",
	  "section 5, Table 1: the same, whatever the compiler" },
	{ "counter-inspection", "Section 3.4",
	  "section 3.4: Pearson's coefficient cannot tell categories apart" },
	{ "counter-inspection", "Equation 1",
	  "section 5, Equation 1: the goodness of an event for a category" },
	{ "counter-inspection", "Figure 10",
	  "section 3.2, Figure 10: above the curve 2 (K - 1) / K + 3 / K, and "
	  "2.5 at K = 2" },
	{ "counter-inspection", "Figure 12",
	  "section 4, Figure 12: jumps between 0 and 100 % at L1 = 32 KB, L2 = "
	  "256 KB, L3 = 32 MB; on icx at Intel's published sizes" },
	{ "counter-inspection", "Figure 13",
	  "section 4, Figure 13: the same for misses" },
	{ "counter-inspection", "Figure 14",
	  "section 4, Figure 14: beyond 256 KB the L2 hit rate stays high for "
	  "small units and drops for large ones" },
	{ "counter-inspection", "Figure 15",
	  "section 4, Figure 15: about 30 % of hits up to 16 pages per block, "
	  "nearly none above 32" },
	{ "counter-inspection", "Figure 17",
	  "section 4.1, Figures 16 and 17: blocks of 4 KB in an L1 of 32 KB, and "
	  "rounds that start one block later" },
	{ "counter-inspection", "Figure 17, timed",
	  "section 4.1, Figure 17: the same, by latency" },
	/* 2011 */
	{ "user-events", "Figure 1",
	  "section 2, Figure 1 (page 3): Branch_cat and Mem_cat of the "
	  "example file" },
	{ "user-events", "Section 3.1, equation 1",
	  "section 3.1, equation 1 (page 4): cycles = retired + not retired "
	  "+ stalls" },
	{ "user-events", "Figure 2",
	  "section 3.1, Figure 2 (pages 5 and 6): programs that test memory "
	  "show a large data-access share, those that compute a floating-point one" },
	{ "user-events", "Figure 2, HPC Challenge",
	  "section 3.1, Table 1 and Figure 2 (pages 5 and 6): STREAM, "
	  "RandomAccess, PTRANS and bandwidth/latency show large data "
	  "contributions, tests that compute more of floating point and "
	  "instruction accesses; STREAM's variants differ in floating point" },
	{ "user-events", "Section 3.1, upper bounds",
	  "section 3.1 (page 4): the six categories are upper bounds" },
	{ "user-events", "Section 3.2, roofline",
	  "section 3.2 (page 7): no program is above the roofs" },
	{ "user-events", "Section 3.2, memory bandwidth",
	  "section 3.2 (page 7): bytes from and to memory by counted "
	  "transfers" },
	{ "user-events", "Section 3.3, Table 2",
	  "section 3.3, Table 2 (pages 7 and 8): a median error of at most "
	  "5.32 %, with the frequency ratio's coefficient of 46.6053" },
};

const char *papers_source(const char *paper, const char *item)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (strcmp(sources[i].paper, paper) == 0 &&
		    strcmp(sources[i].item, item) == 0)
			return sources[i].source;
	return NULL;
}
