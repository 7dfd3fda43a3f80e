#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Our papi.h against the installed one of PAPI 7.0, 7.1 or 7.2: the same
# constants, macros, layouts and prototypes, found by asking the compiler about
# each. And ours compiles where a user's program may want it: pedantic C99, old and new C++.
set -eu
source=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ours=$source/include
cc=${CC:-cc}
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# Compile in the languages of users.
echo '#include <papi.h>
int main(void) { return PAPI_OK; }' >"$tmp/user.c"
cp "$tmp/user.c" "$tmp/user.cc"
$cc -std=c99 -pedantic -Wall -Wextra -Wundef -Werror -I"$ours" -c \
	-o "$tmp/user.o" "$tmp/user.c" || fail "not pedantic C99"
if command -v g++ >/dev/null; then
	for std in c++98 c++11 c++20; do
		g++ -std=$std -pedantic -Wall -Wextra -Wno-long-long -Werror \
			-I"$ours" -c -o "$tmp/user.o" "$tmp/user.cc" ||
			fail "not $std"
	done
fi

theirs= minor=
for dir in /usr/include /usr/local/include; do
	[ -f $dir/papi.h ] || continue
	minor=$(sed -n 's/.*PAPI_VERSION_NUMBER(7, *\([012]\),.*/\1/p' $dir/papi.h)
	[ -z "$minor" ] || theirs=$dir
done
if [ -z "$theirs" ]; then
	[ $failed = 0 ] || exit 1
	echo "SKIP: no papi.h of PAPI 7.0 to 7.2 installed (libpapi-dev) to compare with"
	exit 77
fi

# Every macro of theirs that is a number, with its value in each header.
echo '#include <papi.h>' >"$tmp/empty.c"
$cc -I"$theirs" -dM -E "$tmp/empty.c" |
	sed -n 's/^#define \(PAPIF\{0,1\}_[A-Za-z0-9_]*\) .*/\1/p' |
	grep -v _H$ | sort >"$tmp/macros"
{
	cat <<'EOF'
#include <papi.h>
#include <stddef.h>
#include <stdio.h>
#define VALUE(n, v) printf("%s %lld\n", #n, (long long)(n));
#define SIZE(t, v) printf("%s %zu\n", #t, sizeof(t));
#define OFFSET(t, m, v) printf("%s.%s %zu\n", #t, #m, offsetof(t, m));
int main(void)
{
#include "tests/unit/papi/abi.def"
#if ASSAY_PAPI_MINOR < 2
#include "tests/unit/papi/abi-7.0.def"
#else
#include "tests/unit/papi/abi-7.2.def"
#endif
EOF
	sed 's/.*/VALUE(&, 0)/' "$tmp/macros"
	echo 'return 0; }'
} >"$tmp/probe.c"

# Prototypes as the compiler understood them, by name.
prototypes() {
	$cc -DASSAY_PAPI_MINOR="$minor" -I"$1" -fsyntax-only -aux-info "$tmp/aux" "$tmp/empty.c"
	grep -o '[a-zA-Z].* \**PAPI_[a-z_]* (.*' "$tmp/aux" | sed '
		s/.*\*\/ //; s/PAPI_thread_id_t/long unsigned int/g
		s/(\/\* ??? \*\/)/(void)/; s/ *$//' | sort -u
}

for side in theirs ours; do
	eval dir=\$$side
	$cc -DASSAY_PAPI_MINOR="$minor" -I"$dir" -I"$source" -w -o "$tmp/probe" "$tmp/probe.c"
	"$tmp/probe" >"$tmp/$side.values"
	prototypes "$dir" >"$tmp/$side.prototypes"
done
diff "$tmp/theirs.values" "$tmp/ours.values" || fail "values differ"
lost=$(comm -23 "$tmp/theirs.prototypes" "$tmp/ours.prototypes")
[ -z "$lost" ] || fail "prototypes differ: $lost"
echo "PAPI 7.$minor: $(wc -l <"$tmp/theirs.values") values," \
	"$(wc -l <"$tmp/theirs.prototypes") prototypes compared"
[ "$(wc -l <"$tmp/theirs.prototypes")" -eq 89 ] || fail "not 89 functions"
exit $failed
