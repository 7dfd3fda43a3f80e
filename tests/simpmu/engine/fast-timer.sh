#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counts are exact however many signals interrupt the program.
# usage: fast-timer.sh SIMPMU-FAST PROGRAM SIGNALS
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
said=$("$1" --signals="$tmp/tallies" "$2" "$3")
counted=$(sed -n 's/^FP_ADD //p' "$tmp/tallies")
echo "$3 signals: $said additions, $counted counted"
[ "$said" = "$counted" ]
