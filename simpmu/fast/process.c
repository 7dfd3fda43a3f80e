/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginnings and ends of processes and threads; see process.h. */
#include "simpmu/fast/process.h"

#include <elf.h>

#include "simpmu/fast/call/limit.h"
#include "simpmu/fast/engine.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/signal/frame.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"
#include "simpmu/wire.h"

#define CLONE_IN_MEMORY 0x00000100u /* CLONE_VM */
#define CLONE_ACTIONS   0x00000800u /* CLONE_SIGHAND */
#define CLONE_WAIT      0x00004000u /* CLONE_VFORK */
#define CLONE_IN_GROUP  0x00010000u /* CLONE_THREAD */
#define CLONE_SEGMENT   0x00080000u /* CLONE_SETTLS */
#define ERROR_FAULT     (-14)
#define MODE_SETID      06000u
#define NAME_BYTES      8192

struct process process = { .shared_fd = -1 };

extern int64_t thread_clone(uint64_t flags, uint64_t stack, uint64_t ptid,
			    uint64_t ctid, uint64_t tls);

/* ---- threads and children ---- */

static void copy_state(const struct thread *t, struct thread *n, uint64_t stack,
		       uint64_t mask)
{
	memcpy(n->reg, t->reg, sizeof(n->reg));
	n->flags = t->flags;
	n->pc = t->pc;
	n->reg[RAX] = 0;
	n->reg[RCX] = t->pc;
	n->reg[R11] = t->flags;
	if (stack)
		n->reg[RSP] = stack;
	n->first_mask = mask;
	n->has_first_mask = true;
	n->segv_blocked = t->segv_blocked;
	n->parent = t->number;
}

/* Another process in this memory has signal actions and a stack of its own. */
static void set_sharing(const struct thread *t, struct thread *n,
			uint64_t flags)
{
	n->actions = t->actions;
	if (!(flags & CLONE_ACTIONS)) {
		n->actions = sys_memory(SIGNALS * sizeof(struct action));
		memcpy(n->actions, t->actions, SIGNALS * sizeof(struct action));
	}
	n->is_vfork = !(flags & CLONE_IN_GROUP);
	n->alt_flags = STACK_DISABLED;
	if (n->is_vfork) {
		n->alt_start = t->alt_start;
		n->alt_bytes = t->alt_bytes;
		n->alt_flags = t->alt_flags;
		n->paused = t->paused;
	}
}

static int64_t clone_in_memory(struct thread *t, uint64_t flags, uint64_t stack,
			       uint64_t ptid, uint64_t ctid, uint64_t tls,
			       uint64_t mask)
{
	struct thread *n = thread_new();
	uint64_t *top;
	int64_t result;
	bool is_vfork;

	/* for the program it would be an error of the system */
	if (!n)
		host_give_up(125,
			     "it runs at most 1500 threads at a time, and the "
			     "program began more%s",
			     "");
	copy_state(t, n, stack, mask);
	set_sharing(t, n, flags);
	n->modelled.fs = flags & CLONE_SEGMENT ? tls : t->modelled.fs;
	is_vfork = n->is_vfork;
	thread_add(n);
	top = (uint64_t *)n->stack_top;
	*top = (uint64_t)n;
	hook_thread_create(n);
	result = thread_clone(flags, (uint64_t)top, ptid, ctid, tls);
	if (is_error(result)) {
		hook_thread_exit(n);
		thread_end(n);
	} else if (is_vfork && flags & CLONE_WAIT) {
		/* it is gone, or another program */
		hook_thread_exit(n);
		thread_end(n);
	}
	return result;
}

/* From entry.S: the first code of a new thread. */
void thread_begin(struct thread *t);

void thread_begin(struct thread *t)
{
	thread_adopt(t);
	hook_thread_start(t);
}

