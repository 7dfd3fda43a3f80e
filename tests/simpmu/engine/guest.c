/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without a C library, made of everything that is easy to miscount
 * when code is translated: rep strings of all lengths, locked instructions,
 * branches whose condition is constant, whose target is the next instruction
 * or themselves, chains of conditions, jump tables, recursion. Small enough
 * to be single-stepped.
 */
#include <stdint.h>

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static void sort(uint32_t *v, int n)
{
	for (int i = 1; i < n; i++) {
		uint32_t x = v[i];
		int k = i - 1;

		while (k >= 0 && v[k] > x) {
			v[k + 1] = v[k];
			k--;
		}
		v[k + 1] = x;
	}
}

static int chain(uint32_t a, uint32_t b, uint32_t c)
{
	int hits = 0;

	if (a > 100 && b < 7000000 && c != 3 && (a ^ b) & 1)
		hits++;
	if (a < 50 || b > 16000000 || c == 5 || (a & b & c))
		hits += 2;
	return hits;
}

static int dispatch(uint32_t x)
{
	switch (x & 7) {
	case 0:
		return 11;
	case 1:
		return (int)x * 3;
	case 2:
		return (int)(x >> 3);
	case 3:
		return -5;
	case 4:
		return (int)(x ^ 77);
	case 5:
		return 9;
	case 6:
		return (int)x + 1;
	default:
		return 0;
	}
}

static int recurse(int n)
{
	return n < 2 ? n : recurse(n - 1) + recurse(n - 2);
}

char source[600], target[600];

static void strings(unsigned n)
{
	const char *from = source;
	char *to = target;
	uint64_t count = n;

	__asm__ volatile("rep movsb"
			 : "+S"(from), "+D"(to), "+c"(count)::"memory");
	to = target;
	count = n / 8;
	__asm__ volatile("rep stosq"
			 : "+D"(to), "+c"(count)
			 : "a"(0x4141414141414141)
			 : "memory");
	to = target;
	count = n;
	__asm__ volatile("repne scasb"
			 : "+D"(to), "+c"(count)
			 : "a"(0)
			 : "cc", "memory");
	from = source;
	to = target;
	count = n;
	__asm__ volatile("repe cmpsb"
			 : "+S"(from), "+D"(to), "+c"(count)::"cc", "memory");
}

/* The count is known when the code is translated. */
static void constant_strings(void)
{
	__asm__ volatile("lea source(%%rip), %%rsi\n"
			 "lea target(%%rip), %%rdi\n"
			 "mov $5, %%ecx\n"
			 "rep movsb\n"
			 "xor %%ecx, %%ecx\n"
			 "rep movsb\n"
			 "mov $3, %%ecx\n"
			 "rep stosb\n"
			 "movsb\n"
			 "stosq\n"
			 "lodsl\n" ::
				 : "rax", "rcx", "rsi", "rdi", "memory");
}

static void branches(void)
{
	__asm__ volatile(
		/* constant conditions */
		"xor %%eax, %%eax\n"
		"jz 1f\n"
		"nop\n"
		"1: jnz 2f\n"
		"2: mov $77, %%ecx\n"
		"3: loop 3b\n"
		"mov $4, %%ecx\n"
		"4: dec %%ecx\n"
		"jnz 4b\n"
		/* to the next instruction, taken and not, even and odd */
		"test %%eax, %%eax\n"
		"jz 5f\n"
		"5: jnz 6f\n"
		"6: cmp $1, %%eax\n"
		"jb 7f\n"
		"7: jae 8f\n"
		"8: jo 9f\n"
		"9: jno 10f\n"
		"10: jrcxz 11f\n"
		"nop\n"
		"11: mov $1, %%ecx\n"
		"jrcxz 12f\n"
		"12: loopne 13f\n"
		"13: mov $3, %%ecx\n"
		"14: test %%ecx, %%ecx\n"
		"loopne 14b\n"
		"jmp 15f\n"
		"15: lea 16f(%%rip), %%rax\n"
		"jmp *%%rax\n"
		"nop\n"
		"16:\n" ::
			: "rax", "rcx", "cc");
}

static void locked(uint64_t *word)
{
	__asm__ volatile("lock xaddq %%rax, (%0)\n"
			 "lock incq (%0)\n"
			 "mov $1, %%eax\n"
			 "lock cmpxchgq %%rcx, (%0)\n"
			 "xchg %%rcx, (%0)\n"
			 "lock btsq $3, (%0)\n"
			 "bts %%rcx, %%rax\n" ::"r"(word)
			 : "rax", "rcx", "cc", "memory");
}

static double floats(int n)
{
	double sum = 0.5;
	float single = 1.25f;

	for (int i = 1; i < n; i++) {
		sum += 1.0 / i;
		single = single * 0.5f + (float)i;
		__asm__ volatile("fld1\n"
				 "fadd %%st(0), %%st(0)\n"
				 "fsqrt\n"
				 "fstp %%st(0)\n" ::
					 : "st");
	}
	return sum + (double)single;
}

static int work(void)
{
	uint32_t v[64];
	uint64_t word = 1;
	int sum = 0;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 64; i++)
			v[i] = next_random();
		sort(v, 64);
		for (int i = 0; i < 60; i++) {
			sum += chain(v[i], v[i + 1], v[i + 2] & 7);
			sum += dispatch(v[i]);
		}
		sum += recurse(9 + round);
		branches();
		constant_strings();
		locked(&word);
	}
	for (unsigned n = 0; n < 20; n++)
		strings(n * n);
	return sum + (int)floats(30) + (int)word;
}

__attribute__((noreturn, used)) static void start_here(void)
{
	int status = work() & 1;

	__asm__ volatile("syscall" ::"a"(60), "D"(status & 0) : "rcx", "r11");
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	"_start: and $-16, %rsp\n"
	"call start_here\n");
