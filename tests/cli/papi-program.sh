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

for minor in 0 1 2; do
	echo "our header for PAPI 7.$minor, our libpapi.so.7.$minor"
	$cc -O1 -DASSAY_PAPI_MINOR=$minor -I"$source/include" -o "$tmp/version" \
		"$program" "$build/compat/libpapi.so.7.$minor"
	LD_LIBRARY_PATH=$build/compat "$tmp/version"
done
if $cc -O1 -DASSAY_PAPI_MINOR=2 -I"$source/include" -o "$tmp/mixed" \
	"$program" "$build/compat/libpapi.so.7.0" &&
	LD_LIBRARY_PATH=$build/compat "$tmp/mixed" >/dev/null; then
	echo "FAIL: libpapi.so.7.0 accepts a program compiled for PAPI 7.2"
	exit 1
fi

if ! $cc -o "$tmp/linked" "$program" -lpapi 2>"$tmp/log" ||
	! ldd "$tmp/linked" | grep -q 'libpapi\.so\.7\.[012]'; then
	echo "SKIP: no libpapi 7.0 to 7.2 to link with (libpapi-dev)"
	exit 77
fi
echo "the installed header and library, then ours below the same binary"
used=$(LD_LIBRARY_PATH=$build/compat ldd "$tmp/linked" |
	sed -n 's/.*libpapi\.so\.7\.[012] => \([^ ]*\).*/\1/p')
case $used in
"$build"/compat/libpapi.so.7.[012]) echo "on $used" ;;
*)
	echo "FAIL: it runs on $used"
	exit 1
	;;
esac
LD_LIBRARY_PATH=$build/compat "$tmp/linked"
echo "assay run puts ours first, and says so"
"$build/assay" run --pmu none "$tmp/linked" 2>"$tmp/said"
grep "libpapi\.so\.7\.[012] is assay's" "$tmp/said"
echo "where assay has none, it names the installed one"
ASSAY_LIBPAPI=$tmp/none "$build/assay" run --pmu none "$tmp/linked" 2>"$tmp/said" || :
grep "libpapi\.so\.7\.[012] is /.*, so the program counts without assay" "$tmp/said"
mkdir "$tmp/lib"
$cc -O1 -I"$source/include" -Wl,-rpath,"$tmp/lib" -Wl,--disable-new-dtags \
	-o "$tmp/own" "$program" "$build/compat/libpapi.so.7.0"
cp "$build/compat/libpapi.so.7.0" "$tmp/lib"
"$build/assay" run --pmu none "$tmp/own" 2>"$tmp/said"
grep "libpapi\.so\.7\.0 is $tmp/lib/libpapi\.so\.7\.0" "$tmp/said"
"$build/assay" run --pmu none true 2>"$tmp/said"
! grep libpapi "$tmp/said"
