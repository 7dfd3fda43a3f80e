"""The simulator beside Valgrind's own tools, on the same programs.

`none` runs a program and counts nothing; lackey counts instructions, loads,
stores and branches; cachegrind models two caches and a predictor, callgrind the
same by function. `count`, `model` and `cycles` are the simulator on Valgrind:
instructions and branches alone, caches, TLBs and prediction as well, and all
that with cycles. `fast` and `sampled` are the fast engine, which is the default:
the same model, without cycles and with cycles estimated from samples. All of
Valgrind's tools are started the same way, without its wrapper script,
and with the simulator's empty preload, so that the programs do the same work
under each. Medians of interleaved runs: of the time one waits for (`seconds`),
and of the processors' time (`cpu`), which differ where the simulator's model
has found a second processor idle. The last table has the limits that are to
hold on an idle machine with two processors.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import measure

VALGRIND = pathlib.Path("/usr/libexec/valgrind")
ROUNDS = 5
SLOW = ("callgrind", "lackey")  # once is enough
# parts of the model: branches, fetches, data; and with cycles
MODEL, CYCLES = 7, 15

# of the time that one waits for cachegrind
FAST_MOST, SAMPLED_MOST = 0.5, 0.7
FAST_MOST_OF = {"gzip": 0.7, "sort": 0.7}
NO_LIMIT = ("chase",)  # of `fast`

PYTHON = """
d = {}
for i in range(150000):
    d[str(i % 5000)] = d.get(str(i % 5000), 0) + i
print(sum(d.values()))
"""


PERL = "my %d; for my $i (1 .. 100000) { $d{$i % 5000} .= $i if $i =~ /7/ }"
SQL = ("create table t(a, b); with recursive c(x) as (select 1 union all select "
       "x + 1 from c where x < 15000) insert into t select x, x * 7 % 1000 from c; "
       "select sum(a) from t group by b order by 1 limit 1;")


def run_once(command, env):
    """Seconds that passed, and of processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    passed = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return passed, (after.ru_utime - before.ru_utime +
                    after.ru_stime - before.ru_stime)


def medians(starts, program, env, rounds):
    """Of both, for each way to start the program; they take turns."""
    seen = {side: [] for side in starts}
    for i in range(rounds):
        for side, words in starts.items():
            if i == 0 or side not in SLOW:
                seen[side].append(run_once([*words, *program], env))
    return tuple({side: statistics.median(run[i] for run in runs)
                  for side, runs in seen.items()} for i in (0, 1))


def programs(build, folder):
    """Name and command of each program; all take well under a second."""
    text = folder / "text"
    lines = [f"{i * 2654435761 % 1000003:07d} line {i} of a text to work on\n"
             for i in range(30000)]
    text.write_text("".join(lines))
    return {
        "matmul": [build / "examples" / "matmul", "250"],
        "gzip": ["/usr/bin/gzip", "-c", text],
        "sort": ["/usr/bin/sort", text],
        "python3": ["/usr/bin/python3", "-S", "-E", "-c", PYTHON],
        "perl": ["/usr/bin/perl", "-e", PERL],
        "sqlite3": ["/usr/bin/sqlite3", ":memory:", SQL],
        "triad": [build / "examples" / "triad", "16", "4"],
        "chase": [build / "examples" / "chase", "16384", "1000000"],
        "true": ["/usr/bin/true"],
    }


def sides(build, folder):
    """Name and the words before a program's own."""
    core = ["--command-line-only=yes", "-q", "--vgdb=no"]
    simpmu = build / "libexec" / "simpmu"
    fast = build / "libexec" / "simpmu-fast"
    return {
        "none": [VALGRIND / "none-amd64-linux", *core],
        "count": [simpmu],
        "model": [simpmu, f"--parts={MODEL}"],
        "cycles": [simpmu, f"--parts={CYCLES}"],
        "fast": [fast, f"--parts={MODEL}"],
        "sampled": [fast, f"--parts={CYCLES}"],
        "cachegrind": [VALGRIND / "cachegrind-amd64-linux", *core,
                       "--cache-sim=yes", "--branch-sim=yes",
                       f"--cachegrind-out-file={folder}/cachegrind"],
        "callgrind": [VALGRIND / "callgrind-amd64-linux", *core,
                      "--cache-sim=yes", "--branch-sim=yes",
                      f"--callgrind-out-file={folder}/callgrind"],
        "lackey": [VALGRIND / "lackey-amd64-linux", *core,
                   f"--log-file={folder}/lackey"],
    }


