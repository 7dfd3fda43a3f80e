#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random sequences of system calls on the fast engine: each call returns what
it returns natively. A sequence that differs from itself natively is an error of
this test.

usage: fuzz-calls.py SIMPMU-FAST FUZZ-CALLS [-s SEED] [-n SEQUENCES] [-c CALLS]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ENV = {"PATH": "/usr/bin:/bin", "ASSAY_TRANSLATIONS": "no"}


def outcome(command):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=ENV, timeout=100,
                              capture_output=True)
        for root, folders, _ in os.walk(folder):
            for name in folders:
                (pathlib.Path(root) / name).chmod(0o700)
        return done.returncode, done.stdout.decode().split("\n"), done.stderr


def first_difference(native, ours):
    for i, (one, other) in enumerate(zip(native[1], ours[1])):
        if one != other:
            return f"line {i}: '{other}', natively '{one}'"
    return f"status {ours[0]}, natively {native[0]}; {ours[2]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine")
    parser.add_argument("guest")
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-n", type=int, default=30)
    parser.add_argument("-c", type=int, default=400)
    options = parser.parse_args()
    options.engine = os.path.abspath(options.engine)
    options.guest = os.path.abspath(options.guest)
    wrong = lines = 0
    for seed in range(options.s, options.s + options.n):
        command = [options.guest, str(seed), str(options.c)]
        native = outcome(command)
        ours = outcome([options.engine, *command])
        lines += len(native[1])
        if native != ours:
            is_fixed = native == outcome(command)
            wrong += 1
            print(f"seed {seed}: {first_difference(native, ours)}"
                  f"{'' if is_fixed else ' (it differs natively, too)'}")
    print(f"{options.n} sequences, {lines} results, {wrong} sequences differ")
    return 1 if wrong or lines < options.n * options.c / 2 else 0


sys.exit(main())
