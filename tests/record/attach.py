#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a process that runs already, and samples by time.

attach.py ASSAY PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

assay, program = sys.argv[1:]
faults = 0
folder = tempfile.TemporaryDirectory()
out = pathlib.Path(folder.name) / "p.json"


def check(what, is_right, *seen):
    global faults
    print("ok  " if is_right else "BAD ", what, *([] if is_right else seen))
    faults += not is_right


def record(*words):
    return subprocess.run([assay, "record", *map(str, words)], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def sampled(*words):
    """Record for longer until there are samples: another may have the CPUs."""
    for seconds in 0.5, 2, 8, 20:
        done = record("-q", "-p", process.pid, "--for", seconds, "-o", out, *words)
        if done.returncode in (2, 125) and ("perf" in done.stderr or "allow" in done.stderr):
            print("SKIP:", done.stderr.strip())
            process.kill()
            sys.exit(77)
        p = json.loads(out.read_text())
        if len({t["tid"] for t in p["threads"]}) >= 2 and p["events"][0]["samples"] > 20:
            break
    return p


def functions(p, row):
    names = []
    while row is not None:
        row, location = p["stacks"][row]
        names += [p["functions"][f[0]]["name"] for f in p["locations"][location]["frames"]]
    return names


process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
process.stdout.readline()
try:
    p = sampled("-g", "-e", "cpu-clock@100k")
    total = sum(s["counts"][0] for s in p["samples"])
    stacks = [(functions(p, s["stack"]), s["counts"][0]) for s in p["samples"]]
    inside = sum(n for names, n in stacks if names[0] in ("burn", "first_work", "second_work"))
    check("its functions have names", inside > 0.8 * total, stacks[:3])
    for name in "first_work", "second_work":
        check("%s calls burn" % name,
              any(names[:2] == ["burn", name] for names, _ in stacks), stacks[:3])
    check("both threads are there", len({t["tid"] for t in p["threads"]}) >= 2, p["threads"])
    check("of the one process", {t["pid"] for t in p["threads"]} == {process.pid}, p["threads"])
    check("its command is known", p["command"] == [program], p["command"])

    p = sampled("-F", "2000")
    check("2000 a second is one every half millisecond", p["events"][0]["name"] == "cpu-clock"
          and p["events"][0]["period"] == 500000, p["events"])
    p = sampled("-c", "250k", "-e", "task-clock")
    check("-c is the threshold of those without", p["events"][0]["period"] == 250000, p["events"])

    for words, sentence in {
            ("-p", process.pid, "true"): "cannot be combined with a program",
            ("-p", process.pid, "--pmu", "sim"): "simulated PMU",
            ("-p", process.pid, "-F", "99", "-e", "page-faults"): "is not a clock",
            ("-F", "99", "-c", "100", "true"): "cannot be combined",
            ("-F", "0", "true"): "requires a number from 1",
            ("--for", "1", "true"): "--for requires --pid",
            ("-p", "x"): "requires a process ID"}.items():
        done = record(*words)
        check("refused: %s" % " ".join(map(str, words)), done.returncode == 2
              and sentence in done.stderr, done)
    check("it runs on", process.poll() is None)
    ending = subprocess.Popen([assay, "record", "-q", "-p", str(process.pid), "-e", "cpu-clock",
                               "-o", out], stderr=subprocess.PIPE, text=True)
finally:
    process.stdin.close()
    status = process.wait()
stderr = ending.communicate()[1]
check("its end ends the recording", ending.returncode == 0
      or "no process" in stderr or "ended" in stderr
      or "no thread or process" in stderr, ending.returncode, stderr)
check("it is not disturbed", status == 0, status)
done = record("-p", process.pid)
check("it is gone", done.returncode == 2 and "no process" in done.stderr, done)
sys.exit(1 if faults else 0)
