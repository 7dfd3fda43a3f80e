#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Exports of profiles are read by programs that are not ours: callgrind_annotate,
# pprof-format, and speedscope in a browser.
# usage: readers.sh ASSAY SOURCE WORK
set -eu
assay=$1
source=$2
work=$3
here=$source/tests/readers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cp "$source/tests/fixtures/profile/two.json" "$tmp/p.json"
for name in p.pb.gz p.speedscope.json callgrind.out.p p.folded; do
	"$assay" record -q --import "$tmp/p.json" -o "$tmp/$name"
done

# 1206 samples of 10000 events, 61 of 500; long_work has 600 and 3 of them.
callgrind_annotate --auto=no --threshold=100 "$tmp/callgrind.out.p" \
	>"$tmp/annotated"
for want in '12,060,000 (100.0%) *30,500 (100.0%) *PROGRAM TOTALS' \
	'6,000,000 (49.75%) *1,500 ( *4.92%) *.*two.c:long_work' \
	'3,000,000 (24.88%) *5,000 (16.39%) *.*inline.h:step'; do
	grep -q "$want" "$tmp/annotated" || {
		echo "callgrind_annotate does not say: $want"
		cat "$tmp/annotated"
		exit 1
	}
done
echo "callgrind_annotate: $(grep -c : "$tmp/annotated") lines"

# A line of folded stacks: names without ';', then a blank and a number.
bad=$(grep -vcE '^[^;]+(;[^;]+)+ [0-9]+$' "$tmp/p.folded" || true)
[ "$bad" = 0 ] || {
	echo "$bad lines of folded stacks are wrong"
	exit 1
}

command -v npm >/dev/null || {
	echo "SKIP: no npm to get the readers of pprof and speedscope with"
	exit 77
}
mkdir -p "$work"
if ! cmp -s "$here/package-lock.json" "$work/installed-lock.json"; then
	cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$work"
	(cd "$work" && npm ci --ignore-scripts) >"$work/npm.log" 2>&1 || {
		echo "SKIP: npm cannot install the readers; see $work/npm.log"
		exit 77
	}
	cp "$here/package-lock.json" "$work/installed-lock.json"
fi
node "$here/read.mjs" "$work" "$tmp"
