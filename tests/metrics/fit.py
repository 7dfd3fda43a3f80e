#!/usr/bin/env python3
"""assay model power --fit finds a known law again, from samples with noise.

fit.py BUILD

The law is the 2011 paper's table 2 (Core i7), over events of the sizes for
which its terms are a few tens of watts each.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
LAW = {  # coefficient, and how large the event is
    "INSTRUCTIONS_RETIRED": (-2.6158e-05, 1e6),
    "UNHALTED_CORE_CYCLES": (5.6177e-05, 1e6),
    "FREQUENCY_RATIO": (46.6053, 0.5),
    "UNC_LLC_HITS:ANY": (3.6163e-05, 5e5),
    "L1D_ALL_REF:ANY": (4.5867e-05, 5e5),
    "RESOURCE_STALLS:ANY": (-4.9286e-05, 4e5),
    "UNC_QHL_REQUESTS:LOCAL_READS": (2.5473e-04, 5e4),
}
BASE = 25.7593
NOISE = 0.03  # of the power


def write_samples(path, n, seed):
    source = random.Random(seed)
    with open(path, "w") as out:
        out.write("watts," + ",".join(LAW) + "\n")
        for _ in range(n):
            counts = [size * source.uniform(0.5, 1.5)
                      for _, size in LAW.values()]
            watts = BASE + sum(c * x for (c, _), x in zip(LAW.values(), counts))
            watts *= 1 + source.gauss(0, NOISE)
            out.write(",".join(repr(x) for x in [watts, *counts]) + "\n")


def fit(path, *options):
    done = subprocess.run([build / "assay", "model", "power", "--fit", path,
                           "-j", *options], check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def check(seen):
    want = {None: BASE, **{name: c for name, (c, _) in LAW.items()}}
    for row in seen["coefficients"]:
        off = abs(row["value"] - want[row["name"]]) / row["stderr"]
        print(f"{row['name'] or '(constant)'}: {row['value']:.6g} +- "
              f"{row['stderr']:.2g}, is {want[row['name']]:.6g}")
        assert off < 4, f"{off:.1f} standard errors away"
    large = {r["name"]: r["value"] for r in seen["coefficients"]}
    for name in ("UNHALTED_CORE_CYCLES", "FREQUENCY_RATIO"):
        assert abs(large[name] / want[name] - 1) < 0.03, name
    error = seen["validation"]["median_ape_pct"]
    print(f"median error of samples left out: {error:.2f} %")
    # half of normal errors are within 0.6745 deviations
    assert 0.9 < error / (100 * NOISE * 0.6745) < 1.1, error


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "samples.csv"
        write_samples(path, 4000, seed=2011)
        check(fit(path))
        ridge = fit(path, "--ridge", "0.001", "--folds", "5")
        assert ridge["validation"]["folds"] == 5
        assert ridge["coefficients"] != fit(path)["coefficients"]


main()
