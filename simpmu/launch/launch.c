/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simpmu: runs a program on one of the engines, the fast one or the Valgrind
 * tool. Starts the tool the way Valgrind's own launcher would, but from this
 * program's directory, without reading Valgrind's option files, and without
 * touching the guest's environment. Engines come back to it for every program
 * that the guest execs.
 *
 * A program that no engine can run (for another processor, with another
 * user's rights, not readable) is run as it is, and whoever counts is told.
 *
 * Usage: simpmu [--engine=auto|fast|valgrind] [options] program [arguments]
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simpmu/launch/choose.h"
#include "simpmu/wire.h"

#define TOOL "simpmu-amd64-linux"
#define FAST "simpmu-fast"

/* Always given; the first one marks a command line that has them already. */
static const char *const core_options[] = {
	"--command-line-only=yes", "-q", "--vgdb=no", "--trace-children=yes",
	"--max-threads=1500", /* less than ENGINE_MAX_TID */
};

#define CORE_OPTIONS (sizeof(core_options) / sizeof(core_options[0]))

static int fail(const char *what)
{
	fprintf(stderr, "simpmu: %s: %s\n", what, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

/* The options that this program looks at itself. */
struct options {
	const char *control; /* the control file, or NULL */
	const char *program; /* which file to run; NULL: the one given */
	const char *argv0;   /* what it is called; NULL: as its file */
	long slot;           /* of the program that execs; -1: none */
	int shared;          /* the control file is open there; 0: it is not */
	const char *engine;  /* "auto", "fast" or "valgrind" */
	const char *because; /* why the fast engine gave up; NULL: it did not */
	bool sampled;        /* cycles may be estimated */
	bool is_special;     /* an option that only the tool has */
};

static const char *value_of(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] ? arg + n : NULL;
}

/* Options that both engines have. */
static bool is_common(const char *arg)
{
	static const char *const names[] = {
		"--model=",    "--argv0=",        "--signals=",
		"--from=exec", "--repeatable=",   "--program=",
		"--counters=", "--translations=", "--limits="
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(arg, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The place in the control file, and above it the number under which the file
 * is open: that is for a simulator, and for no program that runs as it is. */
static void take_slot(long passed, struct options *o)
{
	o->slot = passed % (1l << WIRE_SLOT_BITS);
	o->shared = (int)(passed >> WIRE_SLOT_BITS);
}

static void read_option(const char *arg, struct options *o)
{
	const char *value;

	if ((value = value_of(arg, "--control=")))
		o->control = value;
	else if ((value = value_of(arg, "--program=")))
		o->program = value;
	else if ((value = value_of(arg, "--argv0=")))
		o->argv0 = value;
	else if ((value = value_of(arg, "--slot=")))
		take_slot(strtol(value, NULL, 10), o);
	else if ((value = value_of(arg, "--engine=")))
		o->engine = value;
	else if ((value = value_of(arg, "--because=")))
		o->because = value;
	else if (strcmp(arg, "--cycles=sampled") == 0)
		o->sampled = true;
	else if (!is_common(arg))
		o->is_special = true;
}

/* ---- programs that cannot be simulated ---- */

/* The interpreter that a script names goes to @path; 0 if there is none. */
static int read_interpreter(const char *head, char *path, size_t capacity)
{
	size_t n;

	if (memcmp(head, "#!", 2))
		return 0;
	head += 2 + strspn(head + 2, " \t");
	n = strcspn(head, " \t\n");
	if (n == 0 || n >= capacity)
		return 0;
	memcpy(path, head, n);
	path[n] = '\0';
	return 1;
}

static int is_foreign(const char *head)
{
	const unsigned char *ident = (const unsigned char *)head;
	Elf64_Ehdr elf;

	memcpy(&elf, head, sizeof(elf));
	return !memcmp(ident, ELFMAG, SELFMAG) &&
	       (ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64);
}

/* enum wire_aside, or that many if @path can be simulated. */
static unsigned obstacle(const char *path, int is_interpreter)
{
	char head[256] = "", interpreter[PATH_MAX];
	struct stat st;
	int fd;
	ssize_t n;

	if (stat(path, &st) || access(path, X_OK))
		return WIRE_ASIDE_KINDS; /* the exec will fail */
	if (st.st_mode & (S_ISUID | S_ISGID))
		return WIRE_ASIDE_SETUID;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return WIRE_ASIDE_UNREAD;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	if (n >= (ssize_t)sizeof(Elf64_Ehdr) && is_foreign(head))
		return WIRE_ASIDE_CLASS;
	if (!is_interpreter &&
	    read_interpreter(head, interpreter, sizeof(interpreter)))
		return obstacle(interpreter, 1);
	return WIRE_ASIDE_KINDS;
}

/* The control file, mapped as far as it has memory; NULL without one. */
static struct wire_control *map_control(const struct options *o)
{
	size_t bytes = offsetof(struct wire_control, processes);
	struct wire_control *control;
	int fd = o->control      ? open(o->control, O_RDWR | O_CLOEXEC)
		 : o->shared > 0 ? fcntl(o->shared, F_DUPFD_CLOEXEC, 0)
				 : -1;

	if (fd < 0)
		return NULL;
	control = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return control != MAP_FAILED && control->version == WIRE_VERSION
		       ? control
		       : NULL;
}

/* Tell whoever counts that a program ran aside. */
static void tell(const struct options *o, unsigned why)
{
	struct wire_control *control = map_control(o);

	if (!control)
		return;
	__atomic_add_fetch(&control->aside[why], 1, __ATOMIC_RELAXED);
	if (o->slot < 0)
		control->first_aside = 1 + why;
	else if (o->slot < WIRE_PROCESSES)
		control->slots[o->slot].flags |= WIRE_LEAVES;
}

/* Tell which engine was chosen; @why: not the fast one, where it was open. */
static void tell_engine(const struct options *o, enum wire_engine engine,
			const char *why)
{
	struct wire_control *control = map_control(o);

	if (!control)
		return;
	if (o->because) /* it was chosen for nothing */
		__atomic_sub_fetch(&control->engines[WIRE_ENGINE_FAST], 1,
				   __ATOMIC_RELAXED);
	if (__atomic_fetch_add(&control->engines[engine], 1,
			       __ATOMIC_RELAXED) == 0 &&
	    why)
		snprintf(control->engine_why, sizeof(control->engine_why), "%s",
			 why);
}

/* Run the program as it is. */
static int run_aside(const char *file, char **argv, int shared)
{
	if (shared > 0)
		fcntl(shared, F_SETFD, FD_CLOEXEC);
	unsetenv("VALGRIND_LAUNCHER");
	unsetenv("VALGRIND_LIB");
	execv(file, argv);
	return fail(file);
}

/* ---- programs that can ---- */

/* Options that are the launcher's or the other engine's. */
static bool is_for_tool(const char *arg)
{
	return strncmp(arg, "--engine=", 9) && strncmp(arg, "--argv0=", 8) &&
	       strncmp(arg, "--fallback=", 11) &&
	       strncmp(arg, "--limits=", 9) && strncmp(arg, "--because=", 10);
}

/* With less Valgrind ends before it can say why. */
#define LEAST_MEMORY (80ul << 20)
#define LEAST_DATA   (192ul << 20)
/* It writes its arguments and the guest's to files, which are in memory. */
#define LEAST_FILE (64ul << 10)
/* The fast engine reserves more than a gigabyte, and uses little of it. */
#define FAST_MEMORY (4ul << 30)
#define FAST_DATA   (2ul << 30)

static int allows(int what, rlim_t least)
{
	struct rlimit limit;

	return getrlimit(what, &limit) || limit.rlim_cur >= least;
}

static int run_tool(const char *tool, char **argv, int argc, int program)
{
	char **args = calloc((size_t)argc + CORE_OPTIONS + 1, sizeof(*args));
	int n = 0;

	if (!allows(RLIMIT_AS, LEAST_MEMORY)) {
		fprintf(stderr,
			"simpmu: no memory: the simulator needs at least %lu "
			"MB of addresses, and 'ulimit -v' allows less\n",
			LEAST_MEMORY >> 20);
		return 125;
	}
	if (!allows(RLIMIT_DATA, LEAST_DATA)) {
		fprintf(stderr,
			"simpmu: no memory: the simulator needs at least %lu "
			"MB of data, and 'ulimit -d' allows less\n",
			LEAST_DATA >> 20);
		return 125;
	}
	if (!allows(RLIMIT_FSIZE, LEAST_FILE)) {
		signal(SIGXFSZ, SIG_IGN); /* stderr may be a file */
		fprintf(stderr,
			"simpmu: Valgrind's engine needs files of %lu kB, and "
			"'ulimit -f' allows less; use --engine fast\n",
			LEAST_FILE >> 10);
		return 125;
	}
	if (!args)
		return fail("cannot start");
	args[n++] = argv[0];
	if (argc < 2 || strcmp(argv[1], core_options[0]))
		for (size_t i = 0; i < CORE_OPTIONS; i++)
			args[n++] = strdup(core_options[i]);
	for (int i = 1; i < argc; i++)
		if (i >= program || is_for_tool(argv[i]))
			args[n++] = argv[i];
	execv(tool, args);
	return fail(tool);
}

/* With a fallback where the choice is ours: what the engine cannot run comes
 * back here. */
static int run_fast(const char *fast, const char *self, char **argv, int argc,
		    bool is_told)
{
	char **args = calloc((size_t)argc + 2, sizeof(*args));
	char *fallback = malloc(strlen(self) + 16);
	int n = 0;

	if (!args || !fallback)
		return fail("cannot start");
	args[n++] = argv[0];
	if (!is_told) {
		sprintf(fallback, "--fallback=%s", self);
		args[n++] = fallback;
	}
	for (int i = 1; i < argc; i++)
		args[n++] = argv[i];
	execv(fast, args);
	return fail(fast);
}

/* Why the fast engine does not run program @path; NULL if it does. */
static const char *why_not_fast(const struct options *o, const char *path)
{
	if (!strcmp(o->engine, "valgrind"))
		return o->because ? o->because : "--engine valgrind";
	if (o->is_special)
		return "an option that only Valgrind's engine has";
	if (!o->control || !choose_asks(o->control))
		return "the program counts by itself";
	if (!choose_counts_fast(o->control, o->sampled))
		return "an event needs exact cycles, pages or traffic between "
		       "cores, or overflows and is modelled";
	if (choose_is_shared(o->control) && choose_is_threaded(path))
		return "it is made to have threads, whose caches and cycles "
		       "depend on each other";
	if (choose_may_request(path))
		return "the program calls PAPI or libhpm";
	if (!allows(RLIMIT_AS, FAST_MEMORY))
		return "the limit on addresses (ulimit -v) is too low";
	if (!allows(RLIMIT_DATA, FAST_DATA))
		return "the limit on data (ulimit -d) is too low";
	return NULL;
}

/* Where there is no @tool there is but one engine. */
static bool must_be_fast(const struct options *o, const char *tool)
{
	if (strcmp(o->engine, "auto"))
		return !strcmp(o->engine, "fast");
	return !o->because && access(tool, X_OK);
}

static int refuse_events(const struct options *o)
{
	fprintf(stderr,
		"simpmu: the fast engine models no cycles, pages and traffic "
		"between cores, and has no overflow of modelled events; %s\n",
		strcmp(o->engine, "fast") ? "Valgrind's engine is not installed"
					  : "use --engine valgrind");
	return 125;
}

static int run_program(const struct options *o, const char *self, char **argv,
		       int argc, int program)
{
	char folder[PATH_MAX], tool[PATH_MAX + sizeof(TOOL)],
		fast[PATH_MAX + sizeof(FAST)];
	const char *why = NULL;

	snprintf(folder, sizeof(folder), "%s", self);
	*strrchr(folder, '/') = '\0';
	snprintf(tool, sizeof(tool), "%s/%s", folder, TOOL);
	snprintf(fast, sizeof(fast), "%s/%s", folder, FAST);
	if (!must_be_fast(o, tool))
		why = why_not_fast(o, argv[program]);
	else if (o->control && choose_exceeds_fast(o->control, o->sampled))
		return refuse_events(o);
	tell_engine(o, why ? WIRE_ENGINE_VALGRIND : WIRE_ENGINE_FAST, why);
	if (!why)
		return run_fast(fast, self, argv, argc,
				strcmp(o->engine, "auto") != 0);
	setenv("VALGRIND_LAUNCHER", self, 1);
	setenv("VALGRIND_LIB", folder, 1);
	return run_tool(tool, argv, argc, program);
}

static bool is_engine(const char *name)
{
	return !strcmp(name, "auto") || !strcmp(name, "fast") ||
	       !strcmp(name, "valgrind");
}

int main(int argc, char **argv)
{
	struct options options = { .slot = -1, .engine = "auto" };
	char self[PATH_MAX], *file;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int program = 1;
	unsigned why;

	if (n < 0)
		return fail("/proc/self/exe");
	self[n] = '\0';
	while (program < argc && argv[program][0] == '-')
		read_option(argv[program++], &options);
	if (program == argc || !is_engine(options.engine)) {
		fprintf(stderr, "usage: simpmu [--engine=auto|fast|valgrind] "
				"[options] program [arguments]\n");
		return 2;
	}
	if (options.program)
		argv[program] = (char *)(uintptr_t)options.program;
	why = obstacle(argv[program], 0);
	if (why == WIRE_ASIDE_KINDS)
		return run_program(&options, self, argv, argc, program);
	tell(&options, why);
	file = argv[program];
	if (options.argv0)
		argv[program] = (char *)(uintptr_t)options.argv0;
	return run_aside(file, argv + program, options.shared);
}
