/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the list of homes and who counts in each, and notices a fork. Opening
 * and closing events is left to the slice.
 */
#include "components/perf_event/home.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "components/perf_event/slice.h"

/*
 * Process-wide by nature: a fork changes it for all threads at once. The word
 * that says which process this is lies in a page that the kernel wipes in the
 * child, so that a fork behind the C library's back is noticed too; where there
 * is no such page (before Linux 4.14), by the C library's handlers alone.
 */
static atomic_uint without_page = 1;
static atomic_uint *generation = &without_page;
static atomic_uint last = 1; /* generation; survives a fork */

static void forget_generation(void)
{
	atomic_store(generation, 0);
}

static void watch_forks(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pthread_atfork(NULL, NULL, forget_generation);
	if (page == MAP_FAILED)
		return;
	if (madvise(page, bytes, MADV_WIPEONFORK)) {
		munmap(page, bytes);
		return;
	}
	generation = page;
	atomic_store(generation, 1);
}

void pe_generation_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

unsigned pe_generation(void)
{
	unsigned now = atomic_load_explicit(generation, memory_order_acquire);
	unsigned next;

	if (now)
		return now;
	next = atomic_load(&last) + 1;
	if (atomic_compare_exchange_strong(generation, &now, next))
		now = next; /* else another thread of the child was first */
	atomic_store(&last, now);
	return now;
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
