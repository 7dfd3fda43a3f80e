#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The command on every modelled machine: count, multiplexing, record, sections
and PAPI's regions; on one with uncore PMUs also energy, memory bandwidth and
TopDown, and the check for owners of hardware.

commands.py SOURCE BUILD LIBRARY
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SOURCE, BUILD = (pathlib.Path(a) for a in sys.argv[1:3])
SECTIONS = BUILD / "tests/kernel/test-kernel-sections"
loader = importlib.machinery.SourceFileLoader("on", str(SOURCE / "tests/kernel/on"))
on = importlib.util.module_from_spec(importlib.util.spec_from_loader("on", loader))
loader.exec_module(on)

PROGRAM = ["/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"]
MANY = ",".join(f"r{0x10ff + (i << 8):x}" for i in range(10))


def assay(machine, folder, *args):
    """What `assay ARGS` wrote as JSON on @machine."""
    out = folder / "out.json"
    done = on.run(BUILD, machine, [BUILD / "assay", *args, "-o", out, "--",
                                   *PROGRAM], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{machine}: {args}: {done.returncode}: {done.stderr}")
    return json.loads(out.read_text())


def need(condition, machine, what):
    if not condition:
        raise SystemExit(f"{machine}: {what}")


def check_count(machine, folder):
    run = assay(machine, folder, "count", "-e", "cycles,instructions")
    cycles, instructions = run["events"]
    need(run["pmu"]["kind"] == "hw", machine, run["pmu"])
    need(cycles["quality"] == "counted", machine, cycles)
    need(cycles["value"] > 1e6, machine, cycles)
    ratio = instructions["value"] / cycles["value"]
    need(abs(ratio - 1.5) < 0.001, machine, f"{ratio} instructions a cycle")


def check_multiplexing(machine, folder):
    run = assay(machine, folder, "count", "-e", "cycles," + MANY)
    need(all(e["value"] is not None or e["reason"] for e in run["events"]),
         machine, run["events"])


def check_record(machine, folder):
    run = assay(machine, folder, "record", "-e", "cycles@1000000")
    event = run["events"][0]
    need(event["samples"] > 0, machine, event)
    need(abs(event["samples"] - event["value"] / 1e6) <= 2, machine, event)
    need(run["throttled"] == 0, machine, run["throttled"])


def check_throttling(machine, folder):
    run = assay(machine, folder, "record", "-e", "cycles@3000")
    need(run["throttled"] > 0, machine, run["throttled"])


def check_regions(machine, folder):
    """PAPI's regions: each part of the outer one counts."""
    where = folder / machine
    where.mkdir()
    done = on.run(BUILD, machine,
                  ["env", f"LD_LIBRARY_PATH={BUILD / 'compat'}",
                   "PAPI_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC",
                   BUILD / "tests/papi/test-regions-program",
                   "nested"], capture_output=True, text=True, cwd=where)
    need(done.returncode == 0, machine, done.stderr)
    text = (where / "papi_hl_output/rank_000000.json").read_text()
    outer, inner = (json.loads(text)["threads"]["0"]["regions"][i]
                    for i in "01")
    for name in ("PAPI_TOT_INS", "PAPI_TOT_CYC"):
        need(outer[name]["region_value"] > outer[name]["exclusive"] > 0,
             machine, outer)
        need(inner[name]["region_value"] > 0, machine, inner)


def sections(machine, folder, kind, **settings):
    """The sections of a run by name: what each says of each event."""
    for old in folder.glob("hpm_*.xml"):
        old.unlink()
    env = [f"{name}={value}" for name, value in settings.items()]
    done = on.run(BUILD, machine, ["env", *env, SECTIONS, kind],
                  capture_output=True, text=True, cwd=folder)
    need(done.returncode == 0, machine, done.stderr)
    tree = xml.etree.ElementTree.parse(next(folder.glob("hpm_*.xml")))
    return {point.get("label"): {data.get("name"): data
                                 for data in point.iter("data")}
            for point in tree.iter("InstrumentationPt")}


def check_sections(machine, folder):
    """Either kind counts by itself; both do where there are counters for both,
    or take turns, and else the first does and the second says why not."""
    def value(section, name):
        text = section[name].get("value")
        need(text, machine, section[name].attrib)
        return int(text)

    for kind in ("process", "thread"):
        section = sections(machine, folder, kind)[kind]
        need(value(section, "PAPI_TOT_INS") > 0, machine, kind)
    both = sections(machine, folder, "both")
    value(both["process"], "PAPI_TOT_INS")
    thread = both["thread"]["PAPI_TOT_INS"]
    need(thread.get("value") or "hpmStart sections use" in
         thread.get("reason"), machine, thread.attrib)
    sections(machine, folder, "both", HPM_MULTIPLEX="1")
    both = sections(machine, folder, "both",
                    HPM_EVENTS="perf::CYCLES,perf::INSTRUCTIONS")
    for kind, section in both.items():
        ratio = (value(section, "perf::INSTRUCTIONS")
                 / value(section, "perf::CYCLES"))
        need(abs(ratio - 1.5) < 0.01, machine, f"{kind}: {ratio}")
    need(value(both["process"], "perf::CYCLES")
         > value(both["thread"], "perf::CYCLES"), machine, "a part is less")


def check_package(machine, folder):
    run = assay(machine, folder, "count", "-e", "power/energy-pkg/")
    energy = run["events"][0]
    need(energy["value"] > 0 and energy["unit"] == "Joules", machine, energy)
    run = assay(machine, folder, "count", "-g", "topdown", "-g", "bandwidth", "-g", "sockets")
    metrics = {m["name"]: m["value"] for m in run["metrics"]}
    need(abs(sum(metrics[f"topdown_{part}"] for part in
                 ("retiring", "bad_speculation", "frontend_bound",
                  "backend_bound")) - 1) < 0.01, machine, metrics)
    parts = [metrics[f"memory_bandwidth_socket{i}"] for i in (0, 1)]
    need(min(parts) > 0 and
         abs(sum(parts) / metrics["memory_bandwidth"] - 1) < 0.2, machine,
         metrics)


def check_unknown_group(machine):
    """A group that is for other processors is not said to be unknown."""
    done = on.run(BUILD, machine, [BUILD / "assay", "count", "-g", "topdown",
                                   "--", "true"],
                  capture_output=True, text=True)
    need(done.returncode == 2 and "defined for this PMU" in done.stderr,
         machine, done.stderr)


def check_quick(machine, folder):
    """The doctor proposes a check, and what it writes is this machine."""
    done = on.run(BUILD, machine, [BUILD / "assay", "doctor", "--json"],
                  capture_output=True, text=True)
    doctor = json.loads(done.stdout)
    need("assay validate --quick" in doctor["next"], machine, doctor["next"])
    packet = folder / "packet.txt"
    done = on.run(BUILD, machine,
                  [BUILD / "assay", "validate", "--quick", "--no-save", "-r",
                   "2", "--most", "10", "-e", "PAPI_TOT_INS,PAPI_TOT_CYC",
                   "--format", "csv", "-o", packet],
                  capture_output=True, text=True)
    need(done.returncode in (0, 4), machine, done.stderr)
    need("PAPI_TOT_INS" in done.stdout, machine, done.stdout)
    on.unpack(packet, folder / "unpacked")
    results = json.loads(
        (folder / "unpacked/assay/validation.json").read_text())
    need(len(results["rows"]) == 4, machine, results)
    need(all(row["mean"] is not None for row in results["rows"]), machine,
         results)
    again = folder / "again"
    on.unpack(SOURCE / "tests/fixtures/machines" / on.rows()[machine][0], again)
    source = "sys/bus/event_source/devices/cpu/type"
    need((folder / "unpacked" / source).read_text()
         == (again / source).read_text(), machine, source)


def main():
    machines = on.rows()
    need(len(machines) >= 19, "machines.c", f"{len(machines)} machines")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for machine in machines:
            check_count(machine, folder)
            check_multiplexing(machine, folder)
            check_record(machine, folder)
            check_regions(machine, folder)
            check_sections(machine, folder)
        check_package("sapphire-rapids-2s", folder)
        check_quick("sapphire-rapids-2s", folder)
        check_throttling("zen3", folder)
        check_unknown_group("alder-lake")
    print(f"{len(machines)} machines")


main()
