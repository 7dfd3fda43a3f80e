#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
r"""Real programs counted by assay print what they print natively and end with
the same status, however often and two at a time, and none of them hangs. Those
that are not installed are left out and named: servers and languages are not
worth installing for one test. On Debian all of them are had with

	apt-get install golang-go rustc openjdk-17-jdk-headless luajit lua5.4 ruby \
		php-cli tcl vim-tiny redis-server nginx-light curl postgresql \
		python3-numpy imagemagick ffmpeg libtbb-dev g++ clang gdb

usage: fast-breadth.py ASSAY [-n RUNS] [-t RUNS] [-j N] [--all] [--signals N]
                       [--events EVENTS] [--engines E,E] [NAME...]

-n: runs of each; -t: runs of programs with threads; -j: at a time; --all: also
those that take long. NAME: only these.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parent / "breadth"
sys.path.insert(0, str(SOURCES))
from programs import LONG, MADE, PROGRAMS, THREADS  # noqa: E402

PATH = "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
LIMIT_S = 300


class Bench:
    """Where programs are compiled to and run."""

    def __init__(self, folder, options):
        self.folder = pathlib.Path(folder)
        self.made = self.folder / "made"
        self.options = options
        self.env = {"PATH": PATH, "LC_ALL": "C", "HOME": str(self.folder),
                    "src": str(SOURCES), "made": str(self.made),
                    "signals": str(options.signals),
                    "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.made.mkdir()
        self.have = {name for name, command in MADE
                     if subprocess.run(["sh", "-c", command], env=self.env,
                                       capture_output=True).returncode == 0}

    def has(self, need):
        if need == "python3-numpy":
            return subprocess.run(["python3", "-c", "import numpy"], env=self.env,
                                  capture_output=True).returncode == 0
        if need.startswith("/"):
            return pathlib.Path(need).exists()
        return need in self.have or shutil.which(need, path=PATH) is not None

    def run(self, words, script):
        """How a script ended that @words start: status, output, errors."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            child = subprocess.Popen(
                [*words(place), "/bin/sh", "-c", script], env=self.env,
                cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True)
            try:
                out, err = child.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                return "hangs", b"", b"", None
            return child.returncode, out, err, self.report(place)

    @staticmethod
    def report(place):
        """What assay wrote; None if that is nothing."""
        report = pathlib.Path(place) / ".report.json"
        if not report.exists() or report.stat().st_size == 0:
            return None
        return json.loads(report.read_text())


def native(place):
    return []


def counted(options, engine):
    def words(place):
        return [options.assay, "count", "-q", "--pmu", "sim", "--engine",
                engine, "-e", options.events, "-o", f"{place}/.report.json", "--"]
    return words


def same(ours, expected):
    """A shell tells of a child killed by a signal with 128 more."""
    status = expected[0] if expected[0] == "hangs" or expected[0] >= 0 \
        else 128 - expected[0]
    return ours[0] == status and ours[1:3] == expected[1:3]


def values(report):
    return {event["name"]: event["value"] for event in report["events"]}


def judge(expected, ours):
    """What is wrong with a run; None if nothing is."""
    if not same(ours, expected):
        return f"{ours[:3]}, natively {expected[:3]}"
    if not ours[3]:
        return "there is no report"
    missing = [name for name, value in values(ours[3]).items() if not value]
    return f"no value of {missing}" if missing else None


def check_program(bench, row, pool):
    name, kind, _, script = row
    runs = bench.options.t if kind & THREADS else bench.options.n
    expected = bench.run(native, script)
    again = bench.run(native, script)
    if expected != again:
        return [f"{name}: differs natively: {expected[:3]}, {again[:3]}"], 0
    jobs = [pool.submit(bench.run, counted(bench.options, engine), script)
            for engine in bench.options.engines.split(",")
            for _ in range(runs)]
    wrong = collections.Counter(judge(expected, job.result()) for job in jobs)
    del wrong[None]
    return [f"{name}: {n} of {len(jobs)} runs: {what[:600]}"
            for what, n in wrong.items()], len(jobs)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("names", nargs="*")
    parser.add_argument("-n", type=int, default=1)
    parser.add_argument("-t", type=int, default=1)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--signals", type=int, default=300)
    parser.add_argument("--events", default="PAPI_TOT_INS,PAPI_BR_CN,PAPI_LD_INS")
    parser.add_argument("--engines", default="fast")
    return parser.parse_intermixed_args()


def main():
    options = parse()
    options.assay = os.path.abspath(options.assay)
    failures, left_out, programs, all_runs = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        os.chmod(folder, 0o755)
        bench = Bench(folder, options)
        for row in PROGRAMS:
            if options.names and row[0] not in options.names:
                continue
            if row[1] & LONG and not options.all and not options.names:
                continue
            if not all(bench.has(need) for need in row[2]):
                left_out.append(row[0])
                continue
            began = time.monotonic()
            wrong, runs = check_program(bench, row, pool)
            print(f"{'WRONG' if wrong else 'ok'}: {row[0]}, {runs} runs, "
                  f"{time.monotonic() - began:.1f} s", *wrong, sep="\n  ",
                  flush=True)
            failures += wrong
            programs += 1
            all_runs += runs
    if left_out:
        print("not installed:", ", ".join(left_out))
    print(f"{programs} programs, {all_runs} runs, {len(failures)} differences")
    return 1 if failures or not programs else 0


sys.exit(main())
