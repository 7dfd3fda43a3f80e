#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The state of the machine, kept and restored.
. "$(dirname "$0")/pmu-common.sh"
"$3" plainly || fail "outside the simulator a state is kept"
simulated "$3" >"$tmp/said" || fail "$(cat "$tmp/said")"