def instructions(build, folder, program, env):
    out = folder / "signals"
    subprocess.run([build / "libexec" / "simpmu", f"--signals={out}",
                    *program], env=env, stdout=subprocess.DEVNULL, check=True)
    return int(out.read_text().split()[1])


def measure_program(build, folder, name, program, env):
    starts = sides(build, folder)
    if name == "true":
        starts = {side: starts[side] for side in ("none", "count")}
    times, cpu = medians(starts, program, env,
                         ROUNDS if name != "true" else 9)
    retired = instructions(build, folder, program, env)
    row = {"program": name, "instructions": retired, "seconds": times,
           "cpu": cpu, "count_to_none": cpu["count"] / cpu["none"],
           "count_mips": retired / times["count"] / 1e6}
    modelled = ("model", "cycles", "fast", "sampled")
    for side in modelled if name != "true" else ():
        row.update({
            f"{side}_to_cachegrind": times[side] / times["cachegrind"],
            f"{side}_to_cachegrind_cpu": cpu[side] / cpu["cachegrind"],
            f"{side}_to_callgrind": times[side] / times["callgrind"],
            f"{side}_mips": retired / times[side] / 1e6})
    if name != "true":
        row["count_to_lackey"] = cpu["count"] / cpu["lackey"]
    return row


def limits(results):
    """What is to hold, and what was measured."""
    fast = [(f"{row['program']}, fast", row["fast_to_cachegrind"],
             FAST_MOST_OF.get(row["program"], FAST_MOST)) for row in results
            if "fast_to_cachegrind" in row and
            row["program"] not in NO_LIMIT]
    sampled = [(f"{row['program']}, sampled", row["sampled_to_cachegrind"],
                SAMPLED_MOST) for row in results
               if "sampled_to_cachegrind" in row]
    return fast + sampled


def run(build, only=None):
    env = {**os.environ, "VALGRIND_LIB": str(build / "libexec"),
           "VALGRIND_LAUNCHER": str(build / "libexec" / "simpmu"),
           "PYTHONHASHSEED": "0", "LC_ALL": "C"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        results = [measure_program(build, folder, name, program, env)
                   for name, program in programs(build, folder).items()
                   if (not only or name in only) and
                   pathlib.Path(program[0]).exists()]

    def cell(row, key, form):
        return format(row[key], form) if key in row else "-"
    measure.table(
        ["program", "M insns", "count/none", "count/lackey",
         "model/cachegrind", "(cpu)", "model/callgrind", "cycles/cachegrind",
         "(cpu)", "MIPS count", "model", "cycles"],
        [[row["program"], f"{row['instructions'] / 1e6:.1f}",
          cell(row, "count_to_none", ".2f"),
          cell(row, "count_to_lackey", ".2f"),
          cell(row, "model_to_cachegrind", ".2f"),
          cell(row, "model_to_cachegrind_cpu", ".2f"),
          cell(row, "model_to_callgrind", ".2f"),
          cell(row, "cycles_to_cachegrind", ".2f"),
          cell(row, "cycles_to_cachegrind_cpu", ".2f"),
          cell(row, "count_mips", ".0f"), cell(row, "model_mips", ".0f"),
          cell(row, "cycles_mips", ".0f")] for row in results])
    measure.table(
        ["program", "fast/cachegrind", "(cpu)", "sampled/cachegrind", "(cpu)",
         "MIPS fast", "sampled"],
        [[row["program"], *(cell(row, f"{side}_to_cachegrind{what}", ".2f")
                            for side in ("fast", "sampled") for what in ("", "_cpu")),
          cell(row, "fast_mips", ".0f"), cell(row, "sampled_mips", ".0f")]
         for row in results if "fast_mips" in row])
    measure.against_limits(limits(results))
    return results
