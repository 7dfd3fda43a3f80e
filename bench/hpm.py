"""Sections of libhpm beside PAPI's regions and likwid's markers.

A pair of calls around nothing, with four software events; median of rounds
within a run, and of interleaved runs. PAPI is Debian's; its regions count the
calling thread. What two reads of the counters by system call cost alone is
measured beside it. A pair for a thread needs no system call after its first few
(perf_event/tally.h), so it is below; nor does one for a process that has made
no child yet (perf_event/twins.h). After the first thread or child ("hpm family")
what it costs beyond the reads is the library's own.
Instructions are those of user space, by callgrind.
likwid's markers need a PMU that likwid knows; without one they are left out.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import measure

HERE = pathlib.Path(__file__).parent
EVENTS = ("perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES",
          "perf::CPU-MIGRATIONS", "perf::MINOR-FAULTS")
ROUNDS = 7
REPEATS = 20000


def build_sides(build, folder):
    ours = [f"-I{HERE.parent}/include", f"-L{build}", "-lhpm", "-lassay",
            f"-Wl,-rpath,{build}"]
    ways = {"hpm": ["-DUSE_HPM", *ours],
            "hpm process": ["-DUSE_HPM_PROCESS", *ours],
            "hpm family": ["-DUSE_HPM_PROCESS", "-DWITH_THREAD", "-pthread",
                           *ours],
            "papi": ["-DUSE_PAPI_HL", "-I/usr/include", "-lpapi"],
            "reads": ["-DUSE_SYSCALLS"],
            "likwid": ["-DUSE_LIKWID", "-l:liblikwid.so.5.2"]}
    programs = {}
    for name, words in ways.items():
        program = folder / name.replace(" ", "_")
        done = subprocess.run(["cc", "-O2", "-o", program,
                               HERE / "hpm_pairs.c", *words],
                              capture_output=True, text=True)
        if done.returncode == 0:
            programs[name] = program
        elif name != "likwid":
            raise RuntimeError(done.stderr)
    return programs


def environment(folder, events):
    return {"HPM_EVENTS": events, "PAPI_EVENTS": events,
            "HPM_LOG_DIR": str(folder), "PAPI_OUTPUT_DIRECTORY": str(folder)}


def once(words, folder, events):
    done = subprocess.run([*words, str(REPEATS)], cwd=folder,
                          env={**os.environ, **environment(folder, events)},
                          capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()[-2:]]


def instructions(words, folder, events):
    """Of user space, for one pair: the difference of two lengths."""
    short, long = (measure.instructions([*words, str(n)],
                                        environment(folder, events))
                   for n in (1000, 3000))
    return (long - short) / 2020  # a hundredth of the repeats warms up


def likwid_words(program, folder):
    """How to run likwid's side, or why it cannot be run."""
    if not program or not shutil.which("likwid-perfctr"):
        return None, "the package likwid is not installed"
    words = ["likwid-perfctr", "-C", "0", "-g", "CLOCK", "-m", str(program)]
    done = subprocess.run([*words, "1000"], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode or "Cannot" in done.stderr or "ERROR" in done.stderr:
        said = (done.stderr + done.stdout).strip().splitlines()
        return None, "likwid cannot count here: " + (said or ["no reason"])[0]
    return words, None


def pairs(build, folder):
    programs = build_sides(build, folder)
    four = ",".join(EVENTS)
    sides = {name: ([programs[name]], four) for name in
             ("hpm", "hpm process", "hpm family", "papi", "reads")}
    sides["hpm timer"] = ([programs["hpm"]], "")
    words, reason = likwid_words(programs.get("likwid"), folder)
    if words:
        sides["likwid"] = (words, four)
    else:
        print(f"likwid is left out: {reason}")
    seen = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, (command, events) in sides.items():
            seen[name].append(once(command, folder, events))
    median = {name: sorted(runs)[len(runs) // 2] for name, runs in seen.items()}
    beyond = {name: cycles - median["reads"][1]
              for name, (_, cycles) in median.items()
              if name not in ("reads", "hpm timer")}
    counts = {name: instructions(command, folder, events)
              for name, (command, events) in sides.items() if name != "likwid"}
    rows = []
    for name, (ns, cycles) in median.items():
        rows.append([name, f"{ns:.0f}", f"{cycles:.0f}",
                     f"{beyond[name]:.0f}" if name in beyond else "",
                     f"{counts[name]:.0f}" if name in counts else "",
                     f"{median['papi'][0] / ns:.1f}"])
    measure.table(["pair", "ns", "cycles", "beyond reads", "instructions",
                   "papi is"], rows)
    return {"pairs": {name: {"ns": ns, "cycles": cycles,
                             "instructions": counts.get(name)}
                      for name, (ns, cycles) in median.items()},
            "beyond_reads_cycles": beyond["hpm"],
            "timer_ns": median["hpm timer"][0],
            "papi_to_hpm": median["papi"][0] / median["hpm"][0],
            "papi_to_hpm_process":
                median["papi"][0] / median["hpm process"][0],
            "family_beyond_reads_cycles": beyond["hpm family"],
            "papi_to_hpm_beyond_reads": beyond["papi"] / beyond["hpm family"],
            "papi_to_hpm_instructions": counts["papi"] / counts["hpm"],
            "likwid": reason}


def run(build):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        return pairs(build, folder)
