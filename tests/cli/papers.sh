#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The papers of 2000, 2001 and 2011 made again: every gate passes, and there is
# a picture with its data for each figure. usage: papers.sh BUILD
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MALLOC_PERTURB_ || true
fail() { echo "papers: $*"; exit 1; }

"$build/assay" papers papi hpm user-events -q --folder "$tmp/f" \
	-o "$tmp/gates.json" || fail "status $?: $(cat "$tmp/gates.json")"
python3 - "$tmp" <<'EOF' || fail "$(cat "$tmp/gates.json")"
import json, re, sys
import xml.etree.ElementTree as xml
tmp = sys.argv[1]
items = json.load(open(tmp + "/gates.json"))["items"]
papers = {i["paper"] for i in items if i["verdict"] == "pass"}
uncited = [i["item"] for i in items
           if not re.match(r"(Figure|Table|Equation) \d|Sections? \d|Appendix", i["item"])]
assert not uncited, uncited
silent = [i["item"] for i in items if not re.match(r"(sections?|appendix)", i["source"] or "")]
assert not silent, silent
for name in ("papi-figure-2", "papi-figure-3", "papi-figure-4",
             "papi-multiplexing", "hpm-table-3", "user-events-figure-2",
             "user-events-roofline"):
    xml.parse(f"{tmp}/f/{name}.svg")
    assert len(open(f"{tmp}/f/{name}.csv").readlines()) > 4, name
sys.exit(papers != {"papi", "hpm", "user-events"} or len(items) < 23)
EOF

# On another machine than the papers' a check fails; what is none is refused.
# What counting costs is no matter of memory: our code is in the caches.
printf 'include icx\nname = icx\n[memory]\ndram_latency = 1000\n[l1d]\nsize = 4K\nways = 1\n' \
	>"$tmp/small.model"
status=0
"$build/assay" papers hpm -q --model "$tmp/small.model" >"$tmp/small" || status=$?
[ $status -eq 4 ] && grep -q '^FAIL *Section 4.2' "$tmp/small" ||
	fail "an L1 of 4 KB passes: $(cat "$tmp/small")"
grep -q '^pass *Table 2: starting' "$tmp/small" ||
	fail "counting waits for memory: $(cat "$tmp/small")"
for wrong in '--model nonsense' '--pmu hw'; do
	status=0
	"$build/assay" papers hpm -q $wrong >/dev/null 2>&1 || status=$?
	[ $status -eq 2 ] || fail "$wrong: status $status"
done
