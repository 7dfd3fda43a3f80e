/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What cycles are spent on: which share of a kernel's cycles an event of a kind
 * counts, by what the kernel is bound by.
 *
 * Events of stalls have no exact values, on no machine: how many instructions
 * slip in while a load is awaited depends on buffers that nobody documents. But
 * a chase through L2 waits for L2 nearly all the time and for nothing else, and
 * that is enough to tell one cause from another. So a bound has a letter for
 * each concept, in the order of concepts.def:
 *
 *	A  nearly all cycles
 *	M  most of them
 *	s  some, up to all
 *	h  up to two thirds of them: a kernel of twelve instructions that takes
 *	   ten cycles cannot fill more, if two or more issue at a time
 *	f  few, if any
 *	.  none
 *	?  nothing is known: it depends on the machine
 */
#include "kernels/kernel.h"

#define FIRST   CONCEPT_STALL_L1
#define COLUMNS (CONCEPT_IDLE_LS - FIRST + 1)

/* clang-format off */
static const char shares[BOUND_COUNT][COLUMNS + 1] = {
	/* stalls: loads by level; stores, results, code, mispredictions;
	   retirement; full issue and retirement; idle units */
	[BOUND_ISSUE] = "...." "....." "." "As" "??AA",
	[BOUND_ALU]   = "...." "..?.." "." "hh" "M.AA",
	[BOUND_FPU]   = "...." ".??.." "." "??" "MM.A",
	[BOUND_JUMP]  = "...." "...?." "." "??" ".MAA",
	[BOUND_LOAD]  = "?..." "..?.." "." "??" "M?A.",
	[BOUND_STORE] = "...." "s...." "?" "hh" "M?A.",
	[BOUND_INT]   = "...." "..M.." "M" "ff" "A?MA",
	[BOUND_FP]    = "...." ".M..." "M" "ff" "AM?A",
	[BOUND_L1]    = "s..." "....." "?" "hh" "M?AM",
	[BOUND_L2]    = ".M.." "....." "s" "ff" "MMAM",
	[BOUND_L3]    = "..M." "....." "M" ".." "AAAA",
	[BOUND_DRAM]  = "...M" "....." "M" ".." "AAAA",
	[BOUND_WRITE_L1]   = "?..." "?...." "?" "hh" "M?A?",
	[BOUND_WRITE_L2]   = ".?.." "?...." "s" "ff" "MMAM",
	[BOUND_WRITE_L3]   = "..?." "?...." "M" ".." "AAAA",
	[BOUND_WRITE_DRAM] = "...?" "?...." "M" ".." "AAAA",
	[BOUND_FETCH] = "...." "...M." "M" ".." "?MAA",
	/* the wrong path issues, too, for as long as it lasts */
	[BOUND_MISP]  = "...." "....s" "M" "??" "??A?",
};
/* clang-format on */

bool kernel_spends(enum kernel_bound bound, enum concept concept, double *low,
		   double *high)
{
	if (bound == BOUND_UNKNOWN || concept < FIRST ||
	    concept >= FIRST + COLUMNS)
		return false;
	*high = 1;
	switch (shares[bound][concept - FIRST]) {
	case 'A':
		*low = 0.85;
		return true;
	case 'M':
		*low = 0.5;
		return true;
	case 's':
		*low = 0.1;
		return true;
	case 'h':
		*low = 0;
		*high = 2.0 / 3;
		return true;
	case 'f':
		*low = 0;
		*high = 0.2;
		return true;
	case '.':
		*low = *high = 0;
		return true;
	default:
		return false;
	}
}
