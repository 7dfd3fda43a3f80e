#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trees of processes, threads, programs and signals, drawn at random: twice as
# much work counts as many instructions more as the work has, or something is
# missing and it is said why; and the threads together count what the program
# does.
# usage: pmu-trees.sh SOURCE BUILD PROGRAM [SEED [FAST [VALGRIND]]]: so many trees
# on each engine.
. "$1/tests/simpmu/pmu-common.sh"
program=$3 seed=${4-1} fast=${5-10} valgrind=${6-2} n=100000

cat >"$tmp/look" <<'END'
import json, sys
work, counts = int(sys.argv[1]), []
for path in sys.argv[2:]:
    run = json.load(open(path))
    event, threads = run["events"][0], run["per_thread"]
    if event["reason"]:
        print("missing:", event["reason"])
        sys.exit(2)
    together = sum(threads["events"][0]["values"])
    assert together == event["value"], f"threads {together}, all {event['value']}"
    counts.append(event["value"])
# how threads wait for each other is not the same in both runs
off = counts[1] - counts[0] - work
assert abs(off) < work / 20 + 10000, f"{counts}: {off} beyond the work of {work}"
END

# tree ENGINE SEED
tree() {
	"$program" "$2" >"$tmp/drawn"
	read -r times kills <"$tmp/drawn"
	for k in 1 2; do
		expect 0 "$assay" count -q --pmu sim --engine "$1" --per-thread \
			-e PAPI_TOT_INS -o "$tmp/$k.json" -- "$program" "$2" $((k * n))
	done
	got=0
	python3 "$tmp/look" $((2 * n * times)) "$tmp/1.json" "$tmp/2.json" \
		>"$tmp/said" 2>&1 || got=$?
	# what is missing is what killed processes had not told
	[ $got = 0 ] || { [ $got = 2 ] && [ "$kills" != 0 ] &&
		grep -q 'killed process' "$tmp/said"; } ||
		fail "$1, seed $2: $(cat "$tmp/said")"
	whole=$((whole + (got == 0)))
}

whole=0
for i in $(seq "$seed" $((seed + fast - 1))); do
	tree fast "$i"
done
[ $whole -ge $((fast / 2)) ] || fail "only $whole trees were counted whole"
for i in $(seq "$seed" $((seed + valgrind - 1))); do
	tree valgrind "$i"
done
echo "$whole of $((fast + valgrind)) trees were counted whole"
