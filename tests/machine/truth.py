# SPDX-License-Identifier: BSD-3-Clause
"""What `assay machine` must find on a modelled machine, by its model file.

A constant is right if it is within its slack of what the model says. Those
that a model does not say, such as bandwidths, have bounds that follow from it.
"""
import json
import subprocess

UNITS = {"K": 1 << 10, "M": 1 << 20}
VECTOR = 32  # bytes of the widest load that the simulator runs
CHUNK = 256  # bytes a turn of the loops that measure bandwidth


def read_model(path, values):
    """The keys of a model's file, over those in @values."""
    section = ""
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            values[section, key] = value
    return values


def number(text):
    return int(text.rstrip("KM")) * UNITS.get(text[-1], 1)


class Model:
    """A model's values, as numbers where they are some."""

    def __init__(self, values):
        self.values = values

    def word(self, section, key, default=None):
        return self.values.get((section, key), default)

    def get(self, section, key, default=None):
        text = self.values.get((section, key))
        return default if text is None else number(text)

    def late(self, name):
        return self.get("latency", name, 1)

    def each(self, name, registers=12):
        """Cycles for each of many instructions that do not wait."""
        unit = self.word("unit", name, "int")
        busy = self.get("interval", name, 1)
        if unit == "none":
            return self.slot()
        return max(busy / self.get("ports", unit), self.slot(),
                   self.late(name) / registers)

    def slot(self):
        return 1 / min(self.get("pipeline", "issue"),
                       self.get("pipeline", "retire"))

    def read_bytes(self):
        """Bytes a cycle that the loop of loads reads from L1, at most."""
        loads = CHUNK / VECTOR
        turn = max((loads + 4) * self.slot(),
                   loads / self.get("ports", "load"),
                   3 / self.get("ports", "int"),
                   1 / self.get("ports", "branch"))
        return CHUNK / turn


def near(value, slack=0.0, share=0.0):
    return value - slack - share * value, value + slack + share * value


