#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truth.sh SIMPMU GUEST STEP: what the simulator counts of a program made of
# pitfalls equals what single-stepping the processor says, whatever parts of
# the model run.
set -u
simpmu=$1 guest=$2 step=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

if ! "$step" "$guest" >"$folder/truth" || ! [ -s "$folder/truth" ]; then
	echo "no single-stepping here"
	exit 77
fi
failed=0
for parts in 0 1 2 4 7 15 256; do
	"$simpmu" --parts=$parts --signals="$folder/signals" "$guest" || {
		echo "parts $parts: exit status $?"
		failed=1
	}
	while read -r name value; do
		counted=$(sed -n "s/^$name //p" "$folder/signals")
		[ "$value" = "$counted" ] && continue
		echo "parts $parts: $name is $value, counted $counted"
		failed=1
	done <"$folder/truth"
done
exit $failed
