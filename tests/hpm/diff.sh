#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# assay diff on performance files: the same is the same, a regression is named
# with its section wherever its lines are, and threads are not mixed up.
# usage: diff.sh SOURCE BUILD
. "$(dirname "$0")/common.sh"
assay=$build/assay

# file NAME LINE THREADS COUNT: sections "setup" and, COUNT for each thread,
# "kernel", which stands at LINE.
file() {
	{
		echo '<?xml version="1.0" encoding="UTF-8"?>'
		echo '<hpm version="1" program="p" task="0" pid="1" started="1"' \
			'seconds="1" pmu="sim" complete="true">'
		echo '<Event name="PAPI_TOT_INS" counted="true"/>'
		thread=0
		while [ $thread -lt "$3" ]; do
			for section in "1 setup 3 5000" "2 kernel $2 $4"; do
				# shellcheck disable=SC2086
				set -- "$1" "$2" "$3" "$4" $section
				echo "<InstrumentationPt lid=\"a.c$7\" label=\"$6\"" \
					"file=\"a.c\" linestart=\"$7\" lineend=\"99\"" \
					"tid=\"$thread\" task=\"0\" id=\"$5\" kind=\"thread\">" \
					'<data name="Count" value="1"/>' \
					"<data name=\"PAPI_TOT_INS\" value=\"$8\" mean=\"$8\"" \
					"stddev=\"0\" min=\"$8\" max=\"$8\"/>" \
					'</InstrumentationPt>'
			done
			thread=$((thread + 1))
		done
		echo '</hpm>'
	} >"$1"
}

# diffs STATUS WORDS...: what it prints is in said.
diffs() {
	wanted=$1
	shift
	got=0
	"$assay" diff "$@" >said 2>&1 || got=$?
	[ $got = "$wanted" ] || fail "diff $*: status $got, not $wanted: $(cat said)"
}

says() {
	grep -qF -- "$1" said || fail "'$1' is not in: $(cat said)"
}

says_not() {
	! grep -qF -- "$1" said || fail "'$1' is in: $(cat said)"
}

file a.xml 7 4 100000
file same.xml 7 4 100000
file moved.xml 9 4 100000
file worse.xml 9 4 101000
file fewer.xml 7 3 100000
limit='PAPI_TOT_INS<+0.5%'

for other in same moved; do
	diffs 0 --limit "$limit" a.xml $other.xml
	says "no difference"
done
diffs 4 --limit "$limit" a.xml worse.xml
says "kernel (a.c:7)"
says "+1.000 %"
says "    over the limit $limit"
awk 'length > 80 { exit 1 }' said || fail "wider than 80 columns: $(cat said)"
says_not setup
diffs 0 --limit 'PAPI_TOT_INS<+1.5%' a.xml worse.xml
diffs 4 --limit "$limit" --github a.xml worse.xml
says "::error file=a.c,line=9,title=assay diff::PAPI_TOT_INS in kernel"
diffs 4 --limit "$limit" --junit a.xml worse.xml
[ "$(grep -c '<failure' said)" = 1 ] || fail "not one failure: $(cat said)"

diffs 0 a.xml fewer.xml
says "Threads                                4               3  -25.000 %"
diffs 0 --per-thread a.xml fewer.xml
says "kernel (a.c:7), task 0, thread 3"
says "only in A: 2 values"
says_not "thread 2"
diffs 4 --per-thread --limit "$limit" a.xml fewer.xml
diffs 0 --per-thread a.xml moved.xml
says "no difference"

diffs 125 --limit 'PAPI_XYZ<+1%' a.xml same.xml
says "neither run has PAPI_XYZ"
exit $failed
