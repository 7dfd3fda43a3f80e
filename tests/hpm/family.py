# SPDX-License-Identifier: BSD-3-Clause
"""Check the page faults of family.c's sections.

usage: family.py FILE
"""
import sys
import xml.etree.ElementTree

EVENTS = ("perf::PAGE-FAULTS", "perf::MINOR-FAULTS")
root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
for event in root.iter("Event"):
    if event.get("counted") != "true":
        print(f"SKIP: {event.get('name')}: {event.get('reason')}")
        sys.exit(77)
sections = {}
for point in root.iter("InstrumentationPt"):
    data = {d.get("name"): d for d in point.iter("data")}
    least = int(point.get("label").split()[0]) * int(data["Count"].get("value"))
    sections[int(point.get("id"))] = data
    for name in EVENTS:
        got = int(data[name].get("value"))
        assert got >= least, f"section {point.get('id')}: {name} {got} < {least}"
for name in EVENTS:
    of = {id: data[name] for id, data in sections.items()}
    assert of[2].get("min") == "0", "faults of a thread that is no child's"
    for id in (3, 5):
        assert of[id].get("min") == "100", f"section {id}: {of[id].attrib}"
    # nothing between the sections is lost, and nothing is counted twice
    inner = sum(int(of[id].get("raw")) for id in (3, 4, 5, 6))
    whole, own = int(of[1].get("raw")), int(of[1].get("exclusive"))
    assert whole == inner + own, f"{name}: {whole} != {inner} + {own}"
