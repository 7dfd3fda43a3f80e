/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/home.h"

#include <stdlib.h>

#include "components/perf_event/slice.h"

/* Process-wide by nature: a fork changes it for all threads at once. */
static unsigned generation;

static void count_fork(void)
{
	generation++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

void pe_generation_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

unsigned pe_generation(void)
{
	return generation;
}

void pe_homes_init(struct pe_homes *homes)
{
	*homes = (struct pe_homes){ .generation = pe_generation() };
	pthread_mutex_init(&homes->lock, NULL);
}

static void free_all(struct pe_homes *homes)
{
	while (homes->first) {
		struct pe_home *home = homes->first;

		homes->first = home->next;
		free(home);
	}
}

void pe_homes_fini(struct pe_homes *homes)
{
	free_all(homes);
	pthread_mutex_destroy(&homes->lock);
}

/*
 * Lock the list. After a fork the lock may be held by a thread that the child
 * does not have, and the homes are the parent's: begin anew.
 */
static void lock_list(struct pe_homes *homes)
{
	if (homes->generation != pe_generation()) {
		free_all(homes);
		pe_homes_init(homes);
	}
	pthread_mutex_lock(&homes->lock);
}

static struct pe_home *find_home(struct pe_homes *homes, pid_t tid, int cpu)
{
	struct pe_home *home;

	for (home = homes->first; home; home = home->next) {
		if (home->tid == tid && home->cpu == cpu)
			return home;
	}
	home = calloc(1, sizeof(*home));
	if (!home)
		return NULL;
	home->tid = tid;
	home->cpu = cpu;
	pthread_mutex_init(&home->lock, NULL);
	home->next = homes->first;
	homes->first = home;
	return home;
}

int pe_home_enter(struct pe_homes *homes, struct pe_slice *ps, pid_t tid,
		  int cpu)
{
	struct pe_home *home;

	lock_list(homes);
	home = find_home(homes, tid, cpu);
	if (home) {
		home->users++;
		pthread_mutex_lock(&home->lock);
		ps->home = home;
		ps->home_next = home->first;
		home->first = ps;
		pthread_mutex_unlock(&home->lock);
	}
	pthread_mutex_unlock(&homes->lock);
	return home ? 0 : PAPI_ENOMEM;
}

static void unlink_home(struct pe_homes *homes, struct pe_home *home)
{
	struct pe_home **at = &homes->first;

	while (*at != home)
		at = &(*at)->next;
	*at = home->next;
	pthread_mutex_destroy(&home->lock);
	free(home);
}

void pe_home_leave(struct pe_homes *homes, struct pe_slice *ps)
{
	struct pe_home *home = ps->home;
	struct pe_slice **at;

	ps->home = NULL;
	if (!home || ps->generation != pe_generation())
		return; /* the parent's: gone with the child's first enter */
	lock_list(homes);
	pthread_mutex_lock(&home->lock);
	for (at = &home->first; *at; at = &(*at)->home_next) {
		if (*at == ps) {
			*at = ps->home_next;
			break;
		}
	}
	pthread_mutex_unlock(&home->lock);
	if (--home->users == 0)
		unlink_home(homes, home);
	pthread_mutex_unlock(&homes->lock);
}

bool pe_home_is_busy(struct pe_slice *ps)
{
	bool busy = false;

	pthread_mutex_lock(&ps->home->lock);
	for (struct pe_slice *o = ps->home->first; o; o = o->home_next)
		busy = busy || (o != ps && atomic_load(&o->running));
	pthread_mutex_unlock(&ps->home->lock);
	return busy;
}
