#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sections of the process count its threads and children, before and after it
# has any, and nothing is lost or counted twice when it gets its first.
# usage: family.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
HPM_EVENTS=perf::PAGE-FAULTS,perf::MINOR-FAULTS
ASSAY_PMU=hw
export HPM_EVENTS ASSAY_PMU
"$program" || fail "it ends with $?"
python3 "$source/tests/hpm/family.py" hpm_00000_family.xml
got=$?
[ $got = 0 ] || exit $got
exit $failed
