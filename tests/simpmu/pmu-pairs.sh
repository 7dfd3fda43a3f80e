#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every pair of events can be counted together, in the program and from outside.
. "$(dirname "$0")/pmu-common.sh"
options="--counters unlimited"
simulated "$3" >"$tmp/plain" || fail "$(cat "$tmp/plain")"
# the pair that once ended the simulator, by way of the command
expect 0 "$assay" count --pmu sim -e PAPI_BR_MSP,sim::PAGE_TOUCHES:ANY true
