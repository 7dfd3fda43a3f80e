#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A known region between PAPI_start() and PAPI_stop() gives exactly its own
# instructions, and the same numbers whatever goes on around it.
. "$(dirname "$0")/pmu-common.sh"
program=$(realpath "$3")

simulated "$program" check >"$tmp/plain" || fail "$(cat "$tmp/plain")"

# Under load, in another folder, with a larger environment, lazily bound.
(while :; do :; done) &
load=$!
trap 'kill $load; rm -rf "$tmp"' EXIT
simulated "$program" >"$tmp/load"
same load
assay=$(realpath "$assay")
cd "$tmp"
simulated "$program" >"$tmp/folder"
same folder
LARGE=$(head -c 20000 /dev/zero | tr '\0' x) simulated "$program" >"$tmp/env"
same env
LD_BIND_NOW=1 simulated "$program" >"$tmp/bound"
same bound
