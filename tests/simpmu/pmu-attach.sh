#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counting processes that run on the simulated PMU already: by a program there,
# and by assay count -p, on both engines.
. "$(dirname "$0")/pmu-common.sh"
program=$3
pid=
# what works for ever must not outlive a test that fails
trap 'kill $pid 2>"$tmp/err" || :; rm -rf "$tmp"' EXIT

for engine in valgrind fast; do
	options="--engine $engine"
	timeout 100 "$assay" run --pmu sim --engine $engine -- "$program" >"$tmp/said" 2>&1 ||
		fail "$engine: $(cat "$tmp/said")"
done

# By assay count: a process that works 4,000,000 instructions a time, for ever.
cat >"$tmp/is_work" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
ins, branches = (e["value"] for e in run["events"])
sys.exit(not (run["pmu"]["kind"] == "sim" and run["varies"]
              and branches > 0 and abs(ins / branches - 4) < 0.001))
END
for engine in valgrind fast; do
	"$assay" run --pmu sim --engine $engine -- "$program" work 1000000 &
	pid=$!
	n=0
	# until it has begun, and is past the linker
	until "$assay" count -q --pmu sim -p $pid --for 0.2 -e PAPI_TOT_INS,PAPI_BR_INS \
		-o "$tmp/run.json" 2>"$tmp/said" && python3 "$tmp/is_work" "$tmp/run.json"; do
		n=$((n + 1))
		[ $n -lt 60 ] || fail "$engine: $(cat "$tmp/said" "$tmp/run.json")"
		sleep 0.2
	done
	if [ $engine = fast ]; then
		# beside the program, with its name in lists of processes
		beside=$(ps -o pid= --ppid $pid | tr -d ' ')
		for pmu in auto sim; do
			expect 2 "$assay" count -q --pmu $pmu -p "$beside" \
				--for 0.1 -e PAPI_TOT_INS
			says "the program that it serves is process $pid\$"
		done
		expect 125 "$assay" count -q --pmu sim -p $pid --for 0.1 -e PAPI_TOT_CYC
		says 'engine cannot count'
	fi
	# There is room for eight: sets of killed programs are freed.
	for _ in 1 2 3 4 5 6 7 8 9; do
		expect 137 "$assay" run -q --pmu sim --engine fast -- "$program" die $pid
	done
	kill $pid
	wait $pid || :
done

# One that is not there, and one that is not simulated.
sleep 60 &
pid=$!
expect 2 "$assay" count -q --pmu sim -p $pid --for 0.1 -e PAPI_TOT_INS
says 'does not run on this version'
kill $pid
