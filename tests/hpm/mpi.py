# SPDX-License-Identifier: BSD-3-Clause
"""Compare the file that libhpm_mpi wrote with those of the tasks.

usage: mpi.py MERGED TASKS FILE...
"""
import statistics
import sys
import xml.etree.ElementTree


def sections(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    for point in root.iter("InstrumentationPt"):
        yield (point.get("label"), int(point.get("task") or -1),
               {d.get("name"): d for d in point.iter("data")
                if not d.get("formula")})


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9)


def main(merged, tasks, files):
    assert len(files) == tasks, files
    seen = {}
    for path in files:
        for label, task, data in sections(path):
            for name, datum in data.items():
                seen.setdefault((label, name), []).append(
                    (float(datum.get("value")), task))
    checked = 0
    for label, _, data in sections(merged):
        for name, datum in data.items():
            values = seen.pop((label, name))
            numbers = [value for value, _ in values]
            got = {key: float(datum.get(key)) for key in (
                "value", "taskn", "taskmean", "taskstddev", "taskmin",
                "taskmax")}
            where = f"{label} {name}: {got}"
            assert got["taskn"] == len(values), where
            if name in ("Count", "perf::PAGE-FAULTS"):  # whole numbers
                assert got["value"] == sum(numbers), where
            assert close(got["value"], sum(numbers)), where
            assert close(got["taskmean"], statistics.mean(numbers)), where
            assert close(got["taskstddev"],
                         statistics.stdev(numbers) if len(numbers) > 1 else 0
                         ) or got["taskstddev"] < 1e-9, where
            assert got["taskmin"] == min(numbers), where
            assert got["taskmax"] == max(numbers), where
            most = int(datum.get("maxtask"))
            assert (max(numbers), most) in values, where
            if name == "Count" and label == "work":
                assert most == tasks - 1, where
                assert close(float(datum.get("imbalance")),
                             tasks / ((tasks + 1) / 2) - 1), where
            checked += 1
    assert not seen, seen
    assert checked >= 9, checked


main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
