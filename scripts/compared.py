# SPDX-License-Identifier: BSD-3-Clause
"""How the numbers of bench/NAME.py are shown on the page of evidence.

Each function is given what bench/NAME.py returned, and gives HTML and one
sentence for the top of the page. What is not known here is shown as it is.
"""
import math

from page import esc, table


def mean(ratios):
    """Of ratios: the geometric one."""
    ratios = list(ratios)
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def calls(data):
    text = table(["call", "events", "here, ns", "PAPI, ns", "ratio", "here, instructions",
                  "PAPI, instructions", "ratio"],
                 [[r["call"], r["events"] or "", r["assay_ns"], r["papi_ns"], r["time_ratio"],
                   r["assay_instructions"], r["papi_instructions"], r["instruction_ratio"]] for r in data])
    four = {r["call"]: r["time_ratio"] for r in data if r["events"] == 4}
    said = ", ".join(f"{call} {ratio:.2f}" for call, ratio in four.items())
    return text, f"time by that of Debian's PAPI, four events: {said}"


def command(data):
    text = table(["tool and program that does nothing", "CPU, ms", "wall, ms"],
                 [[name, r["cpu_ms"], r["wall_ms"]] for name, r in data.items() if "cpu_ms" in r])
    perf = data.get("perf", {})
    if "missing" in perf:
        return text + f"<p>perf is left out: {esc(perf['missing'])}.</p>", "perf is left out: " + perf["missing"]
    if "on hardware events" in perf:
        text += f"<p>Asked for hardware events, perf says here: <q>{esc(perf['on hardware events'])}</q></p>"
    ratio = data["assay"]["cpu_ms"] / perf["cpu_ms"]
    alone = data.get("assay, static")
    return text, (f"CPU time of counting a program that does nothing, by perf's: {ratio:.2f}"
                  + (f", static {alone['cpu_ms'] / perf['cpu_ms']:.2f}" if alone else ""))


def sections(data):
    pairs = data["pairs"]
    text = table(["pair of calls", "ns", "cycles", "instructions", "PAPI's regions are, times"],
                 [[name, r["ns"], r["cycles"], r["instructions"], pairs["papi"]["ns"] / r["ns"]]
                  for name, r in sorted(pairs.items(), key=lambda pair: pair[1]["ns"])])
    said = f"a section {pairs['hpm']['ns']:.0f} ns, PAPI's region {pairs['papi']['ns']:.0f} ns"
    if data["likwid"]:
        text += f"<p>likwid's markers are left out; its own words: <q>{esc(data['likwid'])}</q></p>"
        said += "; likwid cannot count here"
    elif "likwid" in pairs:
        said += f", likwid's marker {pairs['likwid']['ns']:.0f} ns"
    return text, said


def merging(data):
    text = table(["ranks", "files", "sections", "s", "CPU s of the busiest", "times faster", "by CPU", "peak MB of a rank"],
                 [[r["ranks"], r["files"], r["sections"], r["seconds"], r["cpu_seconds_of_busiest"], r["times_faster"],
                   r["times_less_cpu"], r["max_rss_kb"] / 1024] for r in data])
    last = data[-1]
    return text, (f"{last['files']:,} files by {last['ranks']} ranks: {last['times_faster']:.2f} times faster than by one, "
                  f"{last['times_less_cpu']:.2f} by CPU time of the busiest")


def simulator(data):
    sides = list(data[0]["seconds"])
    ratios = {"count_to_none": "count / none", "count_to_lackey": "count / lackey",
              "model_to_cachegrind": "model / cachegrind", "model_to_callgrind": "model / callgrind",
              "cycles_to_cachegrind": "cycles / cachegrind", "cycles_to_callgrind": "cycles / callgrind"}
    text = ""
    for title, key in (("seconds that passed", "seconds"), ("of processors", "cpu")):
        if all(key in r for r in data):
            text += table([title, "instructions", *sides],
                          [[r["program"], r["instructions"], *[r[key].get(side, "") for side in sides]] for r in data])
    rows = [[r["program"], *[r.get(key, "") for key in ratios]] for r in data]
    means = {key: mean(r[key] for r in data if key in r) for key in ratios}
    text += table(["ratio", *ratios.values()], [*rows, ["geometric mean", *means.values()]])
    keys = ("model_to_cachegrind", "model_to_callgrind", "count_to_lackey", "cycles_to_cachegrind")
    return text, "geometric means: " + ", ".join(f"{ratios[key]} {means[key]:.2f}" for key in keys)


def formulas(data):
    rows = [["an evaluation here, ns", data["evaluation_ns"]],
            ["evaluations here, a second", data["evaluations_per_s"]],
            ["instructions of an evaluation here", data["evaluation_instructions"]],
            ["instructions that a formula adds to PAPI_read() here", data.get("assay_read_instructions")],
            ["the same in PAPI", data.get("papi_read_instructions")]]
    skipped = [f"<p>{side} is left out: {esc(data[key])}</p>" for side in ("assay", "papi")
               if (key := f"{side}_skipped") in data]
    return (table(["Branch_cat", ""], rows) + "".join(skipped),
            f"{data['evaluations_per_s'] / 1e6:.0f} million evaluations a second")


def flat(data, name=""):
    """Yield (title, head, rows) for any JSON: lists of objects become tables."""
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        head = list(dict.fromkeys(key for row in data for key in row))
        yield name, head, [[row.get(key, "") for key in head] for row in data]
        return
    if not isinstance(data, dict):
        return
    data = {key: ", ".join(map(str, value)) if isinstance(value, list) and not any(isinstance(v, dict) for v in value)
            else value for key, value in data.items()}
    inner = {key: value for key, value in data.items() if isinstance(value, (dict, list))}
    plain = [[key, value] for key, value in data.items() if key not in inner]
    alike = inner and all(isinstance(v, dict) and not any(isinstance(x, (dict, list)) for x in v.values())
                          for v in inner.values())
    if plain:
        yield name, ["", ""], plain
    if alike:
        yield from flat([{"": key, **value} for key, value in inner.items()], name)
        return
    for key, value in inner.items():
        yield from flat(value, f"{name}: {key}" if name else key)


def as_it_is(data):
    text = "".join((f"<h4>{esc(title)}</h4>" if title else "") + table(head, rows) for title, head, rows in flat(data))
    return text, ""


SHOW = {"papi": calls, "metrics": formulas, "count": command, "hpm": sections, "merge": merging, "simpmu": simulator}


def show(name, data):
    """HTML and a sentence for what bench/@name.py found."""
    return SHOW.get(name, as_it_is)(data)
