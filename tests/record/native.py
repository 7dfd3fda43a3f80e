#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples of the kernel's own events, which need no PMU.

native.py ASSAY PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

assay, program = sys.argv[1:]


def record(events, *program):
    """The profile of a program; skips the test where that is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "p.json"
        done = subprocess.run([assay, "record", "-q", "-g", "-e", events, "-o",
                               out, *program], text=True, stderr=subprocess.PIPE)
        if done.returncode in (2, 125) and ("perf" in done.stderr or "allow" in done.stderr):
            print("SKIP:", done.stderr.strip())
            sys.exit(77)
        print(done.stderr)
        return json.loads(out.read_text())


p = record("cpu-clock@100k,page-faults@1", program)
faults = 0


def check(what, is_right, *seen):
    global faults
    print("ok  " if is_right else "BAD ", what, *([] if is_right else seen))
    faults += not is_right


def stack(row):
    while row is not None:
        row, location = p["stacks"][row]
        for frame in p["locations"][location]["frames"]:
            yield p["functions"][frame[0]]["name"]


sums = [{}, {}]
for sample in p["samples"]:
    names = list(stack(sample["stack"]))
    for event in 0, 1:
        sums[event][names[0]] = sums[event].get(names[0], 0) + sample["counts"][event]
    # the first and last instructions of a function may have no frame yet
    if sample["counts"][0] > 10 and names[0] == "burn":
        check("who called burn", names[1] in ("main", "in_thread"), names)
clock = sum(sums[0].values())
check("most of the time is in burn", sums[0].get("burn", 0) > 0.8 * clock, sums[0])
check("every fault has a sample", sums[1].get("touch_pages", 0) == 1000
      or p["lost"] > 0, sums[1].get("touch_pages"), p["lost"])
check("thread and child", len({t["pid"] for t in p["threads"]}) == 2
      and len({t["tid"] for t in p["threads"]}) == 3, p["threads"])
timeline = p["timeline"]
check("samples have times", timeline["unit"] == "ns" and timeline["bins"] <= 1024
      and timeline["step"] * (timeline["bins"] - 1) < 1.05e9 * p["time"]["wall_s"]
      and all(sum(t[1::2]) == n for s in p["samples"]
              for t, n in zip(s["times"], s["counts"])), timeline, p["time"])
check("times are the machine's", p["time"]["native"] and not p["events"][0]["exact"])
p = record("perf::MINOR-FAULTS", program, "threads")
check("faults are sampled one by one", p["events"][0]["period"] == 1
      and p["events"][0]["samples"] + p["lost"] >= 1000, p["events"], p["lost"])
p = record("page-faults@150", program, "threads")
check("threads without a sample are said", p["events"][0]["samples"] >= 1
      and any("stand for 1" in note or "stand for 2" in note
              for note in p["notes"]), p["events"], p["notes"])
sys.exit(1 if faults else 0)
