/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a model file. docs/formats/model.md says what they mean. */

#include "simpmu/model/keys.h"
#include "simpmu/model/params.h"

static const char *const replacements[] = { "lru", "bit-plru", NULL };
static const char *const l3_kinds[] = { "none", "inclusive", "victim", NULL };
static const char *const page_maps[] = { "identity", "hashed", NULL };
static const char *const switches[] = { "off", "on", NULL };
static const char *const predictors[] = { "static", "bimodal", "local",
					  "gshare", "tage",    "hybrid",
					  NULL };
static const char *const indirects[] = { "last", "ittage", NULL };
static const char *const units[] = { "none", "int",   "mul",  "div",
				     "fp",   "vec",   "fmul", "branch",
				     "load", "store", NULL };

/* clang-format off */
#define AT(field) (uint16_t)offsetof(struct params, field)
#define NUMBER(section, name, field, min, max)                                 \
	{ section, name, AT(field), KEY_NUMBER, 0, min, max, NULL }
#define WORD(section, name, field, words)                                      \
	{ section, name, AT(field), KEY_WORD, 0, 0, 0, words }
#define CACHE(section, field)                                                  \
	{ section, "size", AT(field), KEY_SIZE, 0, 64, 1u << 31, NULL },       \
	NUMBER(section, "sets", field.sets, 1, 1u << 24),                      \
	NUMBER(section, "ways", field.ways, 1, 1024),                          \
	NUMBER(section, "latency", field.latency, 1, 10000),                   \
	WORD(section, "replacement", field.replacement, replacements)
#define TLB(section, field)                                                    \
	NUMBER(section, "sets", field.sets, 1, 1u << 16),                      \
	NUMBER(section, "ways", field.ways, 1, 1024),                          \
	NUMBER(section, "huge_sets", field.huge_sets, 0, 1u << 16),            \
	NUMBER(section, "huge_ways", field.huge_ways, 0, 1024)
#define CLASS(name, class)                                                     \
	NUMBER("latency", name, insn[class].latency, 0, 1000),                 \
	NUMBER("interval", name, insn[class].interval, 1, 1000),               \
	WORD("unit", name, insn[class].unit, units)

