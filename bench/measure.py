"""What the comparisons share: interleaved runs, medians, instruction counts."""
import os
import re
import statistics
import subprocess
import tempfile


def instructions(command, env=None):
    """User-space instructions of a command, counted by callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind",
             f"--callgrind-out-file={folder}/out", *command],
            env={**os.environ, **(env or {})}, capture_output=True, text=True,
            check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def interleaved(sides, rounds):
    """Median of each side's numbers; sides take turns within a round.

    @sides maps a name to a function that measures once.
    """
    seen = {name: [] for name in sides}
    for _ in range(rounds):
        for name, measure in sides.items():
            seen[name].append(measure())
    return {name: statistics.median(numbers) for name, numbers in seen.items()}


def table(head, rows):
    """Print rows below a heading, columns as wide as they need."""
    cells = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        print("  ".join(cell.rjust(width) if i else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))


def against_limits(rows):
    """Print (what, ratio, limit) and whether each holds; how many do not.

    A ratio of None was not measured here, because something is not installed.
    """
    missed = [what for what, ratio, limit in rows
              if ratio is not None and ratio > limit]
    table(["limit", "measured", "at most", ""],
          [[what, "-", f"{limit:g}", "not measured"] if ratio is None else
           [what, f"{ratio:.2f}", f"{limit:g}",
            "miss" if ratio > limit else "pass"]
           for what, ratio, limit in rows])
    return missed
