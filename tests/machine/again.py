#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A machine's model is that machine: measured, it gives what was measured.

again.py SOURCE BUILD MACHINE: MACHINE is a file of constants that was measured
on real hardware (zen5.json: a guest on an AMD EPYC 9005), or the name of a
shipped model, which is measured first. It is exported as a model, the model is
simulated and measured, and both measurements are compared, constant by
constant. Models without limits of bandwidth, or of cores older than any family
that a model can name, are not such machines.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import truth  # noqa: E402

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
SHARE = 0.1  # models have whole ports, and mostly whole cycles
CYCLES = 0.55
# Page walks take a part of the measured bandwidth, and come on top of it again;
# what prefetches in a processor of no known family is not in its model.
MEMORY_SHARE = 0.3
# Fetching code depends on where the linker put what is around it.
CODE_SHARE = 0.2
# A pass of additions and moves takes nine cycles, and one more or less with where
# the code lies.
MOVE_SHARE = 0.2
# What is simulated has no clock, no AVX-512, and one thread at a time; vectors
# of 64 bytes read and write L1 and L2 faster than those of 32; and what a TLB
# adds to a miss is not measured on a clock that is exact.
NOT_SIMULATED = ("tsc_hz", "clock_hz", "FP_fma_avx512_lat", "FP_fma_avx512_min",
                 "flops_avx512_fma", "core_to_core_lat", "L1_read", "L1_write",
                 "L1_copy", "L2_read", "L2_write", "L2_copy", "STLB_L2_lat")
# A model has one division for all numbers (that of short ones).
ONE_OF_SEVERAL = ("int_div_lat",)
# Time that mispredictions add to it: a model's room for indirect targets is
# assumed, and which of them collide there depends on where the code lies.
ASSUMED = ("BR_ind_min",)


def judge(first, again):
    """right, off, lost (it was certain, and is not found), or why it is not compared."""
    if first["name"] in NOT_SIMULATED:
        return "not simulated"
    if first["name"] in ONE_OF_SEVERAL:
        return "one of several"
    if first["name"] in ASSUMED:
        return "partly assumed"
    if first["value"] is None:
        return "not known"
    if again is None or again["value"] is None:
        return "lost" if first["stable"] else "not certain"
    off = abs(again["value"] - first["value"])
    shares = {"mem": MEMORY_SHARE, "code": CODE_SHARE}
    share = MOVE_SHARE if first["name"] == "int_move_min" else shares.get(first["name"].split("_")[0], SHARE)
    slack = share * first["value"]
    if first["unit"] == "cycles" and first["value"] >= 1:
        slack = max(slack, CYCLES)
    if off <= slack:
        return "right"
    return "off" if first["stable"] and again["stable"] else "not certain"


def get_first(machine, folder):
    """The file of the first measurement."""
    if machine.endswith(".json"):
        return pathlib.Path(__file__).parent / machine
    truth.measure(BUILD, machine, folder / "first.json")
    return folder / "first.json"


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        first = get_first(sys.argv[3], folder)
        model = folder / "again.model"
        subprocess.run([BUILD / "assay", "machine", "export", first, "-o", model], check=True)
        again = truth.measure(BUILD, model, folder / "again.json")
        verdicts = {}
        for constant in json.loads(first.read_text())["constants"]:
            found = again.get(constant["name"])
            verdict = judge(constant, found)
            verdicts.setdefault(verdict, []).append(constant["name"])
            print(f"{constant['name']:26} {constant['value']} again {found and found['value']} {verdict}")
    print(", ".join(f"{len(names)} {verdict}" for verdict, names in sorted(verdicts.items())))
    bad = verdicts.get("off", []) + verdicts.get("lost", [])
    print("WRONG " + " ".join(bad) if bad else "nothing is wrong")
    return 1 if bad or len(verdicts.get("right", [])) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
