#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""invariants.py SOURCE BUILD: what must hold of counts that belong together.

Programs with threads and without are counted for all of it at once, on every
machine model. Hits are counted as accesses less misses, so that misses above
accesses would show as a value beyond all bounds.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
WIDTH = {"icx": 5, "hsw-ep": 4, "p3": 3}
busy = build / "tests/metrics/busy"
PROGRAMS = [[busy, "branches"], [busy, "integers"], [busy, "flops", "3"],
            ["sh", "-c", "cat /dev/null | cat"]]

# (left side, relation, right side): sums of events
LAWS = [
    ("L1D:HIT + L1D:MISS", "=", "L1D:ACCESS"),
    ("L1D:LOAD + L1D:STORE", "=", "L1D:ACCESS"),
    ("L1D:LOAD_MISS", "=", "L2_RQSTS:ALL_DEMAND_DATA_RD"),
    ("L1D:STORE_MISS", "=", "L2_RQSTS:ALL_RFO"),
    ("ICACHE:HIT + ICACHE:MISS", "=", "ICACHE:ACCESS"),
    ("ICACHE:MISS", "=", "L2_RQSTS:ALL_CODE_RD"),
    ("L2_RQSTS:HIT + L2_RQSTS:MISS", "=", "L2_RQSTS:REFERENCES"),
    ("L2_RQSTS:MISS", "<=", "L2_RQSTS:REFERENCES"),
    ("MEM_UOPS_RETIRED:ALL_LOADS", "<=", "L1D:LOAD"),
    ("DTLB_MISSES:STLB_HIT + DTLB_MISSES:WALK_COMPLETED", "=",
     "DTLB_MISSES:ANY"),
    ("BR_INST_RETIRED:COND_TAKEN + BR_INST_RETIRED:COND_NTAKEN", "=",
     "BR_INST_RETIRED:COND"),
    ("BR_MISP_RETIRED:ALL_BRANCHES", "<=", "BR_INST_RETIRED:ALL_BRANCHES"),
    ("BR_INST_RETIRED:ALL_BRANCHES", "<=", "INST_RETIRED:ANY"),
    ("INST_RETIRED:ANY", "<=", "INST_ISSUED:ANY"),
    ("INST_ISSUED:ANY", "<=", "TOPDOWN:SLOTS"),
    ("CYCLE_ACTIVITY:STALLS_TOTAL", "<=", "CPU_CLK_UNHALTED:CORE"),
    ("UOPS_RETIRED:STALL_CYCLES", "<=", "CPU_CLK_UNHALTED:CORE"),
    ("CYCLE_ACTIVITY:STALLS_MEM_ANY", "<=", "CYCLE_ACTIVITY:STALLS_TOTAL"),
    ("CYCLE_ACTIVITY:STALLS_MISPREDICT", "<=", "CYCLE_ACTIVITY:STALLS_TOTAL"),
]
# machines with an L3: what misses L2 looks there
BELOW_L2 = [
    ("L2_RQSTS:DEMAND_DATA_MISS", "=", "LLC_RQSTS:DATA"),
    ("LLC_RQSTS:DATA_MISS", "<=", "LLC_RQSTS:DATA"),
]


def events_of(laws):
    names = {n for left, _, right in laws for side in (left, right)
             for n in side.split(" + ")}
    return sorted(names | {"CYCLE_ACTIVITY:CYCLES_ISSUE"})


def count(model, program, names):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([build / "assay", "count", "-q", "--pmu=sim",
                        f"--model={model}", "--per-thread", "-e",
                        ",".join("sim::" + n for n in names), "-o", out, "--",
                        *program], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def broken(run, laws, width):
    counts = {e["name"].removeprefix("sim::"): e["value"]
              for e in run["events"]}
    for left, relation, right in laws:
        a, b = (sum(counts[n] for n in side.split(" + "))
                for side in (left, right))
        if not (a == b if relation == "=" else a <= b):
            yield f"{left} {relation} {right}: {a} and {b}"
    cycles = counts["CPU_CLK_UNHALTED:CORE"]
    if counts["INST_RETIRED:ANY"] > width * cycles:
        yield f"more than {width} instructions a cycle"
    both = (counts["CYCLE_ACTIVITY:CYCLES_ISSUE"] +
            counts["CYCLE_ACTIVITY:STALLS_TOTAL"])
    if abs(both - cycles) > 1e-3 * cycles + 100:
        yield f"{both} cycles with issue or without, of {cycles}"
    for fold in run["per_thread"]["events"]:
        name = fold["event"].removeprefix("sim::")
        total = sum(v for v in fold["values"] if v is not None)
        if total != counts[name]:
            yield f"{name}: threads {total}, process {counts[name]}"


if not (build / "libexec" / "simpmu").exists():
    print("no simulator was built: the package valgrind is missing")
    sys.exit(77)
faults = checked = 0
for model, width in WIDTH.items():
    laws = LAWS + (BELOW_L2 if model != "p3" else [])
    for program in PROGRAMS:
        run = count(model, program, events_of(laws))
        what = f"{model}: {' '.join(str(w) for w in program)}"
        checked += len(laws) + 2
        for fault in broken(run, laws, width):
            print(f"{what}: {fault}")
            faults += 1
print(f"{checked} relations checked, {faults} broken")
sys.exit(faults != 0)
