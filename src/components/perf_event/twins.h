/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of one thread beside the same events inherited.
 *
 * The kernel lends no buffer to an inherited event [perf_mmap()], so its count
 * cannot be had without a system call. But as long as the thread has made no
 * child, neither thread nor process, the inherited event counts that thread
 * alone; then an event of its own that is not inherited grows with it.
 *
 * Whether there was a child is known without a call as well: the kernel writes
 * a record for each into the buffer of an event that asks for it, before the
 * child runs, whichever call made it [copy_process(), perf_event_fork(); all
 * of fork, vfork, posix_spawn, clone and threads tried on Linux 6.18].
 */
#ifndef PERF_EVENT_TWINS_H
#define PERF_EVENT_TWINS_H

#include "components/perf_event/slice.h"

struct pe_twins {
	size_t n;
	pid_t tid; /* the thread that they are of */
	int watch_fd;
	const struct perf_event_mmap_page *watch; /* moves with a child */
	int fds[]; /* of the twins, one for each event; -1: not open */
};

/*
 * Watch the calling thread from now on; to be called before the inherited
 * events of @s are opened. NULL: it cannot be watched, or there is no memory.
 */
struct pe_twins *pe_twins_new(const struct slice *s);

/* NULL is fine. @stale: in the child of a fork, which has no buffers. */
void pe_twins_free(struct pe_twins *t, bool stale);

/* Open the twins; @adapt changes what is asked for. False: none is open. */
bool pe_twins_open(struct pe_twins *t, const struct slice *s,
		   void (*adapt)(struct perf_event_attr *attr));
void pe_twins_close(struct pe_twins *t);

/* Whether the thread had no child since it is watched. */
static inline bool pe_twins_are_alike(const struct pe_twins *t)
{
	return __atomic_load_n(&t->watch->data_head, __ATOMIC_ACQUIRE) == 0;
}

#endif /* PERF_EVENT_TWINS_H */
