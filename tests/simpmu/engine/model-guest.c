/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without a C library that makes a machine model work: arrays of all
 * sizes, chains of pointers, branches that are hard to predict, calls through
 * tables, recursion, more code than L1I holds, and operands of every kind. Its
 * stack is its own, so that all addresses are the same on every engine.
 */
#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>

#define BIG   (1u << 20) /* words */
#define NODES 40000u

static uint64_t big[BIG] __attribute__((aligned(4096)));
static struct node {
	struct node *next;
	uint64_t value[5];
} nodes[NODES];
static uint8_t text[2][9000] __attribute__((aligned(64)));
static char stack[1 << 18] __attribute__((aligned(4096), used));
static uint64_t segment[64];
static uint64_t random_state = 88172645463325252u;
volatile uint64_t sink;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- data ---- */

static void walk_arrays(void)
{
	uint64_t sum = 0;

	for (unsigned stride = 1; stride < 5000; stride = stride * 3 + 1)
		for (unsigned i = 0; i < BIG / 8; i += stride)
			sum += big[i]++;
	for (unsigned i = 0; i < 60000; i++)
		sum += big[next_random() % BIG];
	for (unsigned i = 0; i < 20000; i++)
		*(uint32_t *)((char *)big + next_random() % (8 * BIG - 8)) = i;
	sink += sum;
}

static void chase(void)
{
	struct node *n = nodes;

	for (unsigned i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i * 7919u + 13) % NODES];
	for (unsigned i = 0; i < 50000; i++) {
		n->value[i % 5] += i;
		n = n->next;
	}
	sink += n->value[0];
}

static void strings(void)
{
	for (unsigned n = 0; n < 9000; n += 217) {
		void *to = text[1] + n % 7, *from = text[0] + n % 13;
		uint64_t count = n < 8000 ? n : 8000, first = count;
		uint8_t found;

		__asm__ volatile("rep movsb"
				 : "+D"(to), "+S"(from), "+c"(count)
				 :
				 : "memory");
		count = first / 8;
		__asm__ volatile("std\n\trep movsq\n\tcld"
				 : "+D"(to), "+S"(from), "+c"(count)
				 :
				 : "memory");
		to = text[1];
		count = first / 4;
		__asm__ volatile("rep stosl"
				 : "+D"(to), "+c"(count)
				 : "a"(n)
				 : "memory");
		to = text[1];
		from = text[0];
		count = first + 1;
		__asm__ volatile("repe cmpsb\n\tsetz %3"
				 : "+D"(to), "+S"(from), "+c"(count),
				   "=r"(found)
				 :
				 : "memory", "cc");
		to = text[0];
		count = first + 1;
		__asm__ volatile("repne scasb\n\tlodsl\n\tstosb"
				 : "+D"(to), "+c"(count), "+S"(from)
				 : "a"(7)
				 : "memory", "cc");
		sink += found;
	}
}

/* Operands that are rare. */
static void odd_operands(void)
{
	uint64_t *at = big + 18, bit, i;

	for (i = 0; i < 3000; i++) {
		bit = next_random() % (1u << 20);
		__asm__ volatile("subq $256, %%rsp\n\t"
				 "btq %1, (%0)\n\t"
				 "btsq %1, (%0)\n\t"
				 "lock btrl %k1, 64(%0)\n\t"
				 "pushq (%0)\n\t"
				 "popq 8(%0)\n\t"
				 "pushq %%fs:8\n\t"
				 "popq 16(%%rsp)\n\t"
				 "lock xaddq %1, 24(%0)\n\t"
				 "movl %%fs:16(,%2,8), %%eax\n\t"
				 "fldt (%0)\n\t"
				 "fstpt 5(%0,%2,2)\n\t"
				 "addl $3, %%fs:0x20\n\t"
				 "leal -5(%k0), %%ecx\n\t"
				 "movl 1(%%ecx), %%ecx\n\t"
				 "cmpxchg16b 48(%0)\n\t"
				 "prefetcht0 4096(%0)\n\t"
				 "prefetcht2 8192(%0)\n\t"
				 "prefetchw 12288(%0)\n\t"
				 "movnti %%rax, 16384(%0)\n\t"
				 "enter $32, $0\n\t"
				 "leave\n\t"
				 "movabs big+800, %%rax\n\t"
				 "addq $256, %%rsp\n\t"
				 :
				 : "r"(at), "r"(bit), "r"(i % 8)
				 : "rax", "rbx", "rcx", "rdx", "memory", "cc");
		if (i % 64 == 0)
			__asm__ volatile("clflush (%0)" : : "r"(at));
		at = big + next_random() % (BIG - 200000);
		at = (uint64_t *)((uintptr_t)at & ~UINT64_C(15));
	}
}

