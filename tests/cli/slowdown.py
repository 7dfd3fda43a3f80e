#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""slowdown.py BUILD: how much slower a simulated run will be is said before it,
as earlier runs with the same events on this machine have shown; on a terminal,
instructions so far and their speed are shown meanwhile."""
import json
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1])
ENV = {**os.environ, "TERM": "vt100", "LC_ALL": "C"}
ENV.pop("ASSAY_PMU", None)
# a second or more with every cycle modelled, a fraction of one natively
PROGRAM = [build / "examples" / "matmul", "260"]
LONGER = [build / "examples" / "matmul", "400"]
EXACT = ["--exact-cycles", "-e", "PAPI_TOT_INS,PAPI_TOT_CYC"]
failed = 0


def check(what, holds, told=""):
    global failed
    if not holds:
        print(f"failed: {what}: {told}")
        failed = 1


def run_timed(command, **how):
    """What became of it, and its seconds: those in which it waited for others do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, min(time.monotonic() - start, used)


def count(*options):
    """What is said on standard error, the report, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done, seconds = run_timed([build / "assay", "count", "--pmu", "sim", "-o", out, *options, "--", *PROGRAM],
                                  env=ENV, capture_output=True, text=True, timeout=600)
        check("count", done.returncode == 0, done.stderr)
        return done.stderr, json.loads(pathlib.Path(out).read_text()), seconds


def natively():
    return run_timed(PROGRAM, stdout=subprocess.DEVNULL, check=True)[1]


def on_terminal(*command):
    """What a program writes to its terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(command[0], command, ENV)
    import fcntl
    import struct
    import termios
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    text = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # it has ended
            break
        if not piece:
            break
        text += piece
    os.waitpid(pid, 0)
    os.close(fd)
    return text.decode(errors="replace")


def announced():
    said, _, _ = count(*EXACT)
    check("nothing is known at first", "how much slower is not known yet on this machine" in said, said)
    said, report, seconds = count(*EXACT)
    found = re.search(r"about ([\d.]+) times slower \(1 run on this machine\)", said)
    check("the first run is told of by the second", found, said)
    files = list(pathlib.Path(ENV["XDG_STATE_HOME"]).glob("assay/speed/*"))
    check("one file is kept", len(files) == 1, files)
    native = float(re.search(r"^native (\S+)$", files[0].read_text(), re.M)[1])
    instructions = next(e["value"] for e in report["events"] if e["name"] == "PAPI_TOT_INS")
    # this machine executes 0.1 to 10 instructions a cycle, at 0.5 to 8 GHz
    check("the native speed is one", 5e7 < native < 8e10, native)
    if found:
        # other things run beside it: the order of magnitude is enough
        expected = seconds * native / instructions
        check("the factor is what the run took", expected / 4 < float(found[1]) < expected * 4,
              f"{found[1]}, {expected}")
        check("it is slower than natively", float(found[1]) > 2 and natively() < seconds, found[1])
    said, _, _ = count(*EXACT)
    check("both runs are", "(2 runs on this machine)" in said, said)
    said, _, _ = count("-e", "PAPI_TOT_INS")
    check("other events are others", re.search(r"typically \S+ times slower in other runs on this machine", said), said)
    said, _, _ = count("--exact-cycles", "-e", "PAPI_TOT_CYC")
    check("more events are a limit", re.search(r"at most about \S+ times slower, by runs with more events", said), said)
    files[0].write_text("assay-speed 1\nnative nonsense\nset -1\nset 3 nan x\nset 2 1e999 y\n")
    said, _, _ = count("-e", "PAPI_TOT_INS")
    check("a damaged file tells nothing", "not known yet" in said, said)


def shown_meanwhile():
    text = on_terminal(str(build / "assay"), "count", "--pmu", "sim", *EXACT, "--", *map(str, LONGER))
    check("instructions and their speed are shown",
          re.search(r"running for \d+ s, [\d.]+ [kMG] instructions, [\d.]+ [kMG]/s", text), text)


with tempfile.TemporaryDirectory() as state:
    ENV["XDG_STATE_HOME"] = state
    announced()
    shown_meanwhile()
sys.exit(failed)
