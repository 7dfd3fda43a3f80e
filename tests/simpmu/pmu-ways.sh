#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# However a program gets to its work, all of it is counted: twice as much work
# counts as many instructions more as the work has.
# usage: pmu-ways.sh SOURCE BUILD PROGRAM
. "$1/tests/simpmu/pmu-common.sh"
program=$3
n=1000000

# count_it ENGINE HOW N: instructions in $counted; the program must succeed.
count_it() {
	"$assay" count -q --pmu sim --engine "$1" -e PAPI_TOT_INS \
		-o "$tmp/counts.json" "$program" "$2" "$3" >"$tmp/said" 2>&1 ||
		fail "$1, $2: status $?: $(cat "$tmp/said")"
	grep -q '"reason": null }$' "$tmp/counts.json" ||
		fail "$1, $2: not all was counted: $(cat "$tmp/counts.json")"
	counted=$(sed -n 's/.*"PAPI_TOT_INS", "value": \([0-9]*\),.*/\1/p' \
		"$tmp/counts.json")
}

# how, how often the work is done, how many instructions may vary (threads that
# end wait for each other or not), engines
while read -r how times slack engines; do
	"$program" "$how" $n >"$tmp/said" 2>&1 ||
		fail "$how, natively: status $?: $(cat "$tmp/said")"
	for engine in $(echo "$engines" | tr , ' '); do
		count_it "$engine" "$how" $n
		once=$counted
		count_it "$engine" "$how" $((2 * n))
		off=$((counted - once - 2 * n * times))
		if [ "${off#-}" -gt "$slack" ]; then
			fail "$engine, $how: $once, with twice the work $counted"
		fi
	done
done <<END
here 1 0 fast,valgrind
relay 1 5000 fast,valgrind
spawn 1 0 fast,valgrind
vfork 1 0 fast,valgrind
thread 1 5000 fast,valgrind
descriptor 1 0 fast,valgrind
descriptor-path 1 0 fast,valgrind
execveat 1 0 fast,valgrind
folder 1 0 fast,valgrind
memory 1 0 fast
refused 1 0 fast,valgrind
close 3 0 fast,valgrind
close-range 3 0 fast,valgrind
close-unshared 3 0 fast
close-later 3 0 fast,valgrind
no-files 3 0 fast
few-addresses 3 0 fast,valgrind
END
