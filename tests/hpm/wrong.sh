#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every wrong use of hpm.h that its page tells of: nothing crashes, what was
# right is counted, what was wrong is named.
# usage: wrong.sh SOURCE BUILD PROGRAM
. "$1/tests/hpm/common.sh"
HPM_EVENTS=
export HPM_EVENTS
own=hpm_00000_hpm-wrong.xml # by the program's own name
given=hpm_00000_wrong.xml   # by the one it gives
schema=$source/docs/formats/performance-file.rng

# run CASE FILE...: it leaves just these files.
run() {
	rm -f hpm_*
	name=$1
	shift
	"$program" "$name" >said 2>&1 || fail "$name: status $?: $(cat said)"
	left=$(echo hpm_*)
	[ "$left" = "$*" ] || [ "$#:$left" = '0:hpm_*' ] || fail "$name: left $left, not $*"
	for file in "$@"; do
		! command -v xmllint >/dev/null ||
			xmllint --noout --relaxng "$schema" "$file" 2>why || fail "$name: $(cat why)"
	done
}

# line TEXT: the number of the only line of wrong.c with it.
line() {
	grep -nF "$1" "$source/tests/hpm/wrong.c" | cut -d: -f1 | paste -sd' '
}
begin=$(line 'hpmTstart(id, "section")')
once="thread main 1 - section wrong.c $begin-$((begin + 1))"

run no-label $given
at=$(line 'hpmStart(1, NULL)')
sections $given <<END
1 process main 1 - - wrong.c $at-$((at + 1))
2 thread main 1 - - wrong.c $((at + 2))-$((at + 3))
END

run no-program $own hpm_00001_hpm-wrong.xml
echo "1 $once" | sections $own
echo "2 $once" | sections hpm_00001_hpm-wrong.xml

run no-place $given
sections $given <<END
1 process main 1 - process - 0-0
2 thread main 1 1 thread - 0-0
4 thread main 0 - open - 0-0
problem: started but not stopped 4 :0 1
problem: stopped but not started 1 :0 1
problem: stopped but not started 3 :0 1
END

# The numbers that costs are measured with are no sections.
run strange-numbers $given
sections $given <<END
-1 $once
-2147483648 $once
0 $once
2147483647 $once
problem: stopped but not started -2147483647 wrong.c:$(line 'hpmStop(HPM_COST_OUTER)') 1
END

run other-kind $given
at=$(line 'static void other_kind')
sections $given <<END
1 process main 1 - process wrong.c $((at + 3))-$((at + 5))
2 thread main 1 - thread wrong.c $((at + 6))-$((at + 8))
problem: stopped but not started 1 wrong.c:$((at + 4)) 1
problem: stopped but not started 2 wrong.c:$((at + 7)) 1
END

run stop-alone $given
at=$(line 'hpmStop(9)')
sections $given <<END
1 $once
problem: stopped but not started 1 wrong.c:$((at + 2)) 1
problem: stopped but not started 9 wrong.c:$at 3
END

# More than are kept: those are counted.
run stop-in-loop $given
[ "$(grep -c '<Problem what="stopped but not started"' $given)" = 64 ] || fail "stop-in-loop"
grep -q '<Problem what="further problems" id="0" count="936"/>' $given ||
	fail "stop-in-loop: $(grep more $given)"

run init-twice hpm_00005_wrong.xml
echo "1 $once" | sed 's/main 1/main 2/' | sections hpm_00005_wrong.xml

# Once is enough: the file stays, also where all have one name.
run terminate-twice $given
echo "1 $once" | sections $given
HPM_OUTPUT=hpm_out run terminate-twice hpm_out
echo "1 $once" | sections hpm_out
# An empty name is none: the file is where it would be without.
HPM_OUTPUT='' HPM_LOG_DIR='' run terminate-twice $given
[ ! -s said ] || fail "an empty HPM_OUTPUT: $(cat said)"
echo "1 $once" | sections $given
run terminate-alone

for name in no-init nothing-but-sections; do
	run $name $own
	echo "1 $once" | sections $own
done

run start-after-the-end $own $given
at=$(line 'hpmTstart(1, "open")')
sections $given <<END
1 thread main 0 - open wrong.c $at-0
problem: started but not stopped 1 wrong.c:$at 1
END
sections $own <<END
2 $once
problem: stopped but not started 1 wrong.c:$((at + 2)) 1
END

run stop-in-thread $given
at=$(line 'static void stop_in_thread')
there=$(line 'static void *stop_there')
sections $given <<END
1 process main 0 - process wrong.c $((at + 3))-0
2 thread main 0 1 thread wrong.c $((at + 4))-0
3 thread other 0 - of_the_thread wrong.c $((there + 4))-0
problem: started but not stopped 1 wrong.c:$((at + 3)) 1
problem: started but not stopped 2 wrong.c:$((at + 4)) 1
problem: started but not stopped 3 wrong.c:$((there + 4)) 1
problem: stopped but not started 1 wrong.c:$((there + 2)) 1
problem: stopped but not started 2 wrong.c:$((there + 3)) 1
END

run end-in-thread $given hpm_00001_wrong.xml
printf '1 %s\n4 %s\n' "$once" "$once" | sed '2s/main/other/' | sections $given
echo "5 $once" | sections hpm_00001_wrong.xml

HPM_LOG_DIR=/nowhere run no-such-folder
cat >wanted <<END
libhpm: cannot write /nowhere/$given: No such file or directory
before: 
after: cannot write /nowhere/$given: No such file or directory
END
cmp -s wanted said || fail "no-such-folder: $(cat said)"
exit $failed
