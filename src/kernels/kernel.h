/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Micro-benchmarks whose counts are known beforehand.
 *
 * A kernel knows nothing of counters: it prepares what it needs in memory that
 * it is given, and then runs its body a number of times. What one time costs
 * stands beside it as data, concept by concept, so validation, classification
 * and the simulator's tests all use the same numbers.
 *
 * A kernel is added in the file of its kind: a row in that file's table. All
 * files' tables are listed in kernels.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event may count: the rows of concepts.def. */
enum concept {
#define CONCEPT(name, family, symbol, text) CONCEPT_##name,
#include "kernels/concepts.def"
#undef CONCEPT
	CONCEPT_COUNT
};

enum family {
	FAMILY_INS,
	FAMILY_CYCLE,
	FAMILY_KIND, /* instructions that are none of the kinds below */
	FAMILY_BRANCH,
	FAMILY_ACCESS, /* instructions that access memory */
	FAMILY_FP,
	FAMILY_INT,
	FAMILY_CACHE,
	FAMILY_EVICT,
	FAMILY_PREFETCH,
	FAMILY_CODE,
	FAMILY_TLB,
	FAMILY_ITLB,
	FAMILY_SYSTEM,
	FAMILY_SHARE,
	FAMILY_WRONG_PATH, /* what is executed and does not retire */
	FAMILY_BYTES,      /* of instructions */
	FAMILY_SPENT,      /* cycles, by what they are spent on */
	FAMILY_GPU,        /* instructions of a GPU */
	FAMILY_GPU_MEMORY, /* what these ask of its memory */
	FAMILY_COUNT
};

struct concept_info {
	const char *name;   /* "BR_COND" */
	const char *symbol; /* "CR" */
	const char *text;   /* "conditional branches retired" */
	enum family family;
};

extern const struct concept_info concepts[CONCEPT_COUNT];

/* A sum of concepts that has a name of its own, as "all branches". */
struct composite_term {
	enum concept concept;
	double weight;
};

struct composite {
	const char *name;                   /* "BR_ALL" */
	const char *text;                   /* "branches of any kind" */
	const struct composite_term *terms; /* ends where the weight is 0 */
};

extern const struct composite composites[];
extern const size_t composites_n;

/*
 * The parts of a machine that counts of caches and TLBs depend on. 0: not
 * known. A level that the machine lacks has size 1 and no ways.
 */
struct kernel_cache {
	uint64_t bytes;
	unsigned ways;
	unsigned latency; /* cycles from a load to what needs it */
};

struct kernel_tlb {
	unsigned entries;
	unsigned ways;
};

struct kernel_machine {
	unsigned line_bytes;
	unsigned page_bytes;
	struct kernel_cache l1i, l1d, l2, l3;
	bool l3_is_victim; /* holds what left L2, not a copy of it */
	bool pairs; /* a miss of L2 brings the other line of its pair, too */
	bool lru;   /* the least recently used is replaced; false: who knows */
	bool in_order; /* physical pages lie in the order of virtual ones */
	bool l1_alone; /* a miss of L1D brings that line only; false: who
			  knows */
	bool waits;    /* nothing is run before it is known where a branch goes
			*/
	struct kernel_tlb itlb, dtlb, stlb;
	unsigned history; /* the longest loop whose end is predicted; 0: none */
	unsigned ras;     /* entries of the return stack */
};

/* The parameters of a run. Those that a kernel does not use are 0. */
struct kernel_point {
	uint64_t times;           /* the body is run so often */
	uint64_t footprint;       /* bytes of memory or code touched */
	uint32_t unit;            /* bytes from one element to the next */
	uint32_t offset;          /* blocks by which each pass starts later */
	uint32_t pages_per_block; /* pages within which order is random */
	uint32_t k;               /* one in k; depth; targets; trip count */
};

/* Points as they are gathered: those beyond @capacity are left out. */
struct kernel_points {
	struct kernel_point *items;
	size_t n, capacity;
};

/* Which parameters besides times a kernel uses, and must be given. */
enum kernel_uses {
	USES_FOOTPRINT = 1 << 0,
	USES_UNIT = 1 << 1,
	USES_OFFSET = 1 << 2,
	USES_PAGES = 1 << 3,
	USES_K = 1 << 4,
};

