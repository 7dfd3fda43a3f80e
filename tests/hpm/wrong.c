/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of hpm.h as they should not be made: wrong CASE. */
#include <hpm.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void one_section(int id)
{
	hpmTstart(id, "section");
	hpmTstop(id);
}

static void no_label(void)
{
	hpmInit(0, "wrong");
	hpmStart(1, NULL);
	hpmStop(1);
	hpmTstart(2, NULL);
	hpmTstop(2);
}

static void no_program(void)
{
	hpmInit(0, NULL);
	one_section(1);
	hpmTerminate(0);
	hpmInit(1, "");
	one_section(2);
}

static void no_place(void)
{
	static const struct hpm_place no_file = { NULL, 7 };

	hpmInit(0, "wrong");
	hpm_start_at(1, "process", NULL);
	hpm_tstart_at(2, "thread", &no_file);
	hpm_tstop_at(2, NULL);
	hpm_stop_at(1, &no_file);
	hpm_stop_at(1, NULL);
	hpm_tstop_at(3, &no_file);
	hpm_tstart_at(4, "open", NULL);
}

static void strange_numbers(void)
{
	hpmInit(0, "wrong");
	one_section(0);
	one_section(-1);
	one_section(2147483647);
	one_section(-2147483647 - 1);
	one_section(HPM_COST_OUTER); /* those of the calls' own costs */
	one_section(HPM_COST_INNER);
	hpmStop(HPM_COST_OUTER);
}

/* Sections of the process and of the thread have numbers of their own. */
static void other_kind(void)
{
	hpmInit(0, "wrong");
	hpmStart(1, "process");
	hpmTstop(1);
	hpmStop(1);
	hpmTstart(2, "thread");
	hpmStop(2);
	hpmTstop(2);
}

static void stop_alone(void)
{
	hpmInit(0, "wrong");
	for (int i = 0; i < 3; i++)
		hpmStop(9);
	one_section(1);
	hpmTstop(1);
}

static void stop_in_loop(void)
{
	hpmInit(0, "wrong");
	for (int i = 0; i < 1000; i++)
		hpmStop(i);
	one_section(1);
}

static void init_twice(void)
{
	hpmInit(0, "first");
	one_section(1);
	hpmInit(5, "wrong");
	one_section(1);
}

static void terminate_twice(void)
{
	hpmInit(0, "wrong");
	one_section(1);
	hpmTerminate(0);
	hpmTerminate(0);
	hpmTerminate(1);
	hpm_terminate_at(0);
}

static void terminate_alone(void)
{
	hpmTerminate(0);
	hpm_terminate_at(0);
}

static void no_init(void)
{
	one_section(1);
	hpmTerminate(0);
}

static void nothing_but_sections(void)
{
	one_section(1);
}

static void start_after_the_end(void)
{
	hpmInit(0, "wrong");
	hpmTstart(1, "open");
	hpmTerminate(0);
	hpmTstop(1);
	one_section(2);
}

static void *stop_there(void *unused)
{
	hpmStop(1);
	hpmTstop(2);
	hpmTstart(3, "of the thread");
	return unused;
}

static void *end_there(void *unused)
{
	one_section(4);
	hpmTerminate(0);
	return unused;
}

static void in_thread(void *(*what)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, what, NULL) == 0)
		pthread_join(thread, NULL);
}

static void stop_in_thread(void)
{
	hpmInit(0, "wrong");
	hpmStart(1, "process");
	hpmTstart(2, "thread");
	in_thread(stop_there);
}

static void end_in_thread(void)
{
	hpmInit(0, "wrong");
	one_section(1);
	in_thread(end_there);
	hpmInit(1, "wrong");
	one_section(5);
}

static void no_such_folder(void)
{
	hpmInit(0, "wrong");
	one_section(1);
	printf("before: %s\n", hpm_error());
	hpmTerminate(0);
	printf("after: %s\n", hpm_error());
}

static const struct {
	const char *name;
	void (*make)(void);
} cases[] = {
	{ "no-label", no_label },
	{ "no-program", no_program },
	{ "no-place", no_place },
	{ "strange-numbers", strange_numbers },
	{ "other-kind", other_kind },
	{ "stop-alone", stop_alone },
	{ "stop-in-loop", stop_in_loop },
	{ "init-twice", init_twice },
	{ "terminate-twice", terminate_twice },
	{ "terminate-alone", terminate_alone },
	{ "no-init", no_init },
	{ "nothing-but-sections", nothing_but_sections },
	{ "start-after-the-end", start_after_the_end },
	{ "stop-in-thread", stop_in_thread },
	{ "end-in-thread", end_in_thread },
	{ "no-such-folder", no_such_folder },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2 || strcmp(argv[1], cases[i].name) != 0)
			continue;
		cases[i].make();
		return 0;
	}
	fputs("usage: wrong CASE\n", stderr);
	return 2;
}
