# SPDX-License-Identifier: BSD-3-Clause
"""Make up programs with sections, and check what they report.

usage: random-programs.py make SEED N          programs for random.cc, a line each
       random-programs.py check SEED N FOLDER HOW  their performance files in FOLDER
                                               HOW: exact EVENT, or pages EVENT

What a section must report is found by doing the program's additions here. On
the simulated PMU every number must be that; natively, where the kernel's page
faults are counted, at least that and little more. Whatever the numbers, what is
true of all of them is checked too: see invariants().
"""
import random
import sys
import xml.etree.ElementTree

STATIC = ["static", "also static", "third"]


# Making a program: a list of words.

def label(r):
    kind = r.choice("sbhcbhn")
    if kind == "n":
        return "n"
    if kind == "s":
        return "s" + str(r.randrange(3)).encode().hex()
    text = r.choice([
        b"plain", b"", "\u03b3\u03bb\u03ce\u03c3\u03c3\u03b1 \u2713".encode(),
        b"<&>\"'", b"two\nlines\tand a tab", b"a\x01b", b"\xff\xfe no UTF-8",
        b"long " * r.choice([1, 10, 1000]), b"%s%n", b"]]>", b" x ",
        b"f%d" % r.randrange(100)])
    return kind + text.hex()


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.ids = 0
        self.used = []
        self.threads = 12
        self.words = 0

    def id(self, kind):
        """A new number, or now and then one that this kind has had."""
        had = [i for i, k in self.used if k == kind]
        if had and self.r.random() < 0.15:
            return self.r.choice(had)
        self.ids += self.r.choice([1, 1, 7])
        number = self.ids if self.r.random() < 0.9 else -self.ids
        self.used.append((number, kind))
        return number

    def block(self, depth, alone, caught):
        words = ["{"]
        for _ in range(self.r.randrange(1, 5)):
            words += self.statement(depth, alone, caught)
        return words + ["}"]

    def statement(self, depth, alone, caught):
        """@alone: no other thread works; @caught: something may be thrown."""
        r = self.r
        kinds = "WLLFD"
        if depth > 0 and self.words < 400:
            kinds += "TTTRR*X" + ("PPP" if alone else "")
            if alone and self.threads > 0:
                kinds += "S"
        if caught:
            kinds += "!"
        kind = r.choice(kinds)
        n = r.randrange(1, 30)
        self.words += 1
        if kind == "W":
            return ["W", r.randrange(0, 30)]
        if kind == "L":
            return ["L", self.id("T"), label(r), n]
        if kind == "F":
            return ["F", self.id("T"), label(r), r.randrange(1, 6), n]
        if kind == "D":
            return ["D", self.id("T"), n]
        if kind == "!":
            return ["!"]
        if kind == "*":
            return ["*", r.randrange(0, 4)] + self.block(depth - 1, alone, caught)
        if kind == "X":
            return ["X"] + self.block(depth - 1, alone, True)
        if kind == "S":
            self.threads -= 1
            return ["S"] + self.block(depth - 1, alone, False)
        # only an hpm::Section is closed by what is thrown
        return [kind, self.id("P" if kind == "P" else "T"), label(r)] + \
            self.block(depth - 1, alone, caught and kind == "R")

    def program(self):
        """All of it stands in a section of the process."""
        words = ["P", 1000000, "s30", "{"]
        for _ in range(self.r.randrange(2, 6)):
            words += self.statement(4, True, False)
            if self.threads > 0 and self.r.random() < 0.4:
                n = self.r.randrange(1, 4)
                self.threads -= n
                words += ["C", n] + self.block(2, False, False)
        return [str(word) for word in words + ["}", "}"]]


def make(seed):
    return Maker(seed).program()


# Doing it.

class Thrown(Exception):
    pass


class Section:
    def __init__(self, label, parent):
        self.label, self.parent = label, parent
        self.count = self.active = self.inclusive = self.exclusive = 0
        self.leaves = []  # units of each activation that had nothing else


class Thread:
    def __init__(self):
        self.work = 0
        self.sections = {}
        self.frames = []


