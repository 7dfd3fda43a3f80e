"""What it costs to start the command: CPU time and instructions.

Verbs that count nothing, beside a program that does nothing. CPU time is the
minimum of interleaved runs, since what other processes add is never negative;
instructions are those of user space, by callgrind, and do not vary.
"""
import re
import shutil
import subprocess

import count
import measure

ROUNDS = 30
LIMIT_MS = 3.0


def sides(build):
    found = {"nothing": ["/usr/bin/true"]}
    for verb in ("--version", "list"):
        found[f"assay {verb}"] = [str(build / "assay"), verb]
    static = build / "static" / "assay-static"
    if static.exists():  # without the simulated PMU, so that its list is a shorter one
        found["assay, static --version"] = [str(static), "--version"]
    return found


def instructions(command):
    if not shutil.which("valgrind"):
        return None
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                          capture_output=True, text=True)
    refs = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(refs.group(1).replace(",", "")) if refs else None


def run(build):
    commands = sides(build)
    least = {name: float("inf") for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            least[name] = min(least[name], count.cost(command)[0])
    results = {name: {"cpu_ms": least[name] * 1e3, "instructions": instructions(command),
                      "within_limit": least[name] * 1e3 <= LIMIT_MS}
               for name, command in commands.items()}
    measure.table(["", "CPU ms", f"up to {LIMIT_MS:g} ms", "instructions"],
                  [[name, f"{r['cpu_ms']:.2f}", "yes" if r["within_limit"] else "no",
                    f"{r['instructions']:,}" if r["instructions"] else ""] for name, r in results.items()])
    return results
