#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Configure a machine, measure it, and find what was configured.

loop.py SOURCE BUILD MODEL: the simulated machine MODEL is measured by its own
cycles, as any machine is by its clock. Geometry must come out exactly,
latencies within a cycle or 2 %, a misprediction within two cycles; whatever is
wrong must not be called stable.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
MODEL = sys.argv[3]
KB = {"K": 1 << 10, "M": 1 << 20}


def read_model(path, values):
    """The keys of a model's file, over those of icx."""
    section = ""
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            values[section, key] = value
    return values


def number(text):
    unit = KB.get(text[-1], 1)
    return int(text.rstrip("KM")) * unit


def expect(values):
    """Constants by name: the value, and by how much it may be off."""
    def get(section, key):
        return number(values[section, key])

    line = int(values["memory", "line"])
    rows = {"line_bytes": (line, 0), "page_bytes": (4096, 0)}
    for section, name in (("l1i", "L1I"), ("l1d", "L1D"), ("l2", "L2")):
        size, ways = get(section, "size"), get(section, "ways")
        rows[name + "_bytes"] = (size, 0)
        rows[name + "_ways"] = (ways, 0)
        rows[name + "_sets"] = (size // ways // line, 0)
    sets, ways = get("dtlb", "sets"), get("dtlb", "ways")
    rows["DTLB_entries"] = (sets * ways, 0)
    rows["DTLB_ways"] = (ways, 0)
    rows["STLB_entries"] = (get("stlb", "sets") * get("stlb", "ways"), 0)
    rows["L1_lat"] = (get("l1d", "latency"), 0)
    rows["L2_lat"] = (get("l2", "latency"), 1)
    if values["l3", "kind"] != "none":
        rows["L3_lat"] = (get("l3", "latency"), 2)
        rows["L3_bytes"] = (get("l3", "size"), 0.06 * get("l3", "size"))
    # Page walks of the chase go through the caches, too: up to 2.5 cycles a load.
    rows["Mem_lat"] = (get("memory", "dram_latency"),
                       0.01 * get("memory", "dram_latency") + 2)
    rows["TLB_data_lat"] = (get("stlb", "walk_latency"), 1)
    rows["BR_miss_lat"] = (get("pipeline", "mispredict"), 2)
    for key, name in (("fadd", "FP_add_lat"), ("fmul", "FP_mul_lat"),
                      ("fma", "FP_fma_lat")):
        rows[name] = (get("latency", key), 0)
    return rows


def main():
    shipped = SOURCE / "share/models"
    values = read_model(shipped / "icx.model", {})
    own = pathlib.Path(__file__).parent / MODEL
    path = own if own.exists() else shipped / (MODEL + ".model")
    read_model(path, values)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "m.json"
        subprocess.run([BUILD / "assay", "machine", "--pmu", "sim", "--no-save",
                        "--model", own if own.exists() else MODEL, "-q",
                        "-o", out], check=True)
        found = {c["name"]: c for c in json.load(out.open())["constants"]}
    bad = 0
    for name, (want, slack) in expect(values).items():
        got = found[name]
        off = got["value"] is None or abs(got["value"] - want) > slack
        # There may be nothing to measure, as where FMA cannot be run.
        if off and got["value"] is None and name == "FP_fma_lat":
            continue
        if off or not got["stable"]:
            bad += 1
        print(f"{name:14} {want:10} measured {got['value']}",
              "" if got["stable"] else f"not stable: {got['reason']}",
              "WRONG" if off else "")
    return 1 if bad else 0


sys.exit(main())
