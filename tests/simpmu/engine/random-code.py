#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""random-code.py SIMPMU[@OPTION...] STEP [COUNT [SEED]]: random machine code,
each sequence run ROUNDS times, simulated and single-stepped.

Instructions, branches, loads and stores must be equal to the last one, also
where the code faults. What was executed comes from the processor, by ptrace;
how many loads and stores an instruction has is written down here with each
(Intel SDM, volume 2), and shares nothing with the simulator's decoder.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

NAMES = ("INS", "BR_COND", "BR_TAKEN", "BR_JUMP", "BR_CALL", "BR_RET",
         "BR_IND_JUMP", "BR_IND_CALL", "REP_INS", "REP_ITER", "SYSCALL")
REGS = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"]
LOW = {"rax": "eax", "rbx": "ebx", "rcx": "ecx", "rdx": "edx", "rsi": "esi",
       "rdi": "edi", "r8": "r8d", "r9": "r9d", "r10": "r10d", "r11": "r11d"}
SIMPLE = ["add", "sub", "xor", "and", "or", "cmp", "test"]
ROUNDS = 6
CONDITIONS = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np",
              "l", "ge", "le", "g"]


class Code:
    """Lines of assembly; each instruction with its loads and stores."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.labels = [], 0

    def put(self, text, loads=0, stores=0):
        self.lines.append((text, loads, stores))

    def label(self):
        self.labels += 1
        return f".L{self.name}_{self.labels}"

    def place(self, label):
        self.lines.append((f"{label}:", None, None))

    def reg(self):
        return self.rng.choice(REGS)

    def at(self, align=1):
        return f"{self.rng.randrange(0, 2048, align)}(%r15)"

    def flags(self):
        """Define all flags: some instructions leave them to the processor."""
        self.put(f"cmp %{self.reg()}, %{self.reg()}")

    def plain(self):
        a, b, rng = self.reg(), self.reg(), self.rng
        rng.choice([
            lambda: self.put(f"mov %{a}, %{b}"),
            lambda: self.put(f"mov ${rng.randrange(1 << 31)}, %{LOW[a]}"),
            lambda: self.put(f"{rng.choice(SIMPLE)} %{a}, %{b}"),
            lambda: (self.flags(), self.put(f"adc %{a}, %{b}")),
            lambda: self.put(f"imul %{a}, %{b}"),
            lambda: self.put(f"lea {rng.randrange(99)}(%{a},%{b},4), %{a}"),
            lambda: self.put(f"{rng.choice(['shl', 'shr', 'sar', 'rol'])} "
                             f"${rng.randrange(1, 31)}, %{a}"),
            lambda: self.put(f"{rng.choice(['inc', 'dec', 'neg', 'not'])} "
                             f"%{a}"),
            lambda: (self.flags(), self.put(
                f"cmov{rng.choice(CONDITIONS)} %{a}, %{b}")),
            lambda: (self.flags(), self.put(
                f"set{rng.choice(CONDITIONS)} %al")),
            lambda: self.put("nop"),
            lambda: self.put(f"bt ${rng.randrange(63)}, %{a}"),
            lambda: self.put("cqto"),
            lambda: self.put("pxor %xmm1, %xmm2"),
            lambda: self.put("addsd %xmm0, %xmm1"),
        ])()

    def memory(self):
        a, rng = self.reg(), self.rng
        rng.choice([
            lambda: self.put(f"mov {self.at()}, %{a}", 1),
            lambda: self.put(f"mov %{a}, {self.at()}", 0, 1),
            lambda: self.put(f"movzbl {self.at()}, %{LOW[a]}", 1),
            lambda: self.put(f"add {self.at()}, %{a}", 1),
            lambda: self.put(f"cmp {self.at()}, %{a}", 1),
            lambda: self.put(f"add %{a}, {self.at()}", 1, 1),
            lambda: self.put(f"incl {self.at()}", 1, 1),
            lambda: self.put(f"lock xadd %{a}, {self.at(8)}", 1, 1),
            lambda: self.put(f"lock cmpxchg %{a}, {self.at(8)}", 1, 1),
            lambda: self.put(f"xchg %{a}, {self.at(8)}", 1, 1),
            lambda: self.put(f"push %{a}", 0, 1),
            lambda: self.put(f"pushq {self.at()}", 1, 1),
            lambda: self.put(f"movups {self.at()}, %xmm3", 1),
            lambda: self.put(f"movaps {self.at(16)}, %xmm4", 1),
            lambda: self.put(f"movaps %xmm3, {self.at(16)}", 0, 1),
            lambda: self.put(f"addpd {self.at(16)}, %xmm5", 1),
            lambda: self.put(f"movsd {self.at()}, %xmm0", 1),
            lambda: self.put(f"fldl {self.at()}", 1) or
            self.put(f"fstpt {self.at()}", 0, 1),
            lambda: self.put(f"btsl ${rng.randrange(31)}, {self.at()}", 1, 1),
        ])()

    def string(self):
        # not rep lods: Valgrind does only one iteration of it
        kind, loads, stores = self.rng.choice(
            [("rep movsb", 1, 1), ("rep stosq", 0, 1),
             ("repne scasb", 1, 0), ("repe cmpsb", 2, 0), ("movsq", 1, 1)])
        self.put(f"lea {self.at(8)}, %rsi")
        self.put("lea 3072(%r15), %rdi")
        self.put(f"mov ${self.rng.randrange(20)}, %ecx")
        self.put(kind, loads, stores)

    def branch(self, depth):
        label = self.label()
        self.flags()
        self.put(f"j{self.rng.choice(CONDITIONS)} {label}")
        self.block(depth + 1, self.rng.randrange(1, 5))
        self.place(label)

    def loop(self, depth):
        label = self.label()
        self.put(f"mov ${self.rng.randrange(1, 9)}, %r14d")
        self.place(label)
        self.block(depth + 2, self.rng.randrange(1, 6))
        self.put("dec %r14d")
        self.put(f"jnz {label}")

    def call(self, depth):
        over, routine = self.label(), self.label()
        self.put(f"jmp {over}")
        self.place(routine)
        self.block(2, self.rng.randrange(1, 4), stack=False)
        self.put("ret", 1, 0)
        self.place(over)
        if self.rng.random() < 0.5:
            self.put(f"call {routine}", 0, 1)
        else:
            self.put(f"lea {routine}(%rip), %r13")
            self.put("call *%r13", 0, 1)

    def divide(self):
        self.put(f"mov ${self.rng.randrange(1, 99)}, %r12d")
        self.put("xor %edx, %edx")
        self.put("div %r12")

    def block(self, depth, n, stack=True):
        for _ in range(n):
            x = self.rng.random()
            if x < 0.45:
                self.plain()
            elif x < 0.75:
                before = len(self.lines)
                self.memory()
                if not stack and self.lines[before][0].startswith("push"):
                    self.lines[before] = ("nop", 0, 0)
            elif x < 0.80:
                self.string()
            elif x < 0.85:
                self.divide()
            elif x < 0.92 and depth < 2:
                self.branch(depth)
            elif x < 0.96 and depth < 1:
                self.loop(depth)
            elif depth < 1:
                self.call(depth)

    def fault(self):
        bad, rng = "8", self.rng
        rng.choice([
            lambda: self.put(f"mov {bad}, %{self.reg()}", 1),
            lambda: self.put(f"cmp {bad}, %{self.reg()}", 1),
            lambda: self.put(f"mov %{self.reg()}, {bad}", 0, 1),
            lambda: self.put(f"add %rax, {bad}", 1, 1),
            lambda: self.put("movaps 1(%r15), %xmm0", 1),
            lambda: self.put("movaps %xmm0, 1(%r15)", 0, 1),
            lambda: (self.put("xor %r12d, %r12d"), self.put("div %r12")),
            lambda: (self.put("xor %r12d, %r12d"), self.put("idiv %r12d")),
            lambda: (self.put("mov $16, %esi"), self.put("mov %r15, %rdi"),
                     self.put("mov $5, %ecx"), self.put("rep movsb", 1, 1)),
            lambda: (self.put("lea 4088(%r15), %rdi"),
                     self.put("mov $99, %ecx"), self.put("rep stosb", 0, 1)),
            lambda: self.put("ud2"),
            lambda: (self.put("movabs $0x1234567890abcdef, %r12"),
                     self.put("mov (%r12), %rbx", 1)),
            lambda: self.put(f"lock xadd %rax, {bad}", 1, 1),
            lambda: self.put(f"fldt {bad}", 1),
            lambda: self.put(f"pushq {bad}", 1, 1),
        ])()

    def generate(self):
        self.place(f"sequence_{self.name}")
        self.block(0, self.rng.randrange(5, 60))
        self.put("decl rounds(%rip)", 1, 1)
        self.put(f"jnz sequence_{self.name}")
        if self.rng.random() < 0.5:
            self.fault()
            self.block(0, self.rng.randrange(1, 20))
        self.put("mov $60, %eax")
        self.put("xor %edi, %edi")
        self.put("syscall")


def build(count, seed, folder):
    """One program: with n arguments it runs sequence n. Its instructions in
    order, with loads and stores."""
    start = [(".globl _start", None, None), ("_start:", None, None),
             ("mov (%rsp), %rax", 1, 0), ("lea area(%rip), %r15", 0, 0),
             ("lea table(%rip), %rbx", 0, 0),
             ("jmp *-8(%rbx,%rax,8)", 1, 0)]
    lines = list(start)
    for i in range(count):
        code = Code(random.Random(seed * 100003 + i), str(i))
        code.generate()
        lines += code.lines
    text = "\n".join(line for line, _, _ in lines)
    table = "\n".join(f".quad sequence_{i}" for i in range(count))
    source = folder / "code.S"
    source.write_text(f".text\n{text}\n.data\n.balign 8\ntable:\n{table}\n"
                      f"rounds: .long {ROUNDS}\n"
                      ".bss\n.balign 4096\narea: .skip 4096\n")
    subprocess.run(["as", "-o", folder / "code.o", source], check=True)
    # the area ends the last page that is mapped
    subprocess.run(["ld", "-z", "noexecstack", "-o", folder / "code",
                    folder / "code.o"], check=True)
    return [(line, loads, stores) for line, loads, stores in lines
            if loads is not None]


def addresses(program):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program],
                          check=True, capture_output=True, text=True).stdout
    return [int(m.group(1), 16)
            for m in re.finditer(r"^\s+([0-9a-f]+):\t", text, re.M)]


def step(stepper, program, n):
    done = subprocess.run([stepper, "-w", program] + ["x"] * n,
                          capture_output=True, text=True)
    counts, places = {}, {}
    for line in done.stdout.splitlines():
        fields = line.split()
        if fields[0] == "AT":
            places[int(fields[1], 16)] = (int(fields[2]), int(fields[3]))
        else:
            counts[fields[0]] = int(fields[1])
    return done.returncode, counts, places


def add_accesses(counts, places, known):
    counts["LOAD"] = counts["STORE"] = 0
    for at, (times, iterations) in places.items():
        text, loads, stores = known[at]
        if text.startswith("rep"):
            times = iterations
        counts["LOAD"] += times * loads
        counts["STORE"] += times * stores


def simulate(simpmu, program, n, folder, parts):
    out = folder / "signals"
    out.unlink(missing_ok=True)
    done = subprocess.run([*simpmu, f"--parts={parts}", f"--signals={out}",
                           program] + ["x"] * n, capture_output=True)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return status, {k: int(v) for k, v in
                    (line.split() for line in out.read_text().splitlines())}


def main():
    simpmu, stepper = sys.argv[1].split("@"), sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong = faults = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        instructions = build(count, seed, folder)
        program = folder / "code"
        places = addresses(program)
        if len(places) != len(instructions):
            print(f"{len(places)} instructions instead of "
                  f"{len(instructions)}")
            return 1
        known = dict(zip(places, instructions))
        for n in range(count):
            status, truth, where = step(stepper, program, n)
            if "INS" not in truth or (n == 0 and not where):
                print("no single-stepping here")
                return 77
            faults += status > 128
            add_accesses(truth, where, known)
            parts = (0, 0, 0, 4, 15)[n % 5]
            got, counts = simulate(simpmu, program, n, folder, parts)
            off = {k: (truth[k], counts[k]) for k in (*NAMES, "LOAD", "STORE")
                   if truth[k] != counts[k]}
            if off or got != status:
                wrong += 1
                print(f"sequence {n}, parts {parts}: status {status}, "
                      f"simulated {got}: {off}")
    print(f"{count} sequences, {faults} of them end by a fault, "
          f"{wrong} differ")
    return 1 if wrong else 0


sys.exit(main())
