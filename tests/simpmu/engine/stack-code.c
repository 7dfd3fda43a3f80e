/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs code on a stack that may be executed, as trampolines of nested functions
 * are, which is written anew beside what else the stack holds. Linked to have
 * such a stack, or given the word "ask": asks for it, as the C library does for
 * a library that needs one. With any word it does so in a thread as well.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GROWS_DOWN 0x01000000 /* PROT_GROWSDOWN */
#define ROUNDS     300

typedef unsigned function(unsigned, unsigned);

static unsigned call(const unsigned char *at, unsigned a, unsigned b)
{
	function *f;

	memcpy(&f, &at, sizeof(f));
	__asm__ volatile("" : : "r"(at) : "memory"); /* all is written */
	return f(a, b);
}

/* The same place says something else each time. */
static unsigned constant(unsigned value)
{
	unsigned char code[32] = { 0xb8, 0, 0, 0, 0, 0xc3 }; /* mov eax; ret */

	memcpy(code + 1, &value, sizeof(value));
	return call(code, 0, 0);
}

/* Only what is jumped to changes, and with it whether flags are read there. */
static unsigned flags(unsigned round)
{
	static const unsigned char reads[] = { 0x0f, 0x92, 0xc0, 0x0f,
					       0xb6, 0xc0, 0xc3 };
	/* setb al; movzx eax, al; ret */
	static const unsigned char writes[] = { 0x31, 0xc0, 0xff, 0xc0,
						0xff, 0xc0, 0xc3 };
	/* xor eax, eax; inc eax; inc eax; ret */
	unsigned char code[64] = { 0x39, 0xf7, 0xeb, 28 }; /* cmp; jmp */

	memcpy(code + 32, round % 2 ? reads : writes, sizeof(reads));
	return call(code, round % 3, 1);
}

/* Writes the constant of its next instruction. */
static unsigned modifies(unsigned round)
{
	unsigned char code[32] = {
		0x89, 0x3d, 1, 0, 0, 0, /* mov [rip + 1], edi */
		0xb8, 0,    0, 0, 0,    /* mov eax, ... */
		0xc3,
	};

	return call(code, round, 0);
}

/* The kernel writes it. */
static unsigned received(unsigned round, const int pipe_ends[2])
{
	unsigned char code[32], sent[6] = { 0xb8, 0, 0, 0, 0, 0xc3 };

	memcpy(sent + 1, &round, sizeof(round));
	if (write(pipe_ends[1], sent, sizeof(sent)) != sizeof(sent) ||
	    read(pipe_ends[0], code, sizeof(code)) != sizeof(sent))
		return 0;
	return call(code, 0, 0);
}

static volatile unsigned handled;

static void handle(int number)
{
	handled += constant((unsigned)number);
}

/* Other addresses, other neighbours. */
static unsigned deep(unsigned depth, unsigned round, const int pipe_ends[2])
{
	volatile unsigned char room[48];

	room[round % 48] = (unsigned char)depth;
	if (depth)
		return deep(depth - 1, round, pipe_ends) + room[round % 48];
	return constant(round) * 3 + flags(round) * 5 + modifies(round) * 7 +
	       received(round, pipe_ends) * 11;
}

/* @how: whether to ask, and to send signals, which who single-steps does not
 * count right. */
struct how {
	bool asks, sends;
};

static void *work(void *given)
{
	const struct how *how = given;
	char here;
	uintptr_t page = (uintptr_t)&here & ~(uintptr_t)4095;
	unsigned sum = 0;
	int pipe_ends[2];

	if (how->asks)
		mprotect((void *)(page - 8192), 12288,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
	if (pipe(pipe_ends))
		return NULL;
	for (unsigned round = 0; round < ROUNDS; round++) {
		sum = sum * 31 + deep(round % 9, round, pipe_ends);
		if (how->sends && round % 100 == 0)
			raise(SIGUSR1);
	}
	printf("%u %u\n", sum, handled);
	return NULL;
}

int main(int argc, char **argv)
{
	char here;
	uintptr_t page = (uintptr_t)&here & ~(uintptr_t)4095;
	struct how how = { .sends = argc > 1 };
	bool asks = argc > 1 && strcmp(argv[1], "ask") == 0;
	pthread_t thread;

	signal(SIGUSR1, handle);
	if (asks && mprotect((void *)page, 4096,
			     PROT_READ | PROT_WRITE | PROT_EXEC | GROWS_DOWN)) {
		puts("no stack can be executed here");
		return 0;
	}
	work(&how);
	if (argc == 1)
		return 0;
	how.asks = asks;
	if (pthread_create(&thread, NULL, work, &how))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
