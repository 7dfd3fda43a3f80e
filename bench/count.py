"""The command beside perf's: what counting a program costs, start to end.

CPU time of tool and program together, and wall time, median of interleaved
runs; the program does nothing, so that all there is to see is the tool's. The
same software events are counted, which every machine has.
"""
import resource
import shutil
import subprocess
import time

import measure

ROUNDS = 15
EVENTS = "task-clock,page-faults,context-switches"
PROGRAM = "/usr/bin/true"


def cost(command):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            time.monotonic() - began)


def sides(build):
    assay = [str(build / "assay"), "count", "--pmu", "none", "-e", EVENTS, "--", PROGRAM]
    found = {"alone": [PROGRAM], "assay": assay}
    if (build / "static" / "assay-static").exists():
        found["assay, static"] = [str(build / "static" / "assay-static"), *assay[1:]]
    if shutil.which("perf"):
        perf = ["perf", "stat", "-e", EVENTS, "--", PROGRAM]
        if subprocess.run(perf, capture_output=True).returncode == 0:
            found["perf"] = perf
    return found


def words_of_perf():
    """What perf says of a hardware event here, if it cannot count it."""
    done = subprocess.run(["perf", "stat", "-e", "instructions", "--", PROGRAM],
                          capture_output=True, text=True)
    said = [line.strip() for line in done.stderr.splitlines() if "instructions" in line]
    return said[0] if said and "<not" in said[0] else None


def run(build):
    commands = sides(build)
    seen = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            seen[name].append(cost(command))
    results = {}
    for name, pairs in seen.items():
        cpu, wall = (sorted(p[i] for p in pairs)[ROUNDS // 2] for i in (0, 1))
        results[name] = {"cpu_ms": cpu * 1e3, "wall_ms": wall * 1e3}
    if "perf" in results:
        results["assay"]["cpu_to_perf"] = results["assay"]["cpu_ms"] / results["perf"]["cpu_ms"]
    measure.table(["", "CPU ms", "wall ms"],
                  [[name, f"{r['cpu_ms']:.2f}", f"{r['wall_ms']:.2f}"] for name, r in results.items()])
    if "perf" not in results:
        results["perf"] = {"missing": "perf is not installed, or cannot count here"}
        print("perf is not installed, or cannot count here")
    elif words_of_perf():
        results["perf"]["on hardware events"] = " ".join(words_of_perf().split())
        print("perf of hardware events: " + results["perf"]["on hardware events"])
    return results
