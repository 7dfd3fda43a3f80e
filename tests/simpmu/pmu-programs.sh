#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that crash, are killed, exec, or are not to be had: their status is
# their own, counts up to there are kept, and mistakes are explained.
. "$(dirname "$0")/pmu-common.sh"
illegal=$3 ends=$4

count() {
	# shellcheck disable=SC2086
	"$assay" count --pmu sim ${engine-} -e PAPI_TOT_INS -o "$tmp/out.json" "$@"
}
instructions() {
	sed -n 's/.*"value": *\([0-9]*\).*/\1/p' "$tmp/out.json" | head -1
}

expect 0 simulated true
expect 3 simulated sh -c 'exit 3'
expect 139 sh -c '"$0" run --pmu sim -- sh -c "kill -SEGV \$\$"' "$assay"
expect 137 sh -c '"$0" run --pmu sim -- sh -c "kill -KILL \$\$"' "$assay"
expect 132 sh -c '"$0" run --pmu sim -- "$1"' "$assay" "$illegal"
says 'before'
says 'does not know the instruction at 0x.*62 f1 7d 48 ef c0 .*AVX-512'
! grep -q '^==' "$tmp/said" || fail "more than that: $(cat "$tmp/said")"
# too little memory for the simulator itself
expect 125 sh -c 'ulimit -v 60000; "$0" run --pmu sim -- true' "$assay"
says 'no memory'

for signal in SEGV KILL; do
	case $signal in SEGV) status=139 ;; KILL) status=137 ;; esac
	expect $status count sh -c "i=0; while [ \$i -lt 2000 ]; do
		i=\$((i + 1)); done; kill -$signal \$\$"
	[ "$(instructions)" -gt 1000000 ] ||
		fail "$signal: only $(instructions) instructions were kept"
done
engine="--engine valgrind" expect 132 count "$illegal"
[ "$(instructions)" -gt 10000 ] || fail "illegal: no counts"
# the fast engine leaves it to the processor whether it knows the instruction
native=0
"$illegal" >"$tmp/native" 2>&1 || native=$?
expect "$native" count "$illegal"
[ "$(instructions)" -gt 10000 ] || fail "illegal: no counts"

# Out of memory, and the program copes with it or does not.
for how in 'hungry 12' 'starved 134'; do
	expect "${how#* }" count "$ends" "${how% *}"
	says 'no memory'
	[ "$(instructions)" -gt 200000 ] || fail "$how: no counts"
done

# A limit on memory is the program's, not the engine's.
expect 0 count sh -c 'ulimit -v 3000000; ulimit -v'
says '^3000000$'
for limit in v d; do # also over execs
	expect 0 count sh -c "ulimit -$limit 3000000
		exec sh -c 'exec sh -c \"ulimit -$limit\"'"
	says '^3000000$'
done

# What only one engine can run: it begins anew there, and says why with -v.
for how in "" "exec "; do
	expect 5 count -v sh -c "$how$ends gs"
	says 'on the fast engine'
	says 'on Valgrind: the program uses the register gs'
	[ "$(grep -c 'once' "$tmp/said")" = 1 ] || fail "$(cat "$tmp/said")"
	[ "$(instructions)" -gt 200000 ] || fail "gs: $(instructions)"
	! grep -q killed "$tmp/out.json" || fail "gs: $(cat "$tmp/out.json")"
done
# Too late for that: no counts, and a sentence.
expect 125 count "$ends" late-gs
says 'the simulator failed: cannot go on: the program uses the register gs'

# What a process execs goes on where it was; children add up.
count true
one=$(instructions)
count sh -c 'exec true'
two=$(instructions)
count sh -c 'true; true; /bin/true; /bin/true; exec /bin/true'
three=$(instructions)
[ "$two" -gt "$one" ] || fail "exec: $two is not more than $one"
[ "$three" -gt $((two + 2 * one)) ] ||
	fail "children: $three is less than $two + 2 * $one"

# The guest sees nothing of it.
env -i A=1 PATH=/bin "$assay" run --pmu sim -- env >"$tmp/env"
# but for where assay's libpapi lies, which `assay run` puts first
[ "$(grep -v '^LD_LIBRARY_PATH=[^:]*/compat$' "$tmp/env" | sort | tr '\n' ' ')" = "A=1 PATH=/bin " ] ||
	fail "the environment is not the guest's own: $(cat "$tmp/env")"

# Mistakes.
expect 127 simulated no-such-program
says 'no-such-program'
expect 126 simulated /etc/passwd
options='--model vax' expect 2 simulated true
says "no machine model 'vax'"
printf 'include icx\n\n[l1d]\nways = many\n' >"$tmp/bad.model"
options="--model $tmp/bad.model" expect 2 simulated true
says 'bad.model:4'
printf 'include icx\n[l1d]\nsets = 0\n' >"$tmp/bad.model"
options="--model $tmp/bad.model" expect 2 simulated true
says 'bad.model'
options='--counters 99' expect 2 simulated true
says '99'
expect 2 "$assay" count --pmu sim -e sim::NO_SUCH_EVENT -- true
says 'NO_SUCH_EVENT'
cp "$assay" "$tmp/assay"
expect 125 "$tmp/assay" run --pmu sim -- true
says 'valgrind'
