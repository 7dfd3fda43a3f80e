#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""programs.py SIMPMU GUESTS: exact counts of real programs, against lackey.

lackey counts VEX's statements; the simulator counts instructions of the
architecture and, with --audit, says cause by cause how VEX's view of the same
run differs. Lackey's instructions, conditional branches, loads and stores
must then be explained to the last one. What an instruction is comes from the
decoder in one tool and from VEX in the other.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LACKEY = "/usr/libexec/valgrind/lackey-amd64-linux"
TYPE = re.compile(r"==\s+[IFDV]\d+\s+(\d+)\s+(\d+)\s+\d+$", re.M)
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PERL_HASH_SEED": "0"}


def programs(guests, folder):
    text = folder / "text"
    text.write_text("".join(f"{i * 7919 % 5003} some words {i}\n"
                            for i in range(3000)))
    return {
        "true": ["/bin/true"], "ls": ["/bin/ls", "-l", "/usr/bin"],
        "sort": ["/usr/bin/sort", "-n", "-S", "8M", text],
        "gzip": ["/bin/gzip", "-c", text],
        # not awk: mawk seeds rand() by the clock, and no two runs are the same
        "od": ["/usr/bin/od", "-t", "fD", text],
        "sed": ["/bin/sed", "s/some \\(w\\)/\\1x/", text],
        # not grep, nor Python from 3.14 on: each reads its own memory map
        # (pthread_getattr_np() does), which is another one here
        "uniq": ["/usr/bin/uniq", "-c", text],
        "perl": ["/usr/bin/perl", "-e",
                 "$s{$_ % 7} += $_ * $_ for 1 .. 3000;"
                 "print map { qq($_ $s{$_}\\n) } sort keys %s"],
        "date": ["/bin/date", "-d", "@86400", "+%F"],
        "static": [guests / "engine-static"],
        "pitfalls": [guests / "engine-guest"],
        "avx2": [guests / "engine-avx2"],
        "jit": [guests / "engine-jit"],
        "family": [guests / "engine-family"],
        "signals": [guests / "engine-signals"],
        "threads": [guests / "engine-threads"],
    }


def run(command, env):
    done = subprocess.run(command, env=env, capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace")


def simulate(simpmu, program, folder):
    status, out = run([simpmu, "--audit=yes",
                       f"--signals={folder}/signals.%p", *program], ENV)
    total = {}
    for path in folder.glob("signals.*"):
        for line in path.read_text().splitlines():
            name, value = line.split()
            total[name] = total.get(name, 0) + int(value)
        path.unlink()
    return status, out, {k: v % 2 ** 64 for k, v in total.items()}


def watch(simpmu, program, folder):
    """The same under lackey, summed over processes."""
    env = {**ENV, "VALGRIND_LAUNCHER": str(folder / "lackey"),
           "VALGRIND_LIB": str(simpmu.parent)}
    # Valgrind comes back to its launcher for every exec. How many loads VEX
    # leaves out as dead depends on what registers it keeps up to date; those
    # are what the simulator asks for in an audit.
    options = ["--command-line-only=yes", "--vgdb=no", "--trace-children=yes",
               "--vex-guest-chase=no",
               "--vex-iropt-register-updates=allregs-at-mem-access",
               "--basic-counts=yes", "--detailed-counts=yes",
               f"--log-file={folder}/log.%p"]
    launcher = folder / "lackey"
    # (a shell would put the environment in another order)
    launcher.write_text(f"""#!/usr/bin/python3 -ES
import os, sys
os.environ["VALGRIND_LAUNCHER"] = {str(launcher)!r}
os.environ["VALGRIND_LIB"] = {str(simpmu.parent)!r}
os.execv({LACKEY!r}, [{LACKEY!r}, *sys.argv[1:]])
""")
    launcher.chmod(0o755)
    run([LACKEY, *options, *program], env)
    total = dict.fromkeys(("ins", "cond", "loads", "stores"), 0)
    for path in folder.glob("log.*"):
        text = path.read_text().replace(",", "")
        path.unlink()
        if "guest instrs:" not in text:
            continue  # it went on as another program
        total["ins"] += int(re.search(r"guest instrs:\s+(\d+)", text)[1])
        total["cond"] += int(re.search(r"total:\s+(\d+)", text)[1])
        for loads, stores in TYPE.findall(text):
            total["loads"] += int(loads)
            total["stores"] += int(stores)
    return total


def explain(s, faults):
    """What lackey must have counted, by the simulator's account."""
    loads = s["LOAD"] + sum(s[k + "_LOADS"] for k in
                            ("LOCK", "STATE", "SPLIT", "BITS")) \
        - s["DEAD_LOADS"] - s["CALL_LOADS"]
    stores = s["STORE"] + sum(s[k + "_STORES"] for k in
                              ("STATE", "SPLIT", "BITS")) - s["CALL_STORES"]
    cond = s["BR_COND"] + sum(s[k + "_EXITS"] for k in
                              ("REP", "LOCK", "FAULT")) - s["FOLDED"]
    return {"ins": s["INS"] + s["REP_ITER"] - s["REP_FOUND"] + faults,
            "cond": cond, "loads": loads, "stores": stores}


def check(name, simpmu, program, folder):
    status, out, signals = simulate(simpmu, program, folder)
    if status == 77:
        print(f"{name:9} left out: {out.strip()}")
        return True
    # the program itself says how many of its instructions faulted
    faults = int(out.split()[0]) if name == "signals" else 0
    mine = explain(signals, faults)
    other = watch(simpmu, program, folder)
    unexplained = [k for k in ("OTHER_LOADS", "OTHER_STORES", "OTHER_EXITS")
                   if signals[k]]
    if faults:  # lackey does not say where in an instruction it stopped
        mine["loads"] = other["loads"]
        mine["stores"] = other["stores"]
    good = status == 0 and mine == other and not unexplained
    print(f"{name:9} {'equal' if good else 'DIFFERS'}: "
          f"{signals['INS']} instructions, {signals['BR_COND']} conditional "
          f"branches, {signals['LOAD']} loads, {signals['STORE']} stores; "
          f"{signals['REP_ITER']} iterations of {signals['REP_INS']} rep "
          f"strings")
    if not good:
        print(f"  status {status}, explained {mine}, lackey {other}, "
              f"{ {k: signals[k] for k in unexplained} }")
    return good


def main():
    simpmu, guests = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    if not os.path.exists(LACKEY):
        print("no lackey here")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        wrong = [name for name, program in programs(guests, folder).items()
                 if (len(sys.argv) < 4 or name in sys.argv[3:]) and
                 not check(name, simpmu, program, folder)]
    if wrong:
        print("not equal:", ", ".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
