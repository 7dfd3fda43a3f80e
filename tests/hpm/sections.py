# SPDX-License-Identifier: BSD-3-Clause
"""Print what a performance file holds, one line a section, in a fixed order:

id, kind, thread, activations, parent, label, file name and lines. Threads are
numbered as they come, which differs from run to run, so only whether it is the
first one is told.

usage: sections.py FILE
"""
import os
import sys
import xml.etree.ElementTree

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
lines = []
for point in root.iter("InstrumentationPt"):
    count = next(d.get("value") for d in point.iter("data")
                 if d.get("name") == "Count")
    lines.append(" ".join([
        point.get("id"), point.get("kind"),
        "main" if point.get("tid") == "0" else "other", count,
        point.get("parent") or "-",
        point.get("label").replace(" ", "_") or "-",
        os.path.basename(point.get("file")) or "-",
        point.get("linestart") + "-" + point.get("lineend")]))
for problem in root.iter("Problem"):
    lines.append(f"problem: {problem.get('what')} {problem.get('id')} "
                 f"{os.path.basename(problem.get('file') or '')}:"
                 f"{problem.get('line')} {problem.get('count')}")
if root.get("complete") != "true":
    lines.append("incomplete")
print("\n".join(sorted(lines)))
