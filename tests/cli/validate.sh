#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# assay validate as a user runs it: right counts pass, wrong ones are caught, an
# interrupted run goes on to the same result, results are kept.
# usage: validate.sh BUILD
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_STATE_HOME="$tmp/state"
unset MALLOC_PERTURB_ || true
validate() { "$build/assay" validate --pmu sim -q --brief "$@"; }
by_all_kernels() { "$build/assay" validate --pmu sim -q --no-save "$@"; }
fail() { echo "validate: $*"; exit 1; }

# The paper's 14 events and others, up to 1000 occurrences.
validate --most 1000 -o "$tmp/all.json" || fail "an event is off: $?"
python3 - "$tmp/all.json" <<'EOF' || fail "rows are not as they should be"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
bad = [r for r in rows if r["verdict"] != "pass"]
exact = [r for r in rows if r["determinism"] in ("exact", "constant")]
wrong = [r for r in exact if r["corrected_error_pct"] != 0]
events = {r["event"] for r in rows}
paper = {"PAPI_" + e for e in "BR_MSP FSQ_INS FP_INS L1_DCM L1_ICM L2_DCM "
         "L2_ICM LD_INS SR_INS TLB_DM TLB_TL TOT_IIS TOT_INS TOT_CYC".split()}
sys.exit(bool(bad or wrong or paper - events or len(exact) < 40))
EOF

# For people: all of it within 80 columns, where there is nothing to ask.
validate --most 1000 --no-save -v -e PAPI_BR_MSP,PAPI_TOT_CYC >"$tmp/text"
grep -q '^PAPI_TOT_CYC  .* pass' "$tmp/text" || fail "$(cat "$tmp/text")"
python3 - "$tmp/text" <<'EOF' || fail "lines are wider than 80 columns"
import sys
wide = [line for line in open(sys.argv[1], encoding="utf-8") if len(line) > 81]
sys.exit("".join(wide) or 0)
EOF

# A counter that is 2 % too high.
echo 'TOO_MANY, PAPI_TOT_INS|1.02|*' >"$tmp/events"
status=0
PAPI_USER_EVENTS_FILE="$tmp/events" validate -e TOO_MANY=PAPI_TOT_INS \
	--most 1000 --no-save >"$tmp/said" || status=$?
[ "$status" = 4 ] || fail "2 % too many: status $status"
grep -q '1.02 counts for each one predicted' "$tmp/said" ||
	fail "no cause: $(cat "$tmp/said")"

# Right counters of a noisy machine pass, and 2 % too many do not.
status=0
PAPI_USER_EVENTS_FILE="$tmp/events" validate --noise 1 --seed 7 -r 5 \
	--most 10000 --no-save -o "$tmp/noisy.csv" -e PAPI_L1_ICM,PAPI_TOT_INS,\
PAPI_LD_INS,PAPI_FP_INS,PAPI_BR_CN,TOO_MANY=PAPI_TOT_INS || status=$?
[ "$status" = 4 ] || fail "noise: status $status"
awk -F, '$14 == "fail" && $1 != "TOO_MANY" { exit 1 }' "$tmp/noisy.csv" ||
	fail "noise: $(cat "$tmp/noisy.csv")"

# Wrong counters are found and named; the right ones among them pass.
list=$(dirname "$0")/wrong-counters.txt
awk -F'|' 'NF == 4 { print $1 ", " $3 }' "$list" >"$tmp/events"
claims=$(awk -F'|' 'NF == 4 { printf "%s=%s,", $1, $2 }' "$list")
status=0
PAPI_USER_EVENTS_FILE="$tmp/events" by_all_kernels --most 1000000 -r 1 \
	-o "$tmp/wrong.json" -e "${claims}PAPI_FP_INS,PAPI_BR_CN,PAPI_L1_DCM" \
	|| status=$?
[ "$status" = 4 ] || fail "wrong counters: status $status"
python3 - "$tmp/wrong.json" "$list" <<'EOF' || fail "wrong counters are not named"
import json, sys
lines = [line.rstrip("\n").split("|") for line in open(sys.argv[2])]
named = {line[0]: line[3] for line in lines if len(line) == 4}
bad = []
seen = set()
for row in json.load(open(sys.argv[1]))["rows"]:
    name = row["event"]
    seen.add(name)
    said = (row["finding"] or "") + (row["reason"] or "")
    if name.startswith("PAPI_"):
        if row["verdict"] != "pass" or row["finding"]:
            bad.append(f"{name} is right: {row}")
        if row["kernels"] < 100 or row["kernels_off"]:
            bad.append(f"{name}: {row['kernels']} kernels")
    elif named[name] not in said and row["granularity"] == 1e6:
        bad.append(f"{name}: {said}")
sys.exit("\n".join(bad) or len(seen) != len(named) + 3)
EOF