def caches(m):
    line = m.get("memory", "line")
    rows = {"line_bytes": near(line), "page_bytes": near(4096)}
    for section, name in (("l1i", "L1I"), ("l1d", "L1D"), ("l2", "L2")):
        size, ways = m.get(section, "size"), m.get(section, "ways")
        rows[name + "_bytes"] = near(size)
        rows[name + "_ways"] = near(ways)
        rows[name + "_sets"] = near(size // ways // line)
    rows["L1_lat"] = near(m.get("l1d", "latency"))
    rows["L2_lat"] = near(m.get("l2", "latency"), 1)
    # Page walks of the chase go through the caches, too: up to 2.5 cycles.
    rows["Mem_lat"] = near(m.get("memory", "dram_latency"), 2, 0.01)
    rows["bytes_one_miss_at_a_time"] = near(
        line / m.get("memory", "dram_latency"), 0, 0.03)
    if m.word("l3", "kind") == "none":
        rows["L3_lat"] = rows["L3_bytes"] = None
    else:
        rows["L3_lat"] = near(m.get("l3", "latency"), 2)
        rows["L3_bytes"] = near(m.get("l3", "size"), 0, 0.06)
    return rows


def tlbs(m):
    sets, ways = m.get("dtlb", "sets"), m.get("dtlb", "ways")
    rows = {"DTLB_entries": near(sets * ways), "DTLB_ways": near(ways),
            "DTLB_sets": near(sets)}
    sets, ways = m.get("stlb", "sets"), m.get("stlb", "ways")
    rows["STLB_entries"] = near(sets * ways)
    if sets:
        rows["STLB_ways"], rows["STLB_sets"] = near(ways), near(sets)
        rows["STLB_lat"] = near(m.get("stlb", "latency"), 0.5)
    rows["TLB_data_lat"] = near(m.get("stlb", "walk_latency"), 1)
    return rows


def units(m):
    late = {"int_add_lat": "alu", "int_mul_lat": "mul", "int_div_lat": "div",
            "int_div_short_lat": "div", "vec_int_lat": "cross",
            "FP_int_lat": "fcvt", "int_shift_lat": "shift", "int_popcount_lat": "bit",
            "vec_add_lat": "vec", "FP_add_lat": "fadd", "FP_mul_lat": "fmul", "FP_fma_lat": "fma",
            "FP_div_lat": "fdiv_d", "FP_div_easy_lat": "fdiv_d",
            "FP_sqrt_lat": "fsqrt_d", "FP_sqrt_easy_lat": "fsqrt_d",
            "FP_add_single_lat": "fadd", "FP_mul_single_lat": "fmul",
            "FP_div_single_lat": "fdiv_s", "FP_sqrt_single_lat": "fsqrt_s",
            "FP_add_avx2_lat": "fadd", "FP_fma_avx2_lat": "fma"}
    each = {"int_add_min": "alu", "int_mul_min": "mul", "FP_add_min": "fadd",
            "FP_mul_min": "fmul", "FP_fma_min": "fma", "FP_div_min": "fdiv_d",
            "FP_sqrt_min": "fsqrt_d", "FP_add_sse_min": "fadd",
            "FP_add_avx2_min": "fadd", "FP_mul_avx2_min": "fmul",
            "FP_fma_avx2_min": "fma", "FP_div_avx2_min": "fdiv_d",
            "FP_min": "fadd", "BR_min": "branch", "BR_lat": "branch"}
    flops = {"flops_scalar": ("fadd", 1), "flops_scalar_fma": ("fma", 2),
             "flops_sse": ("fadd", 2), "flops_avx2": ("fadd", 4),
             "flops_avx2_fma": ("fma", 8)}
    rows = {name: near(m.late(key), 0.2) for name, key in late.items()}
    rows["FP_lat"] = near(max(m.late("fadd"), m.late("fmul")), 0.2)
    for name, key in each.items():
        registers = 10 if name.startswith("int") else 12
        rows[name] = near(m.each(key, registers), 0.01, 0.06)
    for name, (key, count) in flops.items():
        rows[name] = near(count / m.each(key), 0.01, 0.06)
    rows["L1_min"] = near(max(1 / m.get("ports", "load"), m.slot()), 0.01, 0.06)
    vector = m.get("ports", "load_vec", 0) or m.get("ports", "load")
    rows["load_vec_min"] = near(
        max(1 / min(vector, m.get("ports", "load")), m.slot()), 0.01, 0.06)
    # Stores leave their queue one a cycle, however many ports there are,
    # unless the model has another rate.
    commit = m.get("pipeline", "commit_time", 100) / 100
    rows["store_min"] = near(max(commit, 1 / m.get("ports", "store")), 0.01,
                             0.06)
    rows["store_vec_min"] = near(
        m.get("pipeline", "commit_vec_time", 100 * commit) / 100, 0.01, 0.06)
    rows["int_shift_min"] = near(m.each("shift", 10), 0.01, 0.06)
    rows["store_forward_lat"] = near(m.get("pipeline", "forward") + 1, 1)
    # one waits for the addition before it, and for what that has stored
    wait = 0 if m.word("pipeline", "rename_stores") == "on" else m.get("pipeline", "forward")
    rows["lock_min"] = near(m.late("serial") + wait, 1)
    if m.word("pipeline", "rename_stores") != "on":
        rows["store_forward_same_lat"] = rows["store_forward_lat"]
    rows["vec_add_min"] = near(m.each("vec"), 0.01, 0.06)
    # an addition and a move in turn: these have units, or need none
    free = m.word("unit", "move") == "none"
    busy = (1 if free else 2) / m.get("ports", "int") / 2
    rows["int_move_min"] = near(max(busy, m.slot()), 0.01, 0.06)
    rows["issue_width"] = near(m.get("pipeline", "issue"))
    rows["BR_miss_lat"] = near(m.get("pipeline", "mispredict"), 2)
    return rows


def streams(m):
    """The nearest level is as fast as the pipeline; none is faster."""
    most = m.read_bytes()
    rows = {"L1_read": near(most, 0, 0.1)}
    for name in ("L2_read", "L3_read", "mem_read", "bytes_stream"):
        rows[name] = (0, most * 1.02)
    for name in ("L1_write", "L2_write", "L3_write", "mem_write"):
        rows[name] = (0, VECTOR * 1.02)
    return rows


def expect(values):
    """Constants by name: from and to what is right; None: there is none."""
    m = Model(values)
    return {**caches(m), **tlbs(m), **units(m), **streams(m)}


def measure(build, model, out):
    """What `assay machine` finds on @model, by name; @out keeps the file."""
    subprocess.run([build / "assay", "machine", "--pmu", "sim", "--no-save",
                    "--model", model, "-q", "-o", out], check=True)
    with out.open() as file:
        return {c["name"]: c for c in json.load(file)["constants"]}


def judge(want, got):
    """right, unsure, absent or wrong: that is, stable or silent, and not so."""
    if got is None:
        return "wrong"
    if got["value"] is None:
        if want is None:
            return "right"
        return "absent" if got["reason"] else "wrong"
    if not got["stable"]:
        return "unsure" if got["reason"] else "wrong"
    right = want is not None and want[0] <= got["value"] <= want[1]
    return "right" if right else "wrong"


def told(want):
    """What is right, in words."""
    if want is None:
        return "there is none"
    low, high = want
    return f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"
