/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step [-w] [-n] [-s STATE] PROGRAM [ARGUMENT ...]: single-steps a program and
 * says what it executed, as the processor itself has it. The reference for the
 * simulator's exact counts: it shares no code with it, and looks only at the
 * bytes of branches and at where control went.
 *
 * An instruction that faults does not count; the program gets its signal. With
 * -w also which instructions were executed how often: "AT address times
 * iterations" for each. With -s the program starts as STATE says, which
 * start-state wrote on an engine: with that stack, and CPUID answers so. With
 * -n it finds no vDSO, as on the engines, so that it makes the system calls.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
	unsigned long ins, cond, taken, jump, call, ret, ind_jump, ind_call;
	unsigned long rep, iterations, syscalls;
};

#define MOST_PLACES 65536

struct place {
	unsigned long long at;
	unsigned long times, iterations;
};

struct places {
	int wanted;
	struct place *place;
	size_t n;
};

struct code {
	unsigned char byte[16];
	int prefixes;
	int rep;
	unsigned char opcode, second;
};

static struct code read_code(pid_t pid, unsigned long long at)
{
	struct code c = { .rep = 0 };
	int i = 0;

	for (int k = 0; k < 2; k++) {
		long word = ptrace(PTRACE_PEEKTEXT, pid,
				   (void *)(at + 8u * (unsigned)k), 0);

		memcpy(c.byte + 8 * k, &word, 8);
	}
	for (;; i++) {
		unsigned char b = c.byte[i];

		if (b == 0xf2 || b == 0xf3)
			c.rep = 1;
		else if (b != 0x66 && b != 0x67 && b != 0xf0 && b != 0x2e &&
			 b != 0x3e && b != 0x64 && b != 0x65 &&
			 (b & 0xf0) != 0x40)
			break;
	}
	c.prefixes = i;
	c.opcode = c.byte[i];
	c.second = c.byte[i + 1];
	return c;
}

/* ---- starting like a program on an engine ---- */

struct answer {
	unsigned leaf, sub, a, b, c, d;
};

/* As start-state.c writes it; the stack follows the answers. */
struct state {
	unsigned long long stack, xcr0, n;
	struct answer answers[];
};

struct start {
	struct state *state; /* NULL: as the kernel starts it */
	int no_vdso;
	char *image; /* of the stack */
	size_t length;
};

static int read_start(const char *path, struct start *s)
{
	FILE *from = fopen(path, "rb");
	char *bytes = malloc(1 << 20);
	size_t n = from && bytes ? fread(bytes, 1, 1 << 20, from) : 0;
	size_t head;

	if (from)
		fclose(from);
	s->state = (struct state *)bytes;
	if (n < sizeof(*s->state))
		return -1;
	head = sizeof(*s->state) + s->state->n * sizeof(struct answer);
	s->image = bytes + head;
	s->length = n - head;
	return n > head ? 0 : -1;
}

/* What the kernel put on the stack of @pid as auxiliary value @type. */
static unsigned long long auxiliary(pid_t pid, unsigned long long type)
{
	unsigned long long pair[2];
	char path[64];
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	from = fopen(path, "rb");
	while (from && fread(pair, sizeof(pair), 1, from) == 1)
		if (pair[0] == type) {
			fclose(from);
			return pair[1];
		}
	if (from)
		fclose(from);
	return 0;
}

/* Where the program and its linker lie is this process's own. */
static void adapt_image(pid_t pid, const struct start *s)
{
	unsigned long long *word = (unsigned long long *)s->image;
	size_t i = 1 + word[0] + 1;

	while (word[i])
		i++;
	for (i++; word[i] != AT_NULL; i += 2)
		switch (word[i]) {
		case AT_PHDR:
		case AT_PHENT:
		case AT_PHNUM:
		case AT_BASE:
		case AT_ENTRY:
			word[i + 1] = auxiliary(pid, word[i]);
		}
}

#define STACK_BYTES (1ULL << 20)

/* Let @pid make a system call, by an instruction lent to it. Its result. */
static unsigned long long lend_call(pid_t pid, unsigned long long number,
				    const unsigned long long *arguments)
{
	struct user_regs_struct kept, regs;
	long word;
	int status;

	ptrace(PTRACE_GETREGS, pid, 0, &kept);
	word = ptrace(PTRACE_PEEKTEXT, pid, (void *)kept.rip, 0);
	ptrace(PTRACE_POKETEXT, pid, (void *)kept.rip,
	       (word & ~0xffffL) | 0x050f);
	regs = kept;
	regs.rax = number;
	regs.rdi = arguments[0];
	regs.rsi = arguments[1];
	regs.rdx = arguments[2];
	regs.r10 = arguments[3];
	regs.r8 = arguments[4];
	regs.r9 = arguments[5];
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
	ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	ptrace(PTRACE_POKETEXT, pid, (void *)kept.rip, word);
	ptrace(PTRACE_SETREGS, pid, 0, &kept);
	return regs.rax;
}

/* From where on mappings are placed. */
#define MAPPINGS 0x7ffff8000000ULL

