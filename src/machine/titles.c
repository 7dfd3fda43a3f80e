/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A constant's name is that of a part and an aspect of it ("L2_lat"), as
 * formulas have used it since the papers; here both get their words.
 */
#include "machine/titles.h"

#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"

struct words {
	const char *key;
	const char *text;
};

static const struct words whole[] = {
	{ "line_bytes", "Cache line size" },
	{ "page_bytes", "Page size" },
	{ "clock_hz", "Core clock" },
	{ "tsc_hz", "Time-stamp counter clock" },
	{ "TLB_data_lat", "Page walk for data: latency" },
	{ "TLB_ins_lat", "Page walk for instructions: latency" },
	{ "BR_lat", "Taken branch: reciprocal throughput" },
	{ "BR_128_min", "Taken branch, one of 128: reciprocal throughput" },
	{ "BR_512_min", "Taken branch, one of 512: reciprocal throughput" },
	{ "BR_2048_min", "Taken branch, one of 2,048: reciprocal throughput" },
	{ "BR_ind_min", "Indirect branch to changing targets: reciprocal "
			"throughput" },
	{ "BR_miss_lat", "Mispredicted branch: penalty" },
	{ "issue_width", "Instructions issued per cycle" },
	{ "L2_read_16", "L2 cache: read bandwidth, 16 bytes at a time" },
	{ "L2_write_16", "L2 cache: write bandwidth, 16 bytes at a time" },
	{ "bytes_stream", "Memory: read bandwidth of one core" },
	{ "bytes_one_miss_at_a_time", "Memory: bandwidth, one miss at a time" },
	{ "core_to_core_lat", "Transfer between two cores: latency" },
	{ "flops_scalar", "Peak, scalar" },
	{ "flops_scalar_fma", "Peak, scalar FMA" },
	{ "flops_sse", "Peak, 128-bit vectors" },
	{ "flops_neon", "Peak, 128-bit vectors" },
	{ "flops_neon_fma", "Peak, 128-bit FMA" },
	{ "flops_avx2", "Peak, 256-bit vectors" },
	{ "flops_avx2_fma", "Peak, 256-bit FMA" },
	{ "flops_avx512_fma", "Peak, 512-bit FMA" },
};

/* Longer endings first. */
static const struct words aspects[] = {
	{ "_write_nt", "non-temporal write bandwidth" },
	{ "_entries", "entries" },
	{ "_bytes", "size" },
	{ "_write", "write bandwidth" },
	{ "_read", "read bandwidth" },
	{ "_copy", "copy bandwidth" },
	{ "_ways", "ways" },
	{ "_sets", "sets" },
	{ "_lat", "latency" },
	{ "_min", "reciprocal throughput" },
};

