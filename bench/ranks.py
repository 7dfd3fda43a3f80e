# SPDX-License-Identifier: BSD-3-Clause
"""What libhpm_mpi's reduction takes, against ranks and sections.

All ranks run on this machine, however few processors it has, so their wall time
says little. What is measured in MPI_Finalize(): the processor's time of rank 0,
which has most to do, and by how much the memory of any rank grew. Open MPI gives
the processor away while it waits; MPICH does not, and its time says less.

ranks.py BUILD --ranks 64,256 --sections 10,100,1000 [--rows FILE] [--figure FILE.svg]
measures more than `make bench`, keeps rows in FILE beside what is there, and
draws them all; --ranks '' only draws. --mpi openmpi or mpich.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import measure

HERE = pathlib.Path(__file__).parent
LIBRARIES = {"mpich": "hpm_mpich", "openmpi": "hpm_mpi"}
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def compile_for(mpi, build, folder):
    program = folder / "sections"
    subprocess.run([f"mpicc.{mpi}", "-O1", f"-I{HERE.parent}/include", HERE / "ranks_sections.c", f"-L{build}",
                    f"-Wl,-rpath,{build}", "-o", program, f"-l{LIBRARIES[mpi]}", "-lhpm", "-lassay"], check=True)
    return program


def launch(mpi, ranks, program, sections, folder):
    """CPU seconds of rank 0, and the most that a rank's memory grew, in KB."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    env = {**os.environ, "HPM_EVENTS": "perf::PAGE-FAULTS", "HPM_LOG_DIR": str(folder), "OMPI_ALLOW_RUN_AS_ROOT": "1",
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
           "OMPI_MCA_hwloc_base_binding_policy": "none"}
    words = [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-np", str(ranks), program,
             str(sections), folder / "said"]
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    rows = [line.split() for line in (folder / "said").read_text().splitlines()] if (folder / "said").exists() else []
    if len(rows) != ranks:
        raise RuntimeError(f"{len(rows)} of {ranks} ranks came to an end: {done.stderr[-500:]}")
    return next(float(row[1]) for row in rows if row[0] == "0"), max(int(row[3]) for row in rows)


def sweep(build, mpi, ranks, sections):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = compile_for(mpi, build, folder)
        for n in ranks:
            for many in sections:
                cpu, kb = launch(mpi, n, program, many, folder / "run")
                rows.append({"mpi": mpi, "ranks": n, "sections": many, "cpu_ms": 1e3 * cpu, "kb": kb})
                print(json.dumps(rows[-1]), flush=True)
    return rows


def panel(rows, key, title, left):
    """One chart: a value against ranks, both with steps of powers, a line for each number of sections."""
    wide, tall, top = 300, 220, 50
    ranks = sorted({r["ranks"] for r in rows})
    values = [max(r[key], 1) for r in rows]
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))

    def log(value):
        return math.log10(max(value, low) / low)

    def place(row):
        x = left + wide * ranks.index(row["ranks"]) / max(len(ranks) - 1, 1)
        return x, top + tall - tall * log(row[key]) / log(high)

    parts = [f'<text x="{left + wide / 2}" y="{top - 14}" text-anchor="middle">{title}</text>',
             f'<rect x="{left}" y="{top}" width="{wide}" height="{tall}" fill="none" stroke="#888"/>',
             f'<text x="{left + wide / 2}" y="{top + tall + 36}" text-anchor="middle">ranks</text>']
    for i, n in enumerate(ranks):
        x = left + wide * i / max(len(ranks) - 1, 1)
        parts.append(f'<text x="{x:.1f}" y="{top + tall + 18}" text-anchor="middle">{n}</text>')
    value = low
    while value <= high:
        y = top + tall - tall * log(value) / log(high)
        parts.append(f'<path d="M{left} {y:.1f}h{wide}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        value *= 10
    for i, many in enumerate(sorted({r["sections"] for r in rows})):
        mine = [r for r in rows if r["sections"] == many]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, mine))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLORS[i]}" stroke-width="2"/>')
        for x, y in map(place, mine):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLORS[i]}"/>')
    return parts


def draw(rows, path):
    many = sorted({r["sections"] for r in rows})
    parts = panel(rows, "cpu_ms", "processor time of rank 0, ms", 60)
    parts += panel(rows, "kb", "memory of a rank, KB more", 440)
    for i, n in enumerate(many):
        parts.append(f'<text x="{60 + 130 * i}" y="340" fill="{COLORS[i]}">{n} sections</text>')
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 356" width="780" height="356" '
                    'font-family="sans-serif" font-size="12" role="img">\n'
                    f"<title>What libhpm_mpi takes in MPI_Finalize(), {rows[0]['mpi']}</title>\n"
                    '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def run(build):
    rows = []
    for mpi, library in LIBRARIES.items():
        if shutil.which(f"mpirun.{mpi}") and (build / f"lib{library}.so").exists():
            rows += sweep(build, mpi, (4, 16), (10, 100))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=LIBRARIES, default="mpich")
    parser.add_argument("--ranks", default="64,256")
    parser.add_argument("--sections", default="10,100,1000")
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--figure", type=pathlib.Path)
    wanted = parser.parse_args()
    rows = sweep(wanted.build.resolve(), wanted.mpi, [int(n) for n in wanted.ranks.split(",") if n],
                 [int(n) for n in wanted.sections.split(",")])
    if wanted.rows:
        known = [json.loads(line) for line in wanted.rows.read_text().splitlines()] if wanted.rows.exists() else []
        rows = sorted(known + rows, key=lambda r: (r["ranks"], r["sections"]))
        wanted.rows.write_text("".join(json.dumps(r) + "\n" for r in rows))
    measure.table(list(rows[0]), [[f"{v:.0f}" if isinstance(v, float) else v for v in r.values()] for r in rows])
    if wanted.figure:
        draw(rows, wanted.figure)


if __name__ == "__main__":
    main()
