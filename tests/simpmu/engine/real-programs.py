#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""real-programs.py STEP STATE [-n COUNT] ENGINE...: programs of this system on
each ENGINE and single-stepped; with -n the first COUNT, on the engines in turn. Instructions, branches and system calls must be equal to the
last one.

Both sides start alike: no address is random, the environment is the same, and
the stepped program gets the stack and the answers of CPUID that a program finds
on the engine. STATE, run on it, tells them. Only whole pages lie elsewhere.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Not lazily bound: what the linker saves then is of the size that CPUID tells,
# and the processor's own XSAVE may write more. The engines have no rseq.
ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0", "LD_BIND_NOW": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C",
               "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}
TEXT = "the quick brown fox\njumps over\nthe lazy dog\n" * 4
PROGRAMS = [
    ["true"],
    ["echo", "one", "two", "three"],
    ["cat", "FILE"],
    ["printf", "%05.2f %s\\n", "3.14159", "pi"],
    ["tr", "a-z", "A-Z"],
    ["cut", "-d", " ", "-f", "2", "FILE"],
    ["md5sum", "FILE"],
    ["wc", "FILE"],
    ["uniq", "-c", "FILE"],
    ["sort", "FILE"],
    ["mawk", "{ n[$1] += NF } END { for (k in n) s += n[k]; print s }", "FILE"],
    ["gzip", "-nc", "FILE"],
    ["sh", "-c", "i=0; while [ $i -lt 20 ]; do i=$((i + 1)); done; echo $i"],
    ["grep", "-n", "o.e", "FILE"],
    ["sed", "s/o/0/g;$!N;P;D", "FILE"],
    ["perl", "-e", "1"],
]
STILL = ["setarch", "-R"]


def run(line, **more):
    return subprocess.run(line, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, **more)


def find_start(state, engine, program, arguments, folder):
    """What @program with @arguments finds on @engine when it starts: what STATE finds under its name."""
    program.symlink_to(state)
    found = run([*STILL, *engine, f"--signals={folder}/s", program, *arguments]).stdout
    program.unlink()
    path = folder / "start"
    path.write_bytes(found)
    return path


def step(stepper, start, program, arguments):
    done = run([*STILL, stepper, "-s", start, program, *arguments])
    told = done.stdout[max(done.stdout.rfind(b"INS ", 0, done.stdout.rfind(b"BR_COND ")), 0):].decode(errors="replace")
    return done.returncode, {name: int(value) for name, value in map(str.split, told.splitlines())} if told else {}


def simulate(engine, program, arguments, folder):
    done = run([*STILL, *engine, f"--signals={folder}/s", program, *arguments])
    return done.returncode, {name: int(value) for name, value in
                             map(str.split, (folder / "s").read_text().splitlines())}


def compare(stepper, state, engine, line, folder):
    """Whether both agree on a program; None: it is not here."""
    path = shutil.which(line[0], path=ENVIRONMENT["PATH"])
    arguments = [word.replace("FILE", str(folder / "file")) for word in line[1:]]
    if not path:
        return None
    program = folder / line[0]
    start = find_start(state, engine, program, arguments, folder)
    program.symlink_to(path)
    status, truth = step(stepper, start, program, arguments)
    if "INS" not in truth:
        print("no single-stepping here")
        sys.exit(77)
    ended, found = simulate(engine, program, arguments, folder)
    program.unlink()
    off = {name: (truth[name], found[name]) for name in truth if truth[name] != found[name]}
    name = os.path.basename(engine[0])
    print(f"{name}: {line[0]}: {truth['INS']} instructions" + (f", but {off} (stepped, counted)" if off else ""))
    return not off and status == ended


def main():
    stepper, state, *engines = sys.argv[1:]
    stepper, state = os.path.abspath(stepper), os.path.abspath(state)
    count = int(engines[1]) if engines[0] == "-n" else 0
    # an engine with its options, if any: PROGRAM@OPTION...
    engines = [os.path.abspath(engine).split("@") for engine in engines[2 if count else 0:]]
    pairs = ([(engines[i % len(engines)], line) for i, line in enumerate(PROGRAMS[:count])] if count else
             [(engine, line) for line in PROGRAMS for engine in engines])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "file").write_text(TEXT)
        results = [compare(stepper, state, engine, line, folder) for engine, line in pairs]
    good, tried = results.count(True), len(results) - results.count(None)
    print(f"{good} of {tried} programs and engines agree with single steps to the last instruction")
    return good < tried or tried < 10


sys.exit(main())
