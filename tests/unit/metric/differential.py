#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the formula engine with Python's own arithmetic.

Random trees are written as infix and as reverse Polish, with no more
parentheses than are needed (and sometimes more), and evaluated here from the
tree itself. usage: differential.py EVALUATOR [COUNT] [SEED]

The evaluator reads formulas, one a line, of the names a, b, c and d, and
prints their values. Exit status 0: all agree to 1e-12 of the largest value
that the formula went through.
"""
import math
import os
import random
import subprocess
import sys

COUNTS = {"a": 3.0, "b": 1e9 + 7, "c": 0.125, "d": -17.0}
NONE = float("nan")


def make_tree(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.6:
            return ("name", rng.choice("abcd"))
        return ("number", rng.choice([
            str(rng.randint(0, 20)), f"{rng.uniform(0, 100):.3f}",
            f"{rng.uniform(0, 10):.6e}", "0", ".5", "7.", "1.5e3"]))
    kind = rng.choice(["+", "-", "*", "/"] * 6 + ["neg", "min", "max",
                                                  "guard"])
    if kind == "neg":
        return (kind, make_tree(rng, depth - 1))
    n = rng.randint(2, 4) if kind in ("min", "max") else 2
    return (kind, *(make_tree(rng, depth - 1) for _ in range(n)))


def join(kind, x, y):
    """One operation on values that are there, or not (NaN)."""
    if kind == "guard":
        return y if math.isnan(x) else x
    if math.isnan(x) or math.isnan(y):
        return NONE
    if kind == "/":
        return NONE if y == 0 else x / y
    return {"+": x + y, "-": x - y, "*": x * y,
            "min": min(x, y), "max": max(x, y)}[kind]


def value_of(tree, seen):
    kind, *parts = tree
    if kind == "name":
        value = COUNTS[parts[0]]
    elif kind == "number":
        value = float(parts[0])
    elif kind == "neg":
        value = -value_of(parts[0], seen)
    else:
        values = [value_of(p, seen) for p in parts]
        value = values[0]
        for other in values[1:]:
            value = join(kind, value, other)
    if math.isfinite(value):
        seen.append(abs(value))
    return value


RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}


def infix(tree, rng):
    """Text and rank; a rank of 4 never needs parentheses."""
    kind, *parts = tree
    blank = rng.choice(["", "", " "])
    if kind in ("name", "number"):
        return parts[0], 4
    if kind in ("min", "max", "guard"):
        inside = f",{blank}".join(infix(p, rng)[0] for p in parts)
        return f"{kind}({inside})", 4
    rank = RANK[kind]
    if kind == "neg":
        text, inner = infix(parts[0], rng)
        return "-" + (text if inner >= 3 else f"({text})"), rank
    left, left_rank = infix(parts[0], rng)
    right, right_rank = infix(parts[1], rng)
    if left_rank < rank or rng.random() < 0.05:
        left = f"({left})"
    if right_rank <= rank:
        right = f"({right})"
    return f"{left}{blank}{kind}{blank}{right}", rank


def rpn(tree):
    kind, *parts = tree
    if kind in ("name", "number"):
        return parts[0]
    if kind == "neg":
        return f"{rpn(parts[0])}|neg"
    text = rpn(parts[0])
    for part in parts[1:]:
        text += f"|{rpn(part)}|{kind}"
    return text


def main():
    evaluator = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 2011)
    lines, wants = [], []
    while len(lines) < count:
        tree = make_tree(rng, rng.randint(1, 6))
        seen = [1e-300]
        want = value_of(tree, seen)
        for text in (infix(tree, rng)[0], rpn(tree)):
            lines.append(text)
            wants.append((want, max(seen)))
    names = [f"{n}={v!r}" for n, v in COUNTS.items()]
    emulator = os.environ.get("MESON_EXE_WRAPPER", "").split()
    got = subprocess.run([*emulator, evaluator, *names], text=True, check=True,
                         input="\n".join(lines) + "\n",
                         capture_output=True).stdout.split("\n")
    bad = values = 0
    for text, (want, scale), have in zip(lines, wants, got):
        have = float(have) if have else NONE
        same = (not math.isfinite(want) and math.isnan(have)) or \
            abs(want - have) <= 1e-12 * scale
        values += math.isfinite(want)
        if not same:
            bad += 1
            if bad <= 10:
                print(f"{text}\n  want {want!r}, have {have!r}")
    print(f"{len(lines)} formulas, {values} with a value, {bad} wrong")
    return 1 if bad or len(got) < len(lines) or values < count / 2 else 0


sys.exit(main())
