#!/usr/bin/env python3
"""Models of kernels whose behaviour is known, on the simulated PMU.

models.py SOURCE BUILD lcpi|roofline
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


def model(name, *words):
    """The JSON of a model, of examples/hpcc with @words behind options."""
    options = [w for w in words if str(w).startswith("-")]
    words = [str(w) for w in words if not str(w).startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([build / "assay", "model", name, "-q", "--pmu=sim",
                        *options, "-o", out, "--",
                        build / "examples" / "hpcc", *words], check=True,
                       stdout=subprocess.DEVNULL, env=environment)
        return json.loads(out.read_text())


# Figure 2 of the 2011 paper: which category is the largest.
DOMINANT = {
    "copy": "data", "scale": "data", "add": "data", "triad": "data",
    "random": "data", "transpose": "data", "chase": "data",
    "matmul": "fp", "fft": "fp",
}


def test_lcpi():
    fp = {}
    for kernel, want in DOMINANT.items():
        seen = model("lcpi", kernel)
        most = {c["name"]: c["most"] for c in seen["categories"]}
        least = {c["name"]: c["least"] for c in seen["categories"]}
        fp[kernel] = most["fp"]
        check(seen["dominant"] == want and most[want] == max(most.values()),
              f"{kernel}: {want} is the largest: " +
              ", ".join(f"{n} {v:.3f}" for n, v in most.items()))
        check(seen["cpi_least"] <= seen["cpi"] <= seen["cpi_most"],
              f"{kernel}: {seen['cpi_least']:.3f} <= {seen['cpi']:.3f} <= "
              f"{seen['cpi_most']:.3f}")
        check(all(low is None or low <= most[n] for n, low in least.items()),
              f"{kernel}: no least above its most")
    # one operation an element in scale and add, two in triad, none in copy
    check(fp["copy"] < 0.5 * fp["scale"] and
          1.5 * fp["add"] < fp["triad"] and 1.5 * fp["scale"] < fp["triad"],
          "the STREAM variants differ in floating point: " +
          ", ".join(f"{k} {fp[k]:.3f}"
                    for k in ("copy", "scale", "add", "triad")))


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


if not (build / "libexec" / "simpmu").exists():
    print("no simulator was built: the package valgrind is missing")
    sys.exit(77)
{"lcpi": test_lcpi, "roofline": test_roofline}[sys.argv[3]]()
sys.exit(1 if faults else 0)
