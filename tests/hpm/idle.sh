#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With any number of idle threads an empty section costs no more than twice what
# it costs with one, reports no time beyond its uncertainty, and is marked as
# short. What else runs on the machine takes time too: of five tries one must
# be without.
# usage: idle.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
"$program" >said 2>&1 || fail "$(cat said)"
cat said
if grep -q "perf::PAGE-FAULTS\" counted=\"true\"" hpm_00000_idle.xml; then
	awk '$1 == 1 { one = $2 } $2 > 2 * one && one { print $1 " threads: " $2 " ns, with one " one; bad = 1 }
		END { exit bad }' said >why || fail "$(cat why)"
fi
python3 - hpm_00000_idle.xml <<'END' >why 2>&1 || fail "$(cat why)"
import sys, xml.etree.ElementTree as tree
best = {}
for point in tree.parse(sys.argv[1]).iter("InstrumentationPt"):
    time = next(d for d in point if d.get("name") == "IncSec")
    beyond = float(time.get("value")) - float(time.get("uncertainty"))
    some = int(point.get("id")) // 10
    best[some] = min(best.get(some, 1), beyond if point.get("short") else 1)
assert len(best) >= 3 and all(beyond <= 0 for beyond in best.values()), best
END
exit $failed
