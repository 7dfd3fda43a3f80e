#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Forks, threads, signals, jumps and changing code while counters run.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
