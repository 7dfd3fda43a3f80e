#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fast-real-programs.py FAST SIMPMU STATE [NAME...]: programs of this system on
the fast engine and on Valgrind's. What the larger of two inputs adds must be
equal in every architectural event, to the last one.

It is not the whole runs that are compared: the C library asks the processor
for its caches when it starts, and the one that Valgrind emulates has others. Of
what it chooses by that, the environment says how it is to choose. Addresses
differ by whole pages: STATE tells where the stack begins, which is moved until
both begin at the same offset.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PATH = "/usr/bin:/bin"
LESS = ("AVX512F AVX2 AVX ERMS FSRM XSAVEC XSAVE BMI1 BMI2 LZCNT MOVBE POPCNT "
        "SSE4_2 SSE4_1 SSSE3 Fast_Copy_Backward Fast_Rep_String Fast_Unaligned_Copy "
        "Fast_Unaligned_Load AVX_Fast_Unaligned_Load Slow_BSF")
SIZES = {"x86_non_temporal_threshold": 0xc0000, "x86_rep_movsb_threshold": 2048,
         "x86_rep_stosb_threshold": 2048, "x86_data_cache_size": 32768,
         "x86_shared_cache_size": 1048576}
TUNABLES = ["glibc.pthread.rseq=0",
            "glibc.cpu.hwcaps=" + ",".join("-" + name for name in LESS.split()),
            *(f"glibc.cpu.{name}={value}" for name, value in SIZES.items())]
ENVIRONMENT = {"PATH": PATH, "LC_ALL": "C", "LD_BIND_NOW": "1",
               "GLIBC_TUNABLES": ":".join(TUNABLES)}
SUM = "{ n[$2] += $1 } END { for (k in n) s += n[k]; print s }"
# They read FILE. None of them chooses by addresses, by the time or by CPUID, or
# has threads.
PROGRAMS = [
    ["md5sum", "FILE"], ["sha256sum", "FILE"], ["wc", "FILE"],
    ["sort", "FILE"], ["uniq", "-c", "FILE"],
    ["cut", "-d", " ", "-f", "2", "FILE"], ["tac", "FILE"], ["nl", "FILE"],
    ["od", "-c", "FILE"], ["base64", "FILE"], ["tr", "a-z", "A-Z"],
    ["gzip", "-nc", "FILE"], ["bzip2", "-c", "FILE"], ["xz", "-0c", "FILE"],
    ["grep", "-n", "o.e", "FILE"], ["sed", "s/o/0/g;$!N;P;D", "FILE"],
    ["mawk", SUM, "FILE"], ["bc"],
]
LINES = {"small": 20, "large": 300}
STILL = ["setarch", "-R"]


def make_inputs(folder):
    for name, lines in LINES.items():
        (folder / name).write_text("".join(
            f"{i * 7919 % 1009:05d} {i * 2654435761 % 4294967291:x} the quick brown fox\n"
            for i in range(lines)))


class Side:
    """An engine, and how long a variable moves its stack where it is to be."""

    def __init__(self, engine, folder):
        self.engine, self.folder, self.room = engine, folder, 16

    def run(self, program, arguments, size):
        environment = dict(ENVIRONMENT, ROOM="x" * self.room)
        words = [size if word == "FILE" else word for word in arguments]
        with open(self.folder / size, "rb") as text:
            return subprocess.run(
                [*STILL, *self.engine, f"--signals={self.folder}/signals",
                 program, *words], env=environment, cwd=self.folder, stdin=text,
                capture_output=True, timeout=300)

    def stack(self, program, arguments):
        return int.from_bytes(self.run(program, arguments, "small").stdout[:8],
                              "little")

    def count(self, program, arguments, size):
        done = self.run(program, arguments, size)
        text = (self.folder / "signals").read_text()
        return (done.returncode, done.stdout), {
            name: int(value) for name, value in map(str.split, text.splitlines())}


def align(sides, state, program, arguments):
    """Move the first side's stack to the second's offset in its page."""
    first, second = sides
    program.symlink_to(state)
    first.room = second.room = 16
    down = first.stack(program, arguments) - second.stack(program, arguments)
    first.room += down % 4096
    down = first.stack(program, arguments) - second.stack(program, arguments)
    program.unlink()
    return down % 4096 == 0


def added(side, program, arguments):
    """Status and output; what the larger input adds to each event."""
    _, less = side.count(program, arguments, "small")
    ended, more = side.count(program, arguments, "large")
    return ended, {name: more[name] - less[name] for name in more}


def compare(sides, state, line, folder):
    """Whether both agree on a program; None: it is not here."""
    path = shutil.which(line[0], path=PATH)
    if not path:
        return None
    program, arguments = folder / line[0], line[1:]
    if not align(sides, state, program, arguments):
        print(f"{line[0]}: the stacks cannot be moved")
        return False
    program.symlink_to(os.path.realpath(path))
    (ended, ours), (as_well, theirs) = (
        added(side, program, arguments) for side in sides)
    program.unlink()
    names = ours.keys() & theirs.keys()
    off = {name: (ours[name], theirs[name]) for name in sorted(names)
           if ours[name] != theirs[name]}
    changed = sum(ours[name] != 0 for name in names)
    print(f"{line[0]}: {ours['INS']} instructions, {changed} of {len(names)} "
          f"events" + (f", but {off} (fast, Valgrind)" if off else ""), flush=True)
    return not off and ended == as_well and changed > 20


def main():
    fast, simpmu, state, *names = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_inputs(folder)
        sides = [Side([os.path.abspath(fast), "--translations=no"], folder),
                 Side([os.path.abspath(simpmu), "--engine=valgrind", "--parts=0"], folder)]
        results = [compare(sides, os.path.abspath(state), line, folder)
                   for line in PROGRAMS if not names or line[0] in names]
    good, tried = results.count(True), len(results) - results.count(None)
    print(f"{good} of {tried} programs have the same events on both engines")
    return good < tried or (tried < 10 and not names)


sys.exit(main())
