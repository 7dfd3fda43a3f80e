#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What assay merge writes for other tools keeps the rules of their formats.
# usage: export.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"

HPM_OUTPUT=a.xml HPM_EVENTS=perf::PAGE-FAULTS "$program"
HPM_OUTPUT=b.xml HPM_EVENTS=perf::PAGE-FAULTS "$program"
for format in xml caliper tau trace; do
	"$build/assay" merge -q --format $format -o "out.$format" a.xml b.xml ||
		fail "cannot write $format"
done
python3 "$source/tests/hpm/export.py" out.xml out.caliper out.tau out.trace \
	>got 2>&1 || fail "$(cat got)"
got=0
"$build/assay" merge --format odd a.xml >said 2>&1 || got=$?
[ $got = 2 ] || fail "a format that is not there: status $got"
exit $failed
