# SPDX-License-Identifier: BSD-3-Clause
"""Compare what exact.c's sections report with what its loops are made of.

usage: exact.py FILE CALLS
"""
import sys
import xml.etree.ElementTree

THREADS = 8
PART = 50


def work(n):
    return 1 + 2 * n


def close(got, want):
    """The calls' arguments and making threads are work of the program too."""
    return want <= got < want * 1.35 + 200000


def main(path, calls):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.get("pmu") == "sim" and root.get("complete") == "true"
    assert not root.findall("Problem"), "problems are reported"
    inner = work(9)
    middle = inner + 2 * work(5)
    outer = middle + 2 * work(7)
    part = calls // PART
    # (inclusive, exclusive) of one activation, and how many there are
    want = {10: (work(100), work(100), 1),
            1: (outer, 2 * work(7), calls), 2: (middle, 2 * work(5), calls),
            3: (inner, inner, calls),
            20: (inner + 2 * work(7), 2 * work(7), part),
            21: (inner, inner, part)}
    seen = {}
    for point in root.iter("InstrumentationPt"):
        id = int(point.get("id"))
        data = {d.get("name"): d for d in point.iter("data")}
        count = data["PAPI_TOT_INS"]
        seen[id] = seen.get(id, 0) + 1
        number = {key: float(count.get(key)) for key in (
            "value", "exclusive", "stddev", "min", "max", "mean")}
        where = f"section {id} of thread {point.get('tid')}: {number}"
        if id == 30:
            threads = THREADS * (outer * part + work(100))
            assert close(number["value"], threads), f"{where}, not {threads}"
            continue
        inclusive, exclusive, n = want[id]
        if id <= 3 and point.get("tid") != "0":
            n = part
        assert int(data["Count"].get("value")) == n, where
        assert number["value"] == inclusive * n, f"{where}, not {inclusive * n}"
        assert number["exclusive"] == exclusive * n, where
        assert number["stddev"] == 0, where
        assert number["min"] == number["max"] == number["mean"] == inclusive, \
            where
    assert seen == {1: THREADS + 1, 2: THREADS + 1, 3: THREADS + 1,
                    10: THREADS, 20: 1, 21: 1, 30: 1}, seen


main(sys.argv[1], int(sys.argv[2]))
