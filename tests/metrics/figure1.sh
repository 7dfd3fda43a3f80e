#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The 2011 paper's example file in a program: figure1.sh SOURCE BUILD PROGRAM
. "$1/tests/simpmu/pmu-common.sh"
file=$1/share/metrics/figure1.txt

expect 0 env PAPI_USER_EVENTS_FILE="$file" \
	"$assay" run -q --pmu sim -- "$3" environment
cat "$tmp/said"
expect 0 "$assay" run -q --pmu sim -- "$3" option "$file"
cat "$tmp/said"
expect 0 env PAPI_USER_EVENTS_FILE="$file" \
	"$assay" run -q --pmu sim --counters 2 -- "$3" few
cat "$tmp/said"

# A file with a fault is refused whole, and the program goes on.
printf 'Branch_cat, PAPI_BR_INS|+\n' >"$tmp/bad.txt"
expect 1 "$assay" run -q --pmu sim -- "$3" option "$tmp/bad.txt"
says 'set_opt: Invalid argument'
