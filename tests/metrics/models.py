#!/usr/bin/env python3
"""Models of kernels whose behaviour is known, on the simulated PMU.

models.py SOURCE BUILD lcpi|cycles|roofline
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
faults = []
# it makes malloc() write to memory, which is traffic
environment = {k: v for k, v in os.environ.items() if k != "MALLOC_PERTURB_"}


def check(condition, text):
    print(("ok    " if condition else "FALSE ") + text)
    if not condition:
        faults.append(text)


def run(name, program, *words, suffix="json"):
    """What model @name writes of @program, with options before @words."""
    options = [w for w in words if str(w).startswith("-")]
    words = [str(w) for w in words if not str(w).startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / f"out.{suffix}"
        subprocess.run([build / "assay", "model", name, "-q", "--pmu=sim",
                        *options, "-o", out, "--", program, *words],
                       check=True, stdout=subprocess.DEVNULL, env=environment)
        return out.read_text()


def model(name, *words):
    """The JSON of a model, of examples/hpcc with @words behind options."""
    return json.loads(run(name, build / "examples" / "hpcc", *words))


def busy(name, *words):
    return json.loads(run(name, build / "tests/metrics/busy", *words))


# Figure 2 of the 2011 paper: which category has the largest bound.
LARGEST = {
    "copy": "data", "scale": "data", "add": "data", "triad": "data",
    "random": "data", "transpose": "data", "chase": "data",
    "matmul": "fp", "fft": "fp",
}


def test_lcpi():
    fp = {}
    for kernel, want in LARGEST.items():
        seen = model("lcpi", kernel)
        most = {c["name"]: c["max"] for c in seen["categories"]}
        least = {c["name"]: c["min"] for c in seen["categories"]}
        fp[kernel] = most["fp"]
        check(seen["largest_bound"] == want and
              most[want] == max(most.values()),
              f"{kernel}: {want} is the largest: " +
              ", ".join(f"{n} {v:.3f}" for n, v in most.items()))
        check(seen["cpi_min"] <= seen["cpi"] <= seen["cpi_max"],
              f"{kernel}: {seen['cpi_min']:.3f} <= {seen['cpi']:.3f} <= "
              f"{seen['cpi_max']:.3f}")
        check(all(low is None or low <= most[n] for n, low in least.items()),
              f"{kernel}: no lower bound above its upper bound")
        share = sum(c["stalled"] or 0 for c in seen["categories"])
        check(share < 1, f"{kernel}: {share:.3f} of the cycles stalled")
        if kernel == "chase":
            check(seen["dominant"] == "data", "chase: data stalls it most")
    # without an L3, what misses L2 is there
    seen = model("lcpi", "--model=p3", "chase")
    check(seen["cpi_min"] <= seen["cpi"] <= seen["cpi_max"],
          f"no L3: {seen['cpi_min']:.3f} <= {seen['cpi']:.3f} <= "
          f"{seen['cpi_max']:.3f}")
    # of a machine that no formula is for, such bounds are not known
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "other.model"
        other.write_text("include p3\nname = other\n")
        seen = model("lcpi", f"--model={other}", "chase")
    most = {c["name"]: c for c in seen["categories"]}
    check(most["data"]["max"] is None and
          "has no L3 cache" in most["data"]["reason"],
          f"other machine without L3: {most['data']['reason']}")
    check(seen["cpi_max"] is None and seen["largest_bound"] is None,
          "no sum of bounds, and no largest, with one unknown")
    # the bound of instruction accesses is larger: it is no measure
    seen = busy("lcpi", "branches")
    check(seen["dominant"] == "branch",
          f"branches: mispredictions stall most, {seen['dominant']}")
    # one operation an element in scale and add, two in triad, none in copy
    check(fp["copy"] < 0.5 * fp["scale"] and
          1.5 * fp["add"] < fp["triad"] and 1.5 * fp["scale"] < fp["triad"],
          "the STREAM variants differ in floating point: " +
          ", ".join(f"{k} {fp[k]:.3f}"
                    for k in ("copy", "scale", "add", "triad")))


WIDTH = {"icx": 5, "hsw-ep": 4, "p3": 3}


def test_cycles():
    for machine, width in WIDTH.items():
        seen = busy("cycles", f"--model={machine}", "branches")
        parts = {p["name"]: p["cycles"] for p in seen["parts"]}
        text = f"{machine}: {seen['issue_rate']:.2f} instructions a cycle"
        check(1 < seen["issue_rate"] <= width, text + f" of {width}")
        left = seen["cycles"] - sum(parts.values())
        check(abs(seen["residual"]) < 1e-3 and
              abs(left / seen["cycles"] - seen["residual"]) < 1e-9,
              f"{machine}: {left:.0f} of {seen['cycles']:.0f} cycles are left")
        check(parts["non_retired"] > 0.1 * parts["retired"],
              f"{machine}: the wrong path takes cycles")


    # a string instruction is issued once for each byte, all of which retires
    seen = busy("cycles", "fill")
    parts = {p["name"]: p["cycles"] for p in seen["parts"]}
    check(seen["cycles"] > 300000 and
          parts["non_retired"] < 0.05 * seen["cycles"],
          f"fill: {parts['non_retired']:.0f} of {seen['cycles']:.0f} cycles on "
          "the wrong path")


# Operations per byte of memory traffic, by hand. Lines that are written are
# read first and written back later. A block of 16 x 16 of a matrix product
# reads two blocks for each of its n / 16 steps, and itself once each way.
INTENSITY = {
    ("triad", 20000, 100): 2 / (3 * 8 + 8),
    ("matvec", 256, 200): 2 / 8,
    ("matmul", 96, 30): 2 * 96 ** 3 / (16 * 96 ** 3 / 16 + 16 * 96 ** 2),
}


def test_roofline():
    small = f"--model={source / 'tests/metrics/small.model'}"
    for (kernel, *words), want in INTENSITY.items():
        seen = model("roofline", small, kernel, *words)
        error = seen["intensity"] / want - 1
        check(abs(error) < 0.05,
              f"{kernel}: {seen['intensity']:.5f} flop/B, by hand {want:.5f}: "
              f"{100 * error:+.2f} %")
        check(abs(seen["flops"] / seen["bytes"] / seen["intensity"] - 1) < 1e-9,
              f"{kernel}: intensity is operations by bytes")
        check(seen["time"]["native"] is False, f"{kernel}: time is not native")
    # four threads do four times the work in the time of one, on four cores
    one, four = busy("roofline", "flops", 1), busy("roofline", "flops", 4)
    check(four["flops"] == 4 * one["flops"], "four threads: the operations")
    check(four["time"]["seconds"] < 1.5 * one["time"]["seconds"],
          f"four threads: {four['time']['seconds']:.3g} s, one: "
          f"{one['time']['seconds']:.3g} s")
    check(3 < four["time"]["cores"] < 5,
          f"four threads: {four['time']['cores']:.2f} cores")
    for seen in one, four:
        check(abs(seen["flops_ceilings"][0]["value"] / 16 / 2.6e9 /
                  seen["time"]["cores"] - 1) < 1e-9,
              "the roof is that of the cores that were busy")
    for seen in one, four:
        check(seen["flops_per_second"] <= seen["attainable"],
              "below the roof")
    pages = (build / "viewer/viewer.html").stat().st_size > 0
    for suffix in ["json", "txt", "svg"] + ["html"] * pages:
        text = run("roofline", build / "tests/metrics/busy", "integers",
                   suffix=suffix)
        check("nan %" not in text and "nan\"" not in text,
              f"no floating point: no number of none in .{suffix}")
    check("no floating-point operation" in
          run("roofline", build / "tests/metrics/busy", "integers",
              suffix="txt"), "no floating point: it is said")


if not (build / "libexec" / "simpmu").exists():
    print("no simulator was built: the package valgrind is missing")
    sys.exit(77)
{"lcpi": test_lcpi, "cycles": test_cycles,
 "roofline": test_roofline}[sys.argv[3]]()
sys.exit(1 if faults else 0)
