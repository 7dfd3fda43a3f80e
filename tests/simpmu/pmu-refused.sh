#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a program on the simulated PMU is refused.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"

# What `assay list` says can be counted, `assay count` counts, and nothing else.
# names AVAILABLE: of presets in the list; counted AVAILABLE VALUE: how many of
# these have such a value
names() {
	sed -n "s/^\(PAPI_[A-Z0-9_]*\),preset,.*,$1,\(true\|false\),.*/\1/p" \
		"$tmp/list.csv"
}
counted() {
	names "$1" | paste -sd"$commas" | while read -r events; do
		expect 0 "$assay" count -q --pmu sim --model $model \
			-e "$events" -o "$tmp/counts.csv" true
		grep "^event,PAPI_[A-Z0-9_]*,$2," "$tmp/counts.csv" || :
	done | wc -l
}
commas=,,,,,,,,,,,,,,,,,,,'\n' # twenty a run
for model in icx p3; do
	expect 0 "$assay" list -a --pmu sim --model $model -o "$tmp/list.csv"
	grep -q '^PAPI_L1_TCM,preset,.*,true,true,' "$tmp/list.csv" ||
		fail "$model: $(grep '^PAPI_L1_TCM' "$tmp/list.csv")"
	for available in true false; do
		listed=$(names $available | wc -l)
		case $available in true) values="[0-9][0-9.e+]*" ;; false) values= ;; esac
		got=$(counted $available "$values")
		[ "$listed" -gt 5 ] && [ "$got" = "$listed" ] ||
			fail "$model: of $listed listed as $available $got are"
	done
done
