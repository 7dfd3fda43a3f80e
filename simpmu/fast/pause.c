/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of pauses; see pause.h. They begin in translated code (apart.c). */
#include "simpmu/fast/pause.h"

#include "simpmu/fast/exclude.h"
#include "simpmu/fast/sys.h"

/* mov $15, %rax; syscall: what a signal handler returns to */
static const uint8_t sigreturn[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
				     0x00, 0x00, 0x0f, 0x05 };

#define SYSCALL_BYTES 2

static bool is_sigreturn(uint64_t pc)
{
	uint8_t code[sizeof(sigreturn)];

	return !guest_copy(code, (const void *)pc, sizeof(code)) &&
	       !memcmp(code, sigreturn, sizeof(sigreturn));
}

void pause_return(struct thread *t)
{
	if (!is_sigreturn(t->pc))
		t->paused = 0;
}

void pause_sigreturn(struct thread *t)
{
	if (t->paused && t->reg[RSP] > t->paused)
		t->paused = 0;
}

void pause_look(struct thread *t)
{
	bool is_led_to;

	if (!t->paused || t->reg[RSP] <= t->paused)
		return;
	engine_lock();
	is_led_to = exclude_is_led_to(t->pc);
	engine_unlock();
	/* at a system call, t->pc is behind it */
	if (!is_led_to && !is_sigreturn(t->pc) &&
	    !is_sigreturn(t->pc - (sizeof(sigreturn) - SYSCALL_BYTES)) &&
	    !is_sigreturn(t->pc - sizeof(sigreturn)))
		t->paused = 0;
}
