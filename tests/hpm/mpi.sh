#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An MPI program of 16 tasks leaves a file for each, or with libhpm_mpi one for
# all, whose numbers are those of the tasks' files taken together.
# usage: mpi.sh SOURCE BUILD
. "$(dirname "$0")/common.sh"
example=$source/examples/sections/mpi.c
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_plm_rsh_agent= OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_orte_tmpdir_base=$tmp
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_plm_rsh_agent
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_orte_tmpdir_base
HPM_EVENTS=perf::PAGE-FAULTS
export HPM_EVENTS


ran=0
for kind in openmpi:hpm_mpi mpich:hpm_mpich; do
	mpi=${kind%:*}
	library=${kind#*:}
	if ! command -v "mpicc.$mpi" >/dev/null || ! command -v "mpirun.$mpi" >/dev/null ||
		[ ! -e "$build/lib$library.so" ]; then
		echo "$mpi is not here"
		continue
	fi
	[ $mpi = openmpi ] && many=--oversubscribe || many=
	rm -rf run && mkdir run
	# shellcheck disable=SC2086
	"mpicc.$mpi" -Wall -Werror $ours "$example" -o alone -lhpm -lassay &&
		"mpicc.$mpi" -Wall -Werror $ours "$example" -o together \
			"-l$library" -lhpm -lassay || fail "$mpi: cannot build"
	(
		cd run
		# shellcheck disable=SC2086
		"mpirun.$mpi" $many -np 16 ../alone >../said 2>&1
	) || fail "$mpi: $(cat said)"
	[ "$(ls run | wc -l)" = 16 ] || fail "$mpi: no file for each: $(ls run)"
	"$build/assay" merge -q -o by-command.xml run/*.xml || fail "cannot merge"
	python3 "$source/tests/hpm/mpi.py" by-command.xml 16 run/*.xml >got 2>&1 ||
		fail "assay merge: $(cat got)"

	rm -rf run && mkdir run
	(
		cd run
		# shellcheck disable=SC2086
		"mpirun.$mpi" $many -np 16 ../together >../said 2>&1
	) || fail "$mpi: $(cat said)"
	[ "$(ls run)" = hpm_mpi.xml ] || fail "$mpi: not one file: $(ls run)"
	(
		cd run
		# shellcheck disable=SC2086
		HPM_TASK_FILES=1 "mpirun.$mpi" $many -np 16 ../together >../said 2>&1
	) || fail "$mpi: $(cat said)"
	python3 "$source/tests/hpm/mpi.py" run/hpm_mpi.xml 16 run/hpm_0*.xml \
		>got 2>&1 || fail "$mpi: $(cat got)"

	# A task that dies takes nothing with it. Those that MPI kills as it ends
	# the program may not come to write theirs, so these are not asked for.
	# shellcheck disable=SC2086
	"mpicc.$mpi" -Wall -Werror $ours "$source/tests/hpm/mpi_dying.c" -o dying \
		"-l$library" -lhpm -lassay || fail "$mpi: cannot build"
	for how in after:8 abort:1; do
		rm -rf run && mkdir run
		(
			cd run
			# shellcheck disable=SC2086
			! "mpirun.$mpi" $many -np 8 ../dying ${how%:*} >../said 2>&1
		) || fail "$mpi, $how: no failure"
		least=${how#*:}
		[ "$(ls run | wc -l)" -ge "$least" ] && [ -e run/hpm_00003_dying.xml ] ||
			fail "$mpi, $how: $(ls run)"
		for left in run/*; do
			python3 "$source/tests/hpm/sections.py" "$left" >got 2>&1 || fail "$how: $(cat got)"
		done
	done

	# Without an MPI launcher it is a program of one task.
	rm -rf run && mkdir run
	(cd run && ../together >../said 2>&1) || fail "$mpi: $(cat said)"
	[ "$(ls run)" = hpm_mpi.xml ] || fail "$mpi, alone: $(ls run)"
	ran=1
done
[ $failed = 0 ] || exit 1
[ $ran = 1 ] || {
	echo "SKIP: no MPI was built with: the packages libopenmpi-dev, openmpi-bin"
	exit 77
}
