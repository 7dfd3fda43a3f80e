#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""no-memory.py SIMPMU-FAST NO-MEMORY ASSAY THREADS GUEST PAPI REFUSED STACK: wherever the kernel
refuses the engine memory, the program runs as ever, or the engine ends it with
one sentence; never a signal, a hang, or other output.

Each place in the engine that asks for memory must be met; they are counted in
its machine code. Where one is met on different ways, each way fails once.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ASKS = ("sys_memory", "sys_map", "sys_memory_at")
# One of its two: for pieces of 256 KB and more, which only lists of very many events are.
RARE = ["host_new"]
LIMIT_S = 60
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class Code:
    """The engine's machine code: where it asks for memory, as return addresses with the function's name."""

    def __init__(self, engine):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", engine], check=True,
                              capture_output=True, text=True).stdout
        self.sites, self.first, self.end, self.guest = {}, 1 << 64, 0, 0
        function, asks, label = "", False, re.compile(r"([0-9a-f]+) <(.*)>:$")
        for line in text.splitlines():
            head, insn = label.match(line), re.match(r" *([0-9a-f]+):\t(.*)", line)
            if head:
                function = head.group(2)
                if function == "syscall_insn":
                    self.guest = int(head.group(1), 16) + 2
            elif insn:
                at = int(insn.group(1), 16)
                self.first, self.end = min(self.first, at), max(self.end, at + 16)
                if asks:
                    self.sites[at] = function
                called = re.match(r"(?:call|jmp) .*<([a-z_]+)>", insn.group(2))
                asks = called and called.group(1) in ASKS and function not in ASKS


class Bench:
    def __init__(self, engine, tool, folder):
        self.code, self.tool, self.folder = Code(engine), tool, pathlib.Path(folder)
        self.met, self.seen = collections.Counter(), set()

    def run(self, n, command):
        """How the command ended whose call @n failed, and the ways to its calls."""
        code = self.code
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            out = pathlib.Path(place) / "calls"
            words = [word.replace("HERE", place) for word in command]
            line = [self.tool, out, n, f"{code.first:x}", f"{code.end:x}", f"{code.guest:x}", *words]
            try:
                done = subprocess.run(list(map(str, line)), capture_output=True, timeout=LIMIT_S, cwd=place,
                                      env={**ENV, "XDG_CACHE_HOME": str(self.folder / "cache")},
                                      stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return ("hangs", b"", b""), []
            calls = [tuple(int(word, 16) for word in line.split()) for line in out.read_text().splitlines()]
            return (done.returncode, done.stdout, done.stderr), calls

    def is_good(self, ended, whole):
        if ended == whole:
            return True
        return ended[0] != "hangs" and ended[0] < 128 and said(ended[2])

    def check(self, name, command):
        whole, calls = self.run(0, command)
        if whole[0] == 77:
            print("no tracing here")
            sys.exit(77)
        ways = {}  # that have not been tried; where counts are published it is another thing
        for n, way in enumerate(calls, 1):
            if (way, command[0]) not in self.seen:
                ways.setdefault(way, []).append(n)
        self.seen.update((way, command[0]) for way in ways)
        wrong = []
        for n in (numbers[-1] for numbers in ways.values()):
            ended, now = self.run(n, command)
            if len(now) >= n:
                self.met.update(site for site in now[n - 1] if site in self.code.sites)
            if not self.is_good(ended, whole):
                wrong.append(f"call {n}, {' '.join(f'{at:x}' for at in calls[n - 1])}: {ended}")
        print(f"{name}: {len(calls)} calls on {len(ways)} ways, {len(wrong)} end wrongly", *wrong, sep="\n  ", flush=True)
        return not wrong and whole[0] < 125


def said(errors):
    """One sentence of the engine, or of the loader or the program that found no memory."""
    return re.search(rb"^(simpmu: |assay count: |.*(error while loading|memory|cannot allocate))", errors, re.M) is not None


def main():
    engine, tool, assay, threads, guest, papi, refused, stack = map(os.path.abspath, sys.argv[1:9])
    plain = [engine, "--translations=no"]
    shell = ["/bin/sh", "-c", "echo one | cat; (exit 3); echo $?"]
    counted = [assay, "count", "-q", "--pmu", "sim", "--engine", "fast", "-o", "HERE/r.json"]
    perl = ["/usr/bin/perl", "-e", "my %h; $h{$_ % 97} .= $_ for 1 .. 3000; print length(join q(), values %h)"]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(engine, tool, folder)
        kept = [engine, f"--translations={folder}", *perl]
        bench.run(0, kept)
        good = [
            bench.check("a shell", [*plain, *shell]),
            bench.check("threads", [*plain, threads]),
            bench.check("modelled", [*counted, "-e", "PAPI_L1_DCM,PAPI_BR_MSP,PAPI_TOT_CYC", "/bin/true"]),
            bench.check("threads, modelled", [*plain, "--parts=7", "--signals=HERE/s", threads]),
            bench.check("other programs", [*plain, guest]),
            bench.check("code on the stack", [*plain, stack]),
            bench.check("PAPI and overflow", [assay, "run", "--pmu", "sim", "--engine", "fast", papi]),
            bench.check("events behind codes", [assay, "run", "--pmu", "sim", "--engine", "fast", "--blind", "7",
                                                "--blind-key", "HERE/key", papi]),
            bench.check("given up", [*plain, "--parts=7", "--fallback=/bin/true", refused,
                                     *map(str, range(600))]),
            bench.check("kept", [engine, "--translations=HERE", *perl]),
            bench.check("kept before", kept),
        ]
    code = bench.code
    left = [code.sites[at] for at in sorted(code.sites.keys() - bench.met.keys())]
    print(f"{len(code.sites)} places ask for memory; not met: {', '.join(left) or 'none'}")
    return 0 if all(good) and left in ([], RARE) else 1


sys.exit(main())
