#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that use sections in ways of their own lose nothing by it, and get
# no number that was not counted.
# usage: uses.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
assay=$build/assay
file=hpm_00000_uses.xml
ulimit -c 0

# run STATUS ARGUMENT...: natively; what it prints is in said.
run() {
	want=$1
	shift
	rm -f hpm_*
	got=0
	"$program" "$@" >said 2>&1 || got=$?
	[ "$got" = "$want" ] || fail "$*: status $got, not $want: $(cat said)"
}

# on_sim ARGUMENT...: the same on the simulated PMU; $options are of assay run.
on_sim() {
	rm -f hpm_*
	# shellcheck disable=SC2086
	"$assay" run -q --pmu sim ${options-} -- "$program" "$@" >said 2>&1 ||
		fail "$*: status $?: $(cat said)"
}

# value ID EVENT ATTRIBUTE: of the only section of that number; or "none".
value() {
	python3 - "$file" "$@" <<-'END'
		import sys, xml.etree.ElementTree as tree
		path, id, event, attribute = sys.argv[1:]
		print(*[data.get(attribute, "none")
		        for point in tree.parse(path).iter("InstrumentationPt") if point.get("id") == id
		        for data in point if data.get("name") == event])
	END
}

is() {
	got=$(value "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "section $1: $3 of $2 is $got, not $4"
}

labels() {
	sed -n 's/.*<InstrumentationPt.* label="\([^"]*\)".*/\1/p' "$1" | paste -sd,
}

# Labels and files are copied.
HPM_EVENTS=
export HPM_EVENTS
run 0 labels
[ "$(labels $file)" = "label 0,label 1,label 2,label 3,label 4" ] || fail "labels: $(labels $file)"
cat >plugin.c <<'END'
#include <hpm.h>
void run(void);
void run(void)
{
	hpmTstart(1, "of the plug-in");
	hpmTstop(1);
	hpmTstop(2);
}
END
# shellcheck disable=SC2086
${CC-cc} -shared -fPIC $ours plugin.c -o plugin.so -lhpm -lassay
run 0 plugin ./plugin.so
[ "$(labels $file)" = "of the plug-in" ] || fail "plug-in: $(labels $file)"
grep -q 'Problem what="stopped but not started" id="2" file="plugin.c"' $file || fail "plug-in: problem"
run 139 bad-label
[ "$(labels $file)" = good ] || fail "bad label: $(labels $file)"

# The name of a program is the last part of its path.
rm -f hpm_*
(cd / && HPM_LOG_DIR=$tmp ".${program}" path) >said 2>&1 || fail "path: $(cat said)"
[ -e hpm_00000_hpm-uses.xml ] || fail "path: $(ls hpm_*)"

# An exec leaves the file.
for how in v vp vpe ve f l lp le; do
	run 0 exec $how
	[ "$(labels $file)" = "before exec" ] || fail "exec $how: $(labels $file)"
	grep -q 'complete="false"' $file || fail "exec $how: complete"
done

# A signal in a call: it ends first, so that the sections are there.
for i in 1 2 3 4 5; do
	rm -f hpm_* ready
	mkfifo ready
	"$program" busy >ready 2>said &
	pid=$!
	read -r _ <ready
	kill -TERM $pid
	wait $pid 2>/dev/null && fail "busy: not ended" || [ $? = 143 ] || fail "busy: status"
	[ "$(labels $file)" = busy ] || fail "busy: $(cat said $file)"
	! grep -q "in use" $file || fail "busy: $(grep 'in use' $file)"
done
run 0 handler
labels $file | grep -q interrupted || fail "handler: $(labels $file)"

# What a thread has open goes with it; so does what a finished file had.
unset HPM_EVENTS
run 0 threads 5000
[ "$(cat said)" = "0 descriptors more" ] || fail "threads: $(cat said)"
[ "$(value 1 Count value | wc -w)" = 5000 ] || fail "threads: $(value 1 Count value | wc -w)"
run 0 again 50
[ "$(cat said)" = "0 descriptors more" ] || fail "again: $(cat said)"

if [ ! -x "$build/libexec/simpmu" ]; then
	echo "the simulated PMU was left out: no simulator was built"
	exit $failed
fi

# Sections of both kinds, on every model with its own counters.
for model in icx p3 hsw-ep; do
	options="--model $model"
	on_sim mixed
	for id in 1:6669:63 2:6606:603 3:6003:6003; do
		rest=${id#*:}
		is ${id%%:*} PAPI_TOT_INS value ${rest%:*}
		is ${id%%:*} PAPI_TOT_INS exclusive ${rest#*:}
	done
	! grep -q "<Problem" $file || fail "mixed: $(grep '<Problem' $file)"
done
options=
HPM_EVENTS=PAPI_TOT_INS
export HPM_EVENTS
on_sim threads 200
[ "$(value 1 PAPI_TOT_INS value | tr ' ' '\n' | sort | uniq -c | tr -s ' ')" = " 200 2001" ] ||
	fail "threads: $(value 1 PAPI_TOT_INS value)"

# Counters that somebody else has: no value and the reason, everywhere.
options="--counters 2+2"
HPM_EVENTS=PAPI_L2_DCM
on_sim unread
is 1 PAPI_L2_DCM value none
is 1 PAPI_L2_DCM raw none
value 1 PAPI_L2_DCM reason | grep -q "another EventSet" || fail "$(grep 'name="PAPI_L2_DCM"' $file)"
grep -q "^libhpm: 2 of 2 sections have no counts: another EventSet" said || fail "unread: $(cat said)"
if "$assay" view -q --html page.html $file 2>view; then
	grep -q '"reason": *"another EventSet' page.html ||
		fail "unread: no reason in the page"
else
	grep -q "built without its viewer" view || fail "unread: $(cat view)"
fi
# The kernel counts the simulator, not the program.
options=
HPM_EVENTS=PAPI_TOT_INS,perf::PAGE-FAULTS
on_sim mixed
grep -q '<Event name="perf::PAGE-FAULTS" counted="false" reason="on the simulated' $file ||
	fail "$(grep '<Event' $file)"
exit $failed
