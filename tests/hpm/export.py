# SPDX-License-Identifier: BSD-3-Clause
"""Check a merged file's exports against the rules of their formats.

usage: export.py MERGED.xml CALIPER TAU TRACE
"""
import json
import re
import sys
import xml.etree.ElementTree


def sections(path):
    """(label, {name: value}) of each section."""
    root = xml.etree.ElementTree.parse(path).getroot()
    return [(point.get("label"),
             {d.get("name"): float(d.get("value"))
              for d in point.iter("data") if d.get("value")})
            for point in root.iter("InstrumentationPt")]


def check_caliper(path, want):
    split = json.load(open(path))
    columns, nodes = split["columns"], split["nodes"]
    meta = split["column_metadata"]
    assert len(columns) == len(meta)
    assert [m["is_value"] for m in meta].count(False) == 1
    at = columns.index("path")
    assert meta[at]["is_value"] is False
    for i, node in enumerate(nodes):
        assert node["column"] == "path"
        assert node.get("parent", -1) < i, node
    seen = []
    for row in split["data"]:
        assert len(row) == len(columns)
        values = {name: value for name, value in zip(columns, row)
                  if isinstance(value, (int, float))
                  and name not in ("path", "source.line")}
        seen.append((nodes[row[at]]["label"], values))

    def order(section):
        return section[0], sorted(section[1].items())
    assert sorted(seen, key=order) == sorted(want, key=order), (seen, want)
    depth = max(depth_of(nodes, i) for i in range(len(nodes)))
    assert depth == 41, depth


def depth_of(nodes, i):
    depth = 0
    while "parent" in nodes[i]:
        i = nodes[i]["parent"]
        depth += 1
    return depth + 1


def check_tau(path, want):
    lines = open(path).read().splitlines()
    count, kind = lines[0].split()
    assert kind.startswith("templated_functions_MULTI_"), lines[0]
    assert lines[1].startswith("# Name Calls Subrs Excl Incl ProfileCalls")
    functions = lines[2:2 + int(count)]
    assert len(functions) == len(want)
    names = set()
    for line in functions:
        match = re.fullmatch(
            r'"([^"]*)" (\d+) (\d+) (\S+) (\S+) 0 GROUP="\w+"', line)
        assert match, line
        assert float(match[4]) <= float(match[5]) * 1.000001 + 1e-6, line
        names.add(match[1])
    assert len(names) == len(want), "names are not different"
    assert lines[2 + int(count)] == "0 aggregates"


def check_trace(path, want):
    events = json.load(open(path))["traceEvents"]
    assert len(events) == len(want)
    open_until = []
    for event in events:
        assert event["ph"] == "X" and event["dur"] >= 0
        assert {"name", "cat", "ts", "pid", "tid", "args"} <= set(event)
        begin, end = event["ts"], event["ts"] + event["dur"]
        while open_until and open_until[-1] <= begin + 1e-9:
            open_until.pop()
        # a slice lies inside the one around it
        assert not open_until or end <= open_until[-1] + 1e-6, event
        open_until.append(end)
    assert sorted((e["name"], e["args"]["Count"]) for e in events) == sorted(
        (label, values["Count"]) for label, values in want)


merged, caliper, tau, trace = sys.argv[1:]
expected = sections(merged)
check_caliper(caliper, expected)
check_tau(tau, expected)
check_trace(trace, expected)
