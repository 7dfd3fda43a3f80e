/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of the guest, and the engine's lock.
 *
 * The base of %gs is the thread's struct: translated code counts there, with
 * neither a register nor an atomic operation. While the thread is in the
 * cache, its registers are the processor's; else they are here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/fast/layout.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/model/tally.h"

enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11
};

#define SIGNALS 65 /* 1 to 64 */

/* As the kernel has it. */
struct action {
	uint64_t handler; /* 0: default, 1: ignored */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

/* Where a thread outside the cache is, for a signal that comes. */
enum place {
	IN_ENGINE,
	IN_SYSCALL,  /* in guest_syscall() for the guest */
	IN_DELIVERY, /* nothing but a queued signal is waited for */
};

#define INFO_BYTES    128
#define ENGINE_STACK  65536
#define HANDLER_STACK 65536
#define THREAD_TRAPS  8

struct thread {
	uint64_t reg[16];
	uint64_t flags;
	uint64_t pc;
	uint64_t spill[3];
	uint64_t target;
	uint64_t exit;
	uint64_t stack_top;
	struct thread *self;
	uint64_t pending; /* signal that waits for a place to be delivered */
	uint64_t held;    /* register whose place the log has taken */
	uint64_t log;     /* where its next record goes */
	uint64_t paused;  /* see pause.h */
	int64_t left[THREAD_TRAPS]; /* see trap/trap.h */

	/* the engine has chosen where it enters the cache, or it is there */
	uint32_t is_inside;

	struct thread *next;
	unsigned number; /* as the PMU layer knows it, from 1 */
	unsigned parent; /* of which thread it was made */
	int32_t kernel_tid;
	bool is_vfork;   /* another process in the same memory */
	char passed[32]; /* an option for the next exec; "": none */

	/* signals */
	enum place place;
	bool stepping;         /* to a clean point, with TF */
	bool leaving;          /* its code was changed: step out of it */
	uint64_t pending_mask; /* kernel's mask when it came */
	uint8_t pending_info[INFO_BYTES];
	uint64_t segv_blocked; /* the guest's bit; the kernel's is never set */
	uint64_t alt_start, alt_bytes; /* the guest's alternate stack */
	uint32_t alt_flags;            /* as it was set */
	uint64_t handler_stack;        /* the engine's own alternate stack */
	uint64_t resume;               /* where rt_sigreturn goes on */
	struct action *actions; /* SIGNALS of them, shared by a process */
	uint64_t first_mask;    /* of a new thread, until it runs */
	bool has_first_mask;

	/* traps */
	uint32_t armed;       /* those that are, as bits */
	uint64_t stepped;     /* the instruction that is run alone; 0: none */
	uint64_t stepped_rcx; /* rcx before it */

	struct modelled modelled;

	/* counts besides those of counters: parts of blocks */
	int64_t adjust[TALLY_ARCH_COUNT];
	/* of counters that a flush took; written by others than the thread */
	uint64_t flushed[TALLY_ARCH_COUNT];

	_Alignas(64) uint8_t stack[ENGINE_STACK];
	_Alignas(4096) uint64_t count[MAX_COUNTERS];
};

_Static_assert(offsetof(struct thread, flags) == T_FLAGS, "layout.h");
_Static_assert(offsetof(struct thread, pc) == T_PC, "layout.h");
_Static_assert(offsetof(struct thread, spill) == T_SPILL0, "layout.h");
_Static_assert(offsetof(struct thread, target) == T_TARGET, "layout.h");
_Static_assert(offsetof(struct thread, exit) == T_EXIT, "layout.h");
_Static_assert(offsetof(struct thread, stack_top) == T_STACK, "layout.h");
_Static_assert(offsetof(struct thread, self) == T_SELF, "layout.h");
_Static_assert(offsetof(struct thread, pending) == T_PENDING, "layout.h");
_Static_assert(offsetof(struct thread, held) == T_HELD, "layout.h");
_Static_assert(offsetof(struct thread, log) == T_LOG, "layout.h");
_Static_assert(offsetof(struct thread, left) == T_LEFT, "layout.h");
_Static_assert(offsetof(struct thread, paused) == T_PAUSED, "layout.h");

static inline struct thread *thread_self(void)
{
	struct thread *t;

	__asm__ volatile("movq %%gs:%c1, %0" : "=r"(t) : "i"(T_SELF));
	return t;
}

/* All threads, newest first; the lock guards the list. */
extern struct thread *threads;

/* A struct for a new thread; NULL if there are too many. */
struct thread *thread_new(void);
/* Make @t the calling thread: gs, alternate stack, kernel's number. */
void thread_adopt(struct thread *t);
/* Add @t to the list. */
void thread_add(struct thread *t);
/* Its last instruction has run: keep its counts, forget it. */
void thread_end(struct thread *t);
/* In the child of a fork by @t: no other is left. */
void thread_forget_others(struct thread *t);
struct thread *thread_numbered(unsigned number);

/*
 * One lock for all that translations are made of: blocks, counters, the code
 * cache, pages, the list of threads. Not to be taken by a signal handler,
 * unless it interrupted translated code.
 */
void engine_lock(void);
void engine_unlock(void);
