#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Inherited counting: threads and children add up where that was asked for.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
