/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflows of events that only the model knows: floor(N / T) calls, each with
 * the address of the one instruction that can have caused it. And whatever
 * overflows, how often: what the program does to the modelled machine stays
 * the same to the last count, since a handler that does nothing leaves no
 * trace. Cycles alone may differ, by less than a hundredth: the pipeline
 * model takes a block in two where it is interrupted.
 */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#define BYTES (8L << 20)

void counted_walk(int set, long n, long long *values, char *buffer);
extern const char walk_start[], walk_miss[], walk_guess[], walk_end[];

/*
 * n times: a load that hits, one a page and a line further that misses, one
 * that hits, and a branch that nobody can predict.
 */
__asm__(".text\n"
	".type counted_walk, @function\n"
	"counted_walk:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %edi, %ebx\n"
	"	mov %rsi, %r12\n"
	"	mov %rdx, %r13\n"
	"	mov %rcx, %r14\n"
	"	xor %r15d, %r15d\n"
	"	call PAPI_start@PLT\n"
	"walk_start:\n"
	"	mov $88172645463325252, %rdx\n"
	"walk_first:\n"
	"	mov (%r13), %rax\n"
	"walk_miss:\n"
	"	mov (%r14,%r15), %rax\n"
	"	mov 8(%r13), %rcx\n"
	"	add $4160, %r15\n"
	"	and $8388607, %r15\n"
	"	mov %rdx, %rcx\n"
	"	shl $13, %rcx\n"
	"	xor %rcx, %rdx\n"
	"	mov %rdx, %rcx\n"
	"	shr $7, %rcx\n"
	"	xor %rcx, %rdx\n"
	"	mov %rdx, %rcx\n"
	"	shl $17, %rcx\n"
	"	xor %rcx, %rdx\n"
	"	test $64, %dl\n"
	"walk_guess:\n"
	"	jz 1f\n"
	"	nop\n"
	"1:	dec %r12\n"
	"	jnz walk_first\n"
	"	mov %ebx, %edi\n"
	"	mov %r13, %rsi\n"
	"walk_end:\n"
	"	call PAPI_stop@PLT\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	".size counted_walk, . - counted_walk\n");

static const char *const events[] = {
	"PAPI_L1_LDM",  "PAPI_TLB_DM",
	"PAPI_BR_MSP",  "PAPI_TOT_INS",
	"PAPI_L1_ICM",  "PAPI_L2_DCM",
	"PAPI_L3_TCM",  "sim::DRAM:LINES",
	"PAPI_BR_PRC",  "sim::BR_INST_EXEC:WRONG_PATH_COND",
	"PAPI_TOT_CYC", /* the last, and not always */
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static struct {
	const char *place; /* where all should be, or NULL */
	long calls, elsewhere, outside;
} seen;

static char *buffer;

static void on_overflow(int set, void *address, long long which, void *context)
{
	const char *at = address;

	(void)set;
	(void)which;
	(void)context;
	seen.calls++;
	seen.elsewhere += seen.place && at != seen.place;
	seen.outside += at >= walk_end || at < walk_start;
}

/* A cold walk of @n, with an overflow every @threshold if that is not 0. */
static int walk(size_t which, int threshold, long n, size_t count,
		long long *values)
{
	static long long counted[EVENTS]; /* always in the same lines */
	int set = PAPI_NULL, code, err = PAPI_create_eventset(&set);

	seen.calls = seen.elsewhere = seen.outside = 0;
	for (size_t i = 0; !err && i < count; i++)
		err = PAPI_add_named_event(set, events[i]);
	if (!err)
		err = PAPI_event_name_to_code(events[which], &code);
	if (!err && threshold)
		err = PAPI_overflow(set, code, threshold, 0, on_overflow);
	if (err) {
		printf("%s: %s\n", events[which], PAPI_strerror(err));
		return 1;
	}
	/* once more: the set that is counted first makes the model */
	for (int i = 0; i < 2; i++) {
		seen.calls = seen.elsewhere = seen.outside = 0;
		assay_make_cold();
		counted_walk(set, n, counted, buffer);
	}
	memcpy(values, counted, sizeof(counted));
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return 0;
}

static int is_same(size_t event, long long a, long long b)
{
	if (event == EVENTS - 1)
		return llabs(a - b) * 100 <= a;
	return a == b;
}

static int try(size_t which, int threshold, long n, int cycles)
{
	size_t count = cycles ? EVENTS : EVENTS - 1;
	long long plain[EVENTS], values[EVENTS];
	int wrong;

	seen.place = which < 2 ? walk_miss : which == 2 ? walk_guess : NULL;
	if (walk(which, INT32_MAX, n, count, plain) ||
	    walk(which, threshold, n, count, values))
		return 1;
	/* the values' own line misses once; the loop's branch is learnt */
	wrong = seen.calls != values[which] / threshold || seen.outside ||
		seen.elsewhere > (which == 2 ? 8 : 1);
	printf("%s N=%lld T=%d: %ld calls, %ld elsewhere, %ld outside%s\n",
	       events[which], values[which], threshold, seen.calls,
	       seen.elsewhere, seen.outside, wrong ? " WRONG" : "");
	for (size_t i = 0; i < count; i++)
		if (!is_same(i, plain[i], values[i])) {
			printf("  %s: %lld, not %lld\n", events[i], values[i],
			       plain[i]);
			wrong = 1;
		}
	return wrong;
}

int main(void)
{
	int wrong = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	buffer = aligned_alloc(4096, BYTES);
	if (!buffer)
		return 1;
	for (long i = 0; i < BYTES; i += 64)
		buffer[i] = 1;
	for (int cycles = 0; cycles < 2; cycles++) {
		wrong |= try(0, 1, 500, cycles);
		wrong |= try(0, 97, 20000, cycles);
		wrong |= try(1, 7, 3000, cycles);
		wrong |= try(2, 3, 3000, cycles);
		wrong |= try(2, 101, 20000, cycles);
		wrong |= try(3, 997, 20000, cycles);
		wrong |= try(3, 100003, 20000, cycles);
	}
	wrong |= try(0, 100003, 210000, 0); /* of blocks, not instructions */
	wrong |= try(EVENTS - 1, 1009, 20000, 1);
	free(buffer);
	return wrong;
}
