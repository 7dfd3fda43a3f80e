#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure machines drawn by chance: every constant right, or in doubt.

Machines are drawn by scripts/random-model and measured by their own cycles. A
constant that is wrong and called stable fails, and so does one that is neither
there nor said to be missing, and why. Without seeds they follow from --version:
each release meets machines that no one before it met. --table writes
docs/random-machines.md.
"""
import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import truth  # noqa: E402
from drawn import load_script, seeds_of  # noqa: E402

VERDICTS = ("right", "unsure", "absent", "wrong")
HEAD = """<!-- SPDX-License-Identifier: BSD-3-Clause -->
# Machines drawn by chance

`make soak` draws machine models by chance (`scripts/random-model SEED`), measures each with
`assay machine --pmu sim --model FILE` and compares every constant with the model. Nothing in the
measurement knows these machines; a few others, which change with each release, are part of `make test`.

- **right**: stable, and what the model says (geometry exactly; latencies within a cycle or 2 %; rates within 10 %)
- **unsure**: a value that is said not to be stable, with the reason
- **absent**: no value, with the reason
- **wrong**: called stable, and not what the model says; what it is follows the table

| model | line | L1D | L2 | L3 | DTLB | STLB | right | unsure | absent | wrong |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def judge_model(build, path):
    """Verdicts by constant, and sentences about those that are not right."""
    found = truth.measure(build, path, path.with_suffix(".json"))
    verdicts, said = {}, []
    for name, want in truth.expect(truth.read_model(path, {})).items():
        got = found.get(name)
        verdict = truth.judge(want, got)
        verdicts[name] = verdict
        if verdict != "right":
            said.append(f"{path.stem}: {name}: {verdict}: {truth.told(want)}, "
                        f"measured {got and got['value']}"
                        f"{': ' + got['reason'] if got and got['reason'] else ''}")
    return verdicts, said


def shape(sections, name):
    """A cache or TLB in a cell of the table."""
    part = sections[name]
    if not part.get("ways"):
        return "-"
    size = part.get("size")
    if size:
        return f"{size // 1024}K/{part['ways']}"
    return f"{part['sets'] * part['ways']}/{part['ways']}"


def row(sections, counts):
    cells = [sections[""]["name"], str(sections["memory"]["line"])]
    cells += [shape(sections, name) for name in ("l1d", "l2", "l3", "dtlb", "stlb")]
    cells += [str(counts[verdict]) for verdict in VERDICTS]
    return "| " + " | ".join(cells) + " |\n"


def run(options, model):
    """All seeds; the rows of the table, counts of verdicts, what was wrong."""
    rows, total, wrong = [], dict.fromkeys(VERDICTS, 0), []
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds:
            sections = model.draw(seed)
            path = pathlib.Path(folder) / f"random-{seed}.model"
            path.write_text(model.write(sections))
            verdicts, said = judge_model(options.build, path)
            counts = {v: list(verdicts.values()).count(v) for v in VERDICTS}
            rows.append(row(sections, counts))
            wrong += [line for line in said if ": wrong: " in line]
            for verdict in VERDICTS:
                total[verdict] += counts[verdict]
            print("\n".join(said))
            print(f"random-{seed}: {counts}", flush=True)
    return rows, total, wrong


def write_table(path, rows, total, wrong):
    sums = " | ".join(f"**{total[verdict]}**" for verdict in VERDICTS)
    text = HEAD + "".join(rows) + f"| all | | | | | | | {sums} |\n"
    if wrong:
        text += "\n" + "".join(f"- {line}\n" for line in wrong)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seeds", type=int, nargs="*")
    parser.add_argument("--version", default="")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    if not options.seeds:
        options.seeds = seeds_of(options.version, options.count)
    model = load_script(options.source / "scripts/random-model")
    rows, total, wrong = run(options, model)
    if options.table:
        write_table(options.table, rows, total, wrong)
    print(f"{len(rows)} machines: " +
          ", ".join(f"{total[v]} {v}" for v in VERDICTS))
    return 1 if wrong else 0


sys.exit(main())
