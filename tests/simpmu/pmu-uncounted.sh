#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the simulator cannot count, or cannot do, is said: on standard error and
# in files, with the program's own exit status; what it can count, it counts.
. "$(dirname "$0")/pmu-common.sh"
cp "$3" "$tmp/program"
program=$tmp/program
chmod 755 "$tmp" "$program"

# count STATUS program...: $value and $reason as the CSV file has them
count() {
	wanted=$1
	shift
	# shellcheck disable=SC2086
	expect "$wanted" "$assay" count --pmu sim ${options-} -e PAPI_TOT_INS \
		-o "$tmp/x.csv" "$@"
	line=$(tr -d '\r' <"$tmp/x.csv" | grep '^event,PAPI_TOT_INS')
	value=$(echo "$line" | cut -d, -f3)
	reason=$(echo "$line" | cut -d, -f15-)
}

misses() {
	case $reason in
	*"$1"*) says "$1" ;;
	*) fail "no '$1' in '$reason' ($value)" ;;
	esac
}

complete() {
	[ -z "$reason" ] || fail "something is missing: $reason"
	[ "$value" -gt "$1" ] && [ "$value" -lt "$2" ] ||
		fail "$value is not between $1 and $2"
}

# a 32-bit program: loop of 1000 and exit(3), as its bytes
printf '\177ELF\001\001\001\0\0\0\0\0\0\0\0\0\002\0\003\0\001\0\0\0' >"$tmp/old"
printf '\124\200\004\010\064\0\0\0\0\0\0\0\0\0\0\0\064\0\040\0\001\0' >>"$tmp/old"
printf '\0\0\0\0\0\0\001\0\0\0\0\0\0\0\0\200\004\010\0\200\004\010' >>"$tmp/old"
printf '\147\0\0\0\147\0\0\0\005\0\0\0\0\020\0\0' >>"$tmp/old"
printf '\271\350\003\0\0\111\165\375\270\001\0\0\0\263\003\315\200' >>"$tmp/old"
chmod 755 "$tmp/old"
got=0
"$tmp/old" || got=$?
if [ $got = 3 ]; then
	count 3 "$tmp/old"
	misses "for another processor"
	[ -z "$value" ] || fail "a 32-bit program has $value"
	count 0 sh -c "$tmp/old; true"
	misses "for another processor"
	[ -n "$value" ] || fail "the shell is not counted"
	# the second run is another program: no value, and no spread of one
	cp "$tmp/old" "$tmp/next"
	cp "$(command -v mv)" "$tmp/first"
	expect 3 "$assay" count --pmu sim -r 2 -e PAPI_TOT_INS \
		-o "$tmp/x.json" "$tmp/first" "$tmp/next" "$tmp/first"
	line=$(grep '"PAPI_TOT_INS", "value": null' "$tmp/x.json")
	case $line in
	*stddev* | *min*) fail "no value, but a spread: $line" ;;
	*reason*) ;;
	*) fail "a value of one of two runs: $(cat "$tmp/x.json")" ;;
	esac
fi

cp "$program" "$tmp/setuid"
chmod 4755 "$tmp/setuid"
count 0 "$tmp/setuid"
misses "setuid"
[ -z "$value" ] || fail "a setuid program has $value"
count 0 env "$tmp/setuid"
misses "1 program that cannot be simulated (setuid"

# many at a time; each is 200,001 or so
count 0 "$program" fork 600
complete 120000000 135000000

# killed, on either engine. The fast one has all it did: two instructions a turn
# or more
mkfifo "$tmp/ready"
killed="$program spin $tmp/turns $tmp/ready&read line <$tmp/ready;kill -9 \$!"
options="--engine valgrind"
count 0 sh -c "$killed"
misses "killed process"
options="--engine fast"
count 0 sh -c "$killed"
turns=$(od -An -tu8 "$tmp/turns" | tr -d ' ')
complete $((turns * 2)) $((turns * 10 + 10000000))
options=

# still running
count 0 sh -c "$program loop 5000000000&exit 0"
misses "still running"
expect 0 "$assay" model cycles -q --pmu sim sh -c "sleep 2 >&- 2>&- &"
says "Not in the counts: "
expect 0 "$assay" model cycles -q --pmu sim --model p3 -o "$tmp/model.json" true
grep -q '"kind": "sim", "model": "p3"' "$tmp/model.json" ||
	fail "$(cat "$tmp/model.json")"

