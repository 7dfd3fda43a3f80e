#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples of instructions on the fast engine are at the very instructions that
single-stepping finds.

usage: fast-record.py ASSAY SAMPLED PROGRAM...
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def recorded(assay, program, period, folder):
    out = pathlib.Path(folder) / "profile.json"
    subprocess.run([assay, "record", "--pmu", "sim", "--engine", "fast", "-q",
                    "-e", f"PAPI_TOT_INS@{period}", "-o", out, program],
                   check=True, stdout=subprocess.DEVNULL)
    profile = json.loads(out.read_text())
    found = {}
    for sample in profile["samples"]:
        location = profile["stacks"][sample["stack"]][1]
        at = profile["locations"][location]["address"]
        found[at] = found.get(at, 0) + sample["counts"][0]
    return found


def stepped(stepper, program, period):
    lines = subprocess.run([stepper, str(period), program], check=True,
                           capture_output=True, text=True).stdout
    return {int(at): int(times) for at, times in
            (line.split() for line in lines.splitlines())}


def main():
    assay, stepper, *programs = sys.argv[1:]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            for period in (101, 499, 1009):
                got = recorded(assay, program, period, folder)
                expected = stepped(stepper, program, period)
                name = pathlib.Path(program).name
                print(f"{name}, every {period}: {sum(expected.values())} "
                      f"samples at {len(expected)} addresses")
                if got != expected or not expected:
                    wrong += 1
                    print(f"  got {sum(got.values())}; not the same at",
                          sorted(hex(at) for at in set(got) | set(expected)
                                 if got.get(at) != expected.get(at))[:10])
    return 1 if wrong else 0


sys.exit(main())