static const struct words parts[] = {
	{ "latency", "Caches and memory" },
	{ "line", "Cache line" },
	{ "page", "Page size" },
	{ "L1D", "L1 data cache" },
	{ "L1D_set", "L1 data cache, one set" },
	{ "L1", "L1 data cache" },
	{ "L1I", "L1 instruction cache" },
	{ "L1I_set", "L1 instruction cache, one set" },
	{ "L2", "L2 cache" },
	{ "L3", "L3 cache" },
	{ "Mem", "Memory" },
	{ "mem", "Memory" },
	{ "DTLB", "Data TLB" },
	{ "STLB", "Second-level TLB" },
	{ "STLB_L2", "Second-level TLB, of loads from L2" },
	{ "BR", "Branch not taken" },
	{ "int_add", "Integer add" },
	{ "int_move", "Integer add and register move" },
	{ "int_mul", "Integer multiply" },
	{ "int_div", "Integer divide, 63-bit dividend" },
	{ "int_div_short", "Integer divide, 31-bit dividend" },
	{ "int_lea3", "Three-operand lea" },
	{ "int_shift", "Integer shift" },
	{ "int_popcount", "Population count" },
	{ "vec_int", "Integer-vector move" },
	{ "FP_int", "Integer-FP conversion" },
	{ "issue", "Mixed simple instructions" },
	{ "nop", "No-operation" },
	{ "vec_add", "Vector integer add" },
	{ "FP", "Floating-point add or multiply" },
	{ "FP_add", "FP add, double" },
	{ "FP_mul", "FP multiply, double" },
	{ "FP_fma", "FP multiply-add, double" },
	{ "FP_div", "FP divide, double" },
	{ "FP_div_easy", "FP divide by one, double" },
	{ "FP_sqrt", "Square root, double" },
	{ "FP_sqrt_easy", "Square root of one, double" },
	{ "FP_add_single", "FP add, single" },
	{ "FP_mul_single", "FP multiply, single" },
	{ "FP_div_single", "FP divide, single" },
	{ "FP_sqrt_single", "Square root, single" },
	{ "FP_add_sse", "FP add, 128-bit vectors" },
	{ "FP_add_neon", "FP add, 128-bit vectors" },
	{ "FP_mul_neon", "FP multiply, 128-bit vectors" },
	{ "FP_fma_neon", "FP multiply-add, 128-bit vectors" },
	{ "FP_div_neon", "FP divide, 128-bit vectors" },
	{ "FP_add_avx2", "FP add, 256-bit vectors" },
	{ "FP_mul_avx2", "FP multiply, 256-bit vectors" },
	{ "FP_fma_avx2", "FP multiply-add, 256-bit vectors" },
	{ "FP_div_avx2", "FP divide, 256-bit vectors" },
	{ "FP_fma_avx512", "FP multiply-add, 512-bit vectors" },
	{ "store_forward", "Store forwarding" },
	{ "store_forward_same", "Store forwarding, same register" },
	{ "store_forward_vec", "Store forwarding, vector" },
	{ "store_vec", "Store, 128-bit vectors" },
	{ "load_vec", "Load, 128-bit vectors" },
	{ "store", "Store" },
	{ "load_store", "Load and store, alternating" },
	{ "lock", "Locked addition" },
	{ "FP_mix", "FP add and multiply, alternating" },
	{ "code", "Four instructions and a jump" },
	{ "code_32", "The same across 32 bytes" },
	{ "code_64", "The same across 64 bytes" },
	{ "call", "Call and return" },
};

static const char *find(const struct words *words, size_t n, const char *key,
			size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i].key) == length &&
		    strncmp(words[i].key, key, length) == 0)
			return words[i].text;
	return NULL;
}

/* The aspect that @name ends with, or NULL. */
static const struct words *aspect_of(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(aspects); i++) {
		size_t n = strlen(aspects[i].key);

		if (length > n &&
		    strcmp(name + length - n, aspects[i].key) == 0)
			return &aspects[i];
	}
	return NULL;
}

char *machine_title(const char *constant)
{
	size_t length = strlen(constant);
	const char *text = find(whole, ARRAY_SIZE(whole), constant, length);
	const struct words *aspect = aspect_of(constant, length);
	const char *part = NULL;

	if (aspect)
		part = find(parts, ARRAY_SIZE(parts), constant,
			    length - strlen(aspect->key));
	if (text || !part)
		return strdup(text ? text : constant);
	return str_format("%s: %s", part, aspect->text);
}

const char *machine_part_title(const char *curve)
{
	const char *text = find(parts, ARRAY_SIZE(parts), curve, strlen(curve));

	return text ? text : curve;
}

/* Groups of constants by what they begin with, in the order shown. */
static const struct {
	const char *title;
	const char *prefixes; /* separated by blanks */
} groups[] = {
	{ "Clock and memory pages", "clock_ tsc_ page_" },
	{ "Caches",
	  "line_ L1D_ L1I_ L1_lat L2_lat L2_bytes L2_ways L2_sets L3_lat "
	  "L3_bytes Mem_lat core_" },
	{ "TLBs", "DTLB STLB TLB_" },
	{ "Branches", "BR_" },
	{ "Floating point", "FP_ flops_" },
	{ "Integers, loads and stores",
	  "int_ issue_ L1_min load_ store_ lock_" },
	{ "Bandwidth", "L1_ L2_ L3_ mem_ bytes_ Mem_" },
	{ "Others", "" },
};

static bool begins(const char *name, const char *prefixes)
{
	while (*prefixes) {
		size_t n = strcspn(prefixes, " ");

		if (strncmp(name, prefixes, n) == 0)
			return true;
		prefixes += n + strspn(prefixes + n, " ");
	}
	return false;
}

size_t machine_n_groups(void)
{
	return ARRAY_SIZE(groups);
}

size_t machine_group_of(const char *constant)
{
	for (size_t i = 0; i + 1 < ARRAY_SIZE(groups); i++)
		if (begins(constant, groups[i].prefixes))
			return i;
	return ARRAY_SIZE(groups) - 1;
}

const char *machine_group_title(size_t group)
{
	return groups[group].title;
}
