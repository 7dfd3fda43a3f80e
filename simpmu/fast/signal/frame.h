/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's signal frame, and the guest's made of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

enum {
	CONTEXT_RIP = 16,
	CONTEXT_FLAGS = 17,
	CONTEXT_ERROR = 19
};

/* struct ucontext, as the kernel lays it out on x86-64. */
struct context {
	uint64_t flags, link;
	uint64_t stack_start;
	uint32_t stack_flags, unused;
	uint64_t stack_bytes;
	uint64_t reg[23];
	uint64_t fpstate;
	uint64_t reserved[8];
	uint64_t mask;
};

/* Registers of the guest from a context, and where register @i is there. */
void frame_take_registers(struct thread *t, const struct context *c);
unsigned frame_register(unsigned i);

/* Whether the guest is on its alternate stack; the kernel takes what is left
 * by itself (STACK_LEAVES) for another. */
#define STACK_ON       1u
#define STACK_DISABLED 2u
#define STACK_LEAVES   0x80000000u /* SS_AUTODISARM */
bool frame_is_on_alternate(const struct thread *t);

/*
 * Make the frame of @sig for the guest, whose state is in *@t, and let *@t be
 * at its handler. @c is the kernel's frame, @mask the guest's before; c->mask
 * becomes the handler's. False if the guest's stack cannot be written, or the
 * alternate one has too little room.
 */
bool frame_make(struct thread *t, int sig, const uint8_t *info,
		struct context *c, uint64_t mask);
