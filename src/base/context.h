/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program was when a signal came. */
#pragma once

#include <stdint.h>
#include <ucontext.h>

/* The interrupted address in @context (a ucontext_t); NULL if unknown here. */
static inline void *context_address(const void *context)
{
	const ucontext_t *uc = context;

#if defined(__x86_64__)
	return (void *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)(uintptr_t)uc->uc_mcontext.pc;
#elif defined(__powerpc64__)
	return (void *)(uintptr_t)uc->uc_mcontext.gp_regs[32];
#else
	(void)uc;
	return NULL;
#endif
}
