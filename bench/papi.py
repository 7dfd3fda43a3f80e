"""PAPI's calls on libassay and on Debian's libpapi, side by side.

The same program, built against Debian's header and library, runs on each
library in turn. Times are per call, in the quickest hundred calls of a run and
the median run: what else runs here makes a call slower, never quicker.
Instructions are those of user space per call, the difference of two run
lengths under callgrind.
"""
import os
import pathlib
import subprocess

import measure

CALLS = [("init", 0)] + [(call, n) for call in
                         ("start+stop", "read", "accum", "reset")
                         for n in (1, 4, 8)]
HERE = pathlib.Path(__file__).parent


def environment(library):
    return {"LD_LIBRARY_PATH": str(library)} if library else {}


def once(program, library, call, events, repeats):
    done = subprocess.run([program, call, str(events), str(repeats)],
                          env={**os.environ, **environment(library)},
                          capture_output=True, text=True, check=True)
    return float(done.stdout)


def count(program, library, call, events):
    def run_for(repeats):
        return measure.instructions(
            [program, call, str(events), str(repeats)], environment(library))
    if call == "init":
        return run_for(0)
    return (run_for(3000) - run_for(1000)) / 2000


def run(build):
    program = build / "bench" / "papi_calls"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["cc", "-O2", "-o", program, HERE / "papi_calls.c",
                    "-I/usr/include", "-lpapi"], check=True)
    sides = {"assay": build / "compat", "papi": None}
    rows, results = [], []
    for call, events in CALLS:
        repeats = 0 if call == "init" else 20000
        times = measure.interleaved(
            {name: lambda library=library: once(program, library, call, events,
                                                repeats)
             for name, library in sides.items()}, 7)
        counts = {name: count(program, library, call, events)
                  for name, library in sides.items()}
        row = {"call": call, "events": events,
               "assay_ns": times["assay"], "papi_ns": times["papi"],
               "time_ratio": times["assay"] / times["papi"],
               "assay_instructions": counts["assay"],
               "papi_instructions": counts["papi"],
               "instruction_ratio": counts["assay"] / counts["papi"]}
        results.append(row)
        rows.append([call, events or "", f"{row['assay_ns']:.0f}",
                     f"{row['papi_ns']:.0f}", f"{row['time_ratio']:.2f}",
                     f"{row['assay_instructions']:.0f}",
                     f"{row['papi_instructions']:.0f}",
                     f"{row['instruction_ratio']:.2f}"])
    measure.table(["call", "events", "assay ns", "papi ns", "ratio",
                   "assay ins", "papi ins", "ratio"], rows)
    return results
