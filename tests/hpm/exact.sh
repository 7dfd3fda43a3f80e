#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# On the simulated PMU a section reports exactly the instructions inside it,
# however deep, often and in however many threads; and each time the same.
# usage: exact.sh SOURCE BUILD PROGRAM [CALLS]
. "$1/tests/simpmu/pmu-common.sh"
program=$(realpath "$3")
calls=${4-100000}

HPM_EVENTS=PAPI_TOT_INS HPM_OUTPUT=$tmp/exact.xml simulated "$program" "$calls" \
	>"$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
python3 "$1/tests/hpm/exact.py" "$tmp/exact.xml" "$calls"
