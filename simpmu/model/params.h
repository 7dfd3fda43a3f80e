/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of a modelled machine: all numbers the model takes, as data.
 *
 * They come from a model file (docs/formats/model.md) or from one of the
 * models that are compiled in, which were such files too (share/models).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/model/segment.h"

#define PARAMS_TAGE_TABLES 12
#define NEAR_MOST          4096

enum replacement {
	REPLACE_LRU,     /* the line whose last use is longest ago */
	REPLACE_BIT_PLRU /* one bit a line: set by use, all cleared when full */
};

enum l3_kind {
	L3_NONE,
	L3_INCLUSIVE, /* holds all that L1 and L2 hold */
	L3_VICTIM     /* filled by what leaves L2 */
};

enum page_map {
	PAGE_IDENTITY, /* physical address = virtual address */
	PAGE_HASHED    /* physical pages scattered by a fixed function */
};

enum predictor_kind {
	PREDICT_STATIC,  /* backward taken, forward not */
	PREDICT_BIMODAL, /* 2-bit counters */
	PREDICT_LOCAL,   /* per-branch history selects a 2-bit counter */
	PREDICT_GSHARE,  /* global history xor address */
	PREDICT_TAGE,
	PREDICT_HYBRID /* gshare, and TAGE's tables where they are better */
};

enum indirect_kind {
	INDIRECT_LAST,
	INDIRECT_ITTAGE
};

struct cache_params {
	uint32_t sets;
	uint32_t ways;
	uint32_t latency; /* cycles until a load that hits is ready */
	uint32_t replacement;
};

struct tlb_params {
	uint32_t sets; /* of 4 KB pages; in the STLB: of both sizes */
	uint32_t ways;
	uint32_t huge_sets; /* of 2 MB pages; 0: huge pages take 4 KB entries */
	uint32_t huge_ways;
};

struct unit_params {
	uint32_t latency;
	uint32_t interval; /* cycles its unit is busy; 1: fully pipelined */
	uint32_t unit;     /* enum unit */
};

/* Execution units: groups of ports. */
enum unit {
	UNIT_NONE,
	UNIT_INT,
	UNIT_MUL, /* integer multiplications, bit counts */
	UNIT_DIV, /* divisions and square roots */
	UNIT_FP,
	UNIT_VEC,  /* vector operations, where these have units of their own */
	UNIT_FMUL, /* FP multiplications, likewise */
	UNIT_BRANCH,
	UNIT_LOAD,
	UNIT_STORE,
	UNIT_MEMORY, /* loads and stores alike, where they share ports */
	UNIT_SHIFT,  /* integer units that can shift, where not all can */
	UNIT_COUNT
};

struct params {
	_Alignas(8) char name[32]; /* it is copied in words of 8 bytes */
	char describe[96];

	/* caches */
	uint32_t line_bytes;
	struct cache_params l1i, l1d, l2, l3;
	uint32_t l3_kind;
	uint32_t dram_latency;
	/* From one line that a level gives to the next, in hundredths of a
	 * cycle; 0: no limit. */
	uint32_t l2_line_time, l3_line_time, dram_line_time;
	/* The same for a line that is written to L2 or to memory, and past the
	 * caches; 0: it takes no time of what is read. */
	uint32_t l2_write_time, dram_write_time, past_time;
	/* By how much longer the first store to a line that L1D had to ask for
	 * takes to leave the queue, in hundredths of a cycle. */
	uint32_t store_line_time;
	uint32_t replay; /* 0 or 1: a load of a line under way runs twice */
	/* Lines that L1D and L2 wait for at a time; 0: no limit. L2: also those
	 * that are prefetched. */
	uint32_t l1d_misses, l2_misses;
	uint32_t l1i_misses; /* the same of code; 0: one, asked for at issue */
	uint32_t snoop_latency; /* added when another core supplies the line */
	uint32_t page_map;

	/* TLBs */
	struct tlb_params itlb, dtlb, stlb;
	uint32_t stlb_latency; /* added when the STLB has the page */
	uint32_t walk_latency; /* added by a page walk */
	/* From one page that the DTLB does not have to the next, in hundredths
	 * of a cycle; 0: no limit. */
	uint32_t stlb_hit_time;
	/* By how much either is shorter for an access that misses L1D. */
	uint32_t stlb_overlap;
	/* Tables whose entries a walk reads by way of L2: 0, 1, or 2 if a host
	 * has tables for its guest. */
	uint32_t walk_reads;

