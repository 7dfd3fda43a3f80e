#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Overflows of modelled events: how many, where, and that they change nothing.
. "$(dirname "$0")/pmu-common.sh"
options='--counters unlimited'
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
