/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways between the engine, translated code and the kernel. The labels are
 * what signal handling tells a program counter by: see docs/engine.md.
 */
#include "simpmu/fast/layout.h"

	.text
	.globl	_start
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	leaq	boot_stack_end(%rip), %rsp	/* the other is to be the guest's */
	call	fast_main
	ud2

/* rt_sigreturn comes here with the guest's registers as they were. */
	.globl	resume_entry
resume_entry:
	movl	$EXIT_RESUME, %gs:T_EXIT
/* Translated code comes here with T_EXIT set; no flag may change before they
 * are kept. */
	.globl	leave_cache
leave_cache:
	movq	%rax, %gs:T_REG+0x00
	movq	%rcx, %gs:T_REG+0x08
	movq	%rdx, %gs:T_REG+0x10
	movq	%rbx, %gs:T_REG+0x18
	movq	%rsp, %gs:T_REG+0x20
	movq	%rbp, %gs:T_REG+0x28
	movq	%rsi, %gs:T_REG+0x30
	movq	%rdi, %gs:T_REG+0x38
	movq	%r8, %gs:T_REG+0x40
	movq	%r9, %gs:T_REG+0x48
	movq	%r10, %gs:T_REG+0x50
	movq	%r11, %gs:T_REG+0x58
	movq	%r12, %gs:T_REG+0x60
	movq	%r13, %gs:T_REG+0x68
	movq	%r14, %gs:T_REG+0x70
	movq	%r15, %gs:T_REG+0x78
	movq	%gs:T_STACK, %rsp
	pushfq
	popq	%gs:T_FLAGS
	andl	$~0x100, %gs:T_FLAGS	/* TF is the engine's */
	pushq	$0x202			/* no DF, no AC, no TF */
	popfq
	movq	%gs:T_SELF, %rdi
	call	dispatch
	jmp	enter_cache

/* Go on with the guest state in struct thread, at its T_PC. */
	.globl	redispatch
redispatch:
	movq	%gs:T_STACK, %rsp
	cld
	movq	%gs:T_SELF, %rdi
	call	dispatch_again

/* A signal within these lines finds all guest state in struct thread. */
	.globl	enter_cache
enter_cache:
	cmpq	$0, %gs:T_PENDING
	jne	enter_pending
	movq	%gs:T_STACK, %rsp
	pushq	%gs:T_FLAGS
	popfq
	movq	%gs:T_REG+0x00, %rax
	movq	%gs:T_REG+0x08, %rcx
	movq	%gs:T_REG+0x10, %rdx
	movq	%gs:T_REG+0x18, %rbx
	movq	%gs:T_REG+0x28, %rbp
	movq	%gs:T_REG+0x30, %rsi
	movq	%gs:T_REG+0x38, %rdi
	movq	%gs:T_REG+0x40, %r8
	movq	%gs:T_REG+0x48, %r9
	movq	%gs:T_REG+0x50, %r10
	movq	%gs:T_REG+0x58, %r11
	movq	%gs:T_REG+0x60, %r12
	movq	%gs:T_REG+0x68, %r13
	movq	%gs:T_REG+0x70, %r14
	movq	%gs:T_REG+0x78, %r15
	movq	%gs:T_REG+0x20, %rsp
	.globl	enter_jump
enter_jump:
	jmp	*%gs:T_TARGET
	.globl	enter_cache_end
enter_cache_end:

enter_pending:
	movq	%gs:T_STACK, %rsp
	movq	%gs:T_SELF, %rdi
	call	signal_deliver
	jmp	redispatch

/* No thunk knows the target of an indirect branch, which is in rcx; rax and
 * rcx are spilled. */
	.globl	indirect_miss
indirect_miss:
	movq	%rcx, %gs:T_PC
	movq	%gs:T_SPILL1, %rax
	movq	%gs:T_SPILL0, %rcx
	movl	$EXIT_INDIRECT, %gs:T_EXIT
	jmp	leave_cache

/* The same for an instruction that is run alone. */
	.globl	indirect_stepped
indirect_stepped:
	movq	%rcx, %gs:T_PC
	movq	%gs:T_SPILL1, %rax
	movq	%gs:T_SPILL0, %rcx
	movl	$EXIT_STEPPED, %gs:T_EXIT
	jmp	leave_cache

/* int64_t guest_syscall(const uint64_t *reg): as the guest has its registers.
 * A signal between the two labels comes before the call, one at the second
 * label plus 2 after it. */
	.globl	guest_syscall
guest_syscall:
	pushq	%rbx
	movq	%rdi, %rbx
	.globl	syscall_check
syscall_check:
	cmpq	$0, %gs:T_PENDING
	jne	1f
	movq	0x00(%rbx), %rax
	movq	0x38(%rbx), %rdi
	movq	0x30(%rbx), %rsi
	movq	0x10(%rbx), %rdx
	movq	0x50(%rbx), %r10
	movq	0x40(%rbx), %r8
	movq	0x48(%rbx), %r9
	.globl	syscall_insn
syscall_insn:
	syscall
	popq	%rbx
	ret
1:	movq	$SYSCALL_AGAIN, %rax
	popq	%rbx
	ret

/* int64_t thread_clone(flags, stack, ptid, ctid, tls): the new thread finds
 * its struct thread on its stack. */
	.globl	thread_clone
thread_clone:
	movq	%rcx, %r10
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:	popq	%rdi
	xorl	%ebp, %ebp
	pushq	%rdi
	call	thread_begin
	jmp	redispatch

/* int64_t publisher_clone(flags, stack, void (*function)(void)): a process in
 * this memory, which runs @function and nothing else. */
	.globl	publisher_clone
publisher_clone:
	movq	%rdx, %r9
	xorl	%edx, %edx
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:	xorl	%ebp, %ebp
	call	*%r9
	ud2

/* The kernel's way into every handler: flags may be the guest's, AC too. */
	.globl	signal_entry
signal_entry:
	pushq	$2
	popfq
	jmp	signal_handle
	.globl	signal_restorer
signal_restorer:
	movl	$15, %eax
	syscall

/* void signal_return(void *frame): rt_sigreturn from the guest's frame. */
	.globl	signal_return
signal_return:
	movq	%rdi, %rsp
	movl	$15, %eax
	syscall
	ud2

/* int guest_copy(void *to, const void *from, size_t n): -1 at a fault. */
	.globl	guest_copy
guest_copy:
	movq	%rdx, %rcx
	.globl	guest_copy_insn
guest_copy_insn:
	rep movsb
	xorl	%eax, %eax
	ret
	.globl	guest_copy_fault
guest_copy_fault:
	movl	$-1, %eax
	ret

/* void call_with_fpu(void (*function)(void *), void *context): keeps what the
 * guest has in x87 and SSE registers; @function uses SSE2 at most. */
	.globl	call_with_fpu
call_with_fpu:
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$528, %rsp
	andq	$-16, %rsp
	fxsave64 (%rsp)
	movl	$0x1f80, 512(%rsp)
	ldmxcsr	512(%rsp)
	movq	%rdi, %rax
	movq	%rsi, %rdi
	call	*%rax
	fxrstor64 (%rsp)
	movq	%rbp, %rsp
	popq	%rbp
	ret

	.bss
	.balign	16
	.skip	0x40000
boot_stack_end:

	.section .note.GNU-stack,"",@progbits
