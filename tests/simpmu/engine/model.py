#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""model.py SIMPMU GUESTS: what the model is shown of real programs.

Inlined filters, blocks that begin by calls and are translated anew when hot,
and the cycle model's single call are ways to show the model the same: all its
counts must be equal, run for run; so must they be if the model works at once,
later, or on another processor. And with cachegrind's geometry the misses of L1
must be cachegrind's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CACHEGRIND = "/usr/libexec/valgrind/cachegrind-amd64-linux"
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
# cachegrind's rules: two levels, no TLB to speak of, nothing prefetched
GEOMETRY = """include icx
[l1d]
size = 32K
ways = 8
[l1i]
size = 32K
ways = 8
[prefetch]
adjacent = off
stream = off
"""


def programs(guests, folder):
    text = folder / "text"
    text.write_text("".join(f"{i * 7919 % 5003} some words {i}\n"
                            for i in range(4000)))
    # one thread: cachegrind has one core for all of them
    return {"sort": ["/usr/bin/sort", "--parallel=1", "-S", "8M", text],
            "gzip": ["/bin/gzip", "-c", text],
            "od": ["/usr/bin/od", "-t", "fD", text],
            "pitfalls": [guests / "engine-guest"],
            "avx2": [guests / "engine-avx2"]}


def signals(simpmu, program, folder, *options):
    out = folder / "signals"
    done = subprocess.run([simpmu, f"--signals={out}", *options, *program],
                          env=ENV, stdout=subprocess.DEVNULL)
    if done.returncode == 77:
        return None
    return {name: int(value) for name, value in
            (line.split() for line in out.read_text().splitlines())}


def check_ways(name, simpmu, program, folder):
    """The same counts by filters, by calls, and part by part."""
    whole = signals(simpmu, program, folder, "--parts=7")
    if whole is None:
        return True
    good = True
    # branches, fetches, data alone; everything by calls; once more
    for parts in (1, 2, 4, 15, 7):
        other = signals(simpmu, program, folder, f"--parts={parts}")
        differs = [k for k in whole if other[k] != whole[k] and
                   (other[k] or parts in (7, 15)) and
                   # what only the cycle model or the way to memory counts
                   (whole[k] or parts == 7)]
        if parts in (2, 4):  # L2 and L3 are shared by code and data
            differs = [k for k in differs if not k.startswith(("L2", "L3"))
                       and k not in ("DRAM_READ", "DRAM_WRITE", "STLB_I_HIT",
                                     "STLB_LOAD_HIT", "STLB_STORE_HIT",
                                     "WALK_I", "WALK_LOAD", "WALK_STORE")]
        if differs:
            good = False
            print(f"{name}, parts {parts}:",
                  {k: (whole[k], other[k]) for k in differs})
    return good


def sums(simpmu, program, folder, *options):
    """All signals of all processes that the program makes."""
    for old in folder.glob("signals.*"):
        old.unlink()
    subprocess.run([simpmu, f"--signals={folder}/signals.%p", *options,
                    *program], env=ENV, stdout=subprocess.DEVNULL)
    files = sorted(folder.glob("signals.*"))
    total = {"processes": len(files)}
    for file in files:
        for line in file.read_text().splitlines():
            name, value = line.split()
            total[name] = total.get(name, 0) + int(value)
    return total


def check_second(name, simpmu, program, folder):
    """Now, later, and on a second processor; without cycles and with them."""
    good = True
    for parts, modes in ((7, ("alone", "yes")), (15, ("alone", "yes", "auto"))):
        choice = f"--parts={parts}"
        now = sums(simpmu, program, folder, choice, "--second-core=no")
        good &= now.get("INS", 0) > 0
        for mode in modes:
            other = sums(simpmu, program, folder, choice,
                         f"--second-core={mode}")
            differs = {k: (now[k], other[k]) for k in now
                       if now[k] != other[k]}
            if differs:
                good = False
                print(f"{name}, parts {parts}, second core {mode}:", differs)
    return good


def check_misses(name, simpmu, program, folder):
    """L1 misses against cachegrind's, with its geometry."""
    model = folder / "model"
    model.write_text(GEOMETRY)
    ours = signals(simpmu, program, folder, f"--model={model}", "--parts=6",
                   "--audit=yes")  # in cachegrind's environment
    if ours is None:
        return True
    log = folder / "log"
    subprocess.run(
        [CACHEGRIND, "--command-line-only=yes", "--vgdb=no",
         "--cache-sim=yes", "--D1=32768,8,64", "--I1=32768,8,64",
         "--LL=8388608,16,64", "--vex-guest-chase=no",
         f"--cachegrind-out-file={folder}/out", f"--log-file={log}", *program],
        env={**ENV, "VALGRIND_LAUNCHER": str(simpmu),
             "VALGRIND_LIB": str(simpmu.parent)},
        stdout=subprocess.DEVNULL, check=True)
    text = log.read_text().replace(",", "")
    data = int(re.search(r"D1  misses:\s+(\d+)", text)[1])
    code = int(re.search(r"I1  misses:\s+(\d+)", text)[1])
    mine = ours["L1D_LOAD_MISS"] + ours["L1D_STORE_MISS"]
    print(f"{name:9} L1D misses {mine}, cachegrind {data}; "
          f"L1I {ours['L1I_MISS']}, cachegrind {code}")
    # an access that crosses a line may miss twice here and once there
    crossing = ours["SPLIT_LOAD"] + ours["SPLIT_STORE"]
    slack = 2 + data // 200
    return data - slack <= mine <= data + slack + crossing and \
        abs(ours["L1I_MISS"] - code) <= 2 + code // 50


def main():
    simpmu, guests = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        every = programs(guests, folder)
        for name in ("family", "jit", "signals", "static"):
            every[name] = [guests / f"engine-{name}"]
        for name, program in every.items():
            if not check_second(name, simpmu, program, folder):
                wrong.append(f"{name} differs on a second processor")
            if name in ("family", "jit", "signals", "static"):
                continue
            if not check_ways(name, simpmu, program, folder):
                wrong.append(f"{name} differs")
            if os.path.exists(CACHEGRIND) and \
                    not check_misses(name, simpmu, program, folder):
                wrong.append(f"{name} has other misses than cachegrind")
    print("; ".join(wrong) or "equal")
    return 1 if wrong else 0


sys.exit(main())
