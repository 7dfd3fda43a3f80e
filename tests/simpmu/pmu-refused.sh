#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a program on the simulated PMU is refused.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