/*
 * What does not stay in the first level of caches and TLBs. Of other kernels
 * it is known that they miss nothing: all but the hits of that level is 0.
 */
enum kernel_large {
	LARGE_DATA = 1 << 0,
	LARGE_CODE = 1 << 1,
};

/* What a kernel needs of the processor, checked where it is to run. */
enum kernel_needs {
	NEEDS_AVX = 1 << 0,
	NEEDS_AVX2 = 1 << 1,
	NEEDS_FMA = 1 << 2,
	NEEDS_AVX512 = 1 << 3,
	NEEDS_POPCNT = 1 << 4,
	NEEDS_THREADS = 1 << 5, /* a second thread */
	NEEDS_GPU = 1 << 6,     /* an NVIDIA GPU, and kernels built for it */
};

/*
 * What a kernel spends its cycles on, where that is one thing. From this follow
 * shares of its cycles, not counts: spent.c has them.
 */
enum kernel_bound {
	BOUND_UNKNOWN,
	BOUND_ISSUE, /* as fast as instructions issue */
	BOUND_ALU,   /* an integer unit that is never idle */
	BOUND_FPU,   /* floating-point units that are never idle */
	BOUND_JUMP,  /* the branch unit */
	BOUND_LOAD,  /* the units that load */
	BOUND_STORE, /* stores, which are done one by one */
	BOUND_INT,   /* integer results that are awaited for long */
	BOUND_FP,    /* floating-point results that are */
	BOUND_L1,    /* loads that wait for other loads, by what serves them */
	BOUND_L2,
	BOUND_L3,
	BOUND_DRAM,
	BOUND_WRITE_L1, /* the same with stores among them, which may wait, too
			 */
	BOUND_WRITE_L2,
	BOUND_WRITE_L3,
	BOUND_WRITE_DRAM,
	BOUND_FETCH, /* code that has to be fetched from afar */
	BOUND_MISP,  /* mispredictions */
	BOUND_COUNT
};

/*
 * Code that runs while counters do lies together, in less than a quarter of a
 * page: so a kernel that fills a set of a cache for instructions knows where
 * no such code is, however the rest of the program is laid out.
 */
#define KERNEL_NEAR __attribute__((section(".text.hot.counted"), noinline))

/* A kernel that is set up. */
struct kernel_run {
	struct kernel_point point;
	void *memory;   /* at least kernel_memory() bytes, on a page boundary */
	void *cursor;   /* where a chase stands */
	uint64_t state; /* the kernel's own */
	unsigned variant; /* as struct kernel has it */
	/* Set by prepare: why it could not be set up; static. NULL: it was */
	const char *failed;
};

/* One line of an expectation: what one time adds. */
struct kernel_term {
	enum concept concept;
	double per_iteration;
	double sd; /* of one time, where chance decides; else 0 */
};
#define KERNEL_TERMS  32
#define KERNEL_VALUES 8 /* that a parameter is given */

/*
 * Terms of a kernel's row, which only points to them: most are zeros, and what
 * holds pointers is written at each start of the command.
 */
#define EXPECT(...)                                                            \
	(const struct kernel_term[KERNEL_TERMS])                               \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

/* What a kernel is for, besides telling events apart. */
enum kernel_role {
	ROLE_ANY,
	ROLE_PAPER,    /* one of the 2018 paper's seven (Figure 11), over which
			  its Equation 1 is a product */
	ROLE_HELD_OUT, /* formulas are tried on it and never built from it: it
			  does what others do, in another mix */
	ROLE_VALIDATE, /* counted by assay validate; else only if asked for */
	ROLE_FIGURE,   /* of one figure or table; else only if asked for */
};

struct kernel {
	const char *name; /* "branch/1" */
	const char *text; /* one line */
	enum kernel_role role;
	unsigned uses;  /* enum kernel_uses */
	unsigned needs; /* enum kernel_needs */
	unsigned large; /* enum kernel_large */
	/*
	 * Its state after a run is the one that the next run begins with (a
	 * chase stands where it stood, the caches hold the same): it is warmed
	 * up once and then counted again and again. Others are set up anew.
	 */
	bool steady;
	/*
	 * Count it so often before its count is taken: then the lines of code
	 * are there and predictors know what comes.
	 */
	unsigned rehearse;
	bool zero; /* it may be run no times: what then counts is overhead */
	/* Its function in the object code, whose loop is a time; NULL: it is
	 * not that simple. */
	const char *code;
	unsigned sled; /* so many times in each turn of that loop; 0: one */

