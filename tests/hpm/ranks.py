#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that share the merging of many files.

ranks.py ASSAY: the result is the same as one process's to the last byte, under
each launcher (by its variables, and by the real ones that are installed), also
where a rank never comes; nothing is left behind; a file that cannot be read
fails all.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from many import write_task

ASSAY = pathlib.Path(sys.argv[1]).resolve()
FILES = 700  # three chunks
LAUNCHED = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "MV2_", "ALPS_", "HYDI_")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHED)}
LAUNCHERS = {
    "Open MPI": lambda r, n: {"OMPI_COMM_WORLD_RANK": r, "OMPI_COMM_WORLD_SIZE": n,
                              "PMIX_NAMESPACE": "123"},
    "MPICH": lambda r, n: {"PMI_RANK": r, "PMI_SIZE": n},
    "Slurm": lambda r, n: {"SLURM_PROCID": r, "SLURM_STEP_NUM_TASKS": n,
                           "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"},
    "Slurm with PMIx": lambda r, n: {"PMIX_RANK": r, "SLURM_STEP_NUM_TASKS": n,
                                     "PMIX_NAMESPACE": "slurm.pmix.7.0"},
}


def merge(folder, out, variables):
    return subprocess.Popen([ASSAY, "merge", "-q", "-o", folder / out, folder / "in"],
                            env={**CLEAN, **{k: str(v) for k, v in variables.items()}},
                            stderr=subprocess.PIPE, text=True)


def check(folder, what, want):
    got = folder / "shared.xml"
    assert got.read_text() == want, f"{what}: not what one process gives"
    got.unlink()
    left = [p.name for p in folder.iterdir() if p.name not in ("in", "alone.xml")]
    assert not left, f"{what} leaves {left}"
    print(f"{what}: the same")


def fake(folder, what, ranks, size):
    """Ranks as @what would start them; their statuses."""
    running = [merge(folder, "shared.xml", LAUNCHERS[what](r, size)) for r in ranks]
    return [(p.wait(), p.stderr.read()) for p in running]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        for task in range(FILES):
            write_task(folder / "in" / f"task{task}.xml", task)
        assert merge(folder, "alone.xml", {}).wait() == 0
        want = (folder / "alone.xml").read_text()
        assert f'tasks="{FILES}"' in want
        for what in LAUNCHERS:
            got = fake(folder, what, [1, 0, 2], 3)
            assert all(s == (0, "") for s in got), (what, got)
            check(folder, what, want)
        assert fake(folder, "Slurm", [0], 64) == [(0, "")]
        check(folder, "a rank alone of 64", want)
        # a batch script is no rank of its job
        batch = {"SLURM_PROCID": 0, "SLURM_NTASKS": 64, "SLURM_JOB_ID": 7}
        assert merge(folder, "shared.xml", batch).wait() == 0
        check(folder, "a batch script", want)
        for mpirun in ("mpirun.openmpi", "mpiexec.mpich"):
            if not shutil.which(mpirun):
                continue
            env = {**CLEAN, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
            subprocess.run([mpirun, "-np", "2", ASSAY, "merge", "-q", "-o",
                            folder / "shared.xml", folder / "in"], env=env, check=True)
            check(folder, mpirun, want)
        (folder / "in" / "task650.xml").write_text("<hpm")
        got = fake(folder, "Slurm", [0, 1], 2)
        assert got[0][0] == 125 and any("task650.xml" in text for _, text in got), got
        assert not (folder / "shared.xml").exists()
        assert not list(folder.glob(".assay-merge*")), "leaves its directory"


main()
