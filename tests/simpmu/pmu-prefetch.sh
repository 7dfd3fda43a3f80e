#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prefetch instructions are counted exactly, and loads find what they brought.
. "$(dirname "$0")/pmu-common.sh"
simulated "$3" >"$tmp/plain" || fail "$(cat "$tmp/plain")"
