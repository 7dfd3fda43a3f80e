/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the library and the simulator share.
 *
 * There are two ways in. A program that runs under the simulator makes client
 * requests (struct wire_open and so on). A program outside, such as the
 * command, shares memory with the simulators of its children: struct
 * wire_control in a file, whose name each simulator is told as an option. The
 * library writes what to count into it; simulators write the counts at safe
 * points, so that they outlive a process that is killed.
 *
 * The events and their numbers are the rows of events.def.
 */
#pragma once

#include <stdint.h>

#define WIRE_VERSION 7

/* Largest numbers of things. */
enum {
	WIRE_EVENTS = 64,      /* in a set */
	WIRE_SETS = 8,         /* in a control file */
	WIRE_PROCESSES = 4096, /* counted at the same time */
	WIRE_TRAPS = 8,        /* events that interrupt or are sampled */
	WIRE_THREADS = 2048    /* told apart */
};

/* On which counters an event can be put: one bit for each counter. */
enum {
	WIRE_PROGRAMMABLE = 16, /* bits 0 to 15 */
	WIRE_FIXED_MAX = 4      /* bits 16 to 19 */
};
#define WIRE_ANY       0xffffu
#define WIRE_LOW       0xfu
#define WIRE_ONLY(n)   (1u << (n))
#define WIRE_FIX(n)    (1u << (WIRE_PROGRAMMABLE + (n)))
#define WIRE_EITHER(n) (WIRE_ANY | WIRE_FIX(n))

/* Results of requests: 0, or one of these. The values are PAPI's. */
enum wire_error {
	WIRE_EINVAL = -1,
	WIRE_ENOMEM = -2,
	WIRE_ENOEVNT = -7,
	WIRE_ECNFLCT = -8,
	WIRE_ENOTRUN = -9,
	WIRE_EISRUN = -10,
	WIRE_ENOEVST = -11,
	WIRE_ENOSUPP = -18
};

/* One event's count; as struct count of the core. */
struct wire_count {
	uint64_t value;
	uint64_t enabled_ns; /* simulated: one for each cycle, or for each
				instruction where cycles are not modelled */
	uint64_t running_ns;
	double variance;
};

/*
 * Client requests, made by the sequence that Valgrind recognises, which
 * natively does nothing. Word 0 of the six-word block is the request, words 1
 * to 5 are its arguments; the result is 0 or positive, or a wire_error.
 */
enum wire_request {
	WIRE_HELLO = ('S' << 24) | ('P' << 16), /* struct wire_hello * */
	WIRE_DESCRIBE, /* number of an event, struct wire_event * */
	WIRE_OPEN,     /* struct wire_open *; the result is a set's number */
	WIRE_CLOSE,    /* set */
	WIRE_START,    /* set, struct wire_count * */
	WIRE_READ,     /* set, struct wire_count * */
	WIRE_STOP,     /* set, struct wire_count * */
	WIRE_TAKE,     /* set, struct wire_overflow *; 1 if there was one */
	WIRE_TRUTH,    /* set, uint64_t *: what multiplexing would have to
			  estimate; for tests */
	WIRE_EXCLUDE,  /* first, after the last: code that does not count,
			  nor what it calls */
	WIRE_COLD,     /* empty caches and TLBs, predictors that know nothing */
	WIRE_KEEP,     /* keep what the machine is like; 1 if that was done */
	WIRE_BRING_BACK, /* and let it be like that again; so is this */
	WIRE_PARAMS, /* struct params *, its size: which machine is modelled */
	WIRE_CENSUS  /* struct wire_census *; 1 if there is any memory of it */
};

#define WIRE_MAGIC 0x6c75706du /* result of WIRE_HELLO */

struct wire_hello {
	uint32_t version; /* in: WIRE_VERSION of the library */
	uint32_t events;  /* how many there are */
	uint32_t programmable;
	uint32_t fixed;
	uint32_t unlimited; /* counters were asked to be without limit */
	uint32_t blind;     /* names are hidden behind codes */
	uint32_t line_bytes;
	char model[32];
};

