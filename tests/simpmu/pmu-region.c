/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region whose instructions are known: between the return from PAPI_start()
 * and the call of PAPI_stop() lie two moves for the arguments and N times a
 * loop of two instructions, one of them a conditional branch. Prints what was
 * counted; with "check" it compares that with the closed form.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void counted_region(int set, long n, long long *values);

__asm__(".text\n"
	".type counted_region, @function\n"
	"counted_region:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	mov %edi, %ebx\n"
	"	mov %rsi, %r12\n"
	"	mov %rdx, %r13\n"
	"	call PAPI_start@PLT\n"
	"1:	dec %r12\n"
	"	jnz 1b\n"
	"	mov %ebx, %edi\n"
	"	mov %r13, %rsi\n"
	"	call PAPI_stop@PLT\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	".size counted_region, . - counted_region\n");

/* Event, and its count as a * N + b. */
static const struct {
	const char *name;
	long a, b;
} events[] = {
	{ "PAPI_TOT_INS", 2, 2 }, { "PAPI_BR_INS", 1, 0 },
	{ "PAPI_BR_CN", 1, 0 },   { "PAPI_BR_TKN", 1, -1 },
	{ "PAPI_BR_NTK", 0, 1 },  { "PAPI_LD_INS", 0, 0 },
	{ "PAPI_SR_INS", 0, 0 },  { "PAPI_INT_INS", 1, 0 },
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static int fail(const char *what, int code)
{
	printf("%s: %s\n", what, PAPI_strerror(code));
	return 1;
}

static int show(long n, const long long *values, int check)
{
	int wrong = 0;

	printf("%ld:", n);
	for (size_t i = 0; i < EVENTS; i++) {
		printf(" %lld", values[i]);
		if (check && values[i] != events[i].a * n + events[i].b) {
			printf(" (%s should be %ld)", events[i].name,
			       events[i].a * n + events[i].b);
			wrong = 1;
		}
	}
	printf("\n");
	return wrong;
}

int main(int argc, char **argv)
{
	int check = argc > 1 && strcmp(argv[1], "check") == 0;
	long long values[EVENTS];
	int set = PAPI_NULL, wrong = 0;
	int err = PAPI_library_init(PAPI_VER_CURRENT);

	if (err != PAPI_VER_CURRENT)
		return fail("init", err);
	err = PAPI_create_eventset(&set);
	for (size_t i = 0; !err && i < EVENTS; i++)
		err = PAPI_add_named_event(set, events[i].name);
	if (err)
		return fail("add", err);
	for (long n = 1; n <= 1000000; n = n * 3 + 1) {
		counted_region(set, n, values);
		wrong |= show(n, values, check);
	}
	counted_region(set, 1000000, values);
	return wrong | show(1000000, values, check);
}
