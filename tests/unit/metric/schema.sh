#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The published schema accepts what is written for every shipped file, and
# refuses it once it is damaged. usage: schema.sh CONVERTER SHARE
set -eu
convert="${MESON_EXE_WRAPPER:-} $1" # another machine's is emulated
share=$2
command -v xmllint >/dev/null || { echo "SKIP: no xmllint"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

valid() {
	xmllint --noout --relaxng "$share/metrics/metrics.rng" "$1" \
		2>"$work/said"
}

n=0
for file in "$share"/metrics/*.txt "$share"/presets/*.csv; do
	$convert <"$file" >"$work/good.xml"
	valid "$work/good.xml" || { echo "$file:"; cat "$work/said"; exit 1; }
	n=$((n + 1))
done
echo "$n files are valid"

# Each of these must make the file of the last set invalid.
$convert <"$share/metrics/lcpi.txt" >"$work/good.xml"
$convert <"$share/presets/intel.csv" >"$work/events.xml"
bad=0
damage() {
	sed "$2" "$work/$1.xml" >"$work/bad.xml"
	cmp -s "$work/$1.xml" "$work/bad.xml" &&
		{ echo "no damage done by: $2"; exit 1; }
	! valid "$work/bad.xml" || { echo "still valid after: $2"; exit 1; }
	bad=$((bad + 1))
}
damage good 's/urn:assay:metrics:1/urn:other/'
damage good 's/<metric name=/<metrix name=/; s/<\/metric>/<\/metrix>/'
damage good 's/ name="lcpi_data"//'
damage good 's/ name="lcpi_data"/ name="1st"/'
damage good 's/ name="lcpi_data"/ name="two words"/'
damage good 's/ formula="[^"]*"//'
damage good 's/<unit>.*<\/unit>/&&/'
damage good 's/<good>.*<\/good>/<good>high<\/good>/'
damage good 's/<constant name="[^"]*"/<constant/'
damage good 's/<\/title>/ <b\/>&/'
damage good 's/<blank\/>/stray text/'
damage events 's/kind="DERIVED_ADD"/kind="DERIVED_MUL"/'
damage events 's/kind="DERIVED_POSTFIX" formula="[^"]*"/kind="DERIVED_POSTFIX"/'
damage events 's/<base>[^<]*<\/base>//'
damage events 's/<cpu name="[^"]*"/<cpu name=""/'
damage events 's/<\/definitions>/<extra\/>&/'
echo "$bad damaged files are not"
