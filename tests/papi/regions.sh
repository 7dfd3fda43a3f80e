#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Regions of a program: what is written, where, and what is in it.
set -eu
build=$2
program=$(realpath "$3")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
LD_LIBRARY_PATH=$build/compat
export LD_LIBRARY_PATH
unset PAPI_EVENTS PAPI_MULTIPLEX PAPI_REPORT PAPI_HL_VERBOSE
unset PAPI_OUTPUT_DIRECTORY OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK
unset ALPS_APP_PE SLURM_PROCID

fail() {
	echo "FAIL: $*"
	exit 1
}

# check FILE CONDITION...: python on d, the document, and t, its threads
check() {
	python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
t = d['threads']
for condition in sys.argv[2:]:
    if not eval('(' + condition + ')'):
        sys.exit('FAIL: ' + condition + ' in ' + json.dumps(d, indent=1))
" "$@"
}

file=papi_hl_output/rank_000000.json
events=perf::PAGE-FAULTS,perf::TASK-CLOCK

# Values, nesting, statistics, and what was wrong.
PAPI_EVENTS="$events, no-such-event,PAPI_NO_PRESET" "$program" nested
outer="t['0']['regions']['0']"
inner="t['0']['regions']['1']"
# A fault for each page, a few of the program itself, and with a sanitizer those
# of its shadow memory.
most=1.2
ldd "$program" | grep -q 'lib[at]san' && most=8
check $file "len(t['0']['regions']) == 2" \
	"$outer['name'] == 'outer' and $outer['parent_region_id'] == -1" \
	"$inner['name'] == 'inner \"quoted\"\\n'" \
	"$inner['parent_region_id'] == 0 and $inner['region_count'] == 3" \
	"3000 <= $inner['perf::PAGE-FAULTS']['region_value'] < 3000 * $most" \
	"1000 <= $inner['perf::PAGE-FAULTS']['min'] < 1000 * $most" \
	"3300 <= $outer['perf::PAGE-FAULTS']['region_value'] < 3300 * $most" \
	"300 <= $outer['perf::PAGE-FAULTS']['exclusive'] < 300 * $most" \
	"$outer['real_time_nsec']['reads'] == 3" \
	"1100 <= $outer['perf::PAGE-FAULTS']['read_min'] < 1100 * $most" \
	"d['event_definitions']['perf::TASK-CLOCK']['type'] == 'delta'" \
	"'no-such-event' in d['unavailable']['no-such-event']" \
	"len(d['unavailable']) == 2" \
	"any('not open' in n.get('note', '') for n in d['notes'])" \
	"any(n.get('region') == 'open for ever' and n['unfinished'] == 1
	    for n in d['notes'])"

# The next run sets the last one aside, also within the same second.
"$program" many
"$program" many
[ "$(ls -d papi_hl_output* | wc -l)" -eq 3 ] || fail "$(ls)"
check $file "t['0']['regions']['0']['region_count'] == 21000"
[ "$(wc -c <$file)" -lt 4000 ] || fail "the file grows with the visits"
rm -rf papi_hl_output*

# The events of default are those that can be counted here.
check_default="'perf::PAGE-FAULTS' in d['event_definitions']"
PAPI_REPORT=1 PAPI_OUTPUT_DIRECTORY=deep/down "$program" threads >report
check deep/down/$file "$check_default and len(t) == 20" "all(
    200 <= list(x['regions'].values())[1]['perf::PAGE-FAULTS']['region_value']
    < 200 * $most for x in t.values())"
[ "$(grep -c '^thread ' report)" -eq 20 ] || fail "the report: $(cat report)"
[ ! -e papi_hl_output ] || fail "output in the wrong place"

# Ranks of a parallel program share a folder; a second run replaces them.
for i in 1 2; do
	OMPI_COMM_WORLD_RANK=0 "$program" many
	SLURM_PROCID=12 "$program" many
done
[ "$(ls papi_hl_output | tr '\n' ' ')" = "rank_000000.json rank_000012.json " ] ||
	fail "$(ls papi_hl_output)"
[ "$(ls -d papi_hl_output* | wc -l)" -eq 1 ] || fail "$(ls)"
rm -rf papi_hl_output*

"$program" child
check $file "len(t) == 1 and t['0']['regions']['0']['name'] == 'parent'"
rm -rf papi_hl_output*
PAPI_EVENTS=$events "$program" mixed
check $file "[r['name'] for r in t['0']['regions'].values()] ==
    ['one', 'two', 'three']" \
	"t['0']['regions']['2']['perf::PAGE-FAULTS']['region_value'] >= 10"
rm -rf papi_hl_output*

# Nothing to count at all: times alone.
PAPI_EVENTS=nothing PAPI_MULTIPLEX=1 "$program" many
check $file "t['0']['regions']['0']['real_time_nsec']['region_value'] > 0"

# Where nothing can be written, nothing is, and the program does not mind.
mkdir locked
: >locked/papi_hl_output
PAPI_HL_VERBOSE=1 PAPI_OUTPUT_DIRECTORY=locked "$program" many 2>said
grep -q 'cannot write' said || fail "silent about a failed write: $(cat said)"

# PAPI's own reader of these files.
if command -v papi_hl_output_writer >/dev/null; then
	rm -rf papi_hl_output*
	PAPI_EVENTS=$events "$program" nested
	from=--source # until PAPI 7.1
	papi_hl_output_writer --help | grep -q -e --source_dir && from=--source_dir
	papi_hl_output_writer $from papi_hl_output --type detail --notation raw >/dev/null
	papi_hl_output_writer $from papi_hl_output --type detail --notation derived >/dev/null
	papi_hl_output_writer $from papi_hl_output --type summary --notation raw >summary
	python3 -c "
import json
d = json.load(open('summary'))
assert d['outer']['region_count'] == 3, d
assert d['outer']['perf::PAGE-FAULTS']['total'] >= 3300, d"
	papi_hl_output_writer $from papi_hl_output --type summary --notation derived >/dev/null
else
	echo "papi_hl_output_writer (papi-tools) is not here: not asked"
fi
