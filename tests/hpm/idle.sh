#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With any number of idle threads an empty section costs no more than twice what
# it costs with one, reports no time beyond its uncertainty, and is marked as
# short. Every interrupt within the 0.4 ms of a try adds to its time: natively one
# of 80 tries must be free of them. On the simulated PMU no count of any of five
# tries is beyond its uncertainty.
# usage: idle.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"

# With one thread it cost so much, and never twice that.
costs_alike() {
	cat said
	awk '$1 == 1 { one = $2 } $2 > 2 * one && one { print $1 " threads: " $2 " ns, with one " one; bad = 1 }
		END { exit bad }' said >why || fail "$(cat why)"
}

"$program" 80 >said 2>&1 || fail "$(cat said)"
if grep -q "perf::PAGE-FAULTS\" counted=\"true\"" hpm_00000_idle.xml; then
	costs_alike
fi
python3 - hpm_00000_idle.xml <<'END' >why 2>&1 || fail "$(cat why)"
import sys, xml.etree.ElementTree as tree
best = {}
for point in tree.parse(sys.argv[1]).iter("InstrumentationPt"):
    time = next(d for d in point if d.get("name") == "IncSec")
    beyond = float(time.get("value")) - float(time.get("uncertainty"))
    some = int(point.get("id")) // 100
    best[some] = min(best.get(some, 1), beyond if point.get("short") else 1)
assert len(best) >= 3 and all(beyond <= 0 for beyond in best.values()), best
END
[ -x "$build/libexec/simpmu" ] || exit $failed

"$build/assay" run -q --pmu sim -- "$program" 5 >said 2>&1 || fail "$(cat said)"
costs_alike
python3 - hpm_00000_idle.xml <<'END' >why 2>&1 || fail "$(cat why)"
import sys, xml.etree.ElementTree as tree
counts = [data for point in tree.parse(sys.argv[1]).iter("InstrumentationPt") for data in point
          if data.get("name").startswith("PAPI_")]
beyond = [data.attrib for data in counts if int(data.get("value")) > int(data.get("uncertainty"))]
assert counts and not beyond, beyond
END
exit $failed