/* Let the program find no vDSO in what the kernel put on its stack. */
static void hide_vdso(pid_t pid)
{
	struct user_regs_struct regs;
	unsigned long long at;
	long word;

	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	at = regs.rsp + 8;
	for (int vector = 0; vector < 2;
	     vector++, at += 8) /* arguments, environment */
		while (ptrace(PTRACE_PEEKDATA, pid, (void *)at, 0))
			at += 8;
	while ((word = ptrace(PTRACE_PEEKDATA, pid, (void *)at, 0)) !=
	       AT_NULL) {
		if (word == AT_SYSINFO_EHDR)
			ptrace(PTRACE_POKEDATA, pid, (void *)at, AT_IGNORE);
		at += 16;
	}
}

static int give_start(pid_t pid, const struct start *s)
{
	unsigned long long sp = s->state->stack;
	unsigned long long end = (sp + s->length + 4095) & ~4095ULL;
	unsigned long long bottom = end - STACK_BYTES;
	struct user_regs_struct regs;
	char path[64];
	int memory;
	ssize_t wrote;

	adapt_image(pid, s);
	if (lend_call(pid, SYS_mmap,
		      (unsigned long long[]){
			      bottom, STACK_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			      (unsigned long long)-1, 0 }) != bottom)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_WRONLY);
	wrote = pwrite(memory, s->image, s->length, (off_t)sp);
	close(memory);
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	regs.rsp = sp;
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
	return wrote == (ssize_t)s->length ? 0 : -1;
}

/* Do what the instruction does on the engine: CPUID, XGETBV. 0: neither. */
static int answer(pid_t pid, const struct start *s, const struct code *c)
{
	const struct answer *found = NULL;
	struct user_regs_struct regs;

	if (!s->state || c->opcode != 0x0f || c->prefixes)
		return 0;
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	if (c->second == 0x01 && c->byte[2] == 0xd0) {
		regs.rax = (unsigned)s->state->xcr0;
		regs.rdx = s->state->xcr0 >> 32;
		regs.rip += 3;
	} else if (c->second == 0xa2) {
		for (size_t i = 0; i < s->state->n; i++) {
			const struct answer *a = &s->state->answers[i];

			if (a->leaf == (unsigned)regs.rax &&
			    (a->sub == (unsigned)regs.rcx || !found))
				found = a;
		}
		regs.rax = found ? found->a : 0;
		regs.rbx = found ? found->b : 0;
		regs.rcx = found ? found->c : 0;
		regs.rdx = found ? found->d : 0;
		regs.rip += 2;
	} else {
		return 0;
	}
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
	return 1;
}

/*
 * Engines place libraries above the linker and the kernel below it, and some
 * code goes by the order of addresses: let an mmap() that leaves the address
 * open have one above all others. Returns whether it was changed.
 */
static int place_mapping(pid_t pid, const struct start *s, const struct code *c,
			 const struct user_regs_struct *regs)
{
	static unsigned long long next = MAPPINGS;
	struct user_regs_struct changed = *regs;

	if (!s->state || c->opcode != 0x0f || c->second != 0x05 ||
	    regs->rax != SYS_mmap || regs->rdi || regs->r10 & MAP_FIXED)
		return 0;
	changed.rdi = next;
	next += (regs->rsi + 0x1fff) & ~0xfffULL;
	ptrace(PTRACE_SETREGS, pid, 0, &changed);
	return 1;
}

static int is_string(const struct code *c)
{
	unsigned op = c->opcode;

	return (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf);
}

/* Whether condition @code holds with flags @f (Intel SDM, appendix B.1.4). */
static int holds(unsigned code, unsigned long long f)
{
	int cf = f & 1, pf = f >> 2 & 1, zf = f >> 6 & 1, sf = f >> 7 & 1,
	    of = f >> 11 & 1;
	int value = 0;

	switch (code >> 1) {
	case 0:
		value = of;
		break;
	case 1:
		value = cf;
		break;
	case 2:
		value = zf;
		break;
	case 3:
		value = cf | zf;
		break;
	case 4:
		value = sf;
		break;
	case 5:
		value = pf;
		break;
	case 6:
		value = sf != of;
		break;
	case 7:
		value = zf | (sf != of);
		break;
	}
	return value ^ (int)(code & 1);
}

static void count_branch(struct counts *n, const struct code *c,
			 const struct user_regs_struct *before,
			 unsigned long long after)
{
	unsigned char op = c->opcode;
	unsigned reg = c->second >> 3 & 7;

	if (op >= 0x70 && op <= 0x7f) {
		n->cond++;
		n->taken += (unsigned)holds(op & 15, before->eflags);
	} else if (op == 0x0f && c->second >= 0x80 && c->second <= 0x8f) {
		n->cond++;
		n->taken += (unsigned)holds(c->second & 15, before->eflags);
	} else if (op >= 0xe0 && op <= 0xe3) {
		int count = op == 0xe3 ? before->rcx == 0 : before->rcx != 1;
		int zf = before->eflags >> 6 & 1;

		n->cond++;
		if (op == 0xe0)
			count = count && !zf;
		if (op == 0xe1)
			count = count && zf;
		n->taken += (unsigned)count;
	} else if (op == 0xeb || op == 0xe9) {
		n->jump++;
	} else if (op == 0xe8) {
		n->call++;
	} else if (op == 0xc3 || op == 0xc2) {
		n->ret++;
	} else if (op == 0xff && reg == 4) {
		n->ind_jump++;
	} else if (op == 0xff && reg == 2) {
		n->ind_call++;
	} else if (op == 0x0f && c->second == 0x05) {
		n->syscalls++;
	}
	(void)after;
}

