/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflows of a region of N events with threshold T: the handler is called
 * exactly floor(N / T) times, with the address of the instruction that
 * crossed and a context that stands behind it.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

void counted_loop(int set, long n, long long *values);
extern const char loop_first[], loop_branch[], loop_after[], loop_end[];

/* Two moves at the end; between, n times dec, load, store, jnz. */
__asm__(".text\n"
	".type counted_loop, @function\n"
	"counted_loop:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	mov %edi, %ebx\n"
	"	mov %rsi, %r12\n"
	"	mov %rdx, %r13\n"
	"	call PAPI_start@PLT\n"
	"loop_first:\n"
	"	mov (%r13), %rax\n"
	"	mov %rax, (%r13)\n"
	"	dec %r12\n"
	"loop_branch:\n"
	"	jnz loop_first\n"
	"loop_after:\n"
	"	mov %ebx, %edi\n"
	"	mov %r13, %rsi\n"
	"loop_end:\n"
	"	call PAPI_stop@PLT\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	".size counted_loop, . - counted_loop\n");

struct seen {
	long calls;
	long outside;       /* addresses not in the loop */
	long off_branch;    /* addresses that are not the branch */
	long wrong_context; /* contexts that do not stand behind the address */
};

static struct seen seen;

static void on_overflow(int set, void *address, long long which, void *context)
{
	const ucontext_t *uc = context;
	const char *at = address;
	const char *pc = (const char *)uc->uc_mcontext.gregs[REG_RIP];

	(void)set;
	(void)which;
	seen.calls++;
	seen.outside += at < loop_first || at >= loop_end;
	seen.off_branch += at != loop_branch;
	seen.wrong_context += pc == at || pc < loop_first || pc > loop_end;
	if (at == loop_branch)
		seen.wrong_context += pc != loop_first && pc != loop_after;
}

static int fail(const char *what, int code)
{
	printf("%s: %s\n", what, PAPI_strerror(code));
	return 1;
}

/* @expected_n: what the event has in the loop of @n. */
static int try(const char *event, int threshold, long n, long expected_n,
	       int at_branch)
{
	int set = PAPI_NULL, code, err;
	long long values[1] = { 0 };
	long expected;

	seen = (struct seen){ 0 };
	err = PAPI_create_eventset(&set);
	if (!err)
		err = PAPI_event_name_to_code(event, &code);
	if (!err)
		err = PAPI_add_event(set, code);
	if (!err)
		err = PAPI_overflow(set, code, threshold, 0, on_overflow);
	if (err)
		return fail(event, err);
	counted_loop(set, n, values);
	expected = values[0] / threshold;
	printf("%s N=%lld T=%d: %ld calls\n", event, values[0], threshold,
	       seen.calls);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	if (values[0] == expected_n && seen.calls == expected &&
	    !seen.outside && !seen.wrong_context &&
	    !(at_branch && seen.off_branch))
		return 0;
	printf("  expected N=%ld, %ld calls; %ld outside, %ld not at the branch, %ld "
	       "with a wrong context\n",
	       expected_n, expected, seen.outside, seen.off_branch,
	       seen.wrong_context);
	return 1;
}

int main(void)
{
	int wrong = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	wrong |= try("PAPI_TOT_INS", 1000, 10000, 40002, 0);
	wrong |= try("PAPI_TOT_INS", 997, 100000, 400002, 0);
	wrong |= try("PAPI_TOT_INS", 40002, 10000, 40002, 0);
	wrong |= try("PAPI_TOT_INS", 40003, 10000, 40002, 0);
	wrong |= try("PAPI_TOT_INS", 123457, 1000000, 4000002, 0);
	wrong |= try("PAPI_BR_CN", 100, 10000, 10000, 1);
	wrong |= try("PAPI_BR_CN", 7, 700, 700, 1);
	wrong |= try("PAPI_BR_TKN", 1, 1000, 999, 1);
	wrong |= try("PAPI_BR_TKN", 99, 10000, 9999, 1);
	wrong |= try("PAPI_BR_NTK", 1, 1000, 1, 1);
	wrong |= try("PAPI_SR_INS", 331, 10000, 10000, 0);
	wrong |=
		try("sim::MEM_UOPS_RETIRED:STORE_BYTES", 1000, 10000, 80000, 0);
	return wrong;
}
