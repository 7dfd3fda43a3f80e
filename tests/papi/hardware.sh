#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's papi_mem_info and papi_hardware_avail on our library say what the
# kernel says of this machine.
set -eu
build=$2
failed=0
command -v papi_mem_info >/dev/null || {
	echo "SKIP: no papi-tools"
	exit 77
}
LD_LIBRARY_PATH=$build/compat
export LD_LIBRARY_PATH

fail() {
	echo "FAIL: $*"
	failed=1
}

mem=$(papi_mem_info)
cache=/sys/devices/system/cpu/cpu0/cache
for index in "$cache"/index*; do
	[ -f "$index/size" ] || continue
	level=$(cat "$index/level")
	type=$(cat "$index/type")
	size=$(sed 's/K//' "$index/size")
	echo "$mem" | awk -v head="L$level $type Cache:" -v size="$size" '
		$0 == head { in_it = 1 }
		in_it && /Total size/ { found = $3 == size; exit }
		END { exit !found }' || fail "L$level $type is not $size KB: $mem"
done

hardware=$(papi_hardware_avail)
for node in /sys/devices/system/node/node[0-9]*; do
	[ -f "$node/meminfo" ] || continue
	mb=$(($(awk '/MemTotal/ { print $4 }' "$node/meminfo") / 1024))
	echo "$hardware" | grep -q "Numa Node .* Memory.* : ${mb}MB" ||
		fail "${node##*/} has ${mb} MB: $hardware"
done
echo "$hardware" | grep -q "Error" && fail "$hardware"
threads=$(echo "$hardware" | sed -n 's/Numa Node .* Threads *: //p' | wc -w)
[ "$threads" -eq "$(getconf _NPROCESSORS_ONLN)" ] || fail "$threads threads"
exit $failed
