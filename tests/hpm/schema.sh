#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every performance file that we write is what the schema says, and damaged
# ones are refused, by the schema and by the command.
# usage: schema.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
command -v xmllint >/dev/null || {
	echo "SKIP: no xmllint (package libxml2-utils)"
	exit 77
}
schema=$source/docs/formats/performance-file.rng

valid() {
	xmllint --noout --relaxng "$schema" "$1" 2>said || fail "$1: $(cat said)"
}

HPM_OUTPUT=timer.xml HPM_EVENTS= "$program"
HPM_OUTPUT=events.xml HPM_EVENTS=perf::PAGE-FAULTS,NO_SUCH_EVENT,perf::TASK-CLOCK \
	"$program"
files="timer.xml events.xml"
if [ -x "$build/libexec/simpmu" ]; then
	events=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_LD_INS,PAPI_SR_INS,PAPI_L1_LDM,PAPI_L1_STM
	HPM_OUTPUT=sim.xml HPM_EVENTS=$events "$build/assay" run -q --pmu sim -- \
		"$program"
	files="$files sim.xml"
	grep -q 'name="l1_hit_rate".*verdict=' sim.xml || fail "no metrics"
	! grep -q 'name="mips"' sim.xml || fail "a rate of simulated time"
fi
for file in $files; do
	valid "$file"
	"$build/assay" merge -q -o "merged-$file" "$file" "$file" ||
		fail "$file cannot be merged"
	valid "merged-$file"
	"$build/assay" merge -q -o again.xml "merged-$file" "$file" ||
		fail "$file cannot be merged again"
	valid again.xml
done
grep -q 'NO_SUCH_EVENT" counted="false" reason="..*"' events.xml ||
	fail "no reason for what was not counted"
grep -q 'label="caf. ?? ???"' timer.xml || LC_ALL=C.UTF-8 \
	grep -q 'label="café ?? ???"' timer.xml || fail "labels are spoilt"

# A file of events may have lines of any length.
printf '%1020s,perf::PAGE-FAULTS # and what else' ' ' >list
(unset HPM_EVENTS && HPM_OUTPUT=listed.xml HPM_EVENT_FILE=list "$program")
(unset HPM_EVENTS && HPM_OUTPUT=none.xml HPM_EVENT_FILE=/nowhere/list "$program") 2>said
grep -qx 'libhpm: cannot read /nowhere/list: No such file or directory' said ||
	fail "a file of events that is not there: $(cat said)"
grep -q 'name="perf::PAGE-FAULTS"' listed.xml ||
	fail "a long line of events is cut: $(grep -o 'name="[^"]*"' listed.xml | head -n 3)"

# Damage: each line is what sed does to a good file.
while read -r damage; do
	sed "$damage" events.xml >damaged.xml
	! cmp -s events.xml damaged.xml || fail "$damage changes nothing"
	! xmllint --noout --relaxng "$schema" damaged.xml 2>/dev/null ||
		fail "the schema lets pass: $damage"
done <<'END'
s/<hpm version="1"/<hpm version="2"/
s/ complete="true"//
s/ counted="false"/ counted="perhaps"/
s/<InstrumentationPt lid="[^"]*"/<InstrumentationPt/
s/ kind="thread"/ kind="core"/
s/ value="[0-9]*"/ value="many"/
s/<data /<datum /
s/ linestart="/ linestart="-/
$d
END
size=$(wc -c <events.xml)
part=1
while [ $part -lt 20 ]; do
	head -c $((size * part / 20)) events.xml >cut.xml
	got=0
	"$build/assay" merge -q -o never.xml cut.xml 2>said || got=$?
	[ $got = 125 ] || fail "cut at $part of 20: status $got"
	grep -q 'cut.xml:[0-9]' said || fail "no place is named: $(cat said)"
	part=$((part + 1))
done
[ ! -e never.xml ] || fail "a damaged file was merged"

# Many files: no more memory than a few need.
python3 "$source/tests/hpm/many.py" "$build/assay" 500 || fail "many files"
exit $failed
