/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step [-w] PROGRAM [ARGUMENT ...]: single-steps a program and says what it
 * executed, as the processor itself has it. The reference for the simulator's
 * exact counts: it shares no code with it, and looks only at the bytes of
 * branches and at where control went.
 *
 * An instruction that faults does not count; the program gets its signal. With
 * -w also which instructions were executed how often: "AT address times
 * iterations" for each.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
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

static int follow(pid_t pid, struct counts *n, struct places *places)
{
	int status, signal = 0;

	waitpid(pid, &status, 0);
	while (WIFSTOPPED(status)) {
		struct user_regs_struct before, after;
		struct counts old = *n;
		struct code c;

		ptrace(PTRACE_GETREGS, pid, 0, &before);
		c = read_code(pid, before.rip);
		ptrace(PTRACE_SINGLESTEP, pid, 0, signal);
		waitpid(pid, &status, 0);
		signal = has_faulted(status) ? WSTOPSIG(status) : 0;
		if (signal || WIFSIGNALED(status))
			continue;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_GETREGS, pid, 0, &after);
		count_step(n, &c, &before,
			   WIFSTOPPED(status) ? after.rip : before.rip + 2);
		note_place(places, before.rip, &old, n);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct counts n = { 0 };
	struct places places = { .wanted = argc > 1 &&
					   strcmp(argv[1], "-w") == 0 };
	pid_t pid;
	int status;

	argc -= places.wanted;
	argv += places.wanted;
	if (argc < 2)
		return 2;
	places.place = calloc(MOST_PLACES, sizeof(*places.place));
	if (!places.place)
		return 2;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	status = follow(pid, &n, &places);
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
