#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fast-model.py FAST SIMPMU GUEST BITS PROGRAM...: the machine model behind the fast
engine's log against the same model in Valgrind's engine.

GUEST is freestanding and has its own stack, so both engines see one stream of
instructions and addresses: all tallies of all shipped models must be equal.
PROGRAMs have signals, threads and children, which the engines run differently:
what the model was shown must be what the program did. BITS has an operand that
the log has no room for: it is refused, not shown to the model wrongly.
"""
import os
import subprocess
import sys
import tempfile

fast, simpmu, guest, bits, *programs = sys.argv[1:]
MODELS = ("icx", "hsw-ep", "p3")
BRANCH, FETCH, DATA = 1, 2, 4
failed = 0


def check(what, holds, told=""):
    global failed
    if not holds:
        print(f"failed: {what} {told}")
        failed = 1


def tallies(line, folder):
    path = os.path.join(folder, "tallies")
    done = subprocess.run([line[0], f"--signals={path}", *line[1:]],
                          env={"LD_BIND_NOW": "1"}, capture_output=True, timeout=600)
    check(" ".join(line), done.returncode == 0, done.stderr.decode(errors="replace"))
    with open(path) as lines:
        return {name: int(value) for name, value in map(str.split, lines)}


def compare(what, ours, theirs, names):
    differ = [name for name in names if ours[name] != theirs[name]]
    for name in differ:
        print(f"{what}: {name} is {theirs[name]}, the fast engine has {ours[name]}")
    check(what, not differ)
    print(f"{what}: {len(names) - len(differ)} of {len(names)} equal")


def compare_engines(folder):
    for model in MODELS:
        options = [f"--model={model}", f"--parts={BRANCH | FETCH | DATA}"]
        ours = tallies([fast, *options, guest], folder)
        theirs = tallies([simpmu, "--engine=valgrind", *options, guest], folder)
        check("something is modelled", ours["L3_I_MISS" if model != "p3" else "L2_I_MISS"] > 100)
        compare(f"{model}, both engines", ours, theirs, sorted(theirs))


def compare_parts(folder):
    """A part counts the same with and without the others."""
    whole = tallies([fast, f"--parts={BRANCH | FETCH | DATA}", guest], folder)
    for part, names in ((BRANCH, ("BR_MISP", "BR_MISP_IND", "BTB_MISS", "WP_INS", "WP_LOAD")),
                        (FETCH, ("L1I_ACCESS", "L1I_MISS", "ITLB_MISS")),
                        (DATA, ("L1D_LOAD", "L1D_LOAD_MISS", "L1D_STORE_MISS", "DTLB_LOAD_MISS", "SPLIT_STORE"))):
        alone = tallies([fast, f"--parts={part}", guest], folder)
        compare(f"part {part} alone", alone, whole, names)


def check_programs(folder):
    for program in programs:
        found = tallies([fast, f"--parts={BRANCH | FETCH | DATA}", program], folder)
        name = os.path.basename(program)
        check(f"{name}: loads", found["L1D_LOAD"] - found["SPLIT_LOAD"] == found["LOAD"],
              f"{found['L1D_LOAD']} - {found['SPLIT_LOAD']}, {found['LOAD']}")
        check(f"{name}: stores", found["L1D_STORE"] - found["SPLIT_STORE"] + found["NT_STORE"] == found["STORE"],
              f"{found['L1D_STORE']} - {found['SPLIT_STORE']}, {found['STORE']}")
        check(f"{name}: fetches", found["BR_TAKEN"] < found["L1I_ACCESS"] < found["INS"])
        check(f"{name}: misses", 0 < found["L1I_MISS"] < found["L1I_ACCESS"])
        print(f"{name}: {found['INS']} instructions")


def check_refusal():
    for part, status in ((BRANCH, 0), (FETCH, 0), (DATA, 125)):
        done = subprocess.run([fast, f"--parts={part}", bits], capture_output=True, text=True)
        check(f"part {part} of {bits}", done.returncode == status, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    compare_engines(folder)
    compare_parts(folder)
    check_programs(folder)
    check_refusal()
sys.exit(failed)
