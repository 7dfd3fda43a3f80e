"""The fast engine beside native runs, on fourteen programs of half a second or
more.

`fast` counts all architectural events; `kept` does so with translations that
an earlier run has left, which is not measured. `none` and `cachegrind` are Valgrind's
tools: the first counts nothing, the second models two caches and a predictor.
Ratios are of the processors' time, the least of interleaved runs. Valgrind is
given an eighth of the work, beside a native run of the same, because it takes
up to 200 times as long. Then come programs that hardly run, and one with as many
threads as there are processors, all of which are busy: seconds that one waits
for. The last table has the limits that are to hold on an idle machine. What is
not installed is left out.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import measure
import simpmu

ROUNDS = 5
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONHASHSEED": "0"}
SMALLER = 8  # the share of the work that Valgrind is given

# ratios of processors' time to native, and of time that one waits for
MEAN, MOST = 1.4, 2.0
MOST_OF = {"fast": {"cc1": 3.5, "matmul avx2": 1.15}, "kept": {"cc1": 2.5}}
START_MS = {"true": 15, "python3 -c pass": 100}
THREADED = 1.3

LOOP = "int main(int c, char **v) { long n = atol(v[1]) * 300000000; " \
       "for (; n > 0; n--) __asm__ volatile(\"\"); return 0; }"
FIB = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } " \
      "int main(int c, char **v) { for (long n = atol(v[1]) * 22; n > 0; n--) " \
      "if (fib(32) != 2178309) return 1; return 0; }"
SORT = """
#include <pthread.h>
static int less(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}
static unsigned numbers[THREADS][1 << 20], n;
static void *work(void *at)
{
	unsigned *to = at, x = 1;

	for (unsigned i = 0; i < n; i++)
		to[i] = x = x * 1103515245 + 12345;
	qsort(to, n, sizeof(*to), less);
	return NULL;
}
int main(int c, char **v)
{
	pthread_t t[THREADS];

	n = (unsigned)atol(v[1]) << 17;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
"""
MATMUL = """
static double a[256][256], b[256][256], c[256][256];
int main(int argc, char **v)
{
	for (int i = 0; i < 256; i++)
		for (int j = 0; j < 256; j++)
			a[i][j] = i + j, b[i][j] = i - j;
	for (long n = atol(v[1]) * 60; n > 0; n--)
		for (int i = 0; i < 256; i++)
			for (int k = 0; k < 256; k++)
				for (int j = 0; j < 256; j++)
					c[i][j] += a[i][k] * b[k][j];
	return c[3][5] == 0;
}
"""
PYTHON = """
d = {}
for i in range(%d * 300000):
    d[str(i %% 5000)] = d.get(str(i %% 5000), 0) + i
"""
PERL = "my %%d; for my $i (1 .. %d * 700000) { $d{$i %% 5000} .= $i if $i =~ /7/ }"
SQL = ("create table t(a, b); with recursive c(x) as (select 1 union all select "
       "x + 1 from c where x < %d * 150000) insert into t select x, x * 7 %% 1000 "
       "from c; select sum(a) from t group by b order by 1 limit 1;")


def compiled(folder, name, text, *options):
    """The program of a text in C; None if it cannot be had here."""
    source = folder / f"{name}.c"
    source.write_text("#include <stdlib.h>\n" + text)
    done = subprocess.run(["cc", "-O2", *options, "-o", folder / name, source],
                          capture_output=True)
    return [folder / name] if done.returncode == 0 else None


def has_avx2():
    return " avx2 " in pathlib.Path("/proc/cpuinfo").read_text()


def compiler(folder, size):
    """The compiler proper, on many functions."""
    found = subprocess.run(["cc", "-print-prog-name=cc1"], capture_output=True,
                           text=True).stdout.strip()
    if not pathlib.Path(found).is_file():
        return None
    text = folder / f"functions{size}.c"
    text.write_text("".join(
        f"int f{i}(int *p, int n) {{ int s = 0; for (int j = 0; j < n; j++) "
        f"if (p[j] % {i + 3}) s += p[j] * {i}; else p[j] = s; return s; }}\n"
        for i in range(25 * size)))
    return [found, "-quiet", "-O2", text, "-o", "/dev/null"]


def text_of(folder, size):
    text = folder / f"text{size}"
    if not text.exists():
        text.write_text("".join(
            f"{i * 2654435761 % 1000003:07d} line {i} of a text to work on\n"
            for i in range(60000 * size)))
    return text


def commands(build, folder, size):
    """Name and command of each program; @size is SMALLER or 1."""
    text = text_of(folder, size)
    made = [("loop", LOOP, []), ("fib", FIB, []),
            ("4 threads", SORT, ["-pthread", "-DTHREADS=4"])]
    if has_avx2():
        made.append(("matmul avx2", MATMUL, ["-O3", "-mavx2", "-mfma"]))
    all_of_them = {
        "gzip": ["gzip", "-c", text, text],
        "zstd": ["zstd", "-12", "-c", text],
        "xz": ["xz", "-1", "-c", text, text],
        "sqlite3": ["sqlite3", ":memory:", SQL % size],
        "python3": ["python3", "-S", "-E", "-c", PYTHON % size],
        "perl": ["perl", "-e", PERL % size],
        "cc1": compiler(folder, size),
        "openssl": ["openssl", "dgst", "-sha3-512", *[text] * size],
        "sort": ["sort", *[text] * 5],
        "chase": [build / "examples" / "chase", "16384", str(size * 1000000)],
    }
    for name, source, options in made:
        program = compiled(folder, name.replace(" ", "-"), source, *options)
        all_of_them[name] = program and [*program, str(size)]
    # by the path that it is run with: elsewhere it may be a script
    path = ENV["PATH"]
    return {name: [shutil.which(command[0], path=path), *command[1:]]
            for name, command in all_of_them.items()
            if command and shutil.which(command[0], path=path)}


def least(starts, program, rounds, which):
    """Of seconds that passed (0) or of processors (1); sides take turns."""
    seen = {side: [] for side in starts}
    for _ in range(rounds):
        for side, words in starts.items():
            seen[side].append(simpmu.run_once([*words, *program], ENV)[which])
    return {side: min(times) for side, times in seen.items()}


def sides(build, folder):
    core = ["--command-line-only=yes", "-q", "--vgdb=no"]
    valgrind = simpmu.VALGRIND
    fast = build / "libexec" / "simpmu-fast"
    kept = folder / "kept"
    kept.mkdir(mode=0o700, exist_ok=True)
    return {"native": [], "fast": [fast, "--translations=no"],
            "kept": [fast, f"--translations={kept}"],
            "none": [valgrind / "none-amd64-linux", *core],
            "cachegrind": [valgrind / "cachegrind-amd64-linux", *core,
                           "--cache-sim=yes", "--branch-sim=yes",
                           f"--cachegrind-out-file={folder}/cachegrind"]}


def ratio(times, side):
    return times[side] / times["native"]


def measure_program(starts, name, full, part):
    pair = {side: starts[side] for side in ("native", "fast", "kept")}
    others = {side: starts[side] for side in ("native", "none", "cachegrind")}
    least({"kept": starts["kept"]}, full, 1, 1)
    full_times = least(pair, full, ROUNDS, 1)
    part_times = least(others, part, 1, 1)
    return {"program": name, "native_s": full_times["native"],
            "fast": ratio(full_times, "fast"),
            "kept": ratio(full_times, "kept"),
            "none": ratio(part_times, "none"),
            "cachegrind": ratio(part_times, "cachegrind")}


def measure_start(starts, name, program):
    times = least({side: starts[side] for side in ("native", "fast", "none")},
                  program, ROUNDS, 0)
    return {"program": name, "start_s": times}


def measure_threads(starts, folder):
    """Each thread does its work on a processor of its own."""
    count = len(os.sched_getaffinity(0))
    program = compiled(folder, "threads", SORT, "-pthread",
                       f"-DTHREADS={count}")
    if not program:
        return None
    times = least({side: starts[side] for side in ("native", "fast")},
                  [*program, str(SMALLER)], ROUNDS, 0)
    return {"threads": count, "seconds": times, "fast": ratio(times, "fast")}


def limits(rows, mean, begun, threads):
    """What is to hold, and what was measured."""
    known = {row["program"]: row for row in rows}
    found = [("geometric mean", mean, MEAN)] if mean else []
    found += [(name, row["fast"], MOST_OF["fast"].get(name, MOST))
              for name, row in known.items()]
    found += [(f"{name}, translations kept", known[name]["kept"], most)
              for name, most in MOST_OF["kept"].items() if name in known]
    found += [(f"{row['program']}, ms", 1e3 * row["start_s"]["fast"],
               START_MS[row["program"]]) for row in begun]
    if threads:
        found.append((f"{threads['threads']} threads, time passed",
                      threads["fast"], THREADED))
    return found


def run(build, only=None):
    ENV.update(VALGRIND_LIB=str(build / "libexec"),
               VALGRIND_LAUNCHER=str(build / "libexec" / "simpmu"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        starts = sides(build, folder)
        full = commands(build, folder, SMALLER)
        part = commands(build, folder, 1)
        rows = [measure_program(starts, name, full[name], part[name])
                for name in full if not only or name in only]
        begun = [measure_start(starts, name, program) for name, program in
                 (("true", ["/usr/bin/true"]),
                  ("python3 -c pass", ["/usr/bin/python3", "-c", "pass"]))
                 if pathlib.Path(program[0]).exists()]
        threads = measure_threads(starts, folder)
    product = 1.0
    for row in rows:
        product *= row["fast"]
    mean = product ** (1 / len(rows)) if rows else None
    measure.table(["program", "native s", "fast", "kept", "none", "cachegrind"],
                  [[row["program"], f"{row['native_s']:.2f}",
                    f"{row['fast']:.2f}", f"{row['kept']:.2f}",
                    f"{row['none']:.1f}",
                    f"{row['cachegrind']:.1f}"] for row in rows])
    if mean:
        print(f"geometric mean of fast: {mean:.2f}")
    measure.table(["to start", "native ms", "fast ms", "none ms"],
                  [[row["program"], *(f"{1e3 * row['start_s'][side]:.0f}"
                                      for side in ("native", "fast", "none"))]
                   for row in begun])
    missed = measure.against_limits(limits(rows, mean, begun, threads))
    return {"programs": rows, "mean": mean, "start": begun,
            "threads": threads, "missed": missed}
