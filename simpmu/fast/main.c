/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simpmu-fast: runs a program and counts its architectural events exactly, by
 * translating it block by block. An engine below the PMU layer (simpmu/pmu),
 * like the Valgrind tool; docs/engine.md explains it.
 *
 * Usage: simpmu-fast [options] program [arguments]
 */
#include "simpmu/fast/block.h"
#include "simpmu/fast/call/limit.h"
#include "simpmu/fast/call/watch.h"
#include "simpmu/fast/count.h"
#include "simpmu/fast/emit.h"
#include "simpmu/fast/engine.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/load.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"
#include "simpmu/pmu/host.h"

extern const uint8_t redispatch[];

static const char *argv0; /* as the guest's parent gave it; NULL: the path */
static const char *file;  /* what to run; NULL: as the command line says */

static const char *value_of(const char *arg, const char *name)
{
	return text_begins(arg, name) ? arg + text_length(name) : NULL;
}

/* Options that concern one program are not for those that it executes. */
static void take_option(const char *arg)
{
	const char *value;

	if ((value = value_of(arg, "--argv0="))) {
		argv0 = value;
		return;
	}
	if ((value = value_of(arg, "--program="))) {
		file = *value ? value : NULL;
		return;
	}
	if (limit_option(arg))
		return;
	if (process.n_options ==
	    sizeof(process.options) / sizeof(process.options[0]))
		host_give_up(2, "too many options before %s", arg);
	process.options[process.n_options++] = arg;
	if ((value = value_of(arg, "--fallback=")))
		process.fallback = value;
	else if (!value_of(arg, "--engine=") && !engine_option(arg) &&
		 !watch_option(arg) && !pmu_hooks.option(arg))
		host_give_up(2, "unknown option %s", arg);
}

/* The file that the kernel would call /proc/self/exe. */
static void find_file(const char *path)
{
	int64_t fd = SYS(__NR_open, path, 0x200000, 0), n; /* O_PATH */
	char link[40];

	text_format(process.guest, sizeof(process.guest), "%s", path);
	if (is_error(fd))
		return;
	text_format(link, sizeof(link), "/proc/self/fd/%d", (uint64_t)fd);
	n = SYS(__NR_readlink, link, process.guest, sizeof(process.guest) - 1);
	if (n > 0)
		process.guest[n] = '\0';
	SYS(__NR_close, fd, 0, 0);
}

/* As ps and top show it: the name of the file, not the engine's. */
static void set_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	SYS(__NR_prctl, 15, name, 0); /* PR_SET_NAME */
}

static int first_free_fd(void)
{
	int64_t fd = SYS(__NR_open, "/", 0, 0);

	if (fd >= 0)
		SYS(__NR_close, fd, 0, 0);
	return (int)fd;
}

static void init(void)
{
	emit_init();
	count_init();
	map_init();
	pages_init();
	block_init();
}

static struct thread *first_thread(uint64_t *stack, struct program *program)
{
	struct thread *t = thread_new();

	t->actions = sys_memory(SIGNALS * sizeof(struct action));
	thread_add(t);
	thread_adopt(t);
	load_program(program);
	find_file(program->path);
	set_name(program->path);
	t->reg[RSP] = load_stack(stack, program);
	t->pc = program->start;
	t->flags = 0x202;
	return t;
}

void fast_main(uint64_t *stack) __attribute__((noreturn));

void fast_main(uint64_t *stack)
{
	unsigned argc = (unsigned)stack[0], i = 1;
	char **argv = (char **)(stack + 1);
	struct program program;
	struct thread *t;
	int64_t n;

	while (i < argc && argv[i][0] == '-')
		take_option(argv[i++]);
	if (i == argc)
		host_give_up(2,
			     "usage: simpmu-fast [options] program "
			     "[arguments]%s",
			     "");
	n = SYS(__NR_readlink, "/proc/self/exe", process.self,
		sizeof(process.self) - 1);
	process.self[n > 0 ? n : 0] = '\0';
	process.first_argument = i;
	process.argv = argv;
	process.environment = argv + argc + 1;
	process.first_fd = first_free_fd();
	sys6(__NR_rt_sigprocmask, 0, 0, (uint64_t)&process.first_mask, 8, 0, 0);
	program.path = process.program = file ? file : argv[i];
	program.argc = argc - i;
	program.argv = (const char **)argv + i;
	if (argv0)
		program.argv[0] = argv0;
	init();
	t = first_thread(stack, &program);
	signal_init(t);
	engine_select(0);
	hook_process_start();
	hook_thread_start(t);
	__asm__ volatile("jmp *%0" : : "r"(redispatch));
	__builtin_unreachable();
}
