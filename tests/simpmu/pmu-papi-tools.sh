#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's own PAPI tools on the simulated PMU, with our library under theirs.
. "$(dirname "$0")/pmu-common.sh"
for tool in papi_avail papi_command_line papi_cost papi_native_avail; do
	command -v $tool >/dev/null || {
		echo "no $tool: the package papi-tools is missing"
		exit 77
	}
done
export LD_LIBRARY_PATH="$build/compat"

simulated papi_avail >"$tmp/avail"
grep -q 'PAPI_TOT_INS.*Yes' "$tmp/avail" || fail "$(cat "$tmp/avail")"
grep -q 'Number Hardware Counters : 11' "$tmp/avail" ||
	fail "not the counters of icx: $(grep Counters "$tmp/avail")"
available=$(sed -n 's/^Of .* possible events, \([0-9]*\) are .*/\1/p' \
	"$tmp/avail")
[ "${available:-0}" -ge 95 ] || fail "$available presets are available"

simulated papi_command_line PAPI_TOT_INS PAPI_BR_MSP PAPI_L1_DCM \
	>"$tmp/line"
for event in PAPI_TOT_INS PAPI_BR_MSP PAPI_L1_DCM; do
	grep -q "^$event : .*[1-9]" "$tmp/line" || fail "$(cat "$tmp/line")"
done
expect 0 simulated papi_cost -t 20
says 'read'
simulated papi_native_avail >"$tmp/native"
grep -q 'BR_MISP_RETIRED' "$tmp/native" || fail "no native events"

# Blind: codes instead of names, and the key only where it was asked for.
options="--blind 7 --blind-key $tmp/key" simulated papi_native_avail \
	>"$tmp/blind"
grep -q 'sim::E0001' "$tmp/blind" || fail "no codes"
if grep -q 'sim::.*RETIRED' "$tmp/blind"; then
	fail "a name shows"
fi
grep -q ',plain,INST_RETIRED:ANY,' "$tmp/key" || fail "no key"
grep -q ',dead,' "$tmp/key" || fail "no decoys"
