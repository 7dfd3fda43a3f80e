#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With --repeatable, programs that hash with the system's random numbers have the
# same counts in ten runs, on either engine; without it the report says what
# varies. Interpreters and compilers that are not here are left out.
# shellcheck source=tests/simpmu/pmu-common.sh
. "$(dirname "$0")/pmu-common.sh"
unset MALLOC_PERTURB_

# Its counts are those of the numbers that the system gave it.
cat >"$tmp/chance.c" <<'END'
#include <fcntl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned n = 0;
	int fd = open("/dev/urandom", O_RDONLY);
	if (argc > 1 && argv[1][0] == 'c')
		return time(NULL) == 1;
	if (argc > 1 ? read(fd, &n, 2) != 2 : getrandom(&n, 2, 0) != 2)
		return 1;
	for (volatile unsigned i = 0; i < n; i++)
		;
	return 0;
}
END
${CC:-cc} -O1 -o "$tmp/chance" "$tmp/chance.c" || fail "cannot build"

# instructions ENGINE RUNS PROGRAM...: of each run
instructions() {
	engine=$1 runs=$2
	shift 2
	while [ "$runs" -gt 0 ]; do
		runs=$((runs - 1))
		"$build/assay" count -q --pmu sim --engine "$engine" $repeatable -e PAPI_TOT_INS \
			--format csv -o "$tmp/c.csv" "$@" >/dev/null 2>&1 || fail "$*: status $?"
		cut -d, -f2,3 "$tmp/c.csv" | grep '^PAPI_'
	done
}

# equal ENGINE RUNS PROGRAM...
equal() {
	instructions "$@" | sort | uniq -c >"$tmp/counts"
	[ "$(wc -l <"$tmp/counts")" -eq 1 ] || fail "$*: counts differ: $(cat "$tmp/counts")"
	echo "$*: $(cat "$tmp/counts")"
}

repeatable=--repeatable
for engine in fast valgrind; do
	[ "$engine" = valgrind ] && [ ! -e "$build/libexec/simpmu-amd64-linux" ] && continue
	equal $engine 3 "$tmp/chance"
	equal $engine 3 "$tmp/chance" device
done
[ -x /usr/bin/perl ] && equal fast 10 /usr/bin/perl -e 1
[ -x /usr/bin/python3 ] && equal fast 10 /usr/bin/python3 -c pass
if command -v rustc >/dev/null; then
	cat >"$tmp/hash.rs" <<'END'
use std::collections::HashMap;
fn main() {
    let mut m = HashMap::new();
    for i in 0..200 { m.insert(i.to_string(), i); }
    let t: Vec<_> = (0..3u64).map(|k| std::thread::spawn(move || (0..999).fold(k, |a, b| a * 3 % 997 ^ b))).collect();
    let sum = t.into_iter().map(|t| t.join().unwrap()).sum::<u64>();
    println!("{} {}", sum, m.values().enumerate().map(|(i, v)| i * v).sum::<usize>());
}
END
	if rustc -O -o "$tmp/hash" "$tmp/hash.rs" 2>/dev/null; then
		equal auto 10 "$tmp/hash"
	fi
else
	echo "rustc is not here: its programs are left out"
fi

# Threads that wait for each other, for a lock and for a time.
cat >"$tmp/threads.c" <<'END'
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long waiting, finished;
static void *work(void *done)
{
	long *n = done;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!waiting && !finished)
			pthread_cond_wait(&filled, &lock);
		if (!waiting)
			break;
		waiting--;
		pthread_mutex_unlock(&lock);
		if (++*n % 50 == 0)
			usleep(100);
		for (volatile int i = 0; i < 200; i++)
			;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t thread[4];
	long done[4] = { 0 };
	struct timespec now;
	struct pollfd standard[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } };
	int ends[2];
	/* as Rust's and others' runtimes begin: nothing that anybody sees */
	if (poll(standard, 3, 0) < 0 || pipe(ends))
		return 9;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &done[i]);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		waiting++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	finished = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (long i = 0; i < done[0] + now.tv_nsec % 1000; i++)
		__asm__ volatile("");
	return printf("%ld\n", done[0] + done[1] + done[2] + done[3]) != 5;
}
END
${CC:-cc} -O1 -pthread -o "$tmp/threads" "$tmp/threads.c" || fail "cannot build"
if [ -e "$build/libexec/simpmu-amd64-linux" ]; then
	equal auto 10 "$tmp/threads"
	"$build/assay" count --pmu sim --repeatable -e PAPI_TOT_INS "$tmp/threads" 2>&1 |
		grep -q 'counts are the same in every run' || fail "threads are said to vary"
	if command -v go >/dev/null; then
		cat >"$tmp/map.go" <<'END'
package main

import "fmt"

func main() {
	m, c := map[string]int{}, make(chan int)
	for i := 0; i < 500; i++ {
		m[fmt.Sprint(i)] = i
	}
	for i := 0; i < 4; i++ {
		go func(i int) {
			s := i
			for _, v := range m {
				s = s*31 + v
			}
			c <- s
		}(i)
	}
	s := 0
	for i := 0; i < 4; i++ {
		s = s*3 + <-c
	}
	fmt.Println(len(m), s)
}
END
		(cd "$tmp" && HOME=$tmp GOFLAGS=-mod=mod go build -o map map.go) >/dev/null 2>&1 &&
			equal auto 10 "$tmp/map"
	else
		echo "go is not here: its programs are left out"
	fi
fi

repeatable=
[ "$(instructions fast 3 "$tmp/chance" | sort -u | wc -l)" -gt 1 ] || fail "not random: the test shows nothing"
"$build/assay" count --pmu sim --engine fast -e PAPI_TOT_INS "$tmp/chance" 2>&1 |
	tr '\n' ' ' | grep -q 'used random numbers' || fail "nothing is said of random numbers"
"$build/assay" count --pmu sim --engine fast -e PAPI_TOT_INS "$tmp/chance" clock 2>&1 |
	tr '\n' ' ' | grep -q 'used the clock' || fail "nothing is said of the clock"

# Engines present different processors: a file says which one counted.
"$build/assay" count -q --pmu sim --engine fast -e PAPI_TOT_INS -o "$tmp/c.json" true
grep -q '"engine": "fast"' "$tmp/c.json" || fail "JSON does not name the engine: $(cat "$tmp/c.json")"
