#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fast-programs.py FAST SIGNALS RULES WAYS JIT STACK: programs on the fast engine print what
they print natively and end with the same status. What is not installed is
left out.
"""
import shutil
import subprocess
import sys

fast, signals, rules, ways, jit, stack = sys.argv[1:7]
PROGRAMS = [
    [signals],
    [rules],
    [ways],
    [jit],
    [stack, "x"],
    [stack, "ask"],
    ["sh", "-c", "exit 3"],
    ["sh", "-c", "kill -TERM $$"],
    ["sh", "-c", "echo a b c | tr a-z A-Z | sort; ls / | wc -l"],
    ["sh", "-c", "gzip -c /bin/ls | gunzip | cmp - /bin/ls && echo same"],
    ["sh", "-c", "readlink /proc/self/exe; cat /proc/self/comm"],
    ["sh", "-c", "cat /proc/self/cmdline; env -i ONE=two cat /proc/self/environ"],
    ["bash", "-c", "exec -a another cat /proc/self/cmdline"],
    ["timeout", "1", "sleep", "9"],
    ["perl", "-e", "alarm 1; $SIG{ALRM} = sub { die qq(rang\n) }; eval { while (1) { $x++ } }; print $@"],
    [sys.executable, "-c", "import threading, subprocess; "
     "t = [threading.Thread(target=lambda: sum(range(50000))) for _ in range(4)]; "
     "[x.start() for x in t]; [x.join() for x in t]; print(subprocess.check_output(['echo', 'x']))"],
    ["node", "-e", "let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7; console.log(s)"],
]


def outcome(line):
    ended = subprocess.run(line, capture_output=True, timeout=200)
    return ended.returncode, ended.stdout, ended.stderr


failed = 0
for line in PROGRAMS:
    path = shutil.which(line[0])
    if not path:
        continue
    native, ours = outcome(line), outcome([fast, path] + line[1:])
    if native != ours:
        failed = 1
        print(f"{line}: natively {native}, on the engine {ours}")
sys.exit(failed)
