#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program compiled against the installed papi.h and linked with the installed
# libpapi runs on build/compat unchanged; the same source compiles and links
# with our headers and each of our libraries.
set -eu
source=$1 build=$2
cc=${CC:-cc}
program=$source/tests/cli/papi-program.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

echo "our header, our shared library"
$cc -O1 -I"$source/include" -o "$tmp/shared" "$program" \
	-L"$build" -lassay
LD_LIBRARY_PATH=$build "$tmp/shared"
echo "our header, our archive"
$cc -O1 -I"$source/include" -o "$tmp/static" "$program" \
	"$build/libassay.a" -lpfm -lm -lpthread ${LDFLAGS:-}
"$tmp/static"

if ! $cc -o "$tmp/linked" "$program" -lpapi 2>"$tmp/log" ||
	! ldd "$tmp/linked" | grep -q 'libpapi\.so\.7\.0'; then
	echo "SKIP: no libpapi 7.0 to link with (libpapi-dev)"
	exit 77
fi
echo "the installed header and library, then ours below the same binary"
used=$(LD_LIBRARY_PATH=$build/compat ldd "$tmp/linked" |
	sed -n 's/.*libpapi\.so\.7\.0 => \([^ ]*\).*/\1/p')
[ "$used" = "$build/compat/libpapi.so.7.0" ] || {
	echo "FAIL: it runs on $used"
	exit 1
}
LD_LIBRARY_PATH=$build/compat "$tmp/linked"