# namespaces: two processes of the same number
if unshare -pf true 2>"$tmp/err"; then
	count 0 sh -c "unshare -pf $program loop 5000000&unshare -pf $program loop 5000000;wait"
	complete 20000000 22000000
fi

count 0 "$program" self
complete 1000000 2000000
count 0 "$program" threads 700
complete 700000 70000000
for engine in fast valgrind; do
	expect 125 "$assay" count --pmu sim --engine $engine -e PAPI_TOT_INS \
		"$program" threads 1600
	says "at most 1500 threads"
done

if [ "$(id -u)" = 0 ]; then
	count 0 "$program" drop "$program" loop 5000000
	misses "without permission"
	mkdir "$tmp/root"
	cp "$build/tests/simpmu/engine/engine-guest" "$tmp/root/guest"
	count 0 chroot "$tmp/root" /guest
	misses "after chroot"
fi

# system calls that the simulator needs are forbidden; the fast engine does
# without
got=0
"$program" seccomp || got=$?
if [ $got = 4 ]; then
	expect 137 "$assay" count --pmu sim --engine valgrind -e PAPI_TOT_INS \
		"$program" seccomp
	says "forbids itself system calls"
	count 4 "$program" seccomp
	misses "seccomp"
	[ "$value" -gt 100000 ] || fail "seccomp: only $value"
fi

# a place for files that is too small
if [ "$(id -u)" = 0 ] && mkdir "$tmp/small" &&
	mount -t tmpfs -o size=16k tmpfs "$tmp/small" 2>"$tmp/err"; then
	TMPDIR=$tmp/small
	export TMPDIR
	expect 125 "$assay" count --pmu sim -e PAPI_TOT_INS true
	says "No space left on device; set TMPDIR to another directory"
	left=$(ls "$tmp/small")
	mount -o remount,size=128k "$tmp/small"
	count 0 "$program" loop 5000000
	value=${value:-0}
	umount "$tmp/small"
	unset TMPDIR
	[ -z "$left" ] || fail "left behind: $left"
	complete 10000000 12000000
fi

# what a killed command leaves is removed by the next, what a living one has not
mkdir "$tmp/place"
TMPDIR=$tmp/place
export TMPDIR
"$assay" count -q --pmu sim -e PAPI_TOT_INS sleep 15 2>"$tmp/err" &
command=$!
until ls "$tmp/place"/assay-pmu-*/lock >"$tmp/list" 2>&1; do sleep 0.1; done
expect 0 "$assay" count -q --pmu sim -e PAPI_TOT_INS true
[ "$(ls "$tmp/place" | wc -l)" = 1 ] || fail "$(ls "$tmp/place")"
kill -9 $command
wait $command 2>"$tmp/err" || :
expect 0 "$assay" count -q --pmu sim -e PAPI_TOT_INS true
[ -z "$(ls "$tmp/place")" ] || fail "left behind: $(ls "$tmp/place")"
unset TMPDIR

# a failure of the simulator's own, of either kind
for how in fault check; do
	cat >"$tmp/simulator" <<-END
		#!/bin/sh
		exec "$build/libexec/simpmu" --fail=$how "\$@"
	END
	chmod 755 "$tmp/simulator"
	ASSAY_SIMULATOR=$tmp/simulator expect 125 \
		"$assay" count --pmu sim -e PAPI_TOT_INS -o "$tmp/none.csv" true
	says "assay count: the simulator failed"
	says "report it"
	[ ! -e "$tmp/none.csv" ] || fail "$how: there are counts"
done

# where Valgrind's engine is missing, events that the other one does not model
mkdir "$tmp/alone"
cp "$build/libexec/simpmu" "$build/libexec/simpmu-fast" "$tmp/alone"
for event in PAPI_TOT_CYC PAPI_CA_INV; do
	ASSAY_SIMULATOR=$tmp/alone/simpmu expect 125 \
		"$assay" count --pmu sim --exact-cycles -e $event \
		-o "$tmp/none.csv" true
	says "Valgrind's engine is not installed"
	[ ! -e "$tmp/none.csv" ] || fail "$event: there are counts"
done