class Doer:
    """Adds up what each section of each thread must report."""

    def __init__(self, words):
        self.words = words
        self.work = 0  # of all threads
        self.threads = []
        self.plugins = 0  # that were opened

    def start(self, t, kind, id, label):
        key = (id, kind)
        parent = t.frames[-1][0][0] if t.frames else None
        section = t.sections.setdefault(key, Section(label, parent))
        section.active += 1
        t.frames.append([key, self.work, t.work, 0, 0])

    def stop(self, t):
        key, work, own, inner, inner_own = t.frames.pop()
        section = t.sections[key]
        section.active -= 1
        section.count += 1
        took, took_own = self.work - work, t.work - own
        mine, less = (took, inner) if key[1] == "process" else (took_own, inner_own)
        section.exclusive += mine - less
        if section.active == 0:
            section.inclusive += mine
        if t.frames:  # a thread's section is part of the process's
            t.frames[-1][3] += took if key[1] == "process" else took_own
            t.frames[-1][4] += took_own

    def add(self, t, n):
        self.work += n
        t.work += n

    def new_thread(self, at):
        t = Thread()
        self.threads.append(t)
        self.run(t, at)

    def skip(self, at):
        depth = 1
        while depth:
            depth += (self.words[at] == "{") - (self.words[at] == "}")
            at += 1
        return at

    def run(self, t, at):
        while self.words[at] != "}":
            at = self.step(t, at)
        return at + 1

    def step(self, t, at):
        w = self.words
        kind = w[at]
        if kind == "W":
            self.add(t, int(w[at + 1]))
            return at + 2
        if kind == "L":
            self.start(t, "thread", int(w[at + 1]), w[at + 2])
            self.add(t, int(w[at + 3]))
            self.stop(t)
            t.sections[int(w[at + 1]), "thread"].leaves.append(int(w[at + 3]))
            return at + 4
        if kind == "F":
            depth = int(w[at + 3])
            for _ in range(depth):
                self.start(t, "thread", int(w[at + 1]), w[at + 2])
                self.add(t, int(w[at + 4]))
            for _ in range(depth):
                self.stop(t)
            return at + 5
        if kind == "D":
            self.plugins += 1
            self.start(t, "thread", int(w[at + 1]),
                       "c" + b"of the plug-in".hex())
            self.add(t, int(w[at + 2]))
            self.stop(t)
            return at + 3
        if kind == "*":
            for _ in range(int(w[at + 1])):
                self.run(t, at + 3)
            return self.skip(at + 3)
        if kind == "C":
            for _ in range(int(w[at + 1])):
                self.new_thread(at + 3)
            return self.skip(at + 3)
        if kind == "S":
            self.new_thread(at + 2)
            return self.skip(at + 2)
        if kind == "X":
            try:
                self.run(t, at + 2)
            except Thrown:
                pass
            return self.skip(at + 2)
        if kind == "!":
            raise Thrown
        self.start(t, "process" if kind == "P" else "thread", int(w[at + 1]),
                   w[at + 2])
        try:
            self.run(t, at + 4)
        finally:
            self.stop(t)
        return self.skip(at + 4)


# Checking.

def shown(word):
    """A label as the file has it: what XML 1.0 cannot hold is a '?'."""
    if word == "n":
        return ""
    text = bytes.fromhex(word[1:])
    if word[0] == "s":
        return STATIC[int(text)]
    kept = ""
    while text:
        for size in (1, 2, 3, 4):
            try:
                kept += text[:size].decode()
                break
            except UnicodeDecodeError:
                pass
        else:
            kept, size = kept + "?", 1
        text = text[size:]
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in kept)


def invariants(data, name):
    """What is true of every number of an event, or of time."""
    number = {key: float(value) for key, value in data.items()
              if key not in ("name", "disp", "reason", "formula", "unit", "verdict")}
    where = f"{name}: {number}"
    assert "reason" not in data.keys(), f"{name}: {data.get('reason')}"
    assert number["value"] >= 0 and number["raw"] >= number["value"], where
    assert abs(number["raw"] - number["correction"] - number["value"]) < 2e-9 * max(1, number["raw"]), where
    assert 0 <= number.get("exclusive", 0) <= number["value"], where
    if "mean" in number:
        slack = 0.001 + 1e-9 * abs(number["mean"])
        assert number["min"] - slack <= number["mean"] <= number["max"] + slack, where
        assert number["stddev"] >= 0, where


def spread_is_right(section, data, where):
    """Where all activations are alike they report the same."""
    alike = len(set(section.leaves)) == 1 and len(section.leaves) == section.count
    if alike:
        assert float(data.get("stddev")) == 0, where
        assert data.get("min") == data.get("max"), where


def key_of(point):
    return int(point.get("id")), point.get("kind")