# Section 4.5 of the 2005 paper: square roots that are counted from 100 on.
echo 'FROM_100, PAPI_FSQ_INS * min(1, max(0, PAPI_FSQ_INS - 99))' >"$tmp/deaf"
status=0
PAPI_USER_EVENTS_FILE="$tmp/deaf" validate -e FROM_100=PAPI_FSQ_INS \
	--most 10000 --no-save >"$tmp/said" || status=$?
[ "$status" = 4 ] && grep -q 'nothing is counted of up to 10:' "$tmp/said" ||
	fail "a threshold: $status, $(cat "$tmp/said")"

# What the kernel counts, on this machine: so many page faults, and no more.
status=0
"$build/assay" validate -q --no-save -e software --most 1000 -r 5 \
	-o "$tmp/software.csv" || status=$?
[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 4 ] ||
	fail "software: status $status"
[ "$status" = 3 ] || awk -F, '$1 ~ /-FAULTS/ && ($14 != "pass" || $5 != $6) {
	exit 1 }' "$tmp/software.csv" || fail "$(cat "$tmp/software.csv")"
status=0
"$build/assay" validate -q --no-save --most 10 -r 2 \
	-e perf::PAGE-FAULTS=perf::CONTEXT-SWITCHES >"$tmp/said" || status=$?
[ "$status" = 4 ] || [ "$status" = 3 ] ||
	fail "faults as switches: status $status"

# What its own kernel finds nothing wrong with is not called off by 0 %.
status=0
PAPI_USER_EVENTS_FILE="$tmp/events" "$build/assay" validate --pmu sim -q \
	--most 10 -r 1 -e NO_DIVISIONS=PAPI_FP_INS >"$tmp/said" || status=$?
[ "$status" = 4 ] || fail "no divisions: status $status"
PAPI_USER_EVENTS_FILE="$tmp/events" "$build/assay" explain --pmu sim \
	NO_DIVISIONS | grep -q 'wrong in other kernels than its own here' ||
	fail "explain: no word of what other kernels found"

# Figure 3's loop: n mispredictions on the old machine, none on the new one.
validate --model p3 -e PAPI_BR_MSP=figure3 --most 1000 -o "$tmp/p3.csv"
awk -F, 'NR == 5 { exit !($6 > 990 && $6 < 1010) }' "$tmp/p3.csv" ||
	fail "p3: $(cat "$tmp/p3.csv")"
validate -e PAPI_BR_MSP=figure3 --most 1000 --no-save -o "$tmp/icx.csv"
awk -F, 'NR == 5 { exit !($6 < 40) }' "$tmp/icx.csv" ||
	fail "icx: $(cat "$tmp/icx.csv")"

# What was kept is found again.
"$build/assay" validate --matrix | grep -q 'PAPI_TOT_INS  *X' ||
	fail "the matrix lacks what was validated"
"$build/assay" explain --pmu sim PAPI_TOT_INS | grep -q 'validated here' ||
	fail "explain does not know"
"$build/assay" explain --pmu sim ipc >"$tmp/ipc"
grep -q 'PAPI_TOT_INS validated here; PAPI_TOT_CYC validated here' "$tmp/ipc" ||
	fail "explain does not know of a metric's events: $(cat "$tmp/ipc")"
grep -q 'on the simulated PMU' "$tmp/ipc" ||
	fail "explain takes simulated events for the machine's"

# Going on from a journal that a kill cut short gives the same counts.
validate -e PAPI_LD_INS,PAPI_TOT_INS --most 100 --no-save \
	--journal "$tmp/j" -o "$tmp/one.csv"
head -c "$(($(wc -c <"$tmp/j") * 2 / 3))" "$tmp/j" >"$tmp/k"
validate -e PAPI_LD_INS,PAPI_TOT_INS --most 100 --no-save \
	--journal "$tmp/k" -o "$tmp/two.csv"
cmp "$tmp/one.csv" "$tmp/two.csv" || fail "resumed otherwise"
another() { # arguments of an experiment that is not the journal's
	status=0
	validate --most 100 --no-save "$@" >/dev/null 2>"$tmp/said" ||
		status=$?
	[ "$status" = 125 ] && grep -q 'another experiment' "$tmp/said" ||
		fail "took another experiment's journal: $status"
}
another -e PAPI_SR_INS --journal "$tmp/k"
printf 'include icx\nname = mine\n' >"$tmp/mine.model"
validate -e PAPI_L1_DCM --most 100 --no-save --model "$tmp/mine.model" \
	--journal "$tmp/m" >/dev/null
printf '[l1d]\nsize = 16K\nways = 8\n' >>"$tmp/mine.model"
another -e PAPI_L1_DCM --model "$tmp/mine.model" --journal "$tmp/m"

# Mistakes.
status=0
validate -e PAPI_NONSENSE >/dev/null 2>&1 || status=$?
[ "$status" = 2 ] || fail "unknown event: status $status"
status=0
validate -e PAPI_TOT_INS --most 1 --no-save -o "$tmp/none/x.csv" \
	>/dev/null 2>&1 || status=$?
[ "$status" = 125 ] || fail "unwritable: status $status"
