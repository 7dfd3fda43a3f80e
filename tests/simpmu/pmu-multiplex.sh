#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Multiplexed estimates against the truth: the same program on unlimited
# counters. The stated error (90 %: 1.645 standard errors) must cover what is
# missed in at least nine of ten cases, and estimates must be estimates.
. "$(dirname "$0")/pmu-common.sh"
options='--counters unlimited' simulated "$3" >"$tmp/truth" ||
	fail "$(cat "$tmp/truth")"
options='--counters 4+1' simulated "$3" >"$tmp/estimate" ||
	fail "$(cat "$tmp/estimate")"
paste -d ' ' "$tmp/truth" "$tmp/estimate" | awk '
	$1 != $5 || $2 != $6 { print "rows differ: " $0; bad = 1; exit 1 }
	$4 != 0 { print "the truth has an error: " $0; bad = 1; exit 1 }
	{
		miss = $7 - $3
		if (miss < 0)
			miss = -miss
		total++
		covered += miss <= 1.645 * $8
		estimated += $8 > 0
	}
	END {
		if (bad)
			exit 1
		printf "%d of %d covered, %d estimated\n", covered, total,
			estimated
		exit !(covered >= 0.9 * total && estimated > 0.5 * total)
	}'
