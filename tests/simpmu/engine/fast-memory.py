#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The fast engine with too little address space: wherever it runs out of it,
it ends with one message before the program has had an effect, or the program
runs as it does natively: to its end, or until the loader finds no room for a
library. Never a signal, a hang or half of the output.

usage: fast-memory.py SIMPMU-FAST [STEP_KB]
"""
import collections
import resource
import subprocess
import sys

LINE = ["/bin/sh", "-c", "echo begun; exit 3"]
FIRST, LAST = 8 << 20, 2 << 30  # enough for exec; enough for everything
WHOLE = (3, b"begun\n", b"")


def run(engine, limit):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    done = subprocess.run([engine, "--translations=no", *LINE], timeout=60,
                          capture_output=True, preexec_fn=set_limit)
    return done.returncode, done.stdout, done.stderr


def kind_of(ended):
    status, out, err = ended
    if ended == WHOLE:
        return "ran"
    if out or err.count(b"\n") != 1:
        return None
    if status in (125, 126) and err.startswith(b"simpmu: "):
        return err.decode().strip()
    if status == 127 and b"error while loading shared libraries" in err:
        return "the loader's own message"
    return None


def main():
    engine = sys.argv[1]
    step = int(sys.argv[2]) << 10 if len(sys.argv) > 2 else 9 << 20
    seen = collections.Counter()
    wrong = 0
    for limit in range(FIRST, LAST, step):
        ended = run(engine, limit)
        kind = kind_of(ended)
        seen[kind] += 1
        if not kind:
            wrong += 1
            print(f"with {limit >> 10} KB: {ended}")
    for kind, n in seen.items():
        print(f"{n} limits: {kind}")
    return 1 if wrong or not seen["ran"] or len(seen) < 3 else 0


sys.exit(main())
