#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two threads that write one line invalidate it at least 100 times as often as
# two that write lines of their own, and record names variable and source line.
. "$(dirname "$0")/pmu-common.sh"

invalidations() {
	"$assay" count -q --pmu sim -e PAPI_CA_INV -o "$tmp/x.csv" "$program" "$1"
	tr -d '\r' <"$tmp/x.csv" | grep '^event,PAPI_CA_INV' | cut -d, -f3
}

program=$3
together=$(invalidations together)
apart=$(invalidations apart)
[ "$together" -ge $((100 * apart)) ] ||
	fail "together $together, apart $apart invalidations"

"$assay" record -q --pmu sim -e PAPI_CA_INV@1000 "$program" together \
	>"$tmp/said" 2>&1
says 'cores took the line at 0x[0-9a-f]* (tallies[+8]*, tallies[+8]*)'
says 'took .*pmu-sharing.c:23'
says 'took .*pmu-sharing.c:31'
"$assay" record -q --pmu sim -e PAPI_CA_INV@100 "$program" apart \
	>"$tmp/said" 2>&1
if grep -q 'took the line.*tallies' "$tmp/said"; then
	fail "$(cat "$tmp/said")"
fi
