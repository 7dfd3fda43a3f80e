#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fortran programs in free and fixed form count with our headers and library;
# every symbol that the installed libpapi has for Fortran is exported, under
# each spelling, and constants are what its header says, in its version.
set -eu
source=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
LD_LIBRARY_PATH=$build/compat
export LD_LIBRARY_PATH
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

theirs=$(LD_LIBRARY_PATH= /sbin/ldconfig -p 2>/dev/null |
	sed -n 's/.*libpapi\.so\.7\.[012] .* => //p' | head -n 1)
ours=$build/compat/$(basename "${theirs:-libpapi.so.7.0}")
symbols() {
	nm -D --defined-only "$1" | sed -n 's/.* T \([Pp][Aa][Pp][Ii][Ff]_[A-Za-z0-9_]*\).*/\1/p' | sort
}
symbols "$ours" >"$tmp/ours"
if [ -n "$theirs" ]; then
	symbols "$theirs" >"$tmp/theirs"
	# 73 calls in three spellings; 7.0 has a fourth
	[ "$(wc -l <"$tmp/theirs")" -ge 219 ] ||
		fail "expected 219 symbols or more of libpapi"
	lost=$(comm -23 "$tmp/theirs" "$tmp/ours")
	[ -z "$lost" ] || fail "lost: $lost"
	echo "$(wc -l <"$tmp/theirs") symbols compared"
fi
for name in papif_flops papif_flops_ papif_flops__ PAPIF_FLOPS; do
	grep -qx $name "$tmp/ours" || fail "no $name"
done

# Constants, one a line: name value.
constants() {
	sed -n 's/^#define  *\(PAPIF\{0,1\}_[A-Z0-9_]*\)  *\(.*\)/\1 \2/p' "$1" |
		sort
}
if [ -f /usr/include/fpapi.h ]; then
	constants /usr/include/fpapi.h >"$tmp/theirs"
	version=$(sed -n 's/^PAPI_VERSION //p' "$tmp/theirs")
	"$source/scripts/fortran-gen" constants cpp "$source/include/papi.h" \
		cc -DASSAY_PAPI_MINOR=$((version >> 16 & 255)) >"$tmp/fpapi.h"
	constants "$tmp/fpapi.h" >"$tmp/ours"
	lost=$(comm -23 "$tmp/theirs" "$tmp/ours")
	[ -z "$lost" ] || fail "constants differ: $lost"
	echo "$(wc -l <"$tmp/theirs") constants compared"
fi

if ! command -v gfortran >/dev/null; then
	[ $failed = 0 ] || exit 1
	echo "SKIP: no gfortran"
	exit 77
fi
cd "$tmp"
PAPI_OUTPUT_DIRECTORY=$tmp
export PAPI_OUTPUT_DIRECTORY
flags="-Wall -I$build/src/papi -L$build/compat -lpapi"
gfortran "$source/tests/papi/counts.F90" -o free $flags
gfortran -DWITH_CPP "$source/tests/papi/counts.F90" -o cpp $flags
gfortran "$source/tests/papi/counts.f" -o fixed $flags
gfortran -fsecond-underscore "$source/tests/papi/counts.f" -o second $flags
gfortran -fno-underscoring "$source/tests/papi/counts.f" -o bare $flags
for program in free cpp fixed second bare; do
	out=$(./$program) || fail "$program: $out"
	[ "$out" = counted ] || fail "$program: $out"
done
exit $failed
