#!/bin/sh
# From main on, counts of a program are the same in two clones of a project:
# other folder, other environment, other load. (Of what is modelled, one miss or
# cycle may be more or less: the strings of the environment lie elsewhere.)
# shellcheck source=tests/simpmu/pmu-common.sh
. "$(dirname "$0")/pmu-common.sh"

cc=${CC:-cc}
# What a pipeline would count: it allocates, prints, and reads an argument.
cat >"$tmp/work.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	double *v = calloc((size_t)n, sizeof(*v)), sum = 0;
	for (int i = 0; i < 50 * n; i++)
		sum += v[i % n] += i;
	printf("%g\n", sum);
	free(v);
	return 0;
}
END
near=$tmp/a far=$tmp/another/folder/with/a/long/name/and/deep
mkdir -p "$near" "$far"
# The C library itself reads these, and allocates by them before main.
unset MALLOC_PERTURB_ LD_LIBRARY_PATH
events=PAPI_TOT_INS,PAPI_BR_CN,PAPI_BR_TKN,PAPI_LD_INS,PAPI_SR_INS,PAPI_FP_OPS

# counts FOLDER [VARIABLE...]: on one line
counts() {
	(cd "$1" && shift && env "$@" "$build/assay" count -q --pmu sim --from main \
		-e $events --format csv -o "$tmp/c.csv" ./work 2000 >/dev/null) &&
		cut -d, -f2,3 "$tmp/c.csv" | grep '^PAPI_' | tr '\n' ' '
}

for how in "" -static; do
	# shellcheck disable=SC2086 # no option is no word
	$cc -O1 $how -o "$near/work" "$tmp/work.c" || fail "cannot build"
	cp "$near/work" "$far/work"
	first=$(counts "$near" A=1)
	case $first in
	*PAPI_TOT_INS,[1-9]*) ;;
	*) fail "nothing counted: $first" ;;
	esac
	(while :; do :; done) &
	load=$!
	second=$(counts "$far" "BIG=$(head -c 20000 /dev/zero | tr '\0' x)" \
		B=2 C=3 D=4 HOME=/nowhere)
	kill $load
	[ "$first" = "$second" ] || fail "$how differ:
$first
$second"
	third=$(counts "$far" -i "PATH=$PATH")
	[ "$first" = "$third" ] || fail "$how differ in an empty environment:
$first
$third"
done

# What begins without a main is counted from its entry.
cat >"$tmp/bare.c" <<'END'
void _start(void)
{
	__asm__("mov $1000, %ecx; 1: dec %ecx; jnz 1b;"
		"mov $60, %eax; xor %edi, %edi; syscall");
}
END
$cc -nostdlib -static -O1 -o "$near/work" "$tmp/bare.c" || fail "cannot build"
case $(counts "$near") in
*PAPI_TOT_INS,200[0-9]*) ;;
*) fail "without main: $(counts "$near")" ;;
esac