/* A step of a rep string is one iteration; the last one leaves it. */
static void count_step(struct counts *n, const struct code *c,
		       const struct user_regs_struct *before,
		       unsigned long long after)
{
	if (c->rep && is_string(c)) {
		n->iterations += before->rcx != 0;
		if (after == before->rip)
			return;
		n->rep++;
	}
	n->ins++;
	count_branch(n, c, before, after);
}

/* Whether the last step ended in a fault instead of behind an instruction. */
static int has_faulted(int status)
{
	return WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP;
}

static void note_place(struct places *p, unsigned long long at,
		       const struct counts *before, const struct counts *now)
{
	struct place *place = p->place;

	if (!p->wanted)
		return;
	while (place < p->place + p->n && place->at != at)
		place++;
	if (place == p->place + p->n) {
		if (p->n == MOST_PLACES)
			return;
		*place = (struct place){ .at = at };
		p->n++;
	}
	place->times += now->ins - before->ins;
	place->iterations += now->iterations - before->iterations;
}

/* The instruction at @at: code does not change, and reading it takes time. */
static struct code recall_code(pid_t pid, unsigned long long at)
{
	static struct {
		unsigned long long at;
		struct code code;
	} known[65536];
	size_t i = (at ^ at >> 16) % 65536;

	if (known[i].at != at) {
		known[i].at = at;
		known[i].code = read_code(pid, at);
	}
	return known[i].code;
}

static int follow(pid_t pid, const struct start *start, struct counts *n,
		  struct places *places)
{
	struct user_regs_struct before, after;
	int status, signal = 0, placed;

	waitpid(pid, &status, 0);
	if (WIFSTOPPED(status) && start->state && give_start(pid, start)) {
		fprintf(stderr, "step: cannot start it so\n");
		kill(pid, SIGKILL);
	}
	if (WIFSTOPPED(status) && start->no_vdso)
		hide_vdso(pid);
	ptrace(PTRACE_GETREGS, pid, 0, &after);
	while (WIFSTOPPED(status)) {
		struct counts old = *n;
		struct code c;

		before = after;
		c = start->state ? recall_code(pid, before.rip)
				 : read_code(pid, before.rip);
		if (answer(pid, start, &c)) {
			n->ins++;
			ptrace(PTRACE_GETREGS, pid, 0, &after);
			continue;
		}
		placed = place_mapping(pid, start, &c, &before);
		ptrace(PTRACE_SINGLESTEP, pid, 0, signal);
		waitpid(pid, &status, 0);
		signal = has_faulted(status) ? WSTOPSIG(status) : 0;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_GETREGS, pid, 0, &after);
		if (placed) {
			after.rdi = before.rdi;
			ptrace(PTRACE_SETREGS, pid, 0, &after);
		}
		if (signal || WIFSIGNALED(status))
			continue;
		count_step(n, &c, &before,
			   WIFSTOPPED(status) ? after.rip : before.rip + 2);
		note_place(places, before.rip, &old, n);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct counts n = { 0 };
	struct places places = { .wanted = 0 };
	struct start start = { .state = NULL };
	pid_t pid;
	int status, option;

	while ((option = getopt(argc, argv, "+wns:")) != -1)
		if (option == 'w')
			places.wanted = 1;
		else if (option == 'n')
			start.no_vdso = 1;
		else if (option != 's' || read_start(optarg, &start))
			return 2;
	argv += optind;
	if (!*argv)
		return 2;
	places.place = calloc(MOST_PLACES, sizeof(*places.place));
	if (!places.place)
		return 2;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
	status = follow(pid, &start, &n, &places);
	for (size_t i = 0; i < places.n; i++)
		printf("AT %llx %lu %lu\n", places.place[i].at,
		       places.place[i].times, places.place[i].iterations);
	free(places.place);
	printf("INS %lu\nBR_COND %lu\nBR_TAKEN %lu\nBR_JUMP %lu\nBR_CALL %lu\n"
	       "BR_RET %lu\nBR_IND_JUMP %lu\nBR_IND_CALL %lu\nREP_INS %lu\n"
	       "REP_ITER %lu\nSYSCALL %lu\n",
	       n.ins, n.cond, n.taken, n.jump, n.call, n.ret, n.ind_jump,
	       n.ind_call, n.rep, n.iterations, n.syscalls);
	return status;
}
