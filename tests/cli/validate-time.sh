#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# assay validate --time: every kernel has real and simulated cycles, errors are
# what follows from them, the result is kept and quoted. How large errors are
# depends on the machine: only chains of additions, a cycle each on the ruler
# itself, are held to it.
# usage: validate-time.sh BUILD
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_STATE_HOME="$tmp/state"
fail() { echo "validate-time: $*"; exit 1; }

# the budget is time, of which others may take most
budget=$("$(dirname "$0")/../../scripts/patience" 20)
"$build/assay" validate --time --model icx --brief -q -r 5 --budget "$budget" \
	-o "$tmp/t.json" || fail "status $?"
python3 - "$tmp/t.json" <<'EOF' || fail "rows are not as they should be"
import json, sys
table = json.load(open(sys.argv[1]))
if len(table["rows"]) < 40 or table["model"] != "icx":
    sys.exit(f"{len(table['rows'])} rows of {table['model']}")
late = [r for r in table["rows"] if r["reason"] == "there was no time for it"]
if any(r["simulated_cycles"] or r["error_pct"] for r in late):
    sys.exit(f"{late}")
rows = {r["name"]: r for r in table["rows"] if r not in late}
for name, r in rows.items():
    error = 100 * (r["simulated_cycles"] / r["real_cycles"] - 1)
    if abs(error - r["error_pct"]) > 0.01 or r["reason"]:
        sys.exit(f"{name}: {r}")
sizes = sorted(abs(r["error_pct"]) for r in rows.values())
middle = (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
if abs(middle - table["kernels"]["median_error_pct"]) > 0.01:
    sys.exit(f"median {middle}: {table['kernels']}")
if len(rows) != table["kernels"]["n"]:
    sys.exit(f"{len(rows)} rows: {table['kernels']}")
# another program on the core makes both sides of the comparison vary
if abs(rows["latency/add"]["error_pct"]) > 15 + rows["latency/add"]["spread_pct"]:
    sys.exit(f"additions: {rows['latency/add']}")
EOF

"$build/assay" count --pmu sim --model icx -q -e PAPI_TOT_CYC true 2>"$tmp/text"
grep -q 'cycles: simulated, model icx, .* [0-9]* % on this' "$tmp/text" ||
	fail "the result is not quoted: $(cat "$tmp/text")"
"$build/assay" count --pmu sim --model p3 -q -e PAPI_TOT_CYC true 2>"$tmp/text"
! grep -q 'cycles: simulated' "$tmp/text" || fail "of another model"

# Real times first, then what is simulated: what is in the journal is not
# measured again.
run() { # NAME [OPTION]
	name=$1
	shift
	"$build/assay" validate --time --model icx -q -r 5 --journal "$tmp/j" \
		"$@" -o "$tmp/$name.json" latency/add latency/mul ||
		fail "with a journal: status $?"
}
run real --real-only
! grep -q '^s ' "$tmp/j" || fail "--real-only simulates"
sed -i 's,^r [0-9.]* \(.* latency/mul .\)$,r 1234.0 \1,' "$tmp/j"
printf 's 00' >>"$tmp/j" # as a kill leaves it
run both
lines=$(grep -c '^s ' "$tmp/j")
run again
[ "$lines" = "$(grep -c '^s ' "$tmp/j")" ] || fail "simulated again"
python3 - "$tmp" <<'EOF' || fail "the journal is not used"
import json, sys
real, both, again = (
    {r["name"]: r for r in json.load(open(f"{sys.argv[1]}/{n}.json"))["rows"]}
    for n in ("real", "both", "again"))
if any(r["simulated_cycles"] for r in real.values()):
    sys.exit(f"--real-only: {real}")
if both["latency/mul"]["real_cycles"] != 1234 or both != again:
    sys.exit(f"{both}\n{again}")
if not all(r["simulated_cycles"] for r in both.values()):
    sys.exit(f"{both}")
EOF
echo "assay-times 1 0123456789abcdef another machine" >"$tmp/other"
! "$build/assay" validate --time --model icx -q --journal "$tmp/other" \
	latency/add 2>"$tmp/err" || fail "another machine's journal"
grep -q "is not a journal of this machine" "$tmp/err" || fail "$(cat "$tmp/err")"

status=0
"$build/assay" validate --time --real-only 2>"$tmp/err" || status=$?
[ "$status" = 2 ] || fail "--real-only without a journal: status $status"
status=0
"$build/assay" validate --time -e PAPI_TOT_INS 2>"$tmp/err" || status=$?
[ "$status" = 2 ] || fail "-e with --time: status $status"
echo ok
