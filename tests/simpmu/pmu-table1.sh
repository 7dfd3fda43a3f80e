#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The branch kernels of the 2018 paper: executed and retired branches differ
# as in its Table 1, with nothing made up for them.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
awk '$1 == "branch/4" { four = $2 } $1 == "branch/5" { five = $2 }
	END { exit !(four > 1.98 && four < 2.02 && five > 2.48 && five < 2.52) }' \
	"$tmp/said" || fail "$(cat "$tmp/said")"
