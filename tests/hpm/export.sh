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

# Counts of 64 bits to the last digit, and what was not counted with its reason.
one() {
	cat <<-END
		<?xml version="1.0"?>
		<hpm version="1" program="p" task="$1" started="0" pmu="sim" complete="true">
		  <InstrumentationPt lid="f1" disp="true" label="l" file="f" linestart="1" lineend="2" tid="0" task="$1" id="1" kind="thread">
		    <data name="Count" value="1"/>
		    <data name="BIG" value="$2" raw="$2" correction="0" uncertainty="0" exclusive="$2" mean="1" stddev="0" min="$2" max="$2"/>
		    <data name="LOST" $3/>
		    <data name="ratio" value="1" formula="LOST/BIG"/>
		  </InstrumentationPt>
		</hpm>
	END
}
one 0 9007199254740993 'value="5" exclusive="5"' >0.xml
one 1 4611686018427387905 'reason="no counter was free"' >1.xml
"$build/assay" merge -q -o whole.xml 0.xml 1.xml || fail "cannot merge"
"$build/assay" merge -q -o whole.xml whole.xml || fail "cannot merge again"
grep -q 'name="BIG" value="4620693217682128898" raw="4620693217682128898" .* exclusive="4620693217682128898" .* min="9007199254740993" max="4611686018427387905" .* taskmin="9007199254740993" taskmax="4611686018427387905"' whole.xml ||
	fail "64 bits: $(grep BIG whole.xml)"
grep -q 'name="LOST" disp="false" reason="no counter was free"/>' whole.xml ||
	grep -q 'name="LOST" reason="no counter was free"/>' whole.xml || fail "reason: $(grep LOST whole.xml)"
! grep -q 'name="ratio".* value=' whole.xml || fail "a ratio of nothing: $(grep ratio whole.xml)"
for format in caliper tau trace; do
	"$build/assay" merge -q --format $format -o out.$format whole.xml
	grep -q 4620693217682128898 out.$format || fail "$format: $(cat out.$format)"
done

got=0
"$build/assay" merge --format odd a.xml >said 2>&1 || got=$?
[ $got = 2 ] || fail "a format that is not there: status $got"
exit $failed
