/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of a process that is alone at first, then has threads and children:
 * what is counted in the cheap way while it is alone (perf_event/twins.h) must
 * go on as if nothing had been. Each step takes as many page faults as it says
 * in its label, or more.
 */
#include <hpm.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 100

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *area = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		_exit(1);
	madvise(area, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(area + i * page) = 1;
	munmap(area, PAGES * page);
}

static void *touch_here(void *unused)
{
	touch();
	return unused;
}

static void in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, touch_here, NULL))
		_exit(1);
	pthread_join(thread, NULL);
}

static void in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		touch();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void alone(int id)
{
	for (int i = 0; i < 10; i++) {
		hpmStart(id, "100 at least");
		touch();
		hpmStop(id);
	}
}

/* A thread that was there before: its own faults are not the process's. */
static pthread_barrier_t began, ended;

static void *older(void *unused)
{
	pthread_barrier_wait(&began);
	for (int i = 0; i < 10; i++) {
		hpmStart(2, "0 at least");
		touch();
		hpmStop(2);
	}
	pthread_barrier_wait(&ended);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&began, NULL, 2);
	pthread_barrier_init(&ended, NULL, 2);
	if (pthread_create(&thread, NULL, older, NULL))
		return 1;
	hpmInit(0, "family");
	hpmStart(1, "2400 at least");
	alone(3);
	pthread_barrier_wait(&began);
	pthread_barrier_wait(&ended);
	hpmStart(4, "200 at least");
	in_thread();
	in_child();
	hpmStop(4);
	alone(5);
	hpmStart(6, "200 at least");
	in_child();
	in_thread();
	hpmStop(6);
	hpmStop(1);
	pthread_join(thread, NULL);
	hpmTerminate(0);
	return 0;
}
