#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A setuid program takes no file's name, no rank and no event from the
# environment of who started it.
# usage: secure.sh SOURCE BUILD PROGRAM
#
# The program is linked with the static libraries: such programs ignore
# LD_LIBRARY_PATH and $ORIGIN as well.
. "$1/tests/hpm/common.sh"
if [ "$(id -u)" != 0 ]; then
	echo "only root can make a program of another user's"
	exit 77
fi
chmod 755 "$tmp"
cp "$program" plain
cp "$program" setuid
chown nobody setuid
chmod 4755 setuid
echo perf::TASK-CLOCK >events
chmod 644 events

# run HOW VARIABLE=VALUE...: in a new folder that both users may write to.
run() {
	how=$1
	shift
	rm -rf work
	mkdir -p work/logs
	chmod 777 work work/logs
	# as its file begins, see src/base/marks.c
	printf asmarks2 >work/marks
	truncate -s 73744 work/marks
	chmod 666 work/marks
	cp work/marks old
	(cd work && env "$@" ../$how) >said 2>&1 || fail "$how: $(cat said)"
}

# tells FILE TEXT: whether the file is there and has the text.
tells() {
	[ -e "work/$1" ] && grep -q "$2" "work/$1"
}

# both VARIABLE=VALUE COMMAND...: true of the plain program, not of the other.
both() {
	setting=$1
	shift
	run plain "$setting"
	"$@" || fail "$setting: without effect in any program: $(cat said) $(ls work)"
	run setuid "$setting"
	! "$@" || fail "$setting: a setuid program takes it: $(ls work)"
	tells hpm_00003_secure.xml 'task="3"' || fail "$setting: $(cat said) $(ls work)"
	tells papi_hl_output/rank_000000.json region || fail "$setting: $(ls work)"
}

run setuid A=b
if grep -q 'not secure' said; then
	echo "$tmp is on a file system where setuid means nothing"
	exit 77
fi

both HPM_OUTPUT=taken tells taken 'task="3"'
both HPM_LOG_DIR=logs tells logs/hpm_00003_secure.xml 'task="3"'
for rank in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK MV2_COMM_WORLD_RANK \
	SLURM_PROCID ALPS_APP_PE; do
	both $rank=7 tells hpm_00007_secure.xml 'task="7"'
done
both PMI_RANK=7 tells papi_hl_output/rank_000007.json region

# any of the files, whatever its name
of_events() {
	grep -q 'Event name="no::such' work/hpm_*.xml
}
of_file() {
	grep -q 'TASK-CLOCK' work/hpm_*.xml && ! grep -q 'PAGE-FAULTS' work/hpm_*.xml
}
both HPM_EVENTS=no::such of_events
both PAPI_EVENTS=no::such of_events
both HPM_EVENT_FILE=../events of_file
marked() {
	! cmp -s old work/marks
}
both ASSAY_LIVE_MARKS=marks marked
both PAPI_OUTPUT_DIRECTORY=other test -e work/other
said_more() {
	grep -q "PAPI regions" said
}
both PAPI_REPORT=1 said_more
[ $failed != 0 ] || echo "a setuid program takes nothing from its environment"
exit $failed
