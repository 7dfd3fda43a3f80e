#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads of src/machine/arch_*.c are the instructions that their rows state.

arch.py SOURCE BUILD: each file whose architecture has a compiler here is
compiled; of each row's function, the loop is read by objdump, and has as many
of the row's instructions as the row divides its time by.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = {"x86": ("x86_64", ["cc", "x86_64-linux-gnu-gcc"], ["objdump", "x86_64-linux-gnu-objdump"]),
                 "arm64": ("aarch64", ["cc", "aarch64-linux-gnu-gcc"], ["objdump", "aarch64-linux-gnu-objdump"])}
ROW = re.compile(r'\{ "(\w+)", (\w+), (\d+), ARCH_(?:LATENCY|INTERVAL|COST),[^}]*?"((?:[^"])*)" \}')
# Where a row's words do not begin with its instruction, or it has two: what
# counts, and how often for each operation.
OTHERS = {
    "int_move_min": (r"add|mov", 1), "FP_int_lat": (r"cvtsi2sd|cvttsd2si|scvtf|fcvtzs", 1),
    "issue_min": (r"xor|xorps|mov|movi|ldr", 1), "L1_min": (r"mov|ldr", 1), "load_vec_min": (r"movups|ldr", 1),
    "load_store_min": (r"mov|ldr|str", 1), "store_min": (r"mov|str", 1), "store_vec_min": (r"movup[sd]|str", 1),
    "store_forward_lat": (r"mov|ldr|str", 2), "store_forward_same_lat": (r"mov|ldr|str", 2),
    "store_forward_vec_lat": (r"movup[sd]|ldr|str", 2), "BR_min": (r"je|cbz", 1), "BR_lat": (r"jmp|b", 1),
    "BR_128_min": (r"jmp|b", 1), "BR_512_min": (r"jmp|b", 1), "BR_2048_min": (r"jmp|b", 1), "code_min": (r"jmp|b", 1),
    "code_32_min": (r"jmp|b", 1), "code_64_min": (r"jmp|b", 1), "call_min": (r"call|bl|ret", 2),
    "FP_mix_min": (r"addsd|mulsd", 1), "lock_min": (r"lock", 1),
}
ONE_BY_ONE = {"BR_ind_min"}  # goes by a list, not round a loop


def loops(objdump, path):
    """The instructions of each function's last loop."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for part in re.split(r"\n(?=[0-9a-f]{16} <)", text):
        name = re.match(r"[0-9a-f]+ <(\w+)>:", part)
        code = [(int(at, 16), word, rest) for at, word, rest in re.findall(r"^ *([0-9a-f]+):\t(\S+)[ \t]*(.*)$", part, re.M)]
        if not name:
            continue
        for i in range(len(code) - 1, -1, -1):
            at, word, rest = code[i]
            target = re.search(r"(?:^|[ ,])([0-9a-f]+) <", rest)
            if word in ("jne", "b.ne") and target and int(target[1], 16) < at:
                found[name[1]] = [word for place, word, _ in code if int(target[1], 16) <= place < at]
                break
    return found


def rows_of(compile_with, path):
    """The rows of @path as the compiler reads them: some are shared with other architectures, by macros."""
    text = subprocess.run([*compile_with, "-E", "-P", path], check=True, capture_output=True, text=True).stdout
    table = " ".join(text[text.index("arch_rows[] = {"):].split())
    table = table[:table.index("};")]
    rows = ROW.findall(table)
    assert len(rows) == table.count('{ "') > 40, (len(rows), table.count('{ "'))
    return rows


def check(name, source, compiler, objdump, folder):
    path = source / f"src/machine/arch_{name}.c"
    done = folder / f"{name}.o"
    compile_with = [compiler, "-O2", "-std=gnu11", "-I", source / "src"]
    subprocess.run([*compile_with, "-c", path, "-o", done], check=True)
    code = loops(objdump, done)
    rows = rows_of(compile_with, path)
    wrong = []
    for row, function, operations, words in rows:
        if row in ONE_BY_ONE:
            continue
        pattern, each = OTHERS.get(row, (re.match(r"\w+", words)[0], 1))
        n = sum(bool(re.fullmatch(pattern, word)) for word in code[function])
        if n != int(operations) * each:
            wrong.append(f"{name}: {row}: {operations} operations of {each} '{pattern}', in the loop of {function} are {n}")
    print(f"{name}: {len(rows)} rows, {len(wrong)} wrong")
    return wrong


def is_of(compiler, machine):
    return subprocess.run([compiler, "-dumpmachine"], check=False, capture_output=True, text=True).stdout.startswith(machine)


def main():
    source = pathlib.Path(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (machine, compilers, dumpers) in ARCHITECTURES.items():
            for compiler, objdump in zip(compilers, dumpers):
                if shutil.which(compiler) and shutil.which(objdump) and is_of(compiler, machine):
                    wrong += check(name, source, compiler, objdump, pathlib.Path(folder))
                    break
            else:
                print(f"{name}: no compiler here")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
