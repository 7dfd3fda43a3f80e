#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Overflows at thresholds: how many, where, and the same with and without load.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
