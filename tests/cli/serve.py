#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""serve.py SOURCE BUILD: who may look at a page that is served.

The word in its address is in no process's arguments, and connections that do
not show it do not keep others out.
"""
import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
IDLE = 300


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fake = folder / "xdg-open"
        fake.write_text(f'#!/bin/sh\nprintf "%s" "$*" >{folder}/arguments.new\n'
                        f"mv {folder}/arguments.new {folder}/arguments\n")
        fake.chmod(0o755)
        env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
               "DISPLAY": ":9", "XDG_RUNTIME_DIR": str(folder)}
        server = subprocess.Popen(
            [build / "assay", "view", "-q",
             source / "tests/fixtures/profile/two.json"],
            stdout=subprocess.PIPE, text=True, env=env)
        try:
            url = server.stdout.readline().strip()
            if not url:
                print("no page can be served here")
                return 77
            check(url, folder)
        finally:
            server.terminate()
            server.wait()
        left = list(folder.glob("assay-view-*"))
        assert not left, f"left behind: {left}"
    return 0


def check(url, folder):
    token = re.search("/([0-9a-f]{32})/", url).group(1)
    for _ in range(200):
        if (folder / "arguments").exists():
            break
        time.sleep(0.1)
    words = (folder / "arguments").read_text()
    assert token not in words, "the token is in the arguments of xdg-open"
    page = pathlib.Path(words)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600, page
    assert url in page.read_text(), "the file does not lead to the page"
    # who says nothing is sent away; who knows the word gets in meanwhile
    port = int(re.search(r":(\d+)/", url).group(1))
    idle = []
    for _ in range(IDLE):
        s = socket.socket()
        s.settimeout(60)
        try:
            s.connect(("127.0.0.1", port))
        except OSError:
            break
        idle.append(s)
    for _ in range(60):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                assert answer.status == 200
            break
        except OSError:
            time.sleep(0.5)
    else:
        raise AssertionError(f"{len(idle)} idle connections keep others out")


sys.exit(main())
