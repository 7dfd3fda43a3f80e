#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# However a program ends, it leaves a whole performance file or none, and says
# so if it could not write one.
# usage: dying.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
HPM_EVENTS=
export HPM_EVENTS
ulimit -c 0
# A sanitizer would take the signal for its own finding.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0
export ASAN_OPTIONS TSAN_OPTIONS
file=hpm_00000_mortal.xml
usual='1 thread main 10 - outer mortal.c 18-22
2 thread main 10 1 inner mortal.c 19-21'

# run STATUS HOW: what it prints is in said.
run() {
	rm -f hpm_*
	got=0
	"$program" "$2" >said 2>&1 || got=$?
	[ $got = "$1" ] || fail "$2: status $got, not $1: $(cat said)"
}

no_scraps() {
	for scrap in *.tmp; do
		[ ! -e "$scrap" ] || fail "$1 left $scrap"
	done
}

run 0 plainly
sections $file <<END
$usual
END

# A signal: the file so far, marked incomplete, and the signal's own end.
for how in 1:129 10:138 12:140 13:141 14:142 15:143 24:152 25:153 27:155 29:157 31:159 segv:139 abort:134 stack:139; do
	run ${how#*:} ${how%:*}
	sections $file <<-END
		$usual
		incomplete
	END
	no_scraps "$how"
done

# _exit: as by a signal. What another process does in our memory is not ours.
run 5 _exit
sections $file <<END
$usual
incomplete
END
run 6 quick_exit
sections $file <<END
$usual
END
run 7 vfork
[ ! -e $file ] || fail "the child of vfork left a file"
HPM_CHECKPOINT=0.0000001 run 5 _exit
sections $file <<END
$usual
incomplete
END

run 0 wrong
sections $file <<END
$usual
3 thread main 1 - crossed mortal.c 50-52
4 thread main 1 3 inner_of_crossed mortal.c 51-52
5 thread main 0 - left_open mortal.c 53-0
problem: started but not stopped 5 mortal.c:53 1
problem: stopped but not started 7 mortal.c:48 1
problem: stopped but not started 7 mortal.c:49 1
problem: stopped while sections inside it were open 3 mortal.c:52 1
END

run 0 fork
sections $file <<END
$usual
END
sections hpm_00001_child.xml <<-'END'
	1 thread main 3 - outer mortal.c 18-22
	2 thread main 3 1 inner mortal.c 19-21
END

run 0 again
sections hpm_00000_again.xml <<-'END'
	1 thread main 5 - outer mortal.c 18-22
	2 thread main 5 1 inner mortal.c 19-21
END

# Threads that go on while it ends.
for i in 1 2 3 4 5; do
	run 0 busy
	python3 "$source/tests/hpm/sections.py" $file >got 2>&1 || fail "busy: $(cat got)"
done

# A disk that is full: it is said, and the old file stays.
echo "the old file" >$file
(
	trap '' XFSZ
	ulimit -f 1
	"$program" plainly >said 2>&1 3>&-
) || fail "a full disk ends the program: $(cat said)"
grep -q "^libhpm: cannot write $file: File too large" said || fail "full disk: $(cat said)"
[ "$(cat $file)" = "the old file" ] || fail "a full disk spoilt the old file"
no_scraps "full disk"
HPM_OUTPUT=/nowhere/at/all run 0 plainly
grep -q "^libhpm: cannot write /nowhere/at/all: No such file" said || fail "$(cat said)"

# Killed at any moment, writing all the time.
kills=0
while [ $kills -lt 25 ]; do
	kills=$((kills + 1))
	rm -f hpm_*
	HPM_CHECKPOINT=0.0000001 "$program" forever >said 2>&1 &
	pid=$!
	sleep "0.0$((kills * 37 % 90 + 10))"
	kill -KILL $pid 2>/dev/null || fail "it ended by itself: $(cat said)"
	wait $pid 2>/dev/null || true
	# between two system calls the new file has another name; it is whole
	for left in hpm_*; do
		[ -e "$left" ] || continue
		python3 "$source/tests/hpm/sections.py" "$left" >got 2>&1 ||
			fail "kill $kills: $(cat got)"
		grep -qx incomplete got || fail "kill $kills: $(cat got)"
	done
done
exit $failed
