#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""addresses.py FAST ADDRESSES: a program has the same addresses in every run
on the fast engine, although the kernel gives every process others, and however
long the engine's own options are. The list of mappings in /proc is the
program's own: the same in every run, with the same files and names as natively.
"""
import shutil
import subprocess
import sys
import tempfile

fast, program = sys.argv[1:]


def run(line):
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


native = run([program, "word"])
with tempfile.TemporaryDirectory() as folder:
    runs = {run([fast, f"--signals={folder}/{'s' * n}", program, "word"]) for n in (1, 2, 9, 40, 200)}


def named(text):
    """Permissions, offset and path of the mappings that have a name."""
    fields = [line.split() for line in text.splitlines()]
    kernels = ("[vdso]", "[vvar]", "[vvar_vclock]")  # the engine has them
    return sorted((f[1], f[2], f[5]) for f in fields if len(f) > 5 and f[5] not in kernels)


show = [shutil.which("cat"), "/proc/self/maps"]
lists = {run([fast, *show]) for _ in range(20)}
text = sorted(lists)[0]
if len(lists) != 1 or named(text) != named(run(show)):
    sys.exit(f"{len(lists)} lists of mappings:\n{text}\nnatively:\n{run(show)}")
for text in sorted(runs):
    print(text)
names = [[line.split(" 0x")[0] for line in text.splitlines()] for text in [native, *runs]]
sys.exit(len(runs) != 1 or any(found != names[0] for found in names) or len(names[0]) < 12)
