"""Formulas: what an evaluation costs here and in PAPI.

Branch_cat of the 2011 paper's figure 1, evaluated by itself; then as a
user-defined event that PAPI_read() reads, on libassay and on Debian's libpapi,
less the cost of reading the three events it is made of. PAPI's formulas are
only to be reached through its calls. Instructions are those of user space,
counted by callgrind.
"""
import os
import pathlib
import re
import subprocess
import tempfile

import measure

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent
GOAL = 20e6  # evaluations a second
FORMULA = ("EVENT,Branch_cat,DERIVED_POSTFIX,N0|5|*|N1|45|*|+|N2|/|,"
           "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,perf::TASK-CLOCK\n")


def compile_programs(build):
    folder = build / "bench"
    folder.mkdir(exist_ok=True)
    subprocess.run(["cc", "-O2", "-o", folder / "metrics_eval",
                    HERE / "metrics_eval.c", f"-I{ROOT}/include",
                    f"-I{ROOT}/src", build / "src" / "libinside.a", "-lpfm",
                    "-lm", "-pthread"], check=True)
    subprocess.run(["cc", "-O2", "-o", folder / "metrics_read",
                    HERE / "metrics_read.c", "-I/usr/include", "-lpapi"],
                   check=True)
    return folder / "metrics_eval", folder / "metrics_read"


def evaluate(program):
    command = [program, ROOT / "share/metrics/figure1.txt", "Branch_cat"]

    def once():
        done = subprocess.run([*command, "20000000"], check=True, text=True,
                              stdout=subprocess.PIPE)
        return float(done.stdout)
    ns = measure.interleaved({"assay": once}, 5)["assay"]
    few, many = (measure.instructions([*map(str, command), str(n)])
                 for n in (10000, 30000))
    return {"evaluation_ns": ns, "evaluations_per_s": 1e9 / ns,
            "evaluation_instructions": (many - few) / 20000,
            "goal_reached": 1e9 / ns >= GOAL}


def pmus():
    """The names of this machine's PMUs, for PAPI takes no file without one.

    Under callgrind the processor looks like another one.
    """
    names = []
    for before in ([], ["valgrind", "-q"]):
        text = subprocess.run([*before, "papi_component_avail"], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        found = re.search(r"PMUs supported: (.*(?:\n +[^:]*$)*)", text, re.M)
        names += re.findall(r"[\w-]+", found[1]) if found else []
    return sorted(set(names))


def read_cost(program, environment):
    """Instructions that the formula adds to PAPI_read().

    Not time: next to the system calls of a read it is lost in the noise.
    """
    done = subprocess.run([program, "user", "1"], text=True,
                          env={**os.environ, **environment},
                          capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "it cannot run")

    def count(what):
        few, many = (measure.instructions([str(program), what, str(n)],
                                          environment) for n in (500, 1500))
        return (many - few) / 1000
    return count("user") - count("raw")


def run(build):
    evaluator, reader = compile_programs(build)
    results = evaluate(evaluator)
    print(f"Branch_cat: {results['evaluations_per_s'] / 1e6:.0f} million "
          f"evaluations a second, {results['evaluation_ns']:.1f} ns and "
          f"{results['evaluation_instructions']:.0f} instructions each; at "
          "least 20 million " +
          ("reached" if results["goal_reached"] else "MISSED"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "user.csv"
        file.write_text("".join(f"CPU,{name}\n" for name in pmus()) + FORMULA)
        for side, library in (("assay", build / "compat"), ("papi", None)):
            environment = {"PAPI_USER_EVENTS_FILE": str(file)}
            if library:
                environment["LD_LIBRARY_PATH"] = str(library)
            try:
                instructions = read_cost(reader, environment)
            except (RuntimeError, subprocess.CalledProcessError) as reason:
                print(f"SKIP: {side}: {reason}")
                results[f"{side}_skipped"] = str(reason)
                continue
            results[f"{side}_read_instructions"] = instructions
            rows.append([side, f"{instructions:.0f}"])
    measure.table(["formula in PAPI_read()", "instructions"], rows)
    if "papi_read_instructions" in results:
        results["instruction_ratio"] = (results["evaluation_instructions"] /
                                        results["papi_read_instructions"])
        print("instructions of an evaluation here by PAPI's: "
              f"{results['instruction_ratio']:.2f}")
    return results
