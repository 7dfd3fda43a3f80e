/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults [die|divide]: faults whose result nobody uses, and what a handler sees
 * of the registers. Prints the same natively and simulated.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>

static sigjmp_buf back;
static unsigned long seen[3];

static void on_fault(int number, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)number;
	(void)info;
	seen[0] = (unsigned long)c->uc_mcontext.gregs[REG_RAX];
	seen[1] = (unsigned long)c->uc_mcontext.gregs[REG_RBX];
	seen[2] = (unsigned long)c->uc_mcontext.gregs[REG_RDX];
	siglongjmp(back, 1);
}

/* A probe: the value is overwritten before anybody looks at it. */
static void try_load(const void *at)
{
	__asm__ volatile("mov	(%0), %%rax\n"
			 "mov	$7, %%eax\n"
			 "nop\n"
			 "nop\n"
			 :
			 : "r"(at)
			 : "rax");
}

static int is_readable(const void *at)
{
	if (sigsetjmp(back, 1))
		return 0;
	try_load(at);
	return 1;
}

static void try_divide(void)
{
	__asm__ volatile("mov	$1, %%eax\n"
			 "mov	$2, %%ebx\n"
			 "xor	%%edx, %%edx\n"
			 "xor	%%ecx, %%ecx\n"
			 "div	%%ecx\n"
			 "mov	$9, %%eax\n"
			 "mov	$10, %%ebx\n"
			 "mov	$11, %%edx\n" ::
				 : "rax", "rbx", "rcx", "rdx");
}

static void load_between(const void *at)
{
	__asm__ volatile("mov	$1, %%eax\n"
			 "mov	$2, %%ebx\n"
			 "add	$5, %%eax\n"
			 "xor	%%edx, %%edx\n"
			 "mov	(%0), %%rcx\n"
			 "mov	$9, %%eax\n"
			 "mov	$10, %%ebx\n"
			 "mov	$11, %%edx\n"
			 :
			 : "r"(at)
			 : "rax", "rbx", "rcx", "rdx");
}

static void show_registers(const char *what)
{
	printf("%s: %lu %lu %lu\n", what, seen[0], seen[1], seen[2]);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_sigaction = on_fault,
					  .sa_flags = SA_SIGINFO };
	const struct rlimit no_core = { 0, 0 };
	const void *const nowhere = (const void *)8;

	setrlimit(RLIMIT_CORE, &no_core);
	if (argc > 1 && strcmp(argv[1], "die") == 0)
		try_load(nowhere);
	if (argc > 1 && strcmp(argv[1], "divide") == 0)
		try_divide();
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	printf("readable: %d %d\n", is_readable(nowhere), is_readable(seen));
	if (!sigsetjmp(back, 1))
		load_between(nowhere);
	show_registers("load");
	if (!sigsetjmp(back, 1))
		try_divide();
	show_registers("divide");
	return 0;
}