def read_threads(root):
    threads = {}
    for point in root.iter("InstrumentationPt"):
        threads.setdefault(int(point.get("tid")), {})[key_of(point)] = point
    return list(threads.values())


def signature(t):
    """Threads that did the same are alike; any of them may be the other."""
    return sorted((key, s.count, s.label) for key, s in t.sections.items())


def signature_read(points):
    return sorted((key, int(points[key].find("data[@name='Count']").get("value")),
                   points[key].get("label")) for key in points)


class Checker:
    def __init__(self, how, event):
        self.how, self.event = how, event
        self.sections = 0
        self.beyond = set()  # instructions of a leaf beyond its work

    def check_count(self, section, data, where, more):
        """Natively there may be @more: first uses of stacks and plug-ins."""
        inclusive, exclusive = (int(data.get(key)) for key in ("value", "exclusive"))
        if self.how == "exact":
            assert inclusive == section.inclusive, f"{where}: {inclusive}, not {section.inclusive}"
            assert exclusive == section.exclusive, \
                f"{where}: exclusive {exclusive}, not {section.exclusive}"
            spread_is_right(section, data, where)
        else:
            more = 8 + section.count if len(section.leaves) == section.count else more
            assert section.inclusive <= inclusive <= section.inclusive + more, \
                f"{where}: {inclusive}, not {section.inclusive}"
            assert section.exclusive <= exclusive <= section.exclusive + more, \
                f"{where}: exclusive {exclusive}, not {section.exclusive}"

    def check_instructions(self, section, data, where):
        count = int(data.get("value"))
        if len(section.leaves) == section.count:
            more = count - 3 * sum(section.leaves)
            assert more % section.count == 0, f"{where}: {count} instructions"
            self.beyond.add(more // section.count)
            assert float(data.get("stddev")) == 0 or len(set(section.leaves)) > 1, where
        else:
            assert count >= 3 * section.inclusive, f"{where}: {count} instructions"

    def check_section(self, section, point, where, more):
        data = {d.get("name"): d for d in point.iter("data")}
        assert point.get("label") == shown(section.label), \
            f"{where}: label {point.get('label')!r}, not {shown(section.label)!r}"
        assert int(data["Count"].get("value")) == section.count, where
        assert point.get("parent") == (None if section.parent is None else str(section.parent)), where
        for name, datum in data.items():
            if name not in ("Count", "ExcSec") and not datum.get("formula"):
                invariants(datum.attrib, f"{where}, {name}")
        assert float(data["ExcSec"].get("value")) <= float(data["IncSec"].get("value")) + 1e-9, where
        self.check_count(section, data[self.event], where, more)
        if self.how == "exact" and "PAPI_TOT_INS" in data:
            self.check_instructions(section, data["PAPI_TOT_INS"], where)
        self.sections += 1

    def check_program(self, seed, words, path):
        main = Thread()
        doer = Doer(words)
        doer.run(main, 0)
        root = xml.etree.ElementTree.parse(path).getroot()
        where = f"seed {seed} ({path})"
        assert root.get("complete") == "true", where
        problems = [p.attrib for p in root.findall("Problem")]
        assert not problems, f"{where}: {problems}"
        counted = [t for t in [main] + doer.threads if t.sections]
        want = sorted(counted, key=lambda t: [(k, c, shown(l)) for k, c, l in signature(t)])
        got = sorted(read_threads(root), key=signature_read)
        assert len(want) == len(got), f"{where}: {len(got)} threads, not {len(want)}"
        for t, points in zip(want, got):
            assert sorted(t.sections) == sorted(points), \
                f"{where}: {sorted(points)}, not {sorted(t.sections)}"
            for key, section in t.sections.items():
                self.check_section(section, points[key], f"{where}, section {key}",
                                   60 + 40 * (len(doer.threads) + doer.plugins))


def main(action, seed, n, *rest):
    seeds = range(int(seed), int(seed) + int(n))
    programs = {s: make(s) for s in seeds}
    if action == "make":
        for words in programs.values():
            print(*words)
        return
    folder, how, event = rest[:3]
    checker = Checker(how, event)
    for i, (s, words) in enumerate(programs.items()):
        checker.check_program(s, words, f"{folder}/hpm_{i:05d}_random.xml")
    assert len(checker.beyond) <= 1 and all(0 <= b <= 8 for b in checker.beyond), checker.beyond
    print(f"{len(programs)} programs, {checker.sections} sections: {how}")


main(*sys.argv[1:])
