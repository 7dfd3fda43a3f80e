#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random bytes as code, natively and on the fast engine: they end the same way,
run once, and run again and again with a trace made of all that runs twice.

fuzz-code.py ENGINE PROGRAM [FIRST [N]]

A jump to what is no address faults at the target instead of at the jump: it
is only to end by that signal. Where a native run touches addresses that are the engine's own (its cache is
mapped there), the two cannot agree, and the seed is left out; so is one that
runs out of time on either side.
"""
import subprocess
import sys

ENGINE_FIRST, ENGINE_END = 0x5ff00000, 0x80000000
ADDRESS_END = 1 << 47
JUMPS_NOWHERE = "692800"  # a seed


def lines(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = {}
    for line in done.stdout.splitlines():
        seed, _, rest = line.partition(" ")
        found[int(seed)] = rest
    return found


def place(ends):
    """Where a fault was; 0: there was none."""
    words = ends.split()
    return int(words[words.index("at") + 1], 16) if "at" in words else 0


def is_comparable(native, fast):
    if "6300" in (native[-4:], fast[-4:]):  # status 99
        return False
    words = native.split()
    if place(fast) >= ADDRESS_END and words[:4] == fast.split()[:4]:
        return False
    at = int(words[words.index("address") + 1], 16) if "address" in words else 0
    return not ENGINE_FIRST <= at < ENGINE_END


def jumps_nowhere(engine, program):
    ends = "".join(lines([*engine, program, JUMPS_NOWHERE, "1"]).values())
    if not ends.startswith("signal 11 code 128 "):
        print(f"a jump to no address: {ends}")
    return ends.startswith("signal 11 code 128 ")


def compare(engine, guest, n):
    native, fast = lines(guest), lines([*engine, *guest])
    compared, faults = 0, 0
    for seed, ends in native.items():
        there = fast.get(seed, "nothing")
        if not is_comparable(ends, there):
            continue
        compared += 1
        if ends != there:
            faults += 1
            print(f"seed {seed}: native {ends}; engine {there}")
    print(f"{compared} of {n} compared, {faults} differ")
    if compared < n * 0.8:
        print("too few could be compared")
    return compared >= n * 0.8 and not faults


def main():
    engine, program = sys.argv[1:3]
    first = sys.argv[3] if len(sys.argv) > 3 else "0"
    n = sys.argv[4] if len(sys.argv) > 4 else "400"
    good = [jumps_nowhere([engine], program),
            compare([engine], [program, first, n], int(n)),
            compare([engine, "--hot=1"], [program, first, n, "5"], int(n))]
    return 0 if all(good) else 1


sys.exit(main())
