#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Validate right counters on machines drawn by chance: none may fail.

The simulated counters are right on every model, so a preset that `assay
validate` calls wrong is a prediction that holds on some machines only. Seeds as
for random_machines.py.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from drawn import load_script, seeds_of  # noqa: E402


def wrong_of(build, path, most):
    """Sentences about presets that fail on the model; how many there are."""
    out = path.with_suffix(".json")
    done = subprocess.run([build / "assay", "validate", "--pmu", "sim", "-q",
                           "--no-save", "--model", path, "--most", str(most),
                           "-o", out], check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"{path.stem}: assay validate: status {done.returncode}")
    said = {}
    rows = json.loads(out.read_text())["rows"]
    for row in rows:
        if row["verdict"] == "fail" or row["finding"]:
            said[row["event"]] = (f"{path.stem}: {row['event']}: "
                                  f"{row['predicted']} predicted, {row['mean']} "
                                  f"counted: {row['finding'] or row['reason']}")
    if done.returncode == 4 and not said:
        said[""] = f"{path.stem}: status 4, and no event that fails"
    return list(said.values()), len({row["event"] for row in rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seeds", type=int, nargs="*")
    parser.add_argument("--version", default="")
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--most", type=int, default=1000000)
    options = parser.parse_args()
    if not options.seeds:
        options.seeds = seeds_of(options.version, options.count)
    model = load_script(options.source / "scripts/random-model")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds:
            path = pathlib.Path(folder) / f"random-{seed}.model"
            path.write_text(model.write(model.draw(seed)))
            said, n = wrong_of(options.build, path, options.most)
            failed += len(said)
            print("\n".join(said + [f"random-{seed}: {n} events, "
                                    f"{len(said)} wrong"]), flush=True)
    return 1 if failed else 0


sys.exit(main())