static int has_avx2(void)
{
	unsigned a, b = 0, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2;
}

__attribute__((target("avx2"))) static void vectors(void)
{
	__m256i sum = _mm256_setzero_si256(), index;

	for (unsigned i = 0; i < 4000; i++) {
		index = _mm256_set_epi32((int)(next_random() % BIG), 5, 70, 900,
					 (int)(next_random() % BIG), 3, 2,
					 (int)i);
		sum = _mm256_add_epi32(
			sum, _mm256_i32gather_epi32((int *)big, index, 4));
		sum = _mm256_add_epi64(
			sum, _mm256_i32gather_epi64(
				     (long long *)big,
				     _mm256_castsi256_si128(index), 8));
		sum = _mm256_xor_si256(
			sum,
			_mm256_loadu_si256(
				(void *)((char *)big + next_random() % 9999)));
	}
	_mm256_storeu_si256((void *)((char *)big + 99), sum);
}

/* ---- control ---- */

static uint64_t f0(uint64_t x)
{
	return x * 3;
}
static uint64_t f1(uint64_t x)
{
	return x ^ 77;
}
static uint64_t f2(uint64_t x)
{
	return x & 1 ? x >> 1 : x + 9;
}
static uint64_t f3(uint64_t x)
{
	return x - (x >> 3);
}

static uint64_t (*const functions[])(uint64_t) = { f0, f1, f2, f3 };

static uint64_t depth(uint64_t n)
{
	return n < 2 ? n : depth(n - 1) + depth(n - 2);
}

static uint64_t branches(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < 60000; i++) {
		uint64_t r = next_random();

		if (r & 1)
			x += 3;
		if ((r & 6) == 6)
			x ^= r;
		if (i % 7 == 3)
			x = functions[r >> 20 & 3](x);
		else if (i % 11 == 5)
			x = functions[i & 3](x);
		switch (r >> 40 & 7) {
		case 0:
			x++;
			break;
		case 1:
			x *= 5;
			break;
		case 2:
			x -= r;
			break;
		case 3:
			x ^= 9;
			break;
		case 4:
			x <<= 1;
			break;
		case 5:
			x = ~x;
			break;
		case 6:
			x += i;
			break;
		default:
			x ^= x >> 5;
		}
	}
	return x + depth(17);
}

/* Code that is larger than L1I. */
#define LINES4(x)  x x x x
#define LINES64(x) LINES4(LINES4(LINES4(x)))
__attribute__((noinline)) static void much_code(void)
{
	for (int i = 0; i < 6; i++)
		__asm__ volatile(LINES64(LINES4(LINES4(
			"addl $0x11223344, %%eax\n\taddq $0x11, 64(%0)\n\t"
			"movq %%rax, %%rcx\n\tleaq 0x1234567(%%rax,%%rcx,4), "
			"%%rdx\n\taddl $0x11223344, %%ecx\n\t"
			"jmp 1f\n\t.skip 27\n1:\n\t")))
				 :
				 : "r"(big)
				 : "rax", "rcx", "rdx", "memory", "cc");
}

static void work(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(158), "D"(0x1002), "S"(segment) /* set fs */
			 : "rcx", "r11", "memory");
	walk_arrays();
	chase();
	strings();
	odd_operands();
	if (has_avx2())
		vectors();
	much_code();
	sink += branches();
	__asm__ volatile("syscall" : : "a"(231), "D"(0) : "memory");
	__builtin_unreachable();
}

__attribute__((used)) static void (*const start)(void) = work;

__asm__(".globl _start\n"
	"_start:\n"
	"	leaq stack+262128(%rip), %rsp\n"
	"	xorl %ebp, %ebp\n"
	"	call *start(%rip)\n");
