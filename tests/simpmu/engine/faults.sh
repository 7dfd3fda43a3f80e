#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh SIMPMU PROGRAM: a simulated program faults where the native one
# does, and its handlers see the same registers.
set -u
simpmu=$1 program=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
for how in handle die divide; do
	for parts in native 0 4 15; do
		options=
		[ $parts = native ] || options="$simpmu --parts=$parts"
		# shellcheck disable=SC2086
		(exec $options "$program" $how) >"$folder/$parts" 2>&1
		echo "status $?" >>"$folder/$parts"
		cmp "$folder/native" "$folder/$parts" || {
			echo "$how, parts $parts:"
			cat "$folder/$parts"
			failed=1
		}
	done
done
exit $failed
