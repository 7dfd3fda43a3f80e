#!/bin/bash
# Files, places and limits that a stranger may come with: each is told in a
# sentence that names it, with the right status; nothing hangs, nothing is left
# half done. hostile.sh SOURCE BUILD
set -u
assay=$2/assay
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state XDG_DATA_HOME=$folder/state TMPDIR=$folder
bad=0

# fails STATUS WORDS COMMAND...: how it ends, and what it says of it
fails() {
	local want=$1 words=$2 got=0
	shift 2
	timeout 60 "$@" >out 2>said </dev/null || got=$?
	[ $got = "$want" ] && { [ -z "$words" ] || grep -qF -- "$words" said; } && return
	echo "$*: status $got, not $want, or not '$words': $(head -n 3 said)"
	bad=1
}

"$assay" count -q --pmu none -o a.json true || exit 1
mkdir dir
echo 'm, PAPI_TOT_INS * 2' >m.txt

for file in dir /proc/self/mem; do
	fails 125 "cannot read $file" "$assay" diff a.json $file
	fails 125 "cannot read $file" "$assay" record --import $file
	fails 125 "cannot read $file" "$assay" metrics check $file
	fails 125 "cannot read $file" "$assay" metrics eval m.txt $file
	fails 125 "cannot read $file" "$assay" model power --fit $file
	fails 2 "cannot read $file" "$assay" count --pmu none --event-file $file true
	fails 125 "$file" "$assay" merge -o x.xml $file
done
# Without end.
fails 125 "/dev/zero is larger than" "$assay" diff a.json /dev/zero
fails 2 "line 1 exceeds" "$assay" metrics eval m.txt /dev/zero
fails 2 "line 1 exceeds" "$assay" model power --fit /dev/zero
fails 2 "names no event" "$assay" count --pmu none --event-file /dev/null true
fails 2 "there is no event ''" "$assay" explain ''

# A pipe is as good as a file.
fails 0 "" "$assay" diff <(cat a.json) <(cat a.json)
grep -q 'no difference' out || { echo "pipes: $(cat out said)"; bad=1; }
"$assay" count -q --pmu none -o /dev/stdout --format json true | cmp -s -n 20 - a.json ||
	{ echo "a pipe by the name of /dev/stdout"; bad=1; }

# No place for what is written; a closed stream is not the next file's.
fails 125 "No space left" "$assay" count --pmu none -o /dev/full true
fails 125 "cannot write dir" "$assay" count --pmu none -o dir true
fails 125 "cannot write none/x.json" "$assay" count --pmu none -o none/x.json touch ran
[ ! -e ran ] || { echo "the program ran for a file that cannot be written"; bad=1; }
mkfifo pipe
{ "$assay" count -q --pmu none -o pipe --format json true & cmp -s -n 20 pipe a.json; } ||
	{ echo "a pipe by its name"; bad=1; }
wait
rm -f pipe
fails 125 "cannot write" bash -c "'$assay' list >&-"
ln -s /proc/self/fd/1 link # as /dev/stdout is one
fails 125 "cannot write link" bash -c "'$assay' count --pmu none -o link --format json true >&-"
[ -L link ] || { echo "a file took the place of a link"; bad=1; }
fails 125 "File too large" bash -c "ulimit -f 1; '$assay' list -o x.json"
if [ -x "$2/libexec/simpmu" ]; then
	for verb in "validate --pmu sim" "machine --pmu sim" "papers papi" "classify --pmu sim"; do
		# shellcheck disable=SC2086 # words
		fails 125 "cannot write none/x.json" timeout 10 "$assay" $verb -o none/x.json
	done
	fails 125 "$folder/none" env TMPDIR="$folder/none" "$assay" count --pmu sim true
fi
fails 125 "HOME is not set" env -u HOME -u XDG_DATA_HOME -u XDG_STATE_HOME "$assay" machine list
rm -f link out said
left=$(ls -A | grep -vx 'a.json\|dir\|m.txt\|state')
[ -z "$left" ] || { echo "left: $left"; bad=1; }

# Names that a terminal would act on, in a report and in a message; a command of
# a hundred thousand letters; a terminal of 40 columns, on which progress stays
# on its line, and one that cannot go back on a line, which has none.
name=$'esc\033[31m\nred'
cp "$(type -P true)" "$name"
fails 0 "./esc?[31m?red   exit 0" "$assay" count --pmu none "./$name"
fails 2 "esc?[31m?red" "$assay" explain "$name"
# shellcheck disable=SC2046 # words
fails 0 "true 1 2 3" "$assay" count --pmu none true $(seq 20000)
[ "$(head -n 1 said | wc -c)" -lt 300 ] || { echo "a long command: $(head -n 1 said | wc -c)"; bad=1; }
if script -qec true /dev/null >/dev/null 2>&1; then
	TERM=xterm script -qec "stty cols 40; '$assay' list -o x.json" seen >/dev/null
	tr '\r' '\n' <seen | grep '^trying' | sed 's/\x1b\[K//' >bars
	[ -s bars ] && [ "$(wc -L <bars)" -lt 40 ] || { echo "progress: $(cat bars)"; bad=1; }
	TERM=dumb script -qec "'$assay' list -o x.json" seen >/dev/null
	if grep -q 'trying\|\[K' seen; then echo "progress on a dumb terminal"; bad=1; fi
else
	echo "not tried: terminals (no script(1), or no terminal to be had)"
fi
rm -f "$name" seen bars x.json

# A locale in which I is not the capital of i.
if localedef -i tr_TR -f UTF-8 "$folder/tr_TR.UTF-8" 2>/dev/null; then
	# (the C library leaks a path of LOCPATH, which a sanitizer would tell)
	there=(env LOCPATH="$folder" LC_ALL=tr_TR.UTF-8 PAPI_USER_EVENTS_FILE=user.csv
		ASAN_OPTIONS=detect_leaks=0)
	echo 'ipc, PAPI_TOT_INS / PAPI_TOT_CYC, unit, "1"' >m.txt
	printf 'event,mine,derived_postfix,N0|2|*|,perf::page-faults\n' >user.csv
	fails 0 "" "${there[@]}" "$assay" metrics check m.txt
	fails 0 "" "${there[@]}" "$assay" count --strict --pmu none -e cpu-migrations true
	fails 0 "" "${there[@]}" "$2/tests/cli/locale" mine perf::cpu-migrations
else
	echo "not tried: a Turkish locale (package locales)"
fi
exit $bad