	/* Bytes of memory needed; NULL: none. */
	size_t (*memory)(const struct kernel_point *point);
	unsigned variant; /* which of those that share functions */
	/* Set up, and warm up if steady. NULL: nothing to do. */
	void (*prepare)(struct kernel_run *run);
	/* The body, point.times times. */
	void (*run)(struct kernel_run *run);
	void (*release)(struct kernel_run *run); /* NULL: nothing to do */

	/*
	 * What one time adds; rows of zeros say nothing, a NaN that it is not
	 * known. Families of which a concept is listed are stated as a whole,
	 * and so are those in the bit mask @none: nothing of them.
	 */
	const struct kernel_term *expect; /* EXPECT(...); NULL: nothing */
	unsigned none;                    /* 1u << FAMILY_... */
	/* The same where it depends on parameters and machine; may be NULL.
	 * It writes over what @expect said. */
	void (*predict)(const struct kernel_point *point,
			const struct kernel_machine *machine,
			struct kernel_term *terms);
	enum kernel_bound bound;
	/* The same where it depends on parameters; may be NULL. */
	enum kernel_bound (*bound_at)(const struct kernel_point *point,
				      const struct kernel_machine *machine);
	/*
	 * Where it is worth running: so often, each with every @k, up to the
	 * first 0. None: at several lengths.
	 */
	uint64_t times[KERNEL_VALUES];
	uint32_t k[KERNEL_VALUES];
	/* The same where it depends on the machine; may be NULL. */
	void (*points)(const struct kernel_machine *machine,
		       struct kernel_points *to);
};

/* All kernels, in the order of their kinds. */
size_t kernels_count(void);
const struct kernel *kernels_get(size_t i);
const struct kernel *kernels_find(const char *name); /* NULL: none */

/*
 * The kernels that run on a GPU, "gpu/...". They are found by name, but are
 * not among the others: a CPU's events say nothing of them, nor theirs of it.
 */
size_t kernels_gpu_count(void);
const struct kernel *kernels_gpu_get(size_t i);

/*
 * Kernels of other programs ("cat/...") are found by name, too, for what was
 * counted elsewhere while they ran. They have no run function.
 */

/*
 * What one time is expected to add to each concept and, where chance decides,
 * its standard deviation; @sd may be NULL. NaN: the kernel does not state it.
 */
void kernel_expect(const struct kernel *kernel,
		   const struct kernel_point *point,
		   const struct kernel_machine *machine,
		   double expect[CONCEPT_COUNT], double sd[CONCEPT_COUNT]);

/* What a kernel spends its cycles on at @point. */
enum kernel_bound kernel_bound(const struct kernel *kernel,
			       const struct kernel_point *point,
			       const struct kernel_machine *machine);

/*
 * Which share of its cycles a kernel that is bound by @bound spends on
 * @concept: from *@low to *@high. False if that is not known.
 */
bool kernel_spends(enum kernel_bound bound, enum concept concept, double *low,
		   double *high);

/*
 * Points at which a kernel is worth running on @machine: several lengths, or
 * several footprints around and between the sizes of its parts. At most
 * @capacity; returns how many.
 */
size_t kernel_points(const struct kernel *kernel,
		     const struct kernel_machine *machine,
		     struct kernel_point *points, size_t capacity);

/* Which of @needs this processor lacks; 0: none. */
unsigned kernel_lacks(unsigned needs);

/*
 * What the loop of a function is made of, counted in the object code when it
 * was built: instructions that load, store, and so on.
 */
struct kernel_code {
	const char *name; /* of the function */
	unsigned instructions, loads, stores, fp, sqrt, branches, bytes;
};

/* Ends with a row without a name. Made by scripts/count-code. */
extern const struct kernel_code kernel_codes[];

/* Set up @run, whose point and memory are given; see run->failed. */
void kernel_prepare(const struct kernel *kernel, struct kernel_run *run);

/* Bytes of memory that a run at @point needs. */
size_t kernel_memory(const struct kernel *kernel,
		     const struct kernel_point *point);
