#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""assay machine --quick, and what is done with what it found.

store.py SOURCE BUILD: no figure is judged by its time. What is called stable
must agree with what the machine says of itself; all else is about keeping,
reading and refusing.
"""
import csv
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import xml.dom.minidom

BUILD = pathlib.Path(sys.argv[2])
ASSAY = BUILD / "assay"
KEYS = {"name", "value", "unit", "nominal", "spread", "stable", "reason",
        "note", "method"}


def run(*args, status=0):
    done = subprocess.run([ASSAY, "machine", *args], capture_output=True,
                          text=True)
    assert done.returncode == status, (args, done)
    return done.stdout + done.stderr


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measure(folder):
    run("--quick", "--name", "here", "-o", str(folder / "m.json"))
    doc = json.load((folder / "m.json").open())
    found = {c["name"]: c for c in doc["constants"]}
    assert len(found) == len(doc["constants"]) > 40
    for c in doc["constants"]:
        assert set(c) == KEYS, c
        assert c["method"], c
        assert c["stable"] or c["reason"], c
        assert c["value"] is not None or not c["stable"], c
    # A cloud's hypervisor may say anything of L3, but not of these.
    for name in ("L1D_bytes", "L1D_ways", "line_bytes", "page_bytes"):
        c = found[name]
        assert not c["stable"] or not c["nominal"] \
            or c["value"] == c["nominal"], c
    assert all(len(p) == 4 for s in doc["sweeps"] for p in s["points"])


def keep_and_find(folder, data):
    assert "here" in run("list")
    assert json.loads(run("list", "--format", "json"))["machines"]
    assert "L1D_bytes" in run("show", "here")
    run("export", "here", "-o", str(folder / "e.json"))
    assert (folder / "e.json").read_text() == (folder / "m.json").read_text()
    run("import", str(folder / "e.json"), "--name", "copy")
    assert "ratio" in run("compare", "here", "copy")
    rows = json.loads(run("compare", "here", "copy", "--format", "json"))
    assert all(c["a"] == c["b"] for c in rows["constants"])
    run("export", "copy", "-o", str(folder / "e.csv"))
    names = [r["name"] for r in csv.DictReader((folder / "e.csv").open())]
    assert "L1_lat" in names
    run("export", "copy", "-o", str(folder / "e.svg"), "--sweep", "L1D")
    xml.dom.minidom.parse(str(folder / "e.svg"))
    run("export", "copy", "-o", str(folder / "e.txt"))
    run("import", str(folder / "e.txt"), "--name", "constants")
    mine = data / "assay/machines/here.txt"
    assert "#define L1_lat" in mine.read_text()
    check = subprocess.run([ASSAY, "metrics", "check", mine])
    assert check.returncode == 0


def refuse_databases(folder, data):
    ours = data / "assay/machines.db"
    mark = sqlite3.connect(ours).execute("PRAGMA application_id").fetchone()
    assert mark == (0x61737379,), mark
    bad = {"text": b"not a database at all\n" * 9, "cut": None,
           "other": None, "newer": None}
    for name, content in bad.items():
        path = folder / (name + ".db")
        if content:
            path.write_bytes(content)
        if name == "cut":
            path.write_bytes(ours.read_bytes()[:9000])
        if name == "other":
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE x(a)")
        if name == "newer":
            path.write_bytes(ours.read_bytes())
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA user_version = 99")
        before = digest(path)
        for args in (["list"], ["show", "here"],
                     ["import", str(folder / "m.json")]):
            said = run(*args, "--database", str(path), status=125)
            assert "it was not changed" in said, (name, said)
        assert digest(path) == before, name


def refuse_files(folder, data):
    good = (folder / "m.json").read_text()
    bad = {"cut": good[:len(good) // 2], "empty": "", "foreign": '{"a": 1}',
           "zero": good[:300] + "\0" + good[300:],
           "list": "[1, 2]", "text": "hello, world\n"}
    ours = data / "assay/machines.db"
    rows = sqlite3.connect(ours).execute("SELECT * FROM machine").fetchall()
    for name, content in bad.items():
        path = folder / (name + ".json")
        path.write_text(content)
        said = run("import", str(path), status=125)
        assert f"cannot read {path}" in said, said
    assert rows == sqlite3.connect(ours).execute(
        "SELECT * FROM machine").fetchall()
    # A file of constants that somebody wrote is not replaced.
    mine = data / "assay/machines/here.txt"
    mine.write_text("#define L1_lat 1\n")
    said = run("import", str(folder / "m.json"), status=125)
    assert "it was not changed" in said
    assert mine.read_text() == "#define L1_lat 1\n"
    run("show", "nobody", status=125)
    run("--name", "a/b", status=2)
    run("steal", status=2)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        os.environ["XDG_DATA_HOME"] = str(data)
        measure(folder)
        if "install the package" in run("list"):
            print("built without SQLite")
            return 77
        keep_and_find(folder, data)
        refuse_databases(folder, data)
        refuse_files(folder, data)
    return 0


sys.exit(main())
