#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ends.sh SIMPMU PROGRAM: however a program ends, its status is its own and
# what it did until then is counted.
set -u
simpmu=$1 program=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# how, status, whether counts can be written
while read -r how status counts; do
	rm -f "$folder/signals"
	(exec "$simpmu" --signals="$folder/signals" "$program" "$how" \
		>"$folder/out" 2>&1)
	got=$?
	if [ "$got" != "$status" ]; then
		echo "$how: status $got instead of $status"
		failed=1
	fi
	ins=$(sed -n 's/^INS //p' "$folder/signals" 2>"$folder/err")
	if [ "$counts" = yes ] && [ "${ins:-0}" -lt 200000 ]; then
		echo "$how: ${ins:-no} instructions"
		failed=1
	fi
done <<END
exit 3 yes
crash 139 yes
abort 134 yes
trap 133 yes
illegal 132 yes
avx512 132 yes
divide 136 yes
kill 137 no
term 143 yes
exec 9 no
none 0 yes
hungry 12 yes
starved 134 yes
END

"$simpmu" /nowhere/nothing 2>"$folder/err"
[ $? = 127 ] || { echo "no program: status not 127"; failed=1; }
"$simpmu" --model=/nowhere/x "$program" 2>"$folder/err"
[ $? = 2 ] || { echo "no model: status not 2"; failed=1; }
# what a program is told of itself needs no place for files
own=$(TMPDIR=/nowhere "$simpmu" cat /proc/self/cmdline 2>"$folder/err" |
	tr '\0' ' ')
[ "$own" = "cat /proc/self/cmdline " ] || {
	echo "without a place for files: '$own'"
	failed=1
}
# the environment of ld.so is meant for the program, not for the launcher
list() {
	LD_TRACE_LOADED_OBJECTS=1 "$@" | awk '{ print $1 }' |
		grep -v -e vdso -e vgpreload | sort
}
if ! ldd "$simpmu" >"$folder/libraries" 2>&1; then
	shell=$(command -v bash || command -v sh)
	[ "$(list "$shell")" = "$(list "$simpmu" "$shell")" ] || {
		echo "other libraries: $(list "$simpmu" "$shell")"
		failed=1
	}
fi
exit $failed
