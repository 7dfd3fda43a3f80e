#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Translations that are kept between runs: the second run uses those of the
first and counts the same; files that are damaged, another's, or of another
program are not used; many processes at once leave one whole file; old files
go when there are too many.

usage: fast-keep.py SIMPMU-FAST
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONHASHSEED": "0"}
PYTHON = "import re; print(sum(len(re.sub('a', 'bb', 'ab' * i)) for i in range(99)))"
SHELL = "for i in 1 2 3; do x=$x$i; printf '%s\\n' ${x//1/one}; done"
ALARMS = """
import signal
seen = errors = 0
def alarm(number, frame):
    global seen
    seen += 1
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while seen < 200 or errors < 200:
    try:
        errors += 1
        int("x" * (errors % 50 + 1))
    except ValueError:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)
print(min(seen, 200), min(errors, 200))
"""
MB = 1 << 20


class Kept:
    def __init__(self, engine, folder):
        self.engine = engine
        self.folder = pathlib.Path(folder)
        self.wrong = 0

    @property
    def place(self):
        return self.folder / "cache" / "assay" / "fast"

    def files(self):
        return sorted(self.place.iterdir()) if self.place.exists() else []

    def check(self, is_right, what):
        print(("ok: " if is_right else "WRONG: ") + what)
        self.wrong += not is_right

    def run(self, command, options=(), **more):
        """Tallies, bytes that were loaded, and how it ended."""
        out = self.folder / "tallies"
        out.unlink(missing_ok=True)
        env = {**ENV, "XDG_CACHE_HOME": str(self.folder / "cache"), **more}
        done = subprocess.run([self.engine, *options, f"--signals={out}",
                               *command], env=env, capture_output=True,
                              timeout=100)
        tallies = dict(line.split() for line in out.read_text().splitlines())
        loaded = int(tallies.pop("loaded", 0))
        return tallies, loaded, (done.returncode, done.stdout, done.stderr)


def check_same(kept, name, command):
    """All tallies of a run that translates and of two that need not."""
    first = kept.run(command, ["--repeatable=yes"])
    again = [kept.run(command, ["--repeatable=yes"]) for _ in range(2)]
    kept.check(first[1] == 0 and all(run[1] > 0 for run in again),
               f"{name}: {again[0][1]} bytes are loaded")
    kept.check(all(run[0] == first[0] and run[2] == first[2] for run in again),
               f"{name}: same counts ({first[0]['INS']} instructions), output "
               "and status")


def check_refused(kept, command):
    """What must not be used is not, and does no harm."""
    right = kept.run(command)
    kept.check(right[1] > 0, "the file is used")
    file = kept.files()[0]
    whole = file.read_bytes()

    def refused(what):
        run = kept.run(command)
        kept.check(run[1] == 0 and run[2] == right[2], f"{what}: not used")

    for place in (5000, len(whole) // 2, len(whole) - 1, 40, 100):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) +
                         whole[place + 1:])
        refused(f"a bit of byte {place} is another")
        kept.check(kept.run(command)[1] > 0, "it was replaced")
    for length in (0, 100, 4096, 8192, len(whole) - 8, len(whole) - 4096):
        file.write_bytes(whole[:length])
        refused(f"only {length} bytes")
    file.write_bytes(whole)
    file.chmod(0o620)
    refused("writable for the group")
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, 1, 1)
        refused("another user's")
        os.chown(file, 0, 0)
    kept.place.chmod(0o777)
    refused("in a directory that others may write")
    kept.place.chmod(0o700)
    link = file.with_name("other")
    file.rename(link)
    file.symlink_to(link)
    refused("a symbolic link")
    file.unlink()
    os.mkfifo(file, 0o600)
    refused("a pipe that nobody writes to")
    file.unlink()
    link.rename(file)
    kept.check(kept.run(command)[1] > 0, "as it was, it is used")
    kept.check(kept.run(command, ASSAY_TRANSLATIONS="no")[1] == 0 and
               kept.run(command, ["--translations=no"])[1] == 0,
               "switched off")


def check_changed(kept, program):
    """A program that is replaced has other translations."""
    copy = kept.folder / "program"
    command = [copy, "-c", SHELL]
    shutil.copy2(program, copy)
    kept.run(command)
    kept.check(kept.run(command)[1] > 0, "a copy is used")
    copy.unlink()
    shutil.copy2(program, copy)
    kept.check(kept.run(command)[1] == 0, "a new file of that name is not")


def check_signals(kept, python):
    """Signals come while code runs that was loaded."""
    command = [python, "-S", "-E", "-c", ALARMS]
    kept.run(command)
    for _ in range(3):
        _, loaded, ended = kept.run(command)
        kept.check(loaded > 0 and ended == (0, b"200 200\n", b""),
                   "200 signals in loaded code")


def check_many(kept, command):
    """Ten at once write the same file."""
    env = {**ENV, "XDG_CACHE_HOME": str(kept.folder / "cache")}
    shutil.rmtree(kept.place)
    for _ in range(3):
        runs = [subprocess.Popen([kept.engine, *command], env=env,
                                 stdout=subprocess.PIPE) for _ in range(10)]
        outputs = {run.communicate()[0] for run in runs}
        kept.check(len(outputs) == 1 and not any(run.returncode for run in runs),
                   "ten at once: same output")
    kept.check(len(kept.files()) == 1 and kept.run(command)[1] > 0,
               "one file, which is whole")


def check_room(kept, command):
    """The oldest go first; leftovers of killed writers, too."""
    shutil.rmtree(kept.place)
    kept.place.mkdir(mode=0o700)
    for i in range(6):
        file = kept.place / f"{i}.fast"
        with file.open("wb") as out:
            out.truncate(100 * MB)
        file.chmod(0o600)
        os.utime(file, (1000 + i, 1000 + i))
    left = kept.place / "1234.99"
    left.write_bytes(b"")
    left.chmod(0o600)
    os.utime(left, (1000, 1000))
    kept.run(command)
    names = {file.name for file in kept.files()}
    kept.check("0.fast" not in names and "5.fast" in names and len(names) > 3,
               f"the oldest are removed: {len(names)} files are left")
    kept.check("1234.99" not in names, "what a writer left is removed")


def main():
    engine = sys.argv[1]
    python = [shutil.which("python3", path=ENV["PATH"]), "-S", "-E", "-c",
              PYTHON]
    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(engine, folder)
        check_same(kept, "python3", python)
        check_refused(kept, python)
        check_changed(kept, shutil.which("bash", path=ENV["PATH"]))
        check_signals(kept, python[0])
        check_many(kept, python)
        check_room(kept, python)
    return 1 if kept.wrong else 0


sys.exit(main())
