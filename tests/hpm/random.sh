#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs made up at random report what their sections do: natively, on the
# simulated PMU with the counters and events that come by themselves, and with
# unlimited counters.
# usage: random.sh SOURCE BUILD PROGRAM PLUGIN [SEED NATIVE USUAL UNLIMITED]
# $options are options of assay run for all simulated ones.
plugin=$(realpath "$4")
. "$1/tests/hpm/common.sh"
seed=${5-1} native=${6-100} usual=${7-200} unlimited=${8-100}
check="python3 $source/tests/hpm/random-programs.py"

# programs N: make them, and a folder for their files.
programs() {
	rm -rf files && mkdir files
	# shellcheck disable=SC2086
	$check make "$seed" "$1" >programs
	HPM_LOG_DIR=$tmp/files
	export HPM_LOG_DIR
}

programs "$native"
HPM_EVENTS=perf::PAGE-FAULTS RANDOM_PAGES=1 "$program" "$plugin" programs >said 2>&1 ||
	fail "native: status $?: $(tail -n 5 said)"
# shellcheck disable=SC2086
$check check "$seed" "$native" files pages perf::PAGE-FAULTS || fail "native"

if [ ! -x "$build/libexec/simpmu" ]; then
	echo "the simulated PMU was left out: no simulator was built"
	exit $failed
fi
# simulated N OPTIONS EVENTS-OR-NOTHING
simulated() {
	programs "$1"
	(
		[ -z "$3" ] || export HPM_EVENTS="$3"
		# shellcheck disable=SC2086
		"$build/assay" run -q --pmu sim ${options-} $2 -- "$program" "$plugin" programs
	) >said 2>&1 || fail "simulated ${options-} $2: status $?: $(tail -n 5 said)"
	# shellcheck disable=SC2086
	$check check "$seed" "$1" files exact PAPI_FP_OPS || fail "simulated ${options-} $2"
}
simulated "$usual" "" ""
simulated "$unlimited" "--counters unlimited" PAPI_FP_OPS,PAPI_TOT_INS
exit $failed
