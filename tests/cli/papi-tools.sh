#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's papi-tools, unmodified, on build/compat: none crashes, and what they
# say of this machine is true. Where there is no PMU, no hardware event is
# available.
set -eu
build=$1
command -v papi_avail >/dev/null || {
	echo "SKIP: no papi-tools installed"
	exit 77
}
export LD_LIBRARY_PATH="$build/compat"
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# Run a tool; its output is in ./out. It may fail, but must not be killed or
# miss a symbol, and must run on our library.
tool() {
	status=0
	timeout 120 "$@" >out 2>&1 || status=$?
	[ $status -ne 124 ] || fail "$*: does not end"
	[ $status -lt 128 ] || [ $status -ge 200 ] || fail "$*: killed, $status"
	! grep -q 'symbol lookup error\|undefined symbol' out ||
		fail "$*: $(cat out)"
	echo "$*: exit status $status, $(wc -l <out) lines"
}

# What the last tool printed must match.
says() {
	grep -q -- "$1" out || {
		fail "expected '$1' in:"
		head -n 40 out
	}
}

says_not() {
	! grep -q -- "$1" out || fail "did not expect '$1'"
}

# Which PAPI these tools are of, and that they run on ours.
minor=$(ldd "$(command -v papi_avail)" |
	sed -n "s|.* => $build/compat/libpapi\.so\.7\.\([0-9]\) .*|\1|p")
[ -n "$minor" ] || fail "papi_avail does not run on $build/compat"
echo "tools of PAPI 7.$minor"

# Asked of the kernel, not of PAPI.
cat >has_pmu.c <<'EOF'
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.exclude_kernel = 1 };
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}
EOF
${CC:-cc} -o has_pmu has_pmu.c
if ./has_pmu; then pmu=yes; else pmu=no; fi
echo "a PMU here: $pmu"

tool papi_avail
says '^PAPI_TOT_CYC  *0x8000003b'
says 'Of [0-9]* possible events, [0-9]* are available'
if [ $pmu = yes ]; then
	says '^PAPI_TOT_CYC  *0x8000003b  Yes'
else
	says 'possible events, 0 are available'
	says_not '^PAPI_[A-Z0-9_]*  *0x[0-9a-f]*  Yes'
fi
tool papi_avail -a
[ $pmu = yes ] || says 'Of 0 available events'
tool papi_avail -c
[ $pmu = yes ] || says 'Of 0 available events'
tool papi_avail -d
says 'PAPI_L1_DCM'
tool papi_avail -e PAPI_TOT_CYC
says '^Event name: *PAPI_TOT_CYC'
[ $pmu = yes ] || says 'NOT available'
tool papi_avail -e nonsense
says 'could not be found'

tool papi_native_avail
says 'perf::TASK-CLOCK'
says 'Total events reported: [1-9]'
tool papi_native_avail -c
says '| perf::PAGE-FAULTS  *|'
if [ $pmu = no ]; then
	grep '^| perf::' out | grep 'CYCLES\|INSTRUCTIONS\|CACHE\|BRANCH' |
		grep -v NA && fail "hardware events shown as available"
fi

tool papi_component_avail
says '^Name:  *perf_event '
says '^Active components:'
[ $pmu = yes ] || says 'Number Hardware Counters : 0'

tool papi_command_line perf::TASK-CLOCK perf::PAGE-FAULTS
says 'Successfully added: perf::TASK-CLOCK'
says 'perf::TASK-CLOCK : *[[:space:]]*[1-9]'
says 'perf::PAGE-FAULTS : *[[:space:]]*[1-9]'
tool papi_command_line PAPI_TOT_CYC
if [ $pmu = yes ]; then
	says 'PAPI_TOT_CYC : *[[:space:]]*[1-9]'
else
	says 'Failed adding: PAPI_TOT_CYC'
fi
tool papi_command_line no::such:event
says 'Failed adding'

tool papi_event_chooser NATIVE perf::TASK-CLOCK
says 'perf::PAGE-FAULTS'
tool papi_event_chooser PRESET PAPI_TOT_CYC

tool papi_cost -t 100
[ $pmu = yes ] || says_not 'average'
tool papi_multiplex_cost -x 3 -t 100
says 'Multiplexing read'
[ -s papi_read.dat ] || fail "papi_multiplex_cost measured nothing"

tool papi_mem_info
says 'Cache Information'
tool papi_hardware_avail
says '^Name  *: '
says 'Cores per socket'
tool papi_clockres
says 'PAPI_get_virt_cyc: min'
tool papi_error_codes
says 'Error code *0: '
says 'Error code *-27: '
tool papi_decode
[ "$(grep -c '^PAPI_' out)" -eq 108 ] || fail "papi_decode: not 108 presets"
tool papi_version
says "7\\.$minor"
tool papi_xml_event_info
if command -v python3 >/dev/null; then
	python3 -c '
import sys
import xml.etree.ElementTree as tree
root = tree.parse("out").getroot()
names = [c.get("id") for c in root.iter("component")]
sys.exit("perf_event" not in names)' || fail "papi_xml_event_info: not XML"
fi
exit $failed
