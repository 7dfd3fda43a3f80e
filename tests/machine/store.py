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


def refuse_folders(folder, data):
    """What is damaged or newer is named and left as it is."""
    ours = data / "assay/machines/here.json"
    bad = {"text": b"not a machine at all\n" * 9,
           "cut": ours.read_bytes()[:900],
           "newer": ours.read_bytes().replace(b'"assay": 1', b'"assay": 99')}
    for name, content in bad.items():
        store = folder / name
        store.mkdir()
        path = store / "here.json"
        path.write_bytes(content)
        for args in (["list"], ["show", "here"]):
            said = run(*args, "--store", str(store), status=125)
            assert f"cannot read {path}" in said, (name, said)
        assert path.read_bytes() == content, name
    assert "newer assay" in said, said
    (folder / "file").write_text("not a folder\n")
    run("import", str(folder / "m.json"), "--store", str(folder / "file"),
        status=2)
    assert (folder / "file").read_text() == "not a folder\n"
    said = run("list", "--store", str(folder / "nothing"), status=125)
    assert "no machine has been measured yet" in said, said


def keep_elsewhere(folder):
    """A store of one's own: a collection, without files of constants."""
    store = folder / "collection"
    run("import", str(folder / "m.json"), "--name", "other", "--store",
        str(store))
    assert [p.name for p in store.iterdir()] == ["other.json"]
    assert oct(store.stat().st_mode & 0o777) == "0o700"
    assert "other" in run("list", "--store", str(store))
    assert "L1_lat" in run("show", "other", "--store", str(store))


def refuse_files(folder, data):
    good = (folder / "m.json").read_text()
    bad = {"cut": good[:len(good) // 2], "empty": "", "foreign": '{"a": 1}',
           "zero": good[:300] + "\0" + good[300:],
           "list": "[1, 2]", "text": "hello, world\n"}
    machines = data / "assay/machines"
    before = {p.name: digest(p) for p in machines.iterdir()}
    for name, content in bad.items():
        path = folder / (name + ".json")
        path.write_text(content)
        said = run("import", str(path), status=125)
        assert f"cannot read {path}" in said, said
    assert before == {p.name: digest(p) for p in machines.iterdir()}
    # A file of constants that somebody wrote is not replaced.
    mine = data / "assay/machines/here.txt"
    mine.write_text("#define L1_lat 1\n")
    said = run("import", str(folder / "m.json"), status=125)
    assert "it was not changed" in said
    assert mine.read_text() == "#define L1_lat 1\n"
    run("show", "nobody", status=125)
    run("--name", "a/b", status=2)
    run("steal", status=2)


def simulate_host(folder, data):
    """--model host is this machine as it was measured; it is not measured again."""
    machines = data / "assay/machines"
    (machines / "here.json").rename(machines / (os.uname().nodename + ".json"))
    run("export", "-o", str(folder / "e.model"))
    assert "include icx" in (folder / "e.model").read_text()
    if not (BUILD / "libexec/simpmu").exists():
        return
    line = [ASSAY, "count", "--pmu", "sim", "--model", "host", "-e", "PAPI_TOT_INS", "-o", folder / "c.json"]
    done = subprocess.run([*line, "true"], capture_output=True, text=True, check=True)
    assert "measuring" not in done.stderr, done
    assert json.load((folder / "c.json").open())["pmu"]["model"] == "host", done
    assert (machines / "host.model").read_text().splitlines()[2] == "name = host"
    # nothing is measured for a command line that is wrong
    wrong = subprocess.run([*line, "--nonsense", "true"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "measuring" not in wrong.stderr, wrong


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        os.environ["XDG_DATA_HOME"] = str(data)
        measure(folder)
        keep_and_find(folder, data)
        keep_elsewhere(folder)
        refuse_folders(folder, data)
        refuse_files(folder, data)
        simulate_host(folder, data)
    return 0


sys.exit(main())