	/* prefetchers */
	uint32_t pf_adjacent; /* 0 or 1: the other line of a pair, on L2 miss */
	uint32_t pf_stream;   /* 0 or 1 */
	uint32_t pf_stream_pages;
	uint32_t pf_stream_train;
	uint32_t pf_stream_degree;
	uint32_t pf_stream_cross;  /* 0 or 1: goes on into the next page */
	uint32_t pf_stream_window; /* lines from one access to the next; 0: any
				    */
	uint32_t pf_next;   /* 0 or 1: the next line into L1D, on a load miss */
	uint32_t pf_stride; /* 0 or 1: by instruction address, into L1D */
	uint32_t pf_stride_entries;
	uint32_t pf_stride_train;
	uint32_t pf_stride_degree;

	/* branches */
	uint32_t predictor;
	uint32_t base_bits;    /* log2 of the 2-bit counters */
	uint32_t history_bits; /* gshare: global; local: of each branch */
	uint32_t local_bits;   /* log2 of the local histories */
	uint32_t tage_bits;    /* log2 of the entries of each table */
	uint32_t tage_tag_bits;
	uint32_t tage_tables;
	uint32_t tage_history[PARAMS_TAGE_TABLES]; /* growing, up to 256 */
	uint32_t bias_limit; /* equal outcomes that settle a branch; 0: never */
	uint32_t bias_trust; /* the same if it never went the other way; 0: no
				difference */
	uint32_t ras_depth;
	uint32_t btb_bits; /* log2 of the entries; 0: no BTB, never misses */
	uint32_t indirect;
	uint32_t indirect_bits;
	uint32_t wrong_path; /* instructions fetched past a misprediction */

	/* pipeline */
	uint32_t clock_mhz; /* 0: not known */
	uint32_t issue_width;
	uint32_t retire_width;
	uint32_t rob, rs, lq, sq;
	uint32_t mispredict_penalty; /* from resolution to the next issue */
	uint32_t btb_penalty;
	uint32_t forward_latency;     /* store to load */
	uint32_t forward_vec_latency; /* of vectors; 0: as others */
	/* Instead of forward_latency, in hundredths of a cycle from the value
	 * that is stored; 0: by that. */
	uint32_t forward_time;
	/* Switches, 0 or 1; see docs/formats/model.md. */
	uint32_t stack_engine, fuse, rename_stores, lea_waits;
	/* Hundredths of a cycle. From one taken branch to the next, and if
	 * that is a call or a return; 0: no limit, and as another branch. From
	 * one store that leaves the queue to the next, and if it stores a
	 * vector; 0: a cycle. */
	uint32_t taken_time, call_time, commit_time, commit_vec_time;
	/* The same if it is indirect and goes elsewhere than the last time; 0:
	 * as another branch. */
	uint32_t indirect_time;
	/* The last branches, a power of two, to which taken_time applies, and
	 * the time of others; 0: to all. */
	uint32_t taken_near, taken_far_time;
	/* Bytes of code that are fetched at a time, a power of two, and
	 * hundredths of a cycle from one such block to the next in order; 0: no
	 * limit. */
	uint32_t fetch_block, block_time;
	uint32_t ports[UNIT_COUNT]; /* how many of each unit */
	uint32_t vector_loads;      /* a cycle; 0: as others */
	struct unit_params insn[INSN_CLASSES];

	/* the PMU on it */
	uint32_t counters_fixed;
	uint32_t counters;
};

struct params_error {
	unsigned line;   /* 1 is the first; 0: not about a line */
	unsigned column; /* 1 is the first byte */
	char text[128];  /* one sentence, no newline */
};

/*
 * Models that are compiled in, in a fixed order, the default first; NULL past
 * the last.
 */
const char *params_builtin_name(size_t i);

/* Text of a compiled-in model file, the default one's for NULL; NULL if there
 * is none of that name. */
const char *params_builtin_text(const char *name);

/*
 * Parse the model file @text (0-terminated). It may start from a compiled-in
 * model ("include icx"). On error returns false with *@error filled in and
 * *@params unspecified. The result is checked too, as by params_check().
 */
bool params_parse(struct params *params, const char *text,
		  struct params_error *error);

/* The compiled-in model @name (NULL: the default); false if there is none. */
bool params_builtin(struct params *params, const char *name);

/* Whether such a machine can be modelled; otherwise the sentence why not. */
bool params_check(const struct params *params, struct params_error *error);
