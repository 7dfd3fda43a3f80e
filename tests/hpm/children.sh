#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sections of the process count what its children do, also in programs that these
# execute, while they run, and if they are killed: with twice the work a section
# has as many instructions more as the work has.
# usage: children.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
[ -x "$build/libexec/simpmu" ] || exit 77
HPM_EVENTS=PAPI_TOT_INS
export HPM_EVENTS
n=10000000

cat >look.py <<'END'
import sys, xml.etree.ElementTree as tree
n, valgrind = int(sys.argv[1]), sys.argv[2] == "valgrind"
def counts(path):
    return {p.get("label"): int(d.get("value")) for p in tree.parse(path).iter("InstrumentationPt")
            for d in p if d.get("name") == "PAPI_TOT_INS"}
once, twice = counts("1.xml"), counts("2.xml")
assert len(once) == 6, once
for name in once:
    # a few ms of each child that did not end by itself may be missing on Valgrind, and
    # how long it waits is not the same each time
    slack = n if name in ("killed", "alive") else 20000
    off = twice[name] - once[name] - 2 * n
    assert abs(off) < slack, f"{name}: {once[name]}, with twice the work {twice[name]}"
END
cp "$program" setuid
chmod 4755 setuid
for engine in fast valgrind; do
	[ $engine = fast ] || [ -x "$build/libexec/simpmu-amd64-linux" ] || continue
	for k in 1 2; do
		HPM_OUTPUT=$k.xml "$build/assay" run -q --pmu sim --engine $engine -- \
			"$program" $((k * n)) >said 2>&1 || fail "$engine: $(cat said)"
	done
	grep -q "not in the sections" said && [ $engine = fast ] && fail "$(cat said)"
	python3 look.py $n $engine >why 2>&1 || fail "$engine: $(tail -n 1 why)"
	# a program that the simulator cannot run is missing, and that is said
	ASIDE="./setuid work 10" HPM_OUTPUT=3.xml "$build/assay" run -q --pmu sim \
		--engine $engine -- "$program" 10 >said 2>&1 || fail "$engine: $(cat said)"
	grep -q "not in the sections of the process: 1 program" said ||
		fail "$engine: not said: $(cat said)"
	grep -q 'label="aside"' 3.xml && grep -q 'TOT_INS" value=.*reason="1 program' 3.xml ||
		fail "$engine: no reason in the file"
done
exit $failed
