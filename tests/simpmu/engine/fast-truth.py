#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fast-truth.py FAST SIMPMU STEP GUEST STATIC...: counts of the fast engine
against single steps of the processor, and against the Valgrind engine.

GUEST is freestanding; each STATIC is linked with the C library, which behaves the
same on both sides if rseq and the vDSO, which the engine has not, are missing.
"""
import os
import subprocess
import sys
import tempfile

fast, simpmu, step, guest = sys.argv[1:5]
ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
failed = 0


def signals(line, path):
    subprocess.run(line, env=ENVIRONMENT, capture_output=True, timeout=300)  # a pipe, as below
    with open(path) as lines:
        return {name: int(value) for name, value in map(str.split, lines)}


def counted(engine, program, folder):
    path = os.path.join(folder, "signals")
    return signals([engine, f"--signals={path}", program], path)


def stepped(program):
    told = subprocess.run([step, "-n", program], env=ENVIRONMENT, capture_output=True, text=True).stdout
    return {words[0]: int(words[1]) for words in map(str.split, told.splitlines())
            if len(words) == 2 and words[1].isdigit() and words[0].isupper()}


def compare(what, truth, found):
    global failed
    for name in sorted(truth.keys() & found.keys()):
        if truth[name] != found[name]:
            print(f"{what}: {name} is {truth[name]}, counted {found[name]}")
            failed = 1
    print(f"{what}: {len(truth.keys() & found.keys())} events, {found['INS']} instructions")


with tempfile.TemporaryDirectory() as folder:
    for program in [guest, *sys.argv[5:]]:
        truth = stepped(program)
        if len(truth) < 5:
            print("no single-stepping here")
            sys.exit(77)
        compare(f"{os.path.basename(program)} against single steps", truth,
                counted(fast, program, folder))
    if simpmu != "-":
        ours = counted(fast, guest, folder)
        compare("guest against Valgrind", counted(simpmu, guest, folder), ours)
sys.exit(failed)
