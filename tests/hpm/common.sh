# SPDX-License-Identifier: BSD-3-Clause
# For tests of libhpm: $1 is the source folder, $2 the build's, $3 a program.
set -eu
source=$(realpath "$1")
build=$(realpath "$2")
[ $# -lt 3 ] || program=$(realpath "$3")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset HPM_EVENTS HPM_EVENT_FILE HPM_OUTPUT HPM_LOG_DIR HPM_CHECKPOINT PAPI_EVENTS
cd "$tmp"
failed=0
ours="-I$source/include -L$build -Wl,-rpath,$build"

fail() {
	printf 'FAIL: %s\n' "$*"
	failed=1
}

# sections FILE <<wanted: what it holds must be just this.
sections() {
	cat >wanted
	python3 "$source/tests/hpm/sections.py" "$1" >got 2>&1 || :
	cmp -s wanted got || fail "$1: $(diff wanted got)"
}
