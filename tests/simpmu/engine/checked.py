#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""checked.py SIMPMU-CHECKED: the checked engine finds each mistake of
mistakes.c, and none in a run of a program.
"""
import subprocess
import sys

MISTAKES = {"global": "load of 4 bytes", "frame": "load of 4 bytes",
            "load": "load of 1 bytes", "store": "store of 1 bytes",
            "copy": "memcpy to", "overflow": "add_overflow",
            "shift": "shift_out_of_bounds", "index": "out_of_bounds",
            "null": "type_mismatch_v1"}


def run(engine, name):
    return subprocess.run([engine, f"--mistake={name}", "/bin/true"],
                          capture_output=True, text=True)


def is_found(engine, name, text):
    done = run(engine, name)
    good = done.returncode == 99 and text in done.stderr and \
        done.stderr.startswith("checked: ") and done.stderr.count("\n") == 1
    print(f"{name}: {'ok' if good else 'NOT FOUND'}: {done.stderr.strip()}")
    return good


def main():
    found = [is_found(sys.argv[1], *mistake) for mistake in MISTAKES.items()]
    plain = subprocess.run([sys.argv[1], "/bin/true"], capture_output=True)
    return 0 if all(found) and plain.returncode == 0 and not plain.stderr else 1


sys.exit(main())
