#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""invariants.py SOURCE BUILD: what must hold of counts that belong together.

Programs with threads and without are counted for all of it at once, on every
machine model. Hits are counted as accesses less misses, so that misses above
accesses would show as a value beyond all bounds.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])


def width_of(model):
    text = (source / "share/models" / f"{model}.model").read_text()
    said = re.search(r"^issue = (\d+)", text, re.M)
    return int(said[1]) if said else width_of(re.search(r"^include (\S+)", text, re.M)[1])


WIDTH = {p.stem: width_of(p.stem) for p in sorted((source / "share/models").glob("*.model"))}
# what an event may have no value for, on a machine that lacks it
LACKS = re.compile("the modelled machine has no (L3 cache|second-level TLB)")
busy = build / "tests/metrics/busy"
PROGRAMS = [[busy, "branches"], [busy, "integers"], [busy, "flops", "3"],
            ["sh", "-c", "cat /dev/null | cat"]]

# (left side, relation, right side): sums of events, of the simulated PMU
LAWS = [law for law in re.findall(r'^LAW\("(.*)", (\w+), "(.*)"\)$', (source / "src/report/laws.def").read_text(), re.M)
        if "PAPI_" not in law[0] + law[2]]


def events_of(laws):
    names = {n for left, _, right in laws for side in (left, right)
             for n in side.split(" + ")}
    return sorted(names)


def count(model, program, names):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([build / "assay", "count", "-q", "--pmu=sim",
                        f"--model={model}", "--per-thread", "--check", "-e",
                        ",".join(names), "-o", out, "--",
                        *program], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def holds(relation, a, b):
    return {"EQUAL": a == b, "AT_MOST": a <= b, "NEARLY": abs(a - b) <= 1e-3 * b + 100}[relation]


def broken(run, width):
    counts = {e["name"]: e["value"] for e in run["events"]}
    for e in run["events"]:
        if e["value"] is None and not LACKS.match(e["reason"]):
            yield f"{e['name']} has no value: {e['reason']}"
    for left, relation, right in LAWS:
        if None in (counts[n] for side in (left, right) for n in side.split(" + ")):
            continue
        a, b = (sum(counts[n] for n in side.split(" + "))
                for side in (left, right))
        if not holds(relation, a, b):
            yield f"{left} {relation} {right}: {a} and {b}"
    if counts["sim::INST_RETIRED:ANY"] > width * counts["sim::CPU_CLK_UNHALTED:CORE"]:
        yield f"more than {width} instructions a cycle"
    for fold in run["per_thread"]["events"]:
        total = sum(v for v in fold["values"] if v is not None)
        if counts[fold["event"]] is None:
            continue
        if total != counts[fold["event"]]:
            yield f"{fold['event']}: threads {total}, process {counts[fold['event']]}"


if not (build / "libexec" / "simpmu").exists():
    print("no simulator was built: the package valgrind is missing")
    sys.exit(77)
faults = checked = 0
for model, width in WIDTH.items():
    for program in PROGRAMS:
        run = count(model, program, events_of(LAWS))
        what = f"{model}: {' '.join(str(w) for w in program)}"
        checked += len(LAWS) + 1
        if not re.search(r"relations between counts: [2-9]\d+ checked, 0 do not hold", " ".join(run["notes"])):
            print(f"{what}: --check: {run['notes']}")
            faults += 1
        for fault in broken(run, width):
            print(f"{what}: {fault}")
            faults += 1
print(f"{checked} relations checked, {faults} broken")
sys.exit(faults != 0)
