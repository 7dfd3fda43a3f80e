#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The viewer in a real browser. usage: run.sh SOURCE BUILD
# ASSAY_SCREENSHOTS names a directory for pictures of every view; ASSAY_LARGE=1
# makes the large page one of 1,000 tasks, which takes minutes to make, and
# ASSAY_LARGE=sections one of 1,000 sections and 100 tasks.
set -eu
source=$(realpath "$1")
build=$(realpath "$2")
browser=$(command -v chromium || command -v chromium-browser || :)
[ -n "$browser" ] || { echo "SKIP: no chromium"; exit 77; }
command -v node >/dev/null || { echo "SKIP: no node"; exit 77; }
[ -s "$build/viewer/viewer.html" ] || { echo "SKIP: built without the viewer"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset HPM_EVENTS HPM_EVENT_FILE HPM_OUTPUT HPM_LOG_DIR HPM_CHECKPOINT PAPI_EVENTS
unset ASSAY_PMU DISPLAY WAYLAND_DISPLAY

# Two runs of a program with sections, on the simulated PMU if there is one.
cd "$source"
for program in demo phases; do
	cc -g -O1 -Iinclude -L"$build" -Wl,-rpath,"$build" \
		"tests/browser/$program.c" -o "$tmp/$program" -lhpm -lassay -lpthread
done
mkdir "$tmp/ijk" "$tmp/ikj"
HPM_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_LD_INS,PAPI_SR_INS,PAPI_L1_DCM
export HPM_EVENTS
for order in ijk ikj; do
	HPM_LOG_DIR=$tmp/$order "$build/assay" run -q --pmu sim -- \
		"$tmp/demo" $order >/dev/null
done
HPM_LOG_DIR=$tmp "$build/assay" record -q --pmu sim -g -e PAPI_TOT_INS@1000 -o "$tmp/demo.json" -- \
	"$tmp/demo" ijk >/dev/null
unset HPM_EVENTS
exec_test() {
	ASSAY_BROWSER=$browser node "$source/tests/browser/$1.mjs" \
		"$source" "$build" "$tmp"
}
exec_test test
