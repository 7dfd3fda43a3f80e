#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu-described.sh SOURCE BUILD PROGRAM: what the program says of the PMU.
"$2/assay" run --pmu sim --model icx -q -- "$3"