static int64_t clone_apart(struct thread *t, uint64_t flags, uint64_t stack,
			   uint64_t ptid, uint64_t ctid, uint64_t tls)
{
	int64_t result;

	machine_catch_up();
	hook_lock();
	engine_lock();
	machine_lock();
	result = sys6(__NR_clone, flags, 0, ptid, ctid, tls, 0);
	machine_unlock();
	if (result == 0) {
		machine_forget_lanes();
		thread_forget_others(t);
	}
	engine_unlock();
	hook_unlock();
	if (result == 0) {
		if (stack)
			t->reg[RSP] = stack;
		t->passed[0] = '\0';
		engine_note_fork();
		hook_fork_child(t);
	} else if (!is_error(result)) {
		hook_fork_parent(t);
	}
	return result;
}

int64_t process_clone(struct thread *t, uint64_t flags, uint64_t stack,
		      uint64_t ptid, uint64_t ctid, uint64_t tls)
{
	uint64_t mask = signal_block_all();
	int64_t result;

	if (t->pending)
		return SYSCALL_AGAIN;
	if (flags & CLONE_IN_MEMORY)
		result =
			clone_in_memory(t, flags, stack, ptid, ctid, tls, mask);
	else
		result = clone_apart(t, flags, stack, ptid, ctid, tls);
	signal_set_mask(mask);
	return result;
}

/* ---- exec ---- */

/* enum wire_aside, or that many if the engine can run the file. */
static unsigned obstacle(const char *path)
{
	uint8_t status[144]; /* struct stat */
	Elf64_Ehdr head;
	uint32_t mode;
	int64_t fd = SYS(__NR_open, path, 0, 0), n;

	if (is_error(fd))
		return WIRE_ASIDE_UNREAD;
	n = SYS(__NR_read, fd, &head, sizeof(head));
	if (SYS(__NR_fstat, fd, status, 0))
		n = 0;
	SYS(__NR_close, fd, 0, 0);
	memcpy(&mode, status + 24, sizeof(mode));
	if (mode & MODE_SETID)
		return WIRE_ASIDE_SETUID;
	if (n > 2 && head.e_ident[0] == '#' && head.e_ident[1] == '!')
		return WIRE_ASIDE_KINDS;
	if (n == (int64_t)sizeof(head) &&
	    !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    head.e_machine == EM_X86_64)
		return WIRE_ASIDE_KINDS;
	return WIRE_ASIDE_CLASS;
}

/* Whether the next engine can be started and can open the control file: not
 * after chroot, nor after rights were given up. */
static bool is_in_reach(void)
{
	const char *engine = process.fallback ? process.fallback : process.self;

	if (SYS(__NR_access, engine, 1, 0)) /* X_OK */
		return false;
	for (unsigned i = 0; i < process.n_options; i++)
		if (text_begins(process.options[i], "--control=") &&
		    SYS(__NR_access,
			process.options[i] + text_length("--control="), 6,
			0)) /* R_OK, W_OK */
			return false;
	return true;
}

/* ---- command lines ---- */

/* One that is written: how long it is is known only at its end. */
struct line {
	char **words;
	uint64_t n, capacity;
};

static void add_word(struct line *line, const char *word)
{
	uint64_t bytes = line->capacity * sizeof(char *);

	if (line->n == line->capacity) {
		char **more = sys_memory(bytes ? 2 * bytes : PAGE);

		if (bytes) {
			memcpy(more, line->words, bytes);
			SYS(__NR_munmap, line->words, bytes, 0);
		}
		line->words = more;
		line->capacity =
			bytes ? 2 * line->capacity : PAGE / sizeof(char *);
	}
	line->words[line->n++] = (char *)(uintptr_t)word;
}

static void free_line(struct line *line, char *name)
{
	SYS(__NR_munmap, name, NAME_BYTES, 0);
	SYS(__NR_munmap, line->words, line->capacity * sizeof(char *), 0);
}

