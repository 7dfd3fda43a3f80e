#!/usr/bin/env python3
"""metrics eval takes a million records in the memory of a thousand.

million.py SOURCE BUILD
"""
import os
import pathlib
import subprocess
import sys
import tempfile

FEW, MANY = 1_000, 1_000_000
source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])


def write_counts(path, n):
    with open(path, "w") as out:
        out.write("PAPI_BR_INS,PAPI_BR_MSP,PAPI_TOT_INS\n")
        out.writelines(f"{i},{i % 7},{i + 1}\n" for i in range(n))


def evaluate(folder, n):
    """The values' file, and the most memory it took in kilobytes."""
    counts, values = folder / f"{n}.csv", folder / f"{n}.out.csv"
    write_counts(counts, n)
    child = subprocess.Popen(
        [build / "assay", "metrics", "eval", "--cpu", "sim", "-o", values,
         source / "share/metrics/figure1.txt", counts])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0, status
    return values, usage.ru_maxrss


def check_values(path, n):
    with open(path) as lines:
        assert next(lines) == "Branch_cat,Mem_cat\n"
        for i, line in enumerate(lines):
            want = (i * 5 + i % 7 * 45) / (i + 1)
            got, nothing = line.rstrip("\n").split(",")
            assert nothing == "", line
            assert abs(float(got) - want) <= 1e-12 * (1 + want), (i, line, want)
        assert i + 1 == n, i


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        few, few_kb = evaluate(folder, FEW)
        many, many_kb = evaluate(folder, MANY)
        check_values(few, FEW)
        check_values(many, MANY)
    print(f"{FEW} records: {few_kb} kB; {MANY}: {many_kb} kB")
    # the kernel counts pages in batches
    assert many_kb < few_kb + 512, "memory grows with the records"


main()
