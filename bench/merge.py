# SPDX-License-Identifier: BSD-3-Clause
"""assay merge by one rank and by two, on files of a hundred sections.

Each rank is bound to one processor, so two ranks have twice of what one has; a
process that may use several merges with a thread on each. Measured: the time
from the start of the first rank to the end of the last, the processor time of
the busiest rank, which on a machine with other work says more, and the peak
memory of any rank. The result of two ranks is compared with that of one.

merge.py BUILD [--files 100000] [--folder FOLDER] [--rounds 3] measures more than
`make bench`; files in FOLDER stay there and are used again.
"""
import argparse
import filecmp
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import measure

FILES, SECTIONS = 10000, 100
MPIRUN = "mpirun.openmpi"


def write_task(path, task):
    points = []
    for i in range(SECTIONS):
        points.append(
            f'<InstrumentationPt lid="a.c{i}" disp="true" label="section {i}" '
            f'file="a.c" linestart="{i + 1}" lineend="{i + 2}" tid="0" '
            f'task="{task}" id="{i + 1}" kind="thread">'
            '<data name="Count" value="10"/>'
            f'<data name="ExcSec" value="0.{task % 97 + 1:03d}"/>'
            f'<data name="IncSec" value="0.{task % 89 + 1:03d}"/>'
            f'<data name="PAPI_TOT_INS" value="{1000 + task * i}" '
            f'exclusive="{500 + task}" disp="false"/>'
            '</InstrumentationPt>\n')
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<hpm version="1" program="a" task="{task}" pid="{task + 1}" '
        'started="1" seconds="1.0" pmu="hw" complete="true">\n'
        '<Event name="PAPI_TOT_INS" counted="true"/>\n' + "".join(points) +
        "</hpm>\n")


def write_tasks(folder, files):
    """The files, unless they are there; one more or fewer would be another merge."""
    if folder.exists() and sum(1 for _ in os.scandir(folder)) == files:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for task in range(files):
        write_task(folder / f"hpm_{task:07d}_a.xml", task)


def rank(said, words):
    """A rank: run the command @words, and note what it took in the folder @said."""
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    took = {"cpu": usage.ru_utime + usage.ru_stime, "kb": usage.ru_maxrss}
    pathlib.Path(said, f"{process.pid}.json").write_text(json.dumps(took))
    return os.waitstatus_to_exitcode(status)


def merge(build, ranks, folder, output):
    """What a merge by so many ranks takes."""
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with tempfile.TemporaryDirectory() as said:
        began = time.monotonic()
        subprocess.run([MPIRUN, "-np", str(ranks), "--bind-to", "core", sys.executable, __file__, "--rank", said,
                        build / "assay", "merge", "-q", "-o", output, folder],
                       env=env, stdin=subprocess.DEVNULL, check=True)
        seconds = time.monotonic() - began
        took = [json.loads(path.read_text()) for path in pathlib.Path(said).iterdir()]
    if len(took) != ranks:
        raise RuntimeError(f"{len(took)} of {ranks} ranks came to an end")
    return {"seconds": seconds, "busiest": max(t["cpu"] for t in took), "kb": max(t["kb"] for t in took)}


def measure_ranks(build, folder, files, rounds):
    """Both, taking turns; medians, and the most memory."""
    write_tasks(folder / "in", files)
    outputs = {ranks: folder / f"by-{ranks}.xml" for ranks in (1, 2)}
    seen = {ranks: [] for ranks in outputs}
    for _ in range(rounds):
        for ranks, output in outputs.items():
            seen[ranks].append(merge(build, ranks, folder / "in", output))
            print(f"{ranks} ranks:", json.dumps(seen[ranks][-1]), file=sys.stderr)
    if not filecmp.cmp(*outputs.values(), shallow=False):
        raise RuntimeError("two ranks give another result than one")
    rows = [{"ranks": ranks, "files": files, "sections": SECTIONS,
             "seconds": statistics.median(t["seconds"] for t in took),
             "cpu_seconds_of_busiest": statistics.median(t["busiest"] for t in took),
             "max_rss_kb": max(t["kb"] for t in took)} for ranks, took in seen.items()]
    for row in rows:
        row["times_faster"] = rows[0]["seconds"] / row["seconds"]
        row["times_less_cpu"] = rows[0]["cpu_seconds_of_busiest"] / row["cpu_seconds_of_busiest"]
    measure.table([f"merge of {files:,} files of {SECTIONS} sections", "s", "CPU s of the busiest", "faster", "by CPU",
                   "peak MB of a rank"],
                  [[f"{r['ranks']} rank{'s' if r['ranks'] > 1 else ''}", f"{r['seconds']:.1f}",
                    f"{r['cpu_seconds_of_busiest']:.1f}", f"{r['times_faster']:.2f}", f"{r['times_less_cpu']:.2f}",
                    f"{r['max_rss_kb'] / 1024:.0f}"] for r in rows])
    return rows


def run(build):
    if not shutil.which(MPIRUN):
        raise RuntimeError(f"{MPIRUN} is missing: apt-get install openmpi-bin")
    with tempfile.TemporaryDirectory() as folder:
        return measure_ranks(pathlib.Path(build).resolve(), pathlib.Path(folder), FILES, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or pathlib.Path(temporary)
        measure_ranks(args.build.resolve(), folder.resolve(), args.files, args.rounds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        sys.exit(rank(sys.argv[2], sys.argv[3:]))
    main()
