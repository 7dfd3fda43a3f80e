#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of programs whose counts are known, on the simulated PMU.

record.py SOURCE BUILD
"""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:])
here = source / "tests" / "record"
faults = 0


def check(what, is_right, *seen):
    global faults
    print("ok  " if is_right else "BAD ", what, *([] if is_right else seen))
    faults += not is_right


class Profile:
    def __init__(self, path):
        self.__dict__.update(json.loads(path.read_text()))

    def stack(self, row):
        """[[function, file, line]...] with names, innermost first."""
        frames = []
        while row is not None:
            row, location = self.stacks[row]
            for f, file, line in self.locations[location]["frames"]:
                name = self.files[file]["path"] if file is not None else None
                frames.append((self.functions[f]["name"], name, line))
        return frames

    def own(self, event=0):
        """Samples by function, and the lines that each has samples in."""
        sums, lines = {}, {}
        for sample in self.samples:
            name, _, line = self.stack(sample["stack"])[0]
            sums[name] = sums.get(name, 0) + sample["counts"][event]
            lines.setdefault(name, set()).add(line)
        return sums, lines


def line_of(remark):
    for i, line in enumerate((here / "two.c").read_text().splitlines()):
        if f"/* {remark} */" in line:
            return i + 1
    raise KeyError(remark)


def record(folder, *words, status=0):
    out = folder / "p.json"
    out.unlink(missing_ok=True)
    done = subprocess.run([build / "assay", "record", "-q", "--pmu", "sim", "-o", out,
                           *words], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, cwd=folder)
    check(f"exit status of {' '.join(map(str, words[1:]))}",
          done.returncode == status, done.returncode, done.stdout)
    return Profile(out)


def near(n, should):
    return abs(n - should) <= 1


def compile_in(folder):
    shutil.copy(here / "two.c", folder)
    subprocess.run(["cc", "-g", "-O2", "-o", "two", "two.c", "-ldl", "-lpthread"],
                   cwd=folder, check=True)
    subprocess.run(["cc", "-g", "-O2", "-shared", "-fPIC", "-o", "library.so",
                    here / "library.c"], cwd=folder, check=True)
    subprocess.run(["strip", "-o", "stripped", "two"], cwd=folder, check=True)


def two_functions(folder):
    p = record(folder, "-e", "PAPI_TOT_INS@10000,PAPI_BR_INS@1000", "./two", "status",
               status=7)
    sums, lines = p.own()
    check("9 millions are 900 samples", near(sums["long_work"], 900), sums)
    check("3 millions are 300 samples", near(sums["short_work"], 300), sums)
    for name in "long_work", "short_work":
        # a sample may fall on the return, one line further
        line = line_of(f"{name}'s line")
        check(f"the line of {name}", line in lines[name]
              and lines[name] <= {line, line + 1}, lines)
    branches, _ = p.own(1)
    check("3 millions of branches", near(branches["long_work"], 3000), branches)
    check("exact", p.events[0]["exact"] and p.lost == 0)
    check("the count of all is there", p.events[0]["value"] // 10000
          == p.events[0]["samples"], p.events)


def times(p, name, event=0):
    """The first and the last bin with samples of a function."""
    bins = [b for s in p.samples if p.stack(s["stack"])[0][0] == name
            for b in s["times"][event][::2]]
    return (min(bins), max(bins)) if bins else (-1, -1)


def owner(p, bin):
    """The function with most samples in a bin."""
    sums = {"": 0}
    for s in p.samples:
        name = p.stack(s["stack"])[0][0]
        at = dict(zip(s["times"][0][::2], s["times"][0][1::2]))
        sums[name] = sums.get(name, 0) + at.get(bin, 0)
    return max(sums, key=sums.get)


def in_order(folder):
    for event, unit in ("PAPI_TOT_INS", "instructions"), ("PAPI_TOT_CYC", "cycles"):
        p = record(folder, "-e", f"{event}@1000", "./two")
        main = [owner(p, b) for b in range(p.timeline["bins"])]
        turns = [name for name, _ in itertools.groupby(main) if name.endswith("_work")]
        check(f"times in {unit}", p.timeline["unit"] == unit, p.timeline)
        check("one after the other, ten times", turns == ["long_work", "short_work"] * 10,
              turns)
        check("all samples have a time", all(sum(t[1::2]) == n for s in p.samples
              for t, n in zip(s["times"], s["counts"])))
    # the child's work, then the program that it became
    p = record(folder, "-e", "PAPI_TOT_INS@1000", "./two", "fork")
    check("a program after its exec", 0 <= times(p, "long_work")[1]
          <= times(p, "inlined")[0], times(p, "long_work"), times(p, "inlined"))


def callers(folder):
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two")
    seen = {tuple(f[0] for f in p.stack(s["stack"])[:2]) for s in p.samples
            if p.stack(s["stack"])[0][0] in ("long_work", "short_work")}
    check("who called", seen == {("long_work", "main"), ("short_work", "main")}, seen)
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two", "outer")
    seen = {}
    for s in p.samples:
        stack = p.stack(s["stack"])
        if stack[0][0] == "inlined":
            key = tuple((name, line) for name, _, line in stack[:3])
            seen[key[:2]] = seen.get(key[:2], 0) + s["counts"][0]
            check("outer was called by main", key[2][0] == "main", key)
    line = line_of("inlined's line")
    for call in "outer's call", "outer's second call":
        check(f"inlined at {call}",
              near(seen.get((("inlined", line), ("outer", line_of(call))), 0), 300), seen)


def stripped(folder):
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./stripped")
    symbols = subprocess.run(["nm", "two"], cwd=folder, check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    sums, _ = p.own()
    for name, n in ("long_work", 900), ("short_work", 300):
        start = next(int(line.split()[0], 16) for line in symbols.splitlines()
                     if line.endswith(" T " + name))
        check(f"{name} stripped is where it begins",
              near(sums.get(f"[stripped+0x{start:x}]", 0), n), sums)
    check("a note tells why", any("stripped" in n for n in p.notes), p.notes)


def missing_source(folder):
    (folder / "two.c").rename(folder / "gone.c")
    p = record(folder, "-e", "PAPI_TOT_INS@10000", "./two")
    _, lines = p.own()
    check("lines without the source", line_of("long_work's line")
          in lines["long_work"], lines)
    check("it is said", not any(f["found"] for f in p.files
                                if f["path"].endswith("two.c")), p.files)
    text = subprocess.run([build / "assay", "record", "--import", folder / "p.json"],
                          text=True, stdout=subprocess.PIPE, check=True).stdout
    check("the report has both functions", "long_work" in text and "short_work" in text
          and f"two.c:{line_of('long_work' + chr(39) + 's line')}" in text, text)


def made_code(folder):
    for name, should in ("", "[anonymous memory]"), ("made code;", "made code;"):
        p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two", "make", name)
        for thread in p.threads:
            pathlib.Path(f"/tmp/perf-{thread['pid']}.map").unlink(missing_ok=True)
        sums, _ = p.own()
        check(f"code that was made is {should}", near(sums.get(should, 0), 300), sums)


def histogram(folder, *flags):
    subprocess.run(["cc", "-g", *flags, "-o", "histogram", here / "histogram.c",
                    f"-I{source}/include", f"-L{build}", "-lassay",
                    f"-Wl,-rpath,{build}"], cwd=folder, check=True)
    subprocess.run([build / "assay", "run", "-q", "--pmu", "sim", "./histogram", "h"],
                   cwd=folder, check=True)
    subprocess.run([build / "assay", "record", "-q", "--import", "h", "-o", "p.json"],
                   cwd=folder, check=True)
    p = Profile(folder / "p.json")
    sums, _ = p.own()
    check("PAPI_sprofil's histogram has names", near(sums.get("long_work", 0), 900)
          and near(sums.get("short_work", 0), 300), sums)
    # where a function begins within one, the rest of it is the function's
    check("buckets of two bytes", {l["bytes"] for l in p.locations} <= {1, 2})


def lives(folder):
    p = record(folder, "-e", "PAPI_TOT_INS@10000", "./two", "kill", status=137)
    sums, _ = p.own()
    # what a process did in its last few ms dies with it
    check("killed, but most is kept", sums.get("long_work", 0) > 100, sums)
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two", "fork")
    sums, _ = p.own()
    check("thread, child and program", [near(sums.get(f, 0), 300 * k) for f, k in
          (("short_work", 1), ("long_work", 1), ("inlined", 2))] == [True] * 3, sums)
    check("two processes, three threads", len({t["pid"] for t in p.threads}) == 2
          and len({t["tid"] for t in p.threads}) == 3, p.threads)
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two", "guard")
    sums, _ = p.own()
    check("a stack below pages that cannot be read", near(sums.get("short_work", 0), 300), sums)
    p = record(folder, "-g", "-e", "PAPI_TOT_INS@10000", "./two", "close",
               "./library.so")
    sums, _ = p.own()
    check("a library that was closed", near(sums.get("library_work", 0), 300), sums)
    p = record(folder, "--engine", "fast", "-e", "PAPI_TOT_INS@10000", "sh", "-c",
               "ulimit -f 0; exec ./two status", status=7)
    check("samples beyond the limit on files are lost, not the program", p.lost > 1000, p.lost)


def refused(folder):
    """What the simulator did not see is no event that did not occur."""
    aside = folder / "aside"
    shutil.copy(folder / "two", aside)
    aside.chmod(0o4755)
    p = record(folder, "-e", "PAPI_TOT_INS@10000", "./aside", "status", status=7)
    check("a setuid program has no samples, and the reason", p.samples == []
          and p.events[0]["value"] is None and len(p.notes) == 1
          and p.notes[0].startswith("nothing was sampled: the program is setuid"), p.notes)
    p = record(folder, "-e", "PAPI_TOT_INS@10000", "sh", "-c", "./aside status; true")
    check("nor has one below a shell", p.events[0]["value"] > 0 and any(n.startswith(
          "not in the samples: 1 program that cannot be simulated (setuid")
          for n in p.notes), p.notes)
    p = record(folder, "-e", "PAPI_FP_OPS@1000", "sh", "-c", "./aside status; true")
    check("what could not be seen is not said to be absent",
          not any("did not occur" in n for n in p.notes), p.notes)
    p = record(folder, "-e", "PAPI_TOT_INS@10000", "sh", "-c", "sleep 3 & exit 0")
    check("a process in the background",
          any("still running in the background" in n for n in p.notes), p.notes)
    simulator = folder / "simulator"
    simulator.write_text(f'#!/bin/sh\nexec {build}/libexec/simpmu --fail=check "$@"\n')
    simulator.chmod(0o755)
    done = subprocess.run([build / "assay", "record", "--pmu", "sim", "-o", "none.json",
                           "./two", "status"], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, ASSAY_SIMULATOR=str(simulator)))
    check("a simulator that failed gives no profile", done.returncode == 125
          and "the simulator failed" in done.stderr.splitlines()[-1]
          and not (folder / "none.json").exists(), done)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    compile_in(folder)
    two_functions(folder)
    in_order(folder)
    callers(folder)
    stripped(folder)
    lives(folder)
    made_code(folder)
    histogram(folder, "-O2")
    histogram(folder, "-O1", "-fno-align-functions")
    missing_source(folder)
    refused(folder)
print(f"{faults} faults")
sys.exit(1 if faults else 0)
