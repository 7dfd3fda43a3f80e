#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# However a program gets to its work, all of it is counted: twice as much work
# counts as many instructions more as the work has.
# usage: pmu-ways.sh SOURCE BUILD PROGRAM PROGRAM-ELSEWHERE
# The second program is the same at addresses where the fast engine has its own
# code.
. "$1/tests/simpmu/pmu-common.sh"
program=$3 elsewhere=$4
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

# compare HOW TIMES SLACK ENGINE
compare() {
	"$program" "$1" $n >"$tmp/said" 2>&1 ||
		fail "$1, natively: status $?: $(cat "$tmp/said")"
	count_it "$4" "$1" $n
	once=$counted
	count_it "$4" "$1" $((2 * n))
	off=$((counted - once - 2 * n * $2))
	[ "${off#-}" -le "$3" ] ||
		fail "$4, $1: $once, with twice the work $counted"
}

# how, how often the work is done, how many instructions may vary (threads that
# end wait for each other or not; the name of a file is random), engines
while read -r how times slack engines; do
	for engine in $(echo "$engines" | tr , ' '); do
		compare "$how" "$times" "$slack" "$engine"
	done
done <<END
here 1 0 fast,valgrind
relay 1 5000 fast,valgrind
wait-for-all 1 0 fast,valgrind
spawn 1 0 fast,valgrind
vfork 1 0 fast,valgrind
thread 1 5000 fast,valgrind
descriptor 1 0 fast,valgrind
descriptor-path 1 0 fast,valgrind
execveat 1 0 fast,valgrind
relative 1 0 fast,valgrind
bare 1 0 fast,valgrind
folder 1 0 fast,valgrind
memory 1 0 fast,valgrind
removed 1 500 fast,valgrind
refused 1 0 fast,valgrind
close 3 0 fast,valgrind
close-range 3 0 fast,valgrind
close-unshared 3 0 fast,valgrind
close-later 3 0 fast,valgrind
no-files 3 0 fast
few-files 3 0 fast,valgrind
few-addresses 3 0 fast,valgrind
little-data 3 0 fast,valgrind
words 1 0 fast,valgrind
END

# what the fast engine cannot run goes to the other one
grep -q vsyscall /proc/self/maps && compare old-time 1 0 auto
program=$elsewhere
compare here 1 0 auto
expect 125 "$assay" count -q --pmu sim --engine fast -e PAPI_TOT_INS \
	"$program" here $n
says 'its addresses are not free in the fast engine'

# less data than the fast engine reserves, and less than any, before it starts
(ulimit -d 1000000 && compare here 1 0 auto) || exit 1
little_data() {
	(ulimit -d 20000 && "$assay" run -q --pmu sim "$program" here 1)
}
expect 125 little_data
says "'ulimit -d' allows less"

# what Valgrind cannot start with is said, where that can be written
program=$3
no_files() {
	"$assay" run -q --pmu sim --engine valgrind \
		sh -c 'ulimit -f 0; exec "$0" here 1' "$program"
}
expect 125 no_files
no_files 2>&1 | grep -q 'use --engine fast' || fail "no files: nothing said"