const struct key params_keys[] = {
	{ "", "name", AT(name), KEY_TEXT, 0, 0, 32, NULL },
	{ "", "describe", AT(describe), KEY_TEXT, 0, 0, 96, NULL },

	NUMBER("memory", "line", line_bytes, 16, 128),
	NUMBER("memory", "dram_latency", dram_latency, 1, 100000),
	NUMBER("memory", "line_time", dram_line_time, 0, 1000000),
	NUMBER("memory", "write_time", dram_write_time, 0, 1000000),
	NUMBER("memory", "past_time", past_time, 0, 1000000),
	NUMBER("memory", "snoop_latency", snoop_latency, 0, 100000),
	WORD("memory", "page_map", page_map, page_maps),
	CACHE("l1i", l1i),
	NUMBER("l1i", "misses", l1i_misses, 0, 256),
	CACHE("l1d", l1d),
	NUMBER("l1d", "misses", l1d_misses, 0, 256),
	NUMBER("l1d", "store_line_time", store_line_time, 0, 1000000),
	WORD("l1d", "replay", replay, switches),
	CACHE("l2", l2),
	NUMBER("l2", "line_time", l2_line_time, 0, 1000000),
	NUMBER("l2", "write_time", l2_write_time, 0, 1000000),
	NUMBER("l2", "misses", l2_misses, 0, 256),
	CACHE("l3", l3),
	NUMBER("l3", "line_time", l3_line_time, 0, 1000000),
	WORD("l3", "kind", l3_kind, l3_kinds),

	TLB("itlb", itlb),
	TLB("dtlb", dtlb),
	NUMBER("stlb", "sets", stlb.sets, 0, 1u << 20),
	NUMBER("stlb", "ways", stlb.ways, 0, 1024),
	NUMBER("stlb", "latency", stlb_latency, 0, 10000),
	NUMBER("stlb", "walk_latency", walk_latency, 0, 100000),
	NUMBER("stlb", "hit_time", stlb_hit_time, 0, 10000),
	NUMBER("stlb", "overlap", stlb_overlap, 0, 10000),
	NUMBER("stlb", "walk_reads", walk_reads, 0, 2),

	WORD("prefetch", "adjacent", pf_adjacent, switches),
	WORD("prefetch", "stream", pf_stream, switches),
	NUMBER("prefetch", "stream_pages", pf_stream_pages, 1, 4096),
	NUMBER("prefetch", "stream_train", pf_stream_train, 1, 1024),
	NUMBER("prefetch", "stream_degree", pf_stream_degree, 1, 64),
	WORD("prefetch", "stream_cross", pf_stream_cross, switches),
	NUMBER("prefetch", "stream_window", pf_stream_window, 0, 64),
	WORD("prefetch", "next", pf_next, switches),
	WORD("prefetch", "stride", pf_stride, switches),
	NUMBER("prefetch", "stride_entries", pf_stride_entries, 1, 65536),
	NUMBER("prefetch", "stride_train", pf_stride_train, 1, 1024),
	NUMBER("prefetch", "stride_degree", pf_stride_degree, 1, 64),

	WORD("branch", "predictor", predictor, predictors),
	NUMBER("branch", "base_bits", base_bits, 1, 24),
	NUMBER("branch", "history_bits", history_bits, 0, 32),
	NUMBER("branch", "local_bits", local_bits, 0, 20),
	NUMBER("branch", "tage_bits", tage_bits, 1, 20),
	NUMBER("branch", "tage_tag_bits", tage_tag_bits, 4, 11),
	{ "branch", "tage_history", AT(tage_history), KEY_LIST,
	  AT(tage_tables), 1, 256, NULL },
	NUMBER("branch", "bias_limit", bias_limit, 0, 510),
	NUMBER("branch", "bias_trust", bias_trust, 0, 510),
	NUMBER("branch", "ras", ras_depth, 0, 32),
	NUMBER("branch", "btb_bits", btb_bits, 0, 20),
	WORD("branch", "indirect", indirect, indirects),
	NUMBER("branch", "indirect_bits", indirect_bits, 1, 20),
	NUMBER("branch", "wrong_path", wrong_path, 0, 1000),

	NUMBER("pipeline", "clock", clock_mhz, 0, 100000),
	NUMBER("pipeline", "issue", issue_width, 1, 16),
	NUMBER("pipeline", "retire", retire_width, 1, 16),
	NUMBER("pipeline", "rob", rob, 1, 4096),
	NUMBER("pipeline", "rs", rs, 1, 4096),
	NUMBER("pipeline", "lq", lq, 1, 4096),
	NUMBER("pipeline", "sq", sq, 1, 4096),
	NUMBER("pipeline", "mispredict", mispredict_penalty, 0, 1000),
	NUMBER("pipeline", "btb_miss", btb_penalty, 0, 1000),
	NUMBER("pipeline", "forward", forward_latency, 0, 1000),
	NUMBER("pipeline", "forward_vec", forward_vec_latency, 0, 1000),
	NUMBER("pipeline", "forward_time", forward_time, 0, 100000),
	WORD("pipeline", "stack_engine", stack_engine, switches),
	WORD("pipeline", "fuse", fuse, switches),
	WORD("pipeline", "rename_stores", rename_stores, switches),
	WORD("pipeline", "lea_waits", lea_waits, switches),
	NUMBER("pipeline", "taken_time", taken_time, 0, 10000),
	NUMBER("pipeline", "taken_near", taken_near, 0, NEAR_MOST),
	NUMBER("pipeline", "taken_far_time", taken_far_time, 0, 10000),
	NUMBER("pipeline", "call_time", call_time, 0, 10000),
	NUMBER("pipeline", "indirect_time", indirect_time, 0, 10000),
	NUMBER("pipeline", "fetch_block", fetch_block, 0, 4096),
	NUMBER("pipeline", "block_time", block_time, 0, 10000),
	NUMBER("pipeline", "commit_time", commit_time, 0, 10000),
	NUMBER("pipeline", "commit_vec_time", commit_vec_time, 0, 10000),
	NUMBER("ports", "int", ports[UNIT_INT], 1, 15),
	NUMBER("ports", "mul", ports[UNIT_MUL], 1, 15),
	NUMBER("ports", "div", ports[UNIT_DIV], 1, 15),
	NUMBER("ports", "fp", ports[UNIT_FP], 1, 15),
	NUMBER("ports", "vec", ports[UNIT_VEC], 1, 15),
	NUMBER("ports", "fmul", ports[UNIT_FMUL], 1, 15),
	NUMBER("ports", "branch", ports[UNIT_BRANCH], 1, 15),
	NUMBER("ports", "load", ports[UNIT_LOAD], 1, 15),
	NUMBER("ports", "load_vec", vector_loads, 0, 15),
	NUMBER("ports", "store", ports[UNIT_STORE], 1, 15),
	NUMBER("ports", "memory", ports[UNIT_MEMORY], 0, 15),
	NUMBER("ports", "shift", ports[UNIT_SHIFT], 0, 15),
	CLASS("nop", INSN_NOP),
	CLASS("alu", INSN_ALU),
	CLASS("lea", INSN_LEA),
	CLASS("lea3", INSN_LEA3),
	CLASS("shift", INSN_SHIFT),
	CLASS("bit", INSN_BIT),
	CLASS("mul", INSN_MUL),
	CLASS("div", INSN_DIV),
	CLASS("move", INSN_MOVE),
	CLASS("vec", INSN_VEC),
	CLASS("cross", INSN_CROSS),
	CLASS("fadd", INSN_FADD),
	CLASS("fmul", INSN_FMUL),
	CLASS("fma", INSN_FMA),
	CLASS("fdiv_s", INSN_FDIV_S),
	CLASS("fdiv_d", INSN_FDIV_D),
	CLASS("fsqrt_s", INSN_FSQRT_S),
	CLASS("fsqrt_d", INSN_FSQRT_D),
	CLASS("fcvt", INSN_FCVT),
	CLASS("x87", INSN_X87),
	CLASS("branch", INSN_BRANCH),
	CLASS("serial", INSN_SERIAL),
	CLASS("other", INSN_OTHER),

	NUMBER("pmu", "fixed", counters_fixed, 0, 16),
	NUMBER("pmu", "counters", counters, 1, 64),
};
/* clang-format on */

_Static_assert(sizeof(params_keys) / sizeof(params_keys[0]) <= PARAMS_MAX_KEYS,
	       "parse.c has room for each");
const size_t params_key_count = sizeof(params_keys) / sizeof(*params_keys);
