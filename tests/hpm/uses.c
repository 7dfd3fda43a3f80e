/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections as programs use them off the beaten path: uses HOW [ARGUMENT]. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <hpm.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define WORK(n)                                                                \
	__asm__ volatile("mov %0, %%ecx\n"                                     \
			 "1: dec %%ecx\n"                                      \
			 "jnz 1b"                                              \
			 :                                                     \
			 : "i"(n)                                              \
			 : "ecx", "cc")

static void section(int id, const char *label)
{
	hpmTstart(id, label);
	WORK(1000);
	hpmTstop(id);
}

/* One buffer for all labels, and one that is gone at the end. */
static int labels(const char *unused)
{
	char *text = malloc(32);

	(void)unused;
	for (int i = 0; i < 5; i++) {
		snprintf(text, 32, "label %d", i);
		section(i, text);
	}
	memset(text, 'x', 31);
	free(text);
	return 0;
}

/* A plug-in whose labels and file names go with it. */
static int plugin(const char *path)
{
	void *object = dlopen(path, RTLD_NOW);
	void (*run)(void) =
		object ? (void (*)(void))(uintptr_t)dlsym(object, "run") : NULL;

	if (!run)
		return 1;
	run();
	return dlclose(object);
}

static int count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static void *in_thread(void *unused)
{
	section(1, "thread");
	hpmStart(2, "process");
	WORK(10);
	hpmStop(2);
	return unused;
}

/* Threads one after the other leave nothing open. */
static int threads(const char *many)
{
	int before = 0, n = atoi(many);

	for (int i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, in_thread, NULL))
			return 1;
		pthread_join(thread, NULL);
		if (i == 0)
			before = count_files();
	}
	printf("%d descriptors more\n", count_files() - before);
	return 0;
}

/* So do files one after the other. */
static int again(const char *many)
{
	int before = 0, n = atoi(many);

	for (int i = 0; i < n; i++) {
		hpmTerminate(0);
		if (i == 0)
			before = count_files();
		hpmInit(0, "uses");
		in_thread(NULL);
	}
	hpmTerminate(0);
	printf("%d descriptors more\n", count_files() - before);
	return 0;
}

static volatile sig_atomic_t rings;

static void on_alarm(int signo)
{
	(void)signo;
	rings++;
	hpmTstart(9, "in a handler");
	hpmTstop(9);
}

/* A handler that has sections of its own, wherever it comes. */
static int handler(const char *unused)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	(void)unused;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (rings < 500)
		section(1, "interrupted");
	setitimer(ITIMER_REAL, &never, NULL);
	return 0;
}

/* Most of its time is in calls: a signal hits one of them. */
static int busy(const char *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 4000000000; i++) {
		hpmStart(1, "busy");
		hpmStop(1);
		if (i == 10) {
			printf("ready\n");
			fflush(stdout);
		}
	}
	return 0;
}

static int exec(const char *how)
{
	char *argv[] = { (char *)"true", NULL };

	section(1, "before exec");
	execl("/no/such/program", "none", (char *)NULL);
	if (strcmp(how, "v") == 0)
		execv("/bin/true", argv);
	else if (strcmp(how, "vp") == 0)
		execvp("true", argv);
	else if (strcmp(how, "vpe") == 0)
		execvpe("true", argv, environ);
	else if (strcmp(how, "ve") == 0)
		execve("/bin/true", argv, environ);
	else if (strcmp(how, "f") == 0)
		fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), argv, environ);
	else if (strcmp(how, "l") == 0)
		execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL);
	else if (strcmp(how, "lp") == 0)
		execlp("sh", "sh", "-c", "exit 0", (char *)NULL);
	else if (strcmp(how, "le") == 0)
		execle("/bin/sh", "sh", "-c", "exit $A", (char *)NULL,
		       (char *[]){ (char *)"A=0", NULL });
	return 1;
}

/* A label that cannot be read: the sections before it are kept. */
static int bad_label(const char *unused)
{
	(void)unused;
	section(1, "good");
	section(2, (const char *)8);
	return 0;
}

/* Others have the counters, so that threads cannot be counted. */
static int unread(const char *unused)
{
	int set = PAPI_NULL;

	(void)unused;
	hpmTerminate(0);
	if (PAPI_create_eventset(&set) ||
	    PAPI_add_named_event(set, "PAPI_L1_DCM") ||
	    PAPI_add_named_event(set, "PAPI_L1_DCA") || PAPI_start(set))
		return 1;
	hpmInit(0, "uses");
	section(1, "uncounted");
	hpmStart(2, "process");
	WORK(10);
	hpmStop(2);
	PAPI_stop(set, NULL);
	return 0;
}

/* Sections of both kinds, one inside the other. */
static int mixed(const char *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		hpmTstart(1, "thread outside");
		WORK(10);
		hpmStart(2, "process");
		WORK(100);
		hpmTstart(3, "thread inside");
		WORK(1000);
		hpmTstop(3);
		hpmStop(2);
		hpmTstop(1);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *argument);
} uses[] = {
	{ "labels", labels },   { "plugin", plugin },
	{ "threads", threads }, { "again", again },
	{ "handler", handler }, { "busy", busy },
	{ "exec", exec },       { "bad-label", bad_label },
	{ "unread", unread },   { "mixed", mixed },
	{ "path", labels },
};

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int status = 2;

	hpmInit(0, strcmp(how, "path") == 0 ? argv[0] : "uses");
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(how, uses[i].name) == 0)
			status = uses[i].run(argc > 2 ? argv[2] : "");
	hpmTerminate(0);
	return status;
}