struct wire_event {
	char name[64];
	char text[160];
	uint32_t counters; /* WIRE_ANY and so on */
};

enum wire_flags {
	WIRE_INHERIT = 1 << 0,    /* threads and children count with it */
	WIRE_MULTIPLEX = 1 << 1,  /* more events than counters: take turns */
	WIRE_ON_EXEC = 1 << 2,    /* begin when the process calls exec */
	WIRE_RECORD = 1 << 3,     /* from outside: write samples to a file */
	WIRE_STACKS = 1 << 4,     /* ... with the stack, to be unwound */
	WIRE_PER_THREAD = 1 << 5, /* tell what each thread counted */
	WIRE_SHARED = 1 << 6 /* one counter serves all such sets that count the
				same event on a thread */
};

struct wire_open {
	uint32_t n;
	uint32_t flags;
	int32_t tid;       /* whom to count; 0: the calling thread */
	int32_t signal;    /* sent at an overflow */
	uint64_t slice_ns; /* length of a turn; 0: the default */
	uint32_t events[WIRE_EVENTS];
	uint64_t thresholds[WIRE_EVENTS]; /* 0: no overflow */
	char why[160];                    /* out: the sentence if it fails */
};

/* An overflow that waits to be handled. */
struct wire_overflow {
	uint64_t which;   /* bit i: event i of the set */
	uint64_t address; /* of the instruction that crossed the threshold */
};

/*
 * The control file. Fields are written by one side only, as marked. Numbers
 * that both sides look at are written and read with atomic operations.
 */
enum wire_set_state {
	WIRE_FREE,
	WIRE_STOPPED,
	WIRE_RUNNING
};

/* A set: what to count. Written by who made it, but for the last. */
struct wire_set {
	uint32_t state; /* left WIRE_FREE by compare-and-swap */
	uint32_t flags;
	int32_t tid; /* thread or process */
	uint32_t n;
	/* The process outside that took it, and as long as it lives has a lock
	   on the byte WIRE_SET_LOCKS + its number; 0: a simulator has. */
	int32_t holder;
	uint32_t unused;
	uint64_t slice_ns;
	uint64_t serial; /* tells a new set in this place from the one before */
	uint32_t events[WIRE_EVENTS];
	uint64_t thresholds[WIRE_EVENTS]; /* of WIRE_RECORD; 0: no samples */
	/* Processes that ended: simulators add to it when they leave. */
	struct wire_count ended[WIRE_EVENTS];
};

enum wire_slot_flags {
	WIRE_LEAVES = 1 << 0, /* it goes on as a program that is not simulated,
				 or its simulator has failed */
	WIRE_ANSWERS = 1 << 1 /* something publishes from beside it, or will in
				 a moment */
};

/*
 * A process under a simulator: whether its place below is taken. As long as it
 * lives it holds a lock (fcntl's F_SETLK) on byte WIRE_LOCKS + its number of
 * the control file, which also tells its process id to other PID namespaces.
 */
struct wire_slot {
	int32_t pid;    /* as it knows it; 0: free; by compare-and-swap */
	uint32_t poked; /* the last poke that was answered */
	uint32_t flags; /* enum wire_slot_flags */
	uint32_t execs; /* it execs, and hands on its slot's number */
};

/*
 * Something publishes for it from beside it, or is about to begin: also if it
 * was killed since, for so long.
 */
#define WIRE_PROMISE_MS 300u
static inline int wire_is_promised(const struct wire_slot *slot)
{
	return !__atomic_load_n(&slot->execs, __ATOMIC_ACQUIRE) &&
	       (__atomic_load_n(&slot->flags, __ATOMIC_ACQUIRE) &
		(WIRE_ANSWERS | WIRE_LEAVES)) == WIRE_ANSWERS;
}

