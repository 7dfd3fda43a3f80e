#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A code cache that is full is emptied, and the program goes on: counts, of the
model too, and output are the same as with a cache that is large enough.

usage: fast-flush.py SIMPMU-FAST STATIC MODELLED PROGRAM...
"""
import pathlib
import subprocess
import sys
import tempfile

SMALL = 300000  # bytes; a quarter of a million is kept free


def counted(engine, options, program, folder):
    """What was counted, and how often the cache was emptied."""
    out = pathlib.Path(folder) / "tallies"
    done = subprocess.run([engine, *options, f"--signals={out}", program],
                          capture_output=True, timeout=100)
    tallies = dict(line.split() for line in out.read_text().splitlines())
    flushes = int(tallies.pop("flushes", 0))
    return tallies, flushes, (done.returncode, done.stdout, done.stderr)


def main():
    engine, static, modelled, *programs = sys.argv[1:]
    small = f"--code-bytes={SMALL}"
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for program, more in ((static, []), (modelled, ["--parts=7"])):
            wide = counted(engine, more, program, folder)
            narrow = counted(engine, [small, *more], program, folder)
            name = pathlib.Path(program).name
            print(f"{name}: {len(wide[0])} counts, {narrow[1]} flushes")
            wrong += wide[1] != 0 or narrow[1] == 0
            for tally, value in wide[0].items():
                if narrow[0].get(tally) != value:
                    wrong += 1
                    print(f"  {tally}: {narrow[0].get(tally)}, not {value}")
        total = 0
        for program in programs:
            native = subprocess.run([program], capture_output=True)
            _, flushes, ended = counted(engine, [small], program, folder)
            print(f"{pathlib.Path(program).name}: {flushes} flushes")
            total += flushes
            if ended != (native.returncode, native.stdout, native.stderr):
                wrong += 1
                print(f"  status {ended[0]}, not {native.returncode}, or "
                      "another output")
        wrong += total == 0
    return 1 if wrong else 0


sys.exit(main())