/* The guest's words from @argv[1] on, and their end. */
static bool add_guest_words(struct line *line, char **argv)
{
	char *word = NULL;
	unsigned i = 1;

	do {
		if (guest_copy(&word, argv + i++, sizeof(word)))
			return false;
		add_word(line, word);
	} while (word);
	return true;
}

/* The engine's own command line for the guest's; false: it cannot be read. */
static bool own_line(const struct thread *t, const char *path, char **argv,
		     struct line *line, char *name)
{
	char *word = NULL;

	/* where the choice of an engine is open, it is made anew */
	add_word(line, process.fallback ? process.fallback : process.self);
	add_word(line, name);
	for (unsigned i = 0; i < process.n_options; i++)
		if (!text_begins(process.options[i], "--slot=") &&
		    !text_begins(process.options[i], "--fallback="))
			add_word(line, process.options[i]);
	if (t->passed[0])
		add_word(line, t->passed);
	if (limit_pass())
		add_word(line, limit_pass());
	if (argv && guest_copy(&word, argv, sizeof(word)))
		return false;
	text_format(name, NAME_BYTES, "--argv0=%s", word ? word : "");
	add_word(line, path);
	if (word)
		return add_guest_words(line, argv);
	add_word(line, NULL);
	return true;
}

/* The guest's mask is the new program's, SIGSEGV included. */
static void set_mask_for_exec(const struct thread *t, uint64_t mask)
{
	mask |= t->segv_blocked;
	sys6(__NR_rt_sigprocmask, 2, (uint64_t)&mask, 0, 8, 0, 0);
}

/* The kernel's exec of what the engine does not run; returns if it fails. */
static int64_t exec_as_it_is(const struct thread *t, const char *path,
			     char **argv, char **environment)
{
	uint64_t mask = 0;
	int64_t result;

	sys6(__NR_rt_sigprocmask, 0, 0, (uint64_t)&mask, 8, 0, 0);
	set_mask_for_exec(t, mask);
	result = SYS(__NR_execve, path, argv, environment);
	signal_set_mask(mask);
	return result;
}

/* What only the kernel can run. If it cannot either, nothing was left. */
static int64_t exec_aside(struct thread *t, unsigned why, const char *path,
			  char **argv, char **environment)
{
	uint8_t head[4];
	int64_t fd = SYS(__NR_open, path, 0, 0), n = 4;

	if (!is_error(fd)) {
		n = SYS(__NR_read, fd, head, 4);
		SYS(__NR_close, fd, 0, 0);
	}
	/* a file of no format: a shell goes on with it by itself */
	if (n != 4 || (why == WIRE_ASIDE_CLASS && head[0] != 0x7f))
		return exec_as_it_is(t, path, argv, environment);
	hook_leave(t, why);
	if (!t->is_vfork)
		machine_stop();
	n = exec_as_it_is(t, path, argv, environment);
	hook_exec_failed(t);
	return n;
}

int64_t process_exec(struct thread *t, const char *path, char **argv,
		     char **environment)
{
	int64_t result = SYS(__NR_access, path, 1, 0);
	struct line line = { 0 };
	unsigned why;
	uint64_t mask;
	char *name;

	if (is_error(result))
		return result;
	why = obstacle(path);
	if (why == WIRE_ASIDE_KINDS && !is_in_reach())
		why = WIRE_ASIDE_REACH;
	if (why != WIRE_ASIDE_KINDS)
		return exec_aside(t, why, path, argv, environment);
	mask = signal_block_all();
	if (t->pending)
		return SYSCALL_AGAIN;
	t->passed[0] = '\0';
	hook_exec(t);
	if (!t->is_vfork) {
		engine_dump();
		machine_stop();
	}
	name = sys_memory(NAME_BYTES);
	result = ERROR_FAULT;
	if (own_line(t, path, argv, &line, name)) {
		set_mask_for_exec(t, mask);
		result = SYS(__NR_execve, line.words[0], line.words,
			     environment);
	}
	signal_set_mask(mask);
	hook_exec_failed(t);
	free_line(&line, name);
	return result;
}

