#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cycles of programs with threads (and, at the end, data caches): they depend on
# each other, which only Valgrind's engine sees. A program that is made to have
# threads runs there from the start, one without output before its first thread is
# started again there.
# Else cycles have no value, and the reason names an option that counts them.
# shellcheck source=tests/simpmu/pmu-common.sh
. "$(dirname "$0")/pmu-common.sh"

cat >"$tmp/threads.c" <<'END'
#include <pthread.h>
#include <unistd.h>
static void *work(void *unused)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc > 1 && write(1, "begun\n", 6) != 6)
		return 1;
	return pthread_create(&thread, NULL, work, NULL) ||
	       pthread_join(thread, NULL);
}
END
${CC:-cc} -O1 -pthread -o "$tmp/threads" "$tmp/threads.c" || fail "cannot build"
cat >"$tmp/openmp.c" <<'END'
#include <stdio.h>
int main(void)
{
	double sum = 0;
	puts("begun");
	fflush(stdout);
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int i = 0; i < 1000000; i++)
		sum += i * 0.5;
	return sum < 0;
}
END

# counted exact|none ...: whether cycles have a value, instructions having one.
counted() {
	cycles=$1
	shift
	expect 0 "$assay" count -q --pmu sim -e PAPI_TOT_CYC,PAPI_TOT_INS -o "$tmp/run.json" "$@"
	python3 - "$tmp/run.json" "$cycles" <<'END' || fail "$*: $(cat "$tmp/run.json")"
import json, sys
cycles, instructions = json.load(open(sys.argv[1]))["events"]
assert instructions["value"] > 1000000
if sys.argv[2] == "none":
    assert cycles["value"] is None and "--exact-cycles" in cycles["reason"]
else:
    assert cycles["value"] > 1000000 and cycles["quality"] == "counted"
END
}
counted exact "$tmp/threads"
counted none "$tmp/threads" begun
counted exact --exact-cycles "$tmp/threads" begun
if ${CC:-cc} -O1 -fopenmp -o "$tmp/openmp" "$tmp/openmp.c" 2>"$tmp/said"; then
	counted exact "$tmp/openmp"
fi
# Data caches: on the fast engine, unless the program is made to have threads.
engine_of() {
	expect 0 "$assay" count -q --pmu sim -e PAPI_L1_DCM -o "$tmp/run.json" "$@"
	sed -n 's/.*"engine": "\([a-z]*\)".*/\1/p' "$tmp/run.json"
}
[ "$(engine_of true)" = fast ] || fail "data caches: $(cat "$tmp/run.json")"
if [ -x "$tmp/openmp" ]; then
	[ "$(engine_of "$tmp/openmp")" = valgrind ] || fail "data caches of threads: $(cat "$tmp/run.json")"
fi
# What was counted by default and has no value is not left out.
expect 0 "$assay" count -q --pmu sim "$tmp/threads" begun
says 'no value: PAPI_TOT_CYC'
# Who asks for traffic between cores alone gets it, output or not.
expect 0 "$assay" count -q --pmu sim -e PAPI_CA_INV -o "$tmp/run.json" "$tmp/threads" begun
grep -q '"engine": "valgrind"' "$tmp/run.json" && grep -q '"quality": "counted"' "$tmp/run.json" ||
	fail "traffic between cores has no value: $(cat "$tmp/run.json")"
