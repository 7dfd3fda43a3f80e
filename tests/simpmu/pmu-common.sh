# SPDX-License-Identifier: BSD-3-Clause
# For tests of the simulated PMU: $1 is the source folder, $2 the build's.
set -eu
build=$2
assay=$build/assay
if [ ! -x "$build/libexec/simpmu" ]; then
	echo "no simulator was built: the package valgrind is missing"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	printf '%s\n' "$*"
	exit 1
}

# simulated program arguments: on the simulated PMU, with $options.
simulated() {
	# shellcheck disable=SC2086
	"$assay" run --pmu sim ${options-} -- "$@"
}

same() {
	cmp -s "$tmp/plain" "$tmp/$1" ||
		fail "$1: not the same numbers: $(diff "$tmp/plain" "$tmp/$1")"
}

# expect STATUS command: its exit status; what it says is in $tmp/said.
expect() {
	want=$1
	shift
	got=0
	"$@" >"$tmp/said" 2>&1 || got=$?
	[ "$got" = "$want" ] ||
		fail "$*: status $got, not $want: $(cat "$tmp/said")"
}

says() {
	grep -q -e "$1" "$tmp/said" || fail "no '$1' in: $(cat "$tmp/said")"
}
