#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Configure a machine, measure it, and find what was configured.

loop.py SOURCE BUILD MODEL: the simulated machine MODEL is measured by its own
cycles, as any machine is by its clock. Geometry must come out exactly,
latencies within a cycle or 2 %, a misprediction within two cycles; on a shipped
model all of it must be right and stable.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import truth  # noqa: E402

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
MODEL = sys.argv[3]
# There may be nothing to measure, as where FMA cannot be run; a small array's
# rate depends on its size; and the first TLB hides a set of the second.
MAY_BE_UNSURE = ("FP_fma_lat", "FP_fma_min", "FP_fma_avx2_lat",
                 "FP_fma_avx2_min", "flops_scalar_fma", "flops_avx2_fma",
                 "L1_read", "L1_write", "L2_read", "L2_write", "L3_read",
                 "L3_write", "mem_read", "mem_write", "STLB_ways", "STLB_sets")


def compare_models(values, measured):
    """Export what was measured as a model: it has the numbers that were configured. (Store ports are not compared:
    the model writes one store a cycle to L1D, however many it takes.)"""
    back = measured.with_suffix(".model")
    subprocess.run([BUILD / "assay", "machine", "export", measured, "-o", back], check=True)
    exported = truth.read_model(back, {})
    keys = [("memory", "line"), ("memory", "dram_latency"), ("l1d", "ways"), ("l1d", "latency"), ("l1i", "ways"),
            ("l2", "ways"), ("l2", "latency"), ("dtlb", "sets"), ("dtlb", "ways"), ("stlb", "walk_latency"),
            ("pipeline", "issue"), ("pipeline", "mispredict"), ("ports", "load"), ("ports", "fp"),
            ("latency", "fadd"), ("latency", "fmul"), ("latency", "mul")]
    bad = 0
    for section, key in keys:
        want, got = (truth.number(table[section, key]) if (section, key) in table else None for table in (values, exported))
        slack = {"dram_latency": 0.01 * want + 2, "mispredict": 2}.get(key, 1 if key.endswith("latency") else 0)
        off = got is None or abs(got - want) > slack
        print(f"[{section}] {key}: {want}, exported {got}", "WRONG" if off else "")
        bad += off
    return bad


def compare_constants(values, found):
    """How many constants are neither right nor such as may be unsure."""
    bad = 0
    for name, want in truth.expect(values).items():
        got = found.get(name)
        verdict = truth.judge(want, got)
        good = verdict == "right" or (verdict != "wrong" and
                                      name in MAY_BE_UNSURE)
        bad += not good
        print(f"{name:24} {truth.told(want):20} measured "
              f"{got and got['value']} {verdict} "
              f"{(got and got['reason']) or ''}{'' if good else ' BAD'}")
    return bad


def main():
    shipped = SOURCE / "share/models"
    values = truth.read_model(shipped / "icx.model", {})
    own = pathlib.Path(__file__).parent / MODEL
    truth.read_model(own if own.exists() else shipped / (MODEL + ".model"),
                     values)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "m.json"
        found = truth.measure(BUILD, own if own.exists() else MODEL, out)
        bad = compare_constants(values, found)
        bad += compare_models(values, out)
    return 1 if bad else 0


sys.exit(main())
