#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""decode.py DECODE-PRINT: the decoder against binutils' disassembler.

Every instruction of some large objects: the same length, and the same
operands and kinds where the disassembler's text tells them.
"""
import re
import subprocess
import sys

OBJECTS = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
           "/bin/bash"]
LINE = re.compile(r"\s*[0-9a-f]+:\t((?:[0-9a-f]{2} )+)\s*\t(.*)")
# AMD's own, EVEX, and what only appears where data is read as code
FOREIGN = re.compile(r"\(bad\)|^vf[n]?m(add|sub)\w+ .*,.*,.*,|^vp(rot|com|ha)|"
                     r"^(lret|lgs|lfs|lss|rex|cs|ds|es|ss|fs|gs|addr32|data16|"
                     r"lock$|rep[nz]*$|\.byte|femms|fstcw|fstsw|fstenv|fsave|"
                     r"fclex|finit|vmread|vmwrite)")
# base and index, a segment, or a bare number, which is an address
MEMORY = re.compile(r"\([%,]|%[fg]s:0x|%[de]s:\(|[ ,]0x[0-9a-f]+(,|$)")
NO_ACCESS = re.compile(r"^(lea|nop|prefetch|clflush|clwb|xbegin|invlpg|[ls]gdt|"
                       r"[ls]idt|[ls]msw|v?zero|endbr|ud|bnd nop|"
                       r"(bnd |notrack )*(nop|lea)|xabort|jmp +[0-9a-f]|"
                       r"sldt|str|ver[rw]|[ls]ldt|ltr|lmsw|rdssp)")
SP_PUSH = re.compile(r"^(bnd |notrack |data16 )*(push|call|enter)")
SP_POP = re.compile(r"^(bnd |repz |notrack |data16 )*(pop|ret|leave)(?!cnt)")
STRING = re.compile(r"\b(movs[bwlq]|stos|lods|scas|cmps[bwlq]) .*%[de]s:\(")
COND = re.compile(r"^(bnd )?(j(?!mp)|loop)")

KINDS = {
    "ADD": r"(adc|add|sub|sbb|inc|dec|neg|cmp|xadd|cmpxchg\w*|ad[co]x)[bwlq]?",
    "LOGIC": r"(and|or|xor|not|test|bt|bts|btr|btc|andn|bls\w+|bswap)[bwlq]?",
    "SHIFT": r"(sh[lr]|sa[lr]|ro[lr]|rc[lr]|sh[lr]d|s[ah][lr]x|rorx)[bwlq]?",
    "MUL": r"(i?mul|mulx)[bwlq]?", "DIV": r"i?div[bwlq]?",
    "LEA": r"lea[wlq]?",
    "CMOV": r"(cmov|set)\w+",
    "STACK": r"(push|pop)f?[wlq]?|enter|leave",
    "FADD": r"v?(add|sub|hadd|hsub|addsub)[sp][sd]|f(add|sub|i?addl?|i?subr?)\w*",
    "FMUL": r"v?mul[sp][sd]|fi?mul\w*", "FDIV": r"v?div[sp][sd]|fi?divr?\w*",
    "FSQRT": r"v?sqrt[sp][sd]|fsqrt",
    "FMA": r"vfn?m(add|sub)(add|sub)?(132|213|231)[sp][sd]",
    "FMINMAX": r"v?(min|max)[sp][sd]",
    "FENCE": r"[mls]fence", "SYSCALL": r"syscall",
}
KINDS = {kind: re.compile(f"^(lock |repz |bnd )?({text})$")
         for kind, text in KINDS.items()}


def instructions(path):
    text = subprocess.run(["objdump", "-d", "-w", path], check=True,
                          capture_output=True, text=True).stdout
    seen = {}
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        code = found[1].replace(" ", "")
        meaning = found[2].split("#")[0].strip()
        if not FOREIGN.search(meaning) and not code.startswith("62"):
            seen[code] = meaning
    return seen


def accesses(meaning):
    """Whether there is a memory operand, as the text has it."""
    if STRING.search(meaning) or SP_PUSH.match(meaning) or \
            SP_POP.match(meaning):
        return True
    if NO_ACCESS.match(meaning):
        return False
    return bool(MEMORY.search(meaning)) or "xlat" in meaning or \
        meaning.startswith("maskmov") or meaning.startswith("vmaskmovdqu") or \
        meaning.startswith("movabs") and "(" not in meaning and \
        not meaning.split()[1].startswith("$")


def kind_of(meaning):
    word = meaning.split(" ")
    name = word[1] if word[0] in ("lock", "repz", "bnd", "notrack") and \
        len(word) > 1 else word[0]
    for kind, pattern in KINDS.items():
        if pattern.match(name):
            return kind
    return None


def lanes_of(meaning):
    """Precision (1 single, 2 double) and lanes of SSE and AVX arithmetic."""
    found = re.match(r"v?\w+([sp])([sd])$", meaning.split(" ")[0])
    if not found or "xmm" not in meaning and "ymm" not in meaning:
        return None
    single = found[2] == "s"
    width = 32 if "ymm" in meaning else 16
    return (1 if single else 2,
            1 if found[1] == "s" else width // (4 if single else 8))


ARITHMETIC = ("FADD", "FMUL", "FDIV", "FSQRT", "FMA", "FMINMAX")


# Of base, index and a displacement that is not zero.
LEA3 = re.compile(r"^lea\w? +-?0x(?!0\()[0-9a-f]+\(%\w+,%\w+,")
# Between an integer and a vector register, whichever comes first.
CROSS = re.compile(r"^v?(mov[dq]|pmovmskb|movmskp[sd]) +"
                   r"(%[re]\w+,%xmm\d+|%[xy]mm\d+,%[re]\w+)$")
STAYS = re.compile(r"^v?(mov\w+|p[a-z]+|[a-z]+[ps][sd]) +(\$0x[0-9a-f]+,)?"
                   r"(%[xy]mm\d+,?)+$")


def fault_of_class(meaning, fields):
    if (fields["lea3"] == "1") != bool(LEA3.match(meaning)):
        return "three parts of an address or not"
    if CROSS.match(meaning) and fields["cross"] != "1" or \
            STAYS.match(meaning) and fields["cross"] != "0":
        return "between integer and vector registers or not"
    return None


def fault(code, meaning, said):
    words = said.split()
    fields = dict(w.split("=") for w in words[2:])
    if int(words[0]) != len(code) // 2:
        return f"length {words[0]}"
    loads, stores = (int(fields[k].split("*")[0]) for k in ("loads", "stores"))
    if (loads + stores > 0) != accesses(meaning):
        return f"{loads} loads, {stores} stores"
    if (fields["branch"] == "1") != bool(COND.match(meaning)):
        return "conditional or not"
    kind = kind_of(meaning)
    if kind and words[1] != kind:
        return f"{words[1]}, not {kind}"
    if kind in ARITHMETIC and lanes_of(meaning) and \
            tuple(map(int, fields["fp"].split("*"))) != lanes_of(meaning):
        return f"precision and lanes {fields['fp']}"
    return fault_of_class(meaning, fields)


def main():
    program, wrong, checked = sys.argv[1], 0, 0
    for path in OBJECTS:
        seen = instructions(path)
        said = subprocess.run(
            [program], check=True, capture_output=True, text=True,
            input="".join((code + "90" * 15)[:30] + "\n" for code in seen))
        for (code, meaning), line in zip(seen.items(),
                                         said.stdout.splitlines()):
            checked += 1
            why = fault(code, meaning, line)
            if why and wrong < 40:
                print(f"{code}: {meaning}: {why}")
            wrong += why is not None
    print(f"{checked} instructions, {wrong} wrong")
    return wrong > 0 or checked < 100000


sys.exit(main())
