# SPDX-License-Identifier: BSD-3-Clause
"""Merge many files of 100 sections; check a sum and the memory it took.

usage: many.py ASSAY FILES
"""
import os
import subprocess
import sys
import xml.etree.ElementTree

SECTIONS = 100


def write_task(path, task):
    with open(path, "w") as file:
        file.write('<hpm version="1" program="a" task="%d" pid="1" started="1"'
                   ' pmu="hw" complete="true">\n' % task)
        for i in range(SECTIONS):
            file.write(
                f'<InstrumentationPt lid="a.c{i}" disp="true" label="s{i}" '
                f'file="a.c" linestart="{i}" lineend="{i}" tid="0" '
                f'task="{task}" id="{i}" kind="thread">'
                '<data name="Count" value="1"/>'
                f'<data name="E" value="{task * i}"/></InstrumentationPt>\n')
        file.write("</hpm>\n")


def main(assay, files):
    names = [f"task{i:05d}.xml" for i in range(files)]
    for task, name in enumerate(names):
        write_task(name, task)
    process = subprocess.Popen([assay, "merge", "-q", "-o", "all.xml", *names])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    # grows with sections, not with files
    assert usage.ru_maxrss < 64 * 1024, usage.ru_maxrss
    root = xml.etree.ElementTree.parse("all.xml").getroot()
    points = root.findall("InstrumentationPt")
    assert root.get("tasks") == str(files) and len(points) == SECTIONS
    for point in points:
        datum = point.findall("data")[1]
        want = int(point.get("id")) * files * (files - 1) // 2
        assert float(datum.get("value")) == want
        assert int(datum.get("taskn")) == files
    assert datum.get("maxtask") == str(files - 1)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