/* ---- ends ---- */

static void end_accounts(const struct thread *t, int status)
{
	if (t->is_vfork || process.is_confined)
		return;
	process.had_effect = true; /* too late for another engine */
	hook_varies(0);
	hook_process_exit(status);
	engine_dump();
	machine_stop();
}

void process_exit(struct thread *t, int status)
{
	end_accounts(t, status);
	if (!process.is_confined)
		keep_leave(t);
	SYS(t->reg[RAX] == __NR_exit ? __NR_exit : __NR_exit_group, status, 0,
	    0);
	__builtin_unreachable();
}

void process_exit_thread(struct thread *t)
{
	int64_t status = (int64_t)t->reg[RDI];
	bool is_last;

	if (process.is_confined)
		process_exit(t, (int)status);
	signal_block_all();
	engine_lock();
	is_last = threads == t && !t->next;
	engine_unlock();
	if (is_last || t->is_vfork)
		process_exit(t, (int)status);
	hook_thread_exit(t);
	thread_end(t);
	SYS(__NR_exit, status, 0, 0);
	__builtin_unreachable();
}

void process_die(struct thread *t, int sig)
{
	struct action none = { 0 };

	end_accounts(t, 0);
	sys6(__NR_rt_sigaction, (uint64_t)sig, (uint64_t)&none, 0, 8, 0, 0);
	SYS(__NR_tgkill, SYS(__NR_getpid, 0, 0, 0), t->kernel_tid, sig);
	sys6(__NR_rt_sigprocmask, 2, (uint64_t) & (uint64_t){ 0 }, 0, 8, 0, 0);
	SYS(__NR_exit_group, 128 + sig, 0, 0);
	__builtin_unreachable();
}

/* ---- what cannot be run ---- */

static void close_guest_files(void)
{
	sys6(__NR_close_range, (uint64_t)process.first_fd, ~0u, 0, 0, 0, 0);
}

static bool is_for_fallback(const char *option)
{
	return !text_begins(option, "--engine=") &&
	       !text_begins(option, "--fallback=") &&
	       !text_begins(option, "--slot=");
}

static void abandon(struct thread *t, struct line *line)
{
	t->passed[0] = '\0';
	hook_abandon(t);
	machine_stop();
	if (t->passed[0])
		add_word(line, t->passed);
}

/* The same command line for the launcher, which is to choose otherwise. @t is
 * NULL before the program has begun. */
static void start_fallback(struct thread *t, const char *why)
{
	struct line line = { 0 };
	char *because = sys_memory(PAGE);

	text_format(because, PAGE, "--because=%s", why);
	add_word(&line, process.fallback);
	add_word(&line, "--engine=valgrind");
	add_word(&line, because);
	for (unsigned i = 0; i < process.n_options; i++)
		if (is_for_fallback(process.options[i]))
			add_word(&line, process.options[i]);
	if (t)
		abandon(t, &line);
	add_word(&line, process.program);
	for (char **word = process.argv + process.first_argument + 1; *word;
	     word++)
		add_word(&line, *word);
	add_word(&line, NULL);
	sys6(__NR_rt_sigprocmask, 2, (uint64_t)&process.first_mask, 0, 8, 0, 0);
	SYS(__NR_execve, process.fallback, line.words, process.environment);
}

void process_refuse(struct thread *t, const char *why)
{
	char text[256];

	if (process.fallback && !process.had_effect) {
		close_guest_files();
		start_fallback(t, why);
	}
	text_format(text, sizeof(text), "%s (at %x of %s)", why, t->pc,
		    process.guest);
	host_give_up(125, "cannot go on: %s; use --engine valgrind", text);
}

void process_cannot_load(const char *why)
{
	char text[256];

	if (process.fallback) {
		close_guest_files();
		start_fallback(NULL, why);
	}
	text_format(text, sizeof(text), "%s: %s", process.program, why);
	host_give_up(126, "%s; use --engine valgrind", text);
}
