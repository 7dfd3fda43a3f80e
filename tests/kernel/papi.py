#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PAPI's suite of the project on modelled machines: papi.py [--whole] SOURCE
BUILD [MACHINE...]; without a name on all of them.

Programs of tests/unit/papi, and of tests/papi those in Fortran; --whole: its
regions, too, 10 s a machine. Left out: what looks at the processor that is
really there (hardware.sh), and what has more threads than the model has tasks.
"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

ARGUMENTS = [a for a in sys.argv[1:] if a != "--whole"]
SOURCE, BUILD = (pathlib.Path(a).resolve() for a in ARGUMENTS[:2])
loader = importlib.machinery.SourceFileLoader("on", str(SOURCE / "tests/kernel/on"))
on = importlib.util.module_from_spec(importlib.util.spec_from_loader("on", loader))
loader.exec_module(on)

LEFT_OUT = {"test-papi-devices", "test-papi-stress"}


def script(name, *more):
    return ["sh", SOURCE / "tests/papi" / name, SOURCE, BUILD, *more]


def main():
    machines = ARGUMENTS[2:] or list(on.rows())
    tests = [[p] for p in sorted((BUILD / "tests/unit").glob("test-papi-*"))
             if p.is_file() and p.name not in LEFT_OUT]
    failed = []
    if len(tests) < 15:
        sys.exit(f"only {len(tests)} programs in {BUILD / 'tests/unit'}")
    tests.append(script("fortran.sh"))
    if "--whole" in sys.argv:
        tests.append(script("regions.sh",
                            BUILD / "tests/papi/test-regions-program"))
    for machine in machines:
        for test in tests:
            done = on.run(BUILD, machine, test, capture_output=True,
                          text=True, errors="replace", timeout=600)
            if done.returncode not in (0, 77):
                failed.append(f"{machine}: {test}")
                print(f"{machine}: {test}: {done.returncode}\n"
                      + (done.stdout + done.stderr)[-2000:], flush=True)
    print(f"{len(tests)} programs on {len(machines)} machines, "
          f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
