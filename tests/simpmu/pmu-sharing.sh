#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two threads that write one line invalidate it at least 100 times as often as
# two that write lines of their own, however the threads begin, wait for it each
# time, and record names variable and source line.
. "$(dirname "$0")/pmu-common.sh"

# counts together|apart HOW: invalidations and cycles
counts() {
	"$assay" count -q --pmu sim --model icx -e PAPI_CA_INV,PAPI_TOT_CYC -o "$tmp/x.csv" \
		"$program" "$@"
	tr -d '\r' <"$tmp/x.csv" | grep '^event,PAPI_' | cut -d, -f3
}

# compare HOW: sets together, apart; cycles, fewer
compare() {
	counts together "$@" >"$tmp/together"
	counts apart "$@" >"$tmp/apart"
	{ read -r together; read -r cycles; } <"$tmp/together"
	{ read -r apart; read -r fewer; } <"$tmp/apart"
	[ "$together" -ge $((100 * apart)) ] ||
		fail "$*: together $together, apart $apart invalidations"
}

program=$3
for how in main meet pool; do
	compare $how
done
compare

# The line comes from the other core in 110 cycles, from the core's own store in 5.
# The start and the end of threads are not the same in each run.
wait=$((105 * (together - apart))) more=$((cycles - fewer))
[ $more -ge $((wait * 9 / 10)) ] && [ $more -le $((wait * 11 / 10)) ] ||
	fail "$together invalidations: $more cycles more, not $wait"

"$assay" record -q --pmu sim -e PAPI_CA_INV@200 "$program" together \
	>"$tmp/said" 2>&1
says 'cores took the line at 0x[0-9a-f]* (tallies[+8]*, tallies[+8]*)'
says 'took .*pmu-sharing.c:61'
says 'took .*pmu-sharing.c:71'
"$assay" record -q --pmu sim -e PAPI_CA_INV@200 "$program" together heap \
	>"$tmp/said" 2>&1
says 'cores took the line at 0x[0-9a-f]* (on the heap or a stack)'
says 'took .*pmu-sharing.c:61'
"$assay" record -q --pmu sim -e PAPI_CA_INV@100 "$program" apart \
	>"$tmp/said" 2>&1
if grep -q 'took the line.*tallies' "$tmp/said"; then
	fail "$(cat "$tmp/said")"
fi