#define WIRE_LOCKS INT64_C(0x4000000000)
/*
 * An engine that publishes from beside the process, also after its end, holds
 * the byte WIRE_PROCESSES further on meanwhile. It waits for changes of
 * wire_control.poke by futex.
 */

/* Of sets, by the open file (F_OFD_SETLK). */
#define WIRE_SET_LOCKS (WIRE_LOCKS + 2 * WIRE_PROCESSES)

/* What it has counted. Memory of the file is there once the slot is taken. */
struct wire_process {
	uint32_t sequence; /* odd while counts are being written */
	uint32_t members;  /* at exec: sets that the new program goes on with */
	uint64_t serials[WIRE_SETS];
	struct wire_count counts[WIRE_SETS][WIRE_EVENTS];
};

/*
 * What a thread has counted since it was last told of, if the set asks for it:
 * at its end, at an exec, or at the end of its process. Several of one thread
 * add up.
 */
struct wire_thread {
	int32_t pid;
	int32_t tid;
	uint32_t is_whole; /* all of it is written */
	uint32_t unused;
	uint64_t serial; /* of the set */
	struct wire_count counts[WIRE_EVENTS];
};

/* Why a program ran without the simulator: nothing of it is counted. */
enum wire_aside {
	WIRE_ASIDE_CLASS,  /* not a 64-bit x86 program */
	WIRE_ASIDE_SETUID, /* it runs with another user's rights */
	WIRE_ASIDE_UNREAD, /* it can be executed, but not read */
	WIRE_ASIDE_REACH,  /* the simulator is out of reach: after chroot, or
			      after rights were given up */
	WIRE_ASIDE_KINDS
};

/* What is missing in the sets of a program whose children count with it. */
struct wire_census {
	uint32_t killed; /* children, before they had told all */
	uint32_t lost;   /* processes that had no room */
	uint32_t aside[WIRE_ASIDE_KINDS];
};

/* What executes programs on the simulated PMU. */
enum wire_engine {
	WIRE_ENGINE_VALGRIND,
	WIRE_ENGINE_FAST,
	WIRE_ENGINES
};

/* What may make counts differ from run to run; bits. */
enum wire_varies {
	WIRE_VARIES_THREADS = 1 << 0,
	WIRE_VARIES_PROCESSES = 1 << 1,
	WIRE_VARIES_RANDOM = 1 << 2, /* random numbers of the system's */
	WIRE_VARIES_CLOCK = 1 << 3,
	WIRE_VARIES_IDS = 1 << 4, /* of processes and threads */
	WIRE_VARIES_NETWORK = 1 << 5,
	WIRE_VARIES_SECCOMP = 1 << 6, /* system calls are forbidden, which may
					 end the simulator */
	WIRE_VARIES_ADDRESSES = 1 << 7,
	WIRE_VARIES_SYSTEM = 1 << 8, /* read in /proc */
	/* threads of a modelled machine ran at the same time: what they take
	   from each other, and so cycles, cannot be told */
	WIRE_VARIES_PARALLEL = 1 << 9
};

/*
 * Where nobody outside made the file, the first simulator does: memory without
 * a name, which others find among the files that the process has open.
 */
#define WIRE_MEMORY "simpmu" /* as memfd_create() calls it */

enum {
	WIRE_MACHINE_BYTES = 2048 /* at least those of struct params */
};

/* Passed at an exec: the slot, and above these bits the number of the file. */
#define WIRE_SLOT_BITS 12

/* What the clock of samples counts: cycles where they are modelled. */
enum wire_clock {
	WIRE_CLOCK_UNKNOWN, /* there was no sample yet */
	WIRE_CLOCK_INSTRUCTIONS,
	WIRE_CLOCK_CYCLES
};

