/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz-code FIRST N [TIMES]: executes random bytes, N times, each in a child of
 * its own, and prints a line about how that ended: the signal, where, and a
 * hash of registers and memory. The same bytes give the same lines on any
 * engine. With TIMES each child runs its bytes so many times, so that an engine
 * that treats code that runs often in another way can be seen to; the last
 * counts.
 *
 * Bytes that would be system calls, that tell the time or the processor, that
 * the fast engine refuses (gs, far branches), that reach the C library's memory
 * (fs), or that leave flags undefined are replaced by others: undefined flags
 * may be what they were, and the engine does not keep those.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CODE_BYTES 4096
#define DATA_BYTES 65536
#define DATA       ((uint8_t *)0x200000000000)

/* Low as most code is, or far from everything, as that of JIT compilers. */
static uint8_t *const places[] = { (uint8_t *)0x10000000,
				   (uint8_t *)0x300000000000 };
static uint8_t *code;

static uint64_t state, data_state;
static uint64_t times = 1;
static sigjmp_buf again;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t hash(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3;
	return h;
}

static void tell(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	const greg_t *r = c->uc_mcontext.gregs;
	uint64_t h = 0xcbf29ce484222325;
	char line[160];
	int n;

	if (sig == SIGALRM || sig == SIGVTALRM)
		_exit(99); /* it would go on for ever */
	if (--times)
		siglongjmp(again, 1);
	h = hash(h, r, sizeof(*r) * REG_RIP);
	h = hash(h, c->uc_mcontext.fpregs->_xmm,
		 sizeof(c->uc_mcontext.fpregs->_xmm));
	h = hash(h, DATA, DATA_BYTES);
	/* no flags: where nothing reads them any more, they are not kept */
	n = snprintf(line, sizeof(line),
		     "signal %d code %d at %llx address %llx hash %llx\n", sig,
		     info->si_code, (unsigned long long)r[REG_RIP],
		     (unsigned long long)(uintptr_t)info->si_addr,
		     (unsigned long long)h);
	if (write(1, line, (size_t)n) != n)
		_exit(1);
	_exit(0);
}

static int is_unwanted(const uint8_t *p)
{
	if (p[0] == 0x65 || p[0] == 0x64 || p[0] == 0x69 || p[0] == 0x6b ||
	    (p[0] & 0xfe) == 0xc0 || (p[0] & 0xfc) == 0xd0 || p[0] == 0xcd ||
	    p[0] == 0xca || p[0] == 0xcb || p[0] == 0xcf || p[0] == 0xf1)
		return 1;
	if (p[0] == 0xd9 || p[0] == 0xdd) /* tells where x87 code is */
		return p[1] < 0xc0 && (p[1] >> 3 & 7) == 6;
	if ((p[0] & 0xfe) == 0xf6)
		return p[1] >> 5 & 1; /* mul, div */
	if (p[0] == 0xff)
		return (p[1] >> 3 & 7) == 3 || (p[1] >> 3 & 7) == 5;
	if (p[0] == 0xc7)
		return p[1] == 0xf8;
	if (p[0] == 0x8e || p[0] == 0x9d) /* segments, flags */
		return 1;
	if (p[0] == 0x66) /* processors differ in what branches do then */
		return p[1] >> 4 == 7 || p[1] >> 4 == 0xe ||
		       p[1] >> 1 == 0x61 || p[1] == 0x0f || p[1] == 0x66;
	return p[0] == 0x0f &&
	       (p[1] == 0x01 || p[1] == 0x05 || p[1] == 0x31 || p[1] == 0x33 ||
		p[1] == 0x34 || p[1] == 0xa2 || p[1] == 0xae || p[1] == 0xc7 ||
		p[1] == 0xa1 || p[1] == 0xa9 || p[1] == 0x0d ||
		(p[1] >> 4 == 0xa && p[1] != 0xa0 && p[1] != 0xa8) ||
		p[1] == 0xb3 || (p[1] >= 0xb8 && p[1] <= 0xbd));
}

static void make_code(uint64_t seed)
{
	code = places[seed & 1];
	state = seed * 0x9e3779b97f4a7c15 + 1;
	for (size_t i = 0; i < CODE_BYTES; i += 8) {
		uint64_t word = draw();

		memcpy(code + i, &word, 8);
	}
	code[CODE_BYTES - 1] = 0xcc;
	for (size_t i = CODE_BYTES - 1; i-- > 0;)
		while (is_unwanted(code + i))
			code[i] = (uint8_t)draw();
	/* what was replaced may have made another pair */
	for (size_t i = CODE_BYTES - 1; i-- > 0;)
		if (is_unwanted(code + i))
			code[i] = 0x90;
	data_state = state;
}

static void make_data(void)
{
	state = data_state;
	for (size_t i = 0; i < DATA_BYTES; i += 8) {
		uint64_t word = draw() & 3
					? (uint64_t)DATA + draw() % DATA_BYTES
					: draw() >> 33;

		memcpy(DATA + i, &word, 8);
	}
}

static void handle_all(void)
{
	static uint8_t stack[65536];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	static const int signals[] = { SIGILL,  SIGSEGV, SIGBUS,   SIGFPE,
				       SIGTRAP, SIGALRM, SIGVTALRM };
	struct sigaction action = { .sa_sigaction = tell,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* All registers point into the data, but for rcx, which counts; the vectors'
 * are not to have what the C library left there, such as addresses. */
static void run(void)
{
	const struct itimerval limit = { .it_value = { 0, 300000 } };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	__asm__ volatile("mov %1, %%r15\n\tmov %0, %%rsp\n\t"
			 ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,"
			 "13, 14, 15\n\tpxor %%xmm\\n, %%xmm\\n\n\t.endr\n\t"
			 "mov %%rsp, %%rax\n\tmov $40, %%ecx\n\t"
			 "lea 64(%%rsp), %%rdx\n\tlea 8(%%rsp), %%rbx\n\t"
			 "lea 256(%%rsp), %%rbp\n\tlea -512(%%rsp), %%rsi\n\t"
			 "lea 1024(%%rsp), %%rdi\n\tmov $3, %%r8d\n\t"
			 "mov $-1, %%r9\n\tlea 16(%%rsp), %%r10\n\t"
			 "mov %%rsp, %%r11\n\tmov $1, %%r12d\n\t"
			 "lea 24(%%rsp), %%r13\n\tmov %%rsp, %%r14\n\t"
			 "cmp %%eax, %%eax\n\t"
			 "jmp *%%r15\n\t"
			 :
			 : "r"(DATA + DATA_BYTES / 2), "m"(code)
			 : "memory");
}

static void play(uint64_t seed)
{
	make_code(seed);
	mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC);
	handle_all();
	sigsetjmp(again, 1);
	make_data();
	run();
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	times = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	for (int i = 0; i < 2; i++)
		if (mmap(places[i], CODE_BYTES,
			 PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1,
			 0) == MAP_FAILED)
			return 1;
	if (mmap(DATA, DATA_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0) ==
	    MAP_FAILED)
		return 1;
	setrlimit(RLIMIT_CORE, &(const struct rlimit){ 0, 0 });
	for (uint64_t seed = first; seed < first + n; seed++) {
		int status;

		printf("%llu ", (unsigned long long)seed);
		fflush(stdout);
		if (fork() == 0)
			play(seed);
		wait(&status);
		if (status)
			printf("status %x\n", status);
	}
	return 0;
}
