#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cycles that the fast engine estimates from samples against those of the same
stream modelled as a whole (--exact-cycles), for many programs, inputs and
machine models: how many are within 2 %, and how many within the interval that
the report states, two standard errors to either side.

usage: fast-intervals.py SIMPMU-FAST PHASES [-n CASES] [-s SEED] [-j JOBS]
                         [-m MILLIONS] [--only CASE...]

Of CASES, three of four are programs drawn at random (PHASES), the others real
ones with drawn inputs. Fails if fewer than 95 of 100 are within either; with
few cases, if there are more outside than there would be by chance (once in
1,000) if 95 of 100 were inside.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

MODELS = ("icx", "hsw-ep", "p3", "skx", "spr", "zen3", "zen4")
ALL = 15  # parts of the model: branches, fetches, data, cycles
ENV = {"LC_ALL": "C", "PERL_HASH_SEED": "0", "PYTHONHASHSEED": "0", "PATH": "/usr/bin:/bin",
       "ASSAY_TRANSLATIONS": "no"}
SIGMAS = 2


def real_programs(draw, folder):
    """Command lines with inputs of their own."""
    text = pathlib.Path(folder) / f"text-{draw.randrange(1 << 30)}"
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(900)]
    text.write_text("\n".join(" ".join(draw.choices(words, k=9)) for _ in range(draw.randint(3000, 9000))))
    n = draw.randint(20, 60) * 1000
    found = [
        ["/usr/bin/gzip", f"-{draw.randint(1, 9)}c", str(text)],
        ["/usr/bin/xz", "-1c", str(text)],
        ["/usr/bin/sort", str(text)],
        ["/usr/bin/perl", "-e", f"my %d; for my $i (1 .. {n}) {{ $d{{$i % 700}} .= $i if $i =~ /7/ }} print scalar %d"],
        ["/usr/bin/awk", "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s }", str(text)],
        ["/usr/bin/sed", "-e", "s/a/b/g", "-e", "/e.*t/d", str(text)],
        ["/usr/bin/python3", "-S", "-c", f"print(sum(len(str(i * i)) for i in range({n})))"],
        ["/usr/bin/bzip2", "-c", str(text)],
        ["/usr/bin/sqlite3", ":memory:", "with recursive c(x) as (select 1 union all select x + 1 from c where x < "
         f"{n}) select count(distinct x * 7 % 1000), sum(x) from c;"],
        ["/usr/bin/md5sum", str(text), "/usr/bin/perl"],
    ]
    return draw.choice([line for line in found if shutil.which(line[0])])


def tallies(line, folder, name):
    path = os.path.join(folder, name)
    done = subprocess.run([line[0], f"--signals={path}", f"--parts={ALL}", *line[1:]], env=ENV,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{line}: {done.stderr.decode(errors='replace')}")
    with open(path) as lines:
        found = {key: int(value) for key, value in map(str.split, lines)}
    os.unlink(path)
    return found


class Case:
    def __init__(self, options, number, folder):
        draw = random.Random(f"{options.s} {number}")
        self.number = number
        self.folder = folder
        self.fast = options.engine
        self.model = draw.choice(MODELS)
        if number % 4 == 3:
            self.program = real_programs(draw, folder)
        else:
            self.program = [options.guest, str(draw.randrange(1 << 32)),
                            str(draw.randint(options.m // 2, options.m * 2))]

    def run(self):
        start = [self.fast, f"--model={self.model}"]
        self.whole = tallies([start[0], "--exact-cycles", *start[1:], *self.program], self.folder, f"{self.number}-whole")
        self.found = tallies([*start, *self.program], self.folder, f"{self.number}-found")
        return self

    @property
    def off(self):
        return self.found["CYCLES"] / self.whole["CYCLES"] - 1

    @property
    def sigma(self):
        return self.found["CYCLES_ERROR"] / self.whole["CYCLES"]

    @property
    def is_close(self):
        return abs(self.off) <= 0.02

    @property
    def is_inside(self):
        return abs(self.off) <= SIGMAS * self.sigma or self.off == 0

    def __str__(self):
        name = " ".join(os.path.basename(word)[:20] for word in self.program[:3])
        mark = ("" if self.is_close else " BEYOND 2 %") + ("" if self.is_inside else " OUTSIDE")
        return (f"{self.number}: {self.model}, {name}: {self.whole['INS'] / 1e6:.1f} M instructions, "
                f"CPI {self.whole['CYCLES'] / self.whole['INS']:.2f}, off {100 * self.off:+.2f} %, "
                f"standard error {100 * self.sigma:.2f} %{mark}")


def most_outside(n):
    """More than this many of n are outside once in 1,000 if 1 of 20 is."""
    left, k = 1.0, 0
    while k <= n:
        left -= math.comb(n, k) * 0.05 ** k * 0.95 ** (n - k)
        if left < 0.001:
            break
        k += 1
    return k


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine")
    parser.add_argument("guest")
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("-m", type=int, default=24)
    parser.add_argument("--only", type=int, nargs="*")
    options = parser.parse_args()
    options.engine = os.path.abspath(options.engine)
    options.guest = os.path.abspath(options.guest)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        cases = [Case(options, n, folder) for n in options.only or range(options.n)]
        done = []
        for case in pool.map(Case.run, cases):
            print(case, flush=True)
            done.append(case)
    n = len(done)
    close, inside = sum(case.is_close for case in done), sum(case.is_inside for case in done)
    sampled = [case for case in done if case.sigma > 0]
    bias = sum(case.off for case in sampled) / max(len(sampled), 1)
    spread = math.sqrt(sum((case.off / case.sigma) ** 2 for case in sampled) / max(len(sampled), 1))
    print(f"mean {100 * bias:+.2f} %, off by {spread:.2f} standard errors (root mean square)")
    print(f"{n} cases, {len(sampled)} estimated: {close} within 2 %, {inside} within the stated interval")
    most = 0.05 * n if n >= 100 else most_outside(n)
    return 1 if n - close > most or n - inside > most or not sampled else 0


sys.exit(main())