struct wire_control {
	uint32_t magic;   /* WIRE_MAGIC; who made it */
	uint32_t version; /* who made it */
	uint32_t poke;    /* library: raised to have everything seen and
			     published soon */
	uint32_t leaving; /* simulators: processes that began to leave ... */
	uint32_t left;    /* ... and that have left */
	uint32_t started; /* programs that simulators began */
	/* Children that were forked, and those that have come to a place since:
	   one in between has none yet, and its parent may be gone. */
	uint32_t forked, arrived;
	uint32_t lost;         /* processes for which there was no room */
	uint32_t lost_samples; /* simulators: that could not be written */
	uint32_t told;         /* places of threads that were taken; more than
				  WIRE_THREADS: as many less were told of */
	uint32_t failed;       /* simulators: that failed */
	uint32_t varies;       /* simulators: enum wire_varies */
	uint32_t aside[WIRE_ASIDE_KINDS]; /* programs, by why */
	uint32_t first_aside; /* 1 + why the first program is among them */
	char why[160];        /* of the first failure */
	uint32_t engines[WIRE_ENGINES]; /* programs that each was chosen for */
	char engine_why[160];           /* why not the fast one; of the first */
	/* Who made it: which machine is modelled, and whether it has counters
	   without limit. */
	uint32_t unlimited;
	/* The clock of samples: what all programs of the file have executed
	   up to their last samples, in the unit of the first of them. */
	uint32_t clock_unit; /* enum wire_clock */
	uint64_t clock;
	uint64_t machine[WIRE_MACHINE_BYTES / 8];
	struct wire_set sets[WIRE_SETS];
	struct wire_slot slots[WIRE_PROCESSES];
	/* The file has memory up to here from the beginning; the rest is
	   allocated as it is needed. */
	struct wire_process processes[WIRE_PROCESSES];
	struct wire_thread threads[WIRE_THREADS];
};

/*
 * The file of samples, beside the control file: its name with ".samples"
 * behind, made by the library and appended to by simulators. A chunk is
 * written at once, so that those of several processes do not mix; in it are
 * records of one process, in the order of time. All have a multiple of 8
 * bytes.
 */
#define WIRE_SAMPLES_SUFFIX ".samples"
#define WIRE_CHUNK_MAGIC    0x6b6e6863u

struct wire_chunk {
	uint32_t magic;
	uint32_t bytes; /* of its records, without this */
	int32_t pid;
	uint32_t unused;
};

enum wire_record_kind {
	WIRE_REC_BEGIN,  /* struct wire_record, text: a program's file begins,
			    or the copy that a fork made */
	WIRE_REC_MAP,    /* struct wire_map, text: the file; "" for none */
	WIRE_REC_SAMPLE, /* struct wire_sample, bytes of the stack */
	WIRE_REC_TAKEN   /* struct wire_taken */
};

struct wire_record {
	uint32_t kind;
	uint32_t bytes; /* all of it, with padding */
};

/* Before the samples that need it; it hides older ones where they overlap. */
struct wire_map {
	struct wire_record head;
	uint64_t start, end; /* end is behind the last byte */
	uint64_t offset;     /* in the file */
};

/* A line that cores took from each other; told when a process ends. */
struct wire_taken {
	struct wire_record head;
	uint64_t line;    /* its address */
	uint64_t bytes;   /* its length */
	uint64_t address; /* in it, that was accessed */
	uint64_t pc;      /* by the instruction here */
	uint64_t count;   /* so many times */
};

/* Registers as DWARF numbers them; the last is the program counter. */
#define WIRE_REGISTERS 17

struct wire_sample {
	struct wire_record head;
	uint32_t set;
	uint32_t event; /* of the set */
	int32_t tid;
	uint32_t stack_bytes;
	uint64_t address; /* of the instruction that crossed the threshold */
	uint64_t time;    /* of the clock in struct wire_control */
	/*
	 * Only with WIRE_STACKS: the state when the thread stopped behind it,
	 * and the stack from the stack pointer (register 7) up.
	 */
	uint64_t registers[WIRE_REGISTERS];
};
