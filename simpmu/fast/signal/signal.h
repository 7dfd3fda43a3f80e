/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals to the guest. The kernel delivers to the engine, on a stack of its
 * own with everything blocked; the guest gets a frame in the kernel's layout
 * on its stack, and its handler runs translated. docs/engine.md explains where
 * a signal can come and what happens then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Handlers for what is always the engine's, and for what ends a process. */
void signal_init(struct thread *t);

/* Set the kernel's mask, less SIGSEGV; ~0 blocks all but that. */
void signal_set_mask(uint64_t mask);
/* The same, and what it was. */
uint64_t signal_block_all(void);

/* Let the kernel know what the guest wants of a signal; 0 or an error. */
struct action;
int64_t signal_tell_kernel(unsigned sig, const struct action *wanted);

/* What a signal does whose action is the default. */
enum default_action {
	DEFAULT_ENDS,
	DEFAULT_STOPS,
	DEFAULT_IGNORES,
};
enum default_action signal_default(unsigned sig);

/* System calls of the guest; the result. */
int64_t signal_action(struct thread *t);
int64_t signal_mask(struct thread *t);
int64_t signal_alternate(struct thread *t);
/* Returns only if a signal came first: then the call is to be made again. */
void signal_sigreturn(struct thread *t);
