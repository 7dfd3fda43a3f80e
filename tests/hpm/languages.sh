#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples in C, C++, Fortran, with OpenMP and POSIX threads are built as a
# user builds them, run, and leave the sections they are made of. Without
# libhpm, switched off when compiled, they run too and leave nothing.
# usage: languages.sh SOURCE BUILD
. "$(dirname "$0")/common.sh"
examples=$source/examples/sections
strict="-Wall -Wextra -Werror -pedantic"

command -v g++ >/dev/null || {
	echo "SKIP: no g++"
	exit 77
}

# try NAME COMPILER...: build, run, keep what it prints in NAME.out
try() {
	name=$1
	shift
	"$@" -o "$name" 2>"$name.err" || {
		fail "$name does not build: $(cat "$name.err")"
		return 0
	}
	"./$name" >"$name.out" 2>&1 || fail "$name: $(cat "$name.out")"
}

# shellcheck disable=SC2086
{
	try c cc $strict -std=c11 $ours "$examples/historic.c" -lhpm -lassay
	sections hpm_00000_historic.xml <<-'END'
		1 process main 1 - Total historic.c 28-40
		2 process main 10 1 LongRange historic.c 32-36
	END
	rm -f hpm_*.xml
	try cxx g++ $strict -x c++ $ours "$examples/historic.c" -lhpm -lassay
	sections hpm_00000_historic.xml <<-'END'
		1 process main 1 - Total historic.c 28-40
		2 process main 10 1 LongRange historic.c 32-36
	END
	try guard g++ $strict -std=c++11 $ours "$examples/guard.cc" -lhpm -lassay
	sections hpm_00000_guard.xml <<-'END'
		1 thread main 1 - all guard.cc 23-23
		2 thread main 10 1 half guard.cc 10-10
	END
	try openmp cc $strict -fopenmp $ours "$examples/openmp.c" -lhpm -lassay
	sections hpm_00000_openmp.xml <<-'END'
		1 process main 1 - all_threads openmp.c 15-26
		2 thread main 1 1 share_of_a_thread openmp.c 18-24
		2 thread other 1 - share_of_a_thread openmp.c 18-24
		2 thread other 1 - share_of_a_thread openmp.c 18-24
		2 thread other 1 - share_of_a_thread openmp.c 18-24
	END
	try pthread cc $strict -pthread $ours "$examples/pthread.c" -lhpm -lassay
	sections hpm_00000_pthread.xml <<-'END'
		1 process main 1 - threads pthread.c 28-33
		2 thread other 5 - round pthread.c 14-17
		2 thread other 5 - round pthread.c 14-17
		2 thread other 5 - round pthread.c 14-17
		2 thread other 5 - round pthread.c 14-17
	END
	rm -f hpm_*.xml
	for example in historic.c openmp.c pthread.c guard.cc; do
		try "off-$example" g++ -DHPM_DISABLE -fopenmp -x c++ \
			-I"$source/include" "$examples/$example"
	done
	for name in c openmp pthread guard; do
		case $name in
		c) off=off-historic.c ;;
		guard) off=off-guard.cc ;;
		*) off=off-$name.c ;;
		esac
		cmp -s "$name.out" "$off.out" || fail "$off does not do the same"
	done
	! ls hpm_*.xml 2>/dev/null || fail "switched off, it still writes"
}

if ! command -v gfortran >/dev/null; then
	[ $failed = 0 ] || exit 1
	echo "SKIP: no gfortran; all else passed"
	exit 77
fi
# shellcheck disable=SC2086
{
	try fortran gfortran -Wall -Werror -ffree-line-length-none \
		"$source/include/hpm.f90" -I"$source/include" \
		"$examples/fortran.F90" $ours -lhpm -lassay
	sections hpm_00000_fortran.xml <<-'END'
		1 process main 1 - whole_run fortran.F90 15-24
		2 thread main 5 1 step fortran.F90 18-22
	END
	try fixed gfortran -Wall -Werror "$examples/fixed.f" $ours -lhpm -lassay
	sections hpm_00000_fixed.xml <<-'END'
		30 process main 1 - cft_1z - 0-0
	END
	rm -f hpm_*.xml
	try off gfortran -DHPM_DISABLE -I"$source/include" "$examples/fortran.F90"
	cmp -s fortran.out off.out || fail "Fortran switched off: $(cat off.out)"
	! ls hpm_*.xml 2>/dev/null || fail "switched off, it still writes"
}
exit $failed
