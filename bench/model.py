"""The model behind the fast engine beside cachegrind, on seven programs.

`model` is caches, TLBs and branches (simpmu-fast --parts=7); `count` is `assay
count` as it is called without options, with sampled cycles; `cachegrind` models
two caches and a predictor, `--cache-sim=yes --branch-sim=yes`. Ratios to
cachegrind are of the time one waits for, and of the processors' time, the least
of interleaved runs: the model replays on further processors while the program
goes on, so the two differ. The last columns compare sampled cycles with those of
the same program modelled as a whole (--exact-cycles of the same engine), for
which the program is given a part of the work: the difference, the standard error
that is stated, and whether the one is within two of the other.

bench/simpmu.py has the Valgrind engine, bench/engine.py counting alone.
"""
import os
import pathlib
import tempfile

import engine
import measure
import simpmu

ROUNDS = 3
SIZE = 4     # of the work, as bench/engine.py counts it
SMALL = 1    # of the work for comparing cycles
CHOSEN = ("gzip", "sort", "sqlite3", "python3", "perl")
MODEL, CYCLES = 7, 15
LIMITS = {"gzip": 0.7, "sort": 0.7}  # of model to cachegrind; others 0.5
COUNT_LIMIT = 0.7


def programs(build, folder, size):
    known = engine.commands(build, folder, size)
    chosen = {name: known[name] for name in CHOSEN if name in known}
    examples = build / "examples"
    chosen["matmul"] = [examples / "matmul", str(125 * (size + 1))]
    chosen["triad"] = [examples / "triad", "12", str(4 * size)]
    return chosen


def sides(build, folder):
    return {"model": [build / "libexec" / "simpmu-fast", f"--parts={MODEL}"],
            "count": [build / "assay", "count", "-o", folder / "report"],
            "cachegrind": engine.sides(build, folder)["cachegrind"]}


def times(starts, program, env):
    """Least of both kinds of time for each side."""
    seen = {side: [] for side in starts}
    for _ in range(ROUNDS):
        for side, words in starts.items():
            seen[side].append(simpmu.run_once([*words, *program], env))
    return {side: {"wall": min(run[0] for run in runs),
                   "cpu": min(run[1] for run in runs)}
            for side, runs in seen.items()}


def cycles(build, folder, program, env, *options):
    """Cycles, and their standard error."""
    out = folder / "signals"
    simpmu.run_once([build / "libexec" / "simpmu-fast", f"--signals={out}",
                     f"--parts={CYCLES}", *options, *program], env)
    told = dict(line.split() for line in out.read_text().splitlines())
    return int(told["CYCLES"]), int(told["CYCLES_ERROR"])


def accuracy(build, folder, program, env):
    whole, _ = cycles(build, folder, program, env, "--exact-cycles")
    found, error = cycles(build, folder, program, env)
    return {"off": found / whole - 1, "error": error / whole,
            "is_inside": abs(found - whole) <= 2 * error}


def measure_program(build, folder, name, commands, env):
    full, small = commands
    seen = times(sides(build, folder), full, env)
    row = {"program": name, "seconds": seen}
    for side in ("model", "count"):
        for kind in ("wall", "cpu"):
            row[f"{side}_{kind}"] = (seen[side][kind] /
                                     seen["cachegrind"][kind])
    row["model_limit"] = LIMITS.get(name, 0.5)
    row["count_limit"] = COUNT_LIMIT
    return row | accuracy(build, folder, small, env)


def run(build, only=None):
    env = {**engine.ENV, "VALGRIND_LIB": str(build / "libexec"),
           "VALGRIND_LAUNCHER": str(build / "libexec" / "simpmu"),
           "PERL_HASH_SEED": "0", "HOME": os.environ.get("HOME", "/")}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        full = programs(build, folder, SIZE)
        small = programs(build, folder, SMALL)
        rows = [measure_program(build, folder, name, (full[name], small[name]),
                                env)
                for name in full if not only or name in only]
    print(f"{os.cpu_count()} processors; ratios to cachegrind")
    measure.table(
        ["program", "cachegrind s", "model", "at most", "(cpu)", "count",
         "at most", "(cpu)", "cycles off %", "stated %", "inside"],
        [[row["program"], f"{row['seconds']['cachegrind']['wall']:.2f}",
          f"{row['model_wall']:.2f}", f"{row['model_limit']:.1f}",
          f"{row['model_cpu']:.2f}", f"{row['count_wall']:.2f}",
          f"{row['count_limit']:.1f}", f"{row['count_cpu']:.2f}",
          f"{100 * row['off']:+.2f}", f"{100 * row['error']:.2f}",
          "yes" if row["is_inside"] else "no"] for row in rows])
    return {"processors": os.cpu_count(), "programs": rows}
