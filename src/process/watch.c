/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pidfd becomes readable when its process ends, so one poll() waits for
 * that and for the next timer. Kernels before 5.3 have none: there the process
 * is asked for every few milliseconds.
 */

#include "process/process.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define ASK_MS 10 /* without a pidfd */

static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

/* Whether it is gone, or waits to be reaped. */
static bool has_ended(pid_t pid)
{
	char path[40], text[256] = "";
	const char *after;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	after = strrchr(text, ')');
	return after && after[1] == ' ' && (after[2] == 'Z' || after[2] == 'X');
}

/* When each timer is due next, and which of that comes first. */
struct schedule {
	uint64_t next[WATCH_TIMERS];
	uint64_t first; /* UINT64_MAX: nothing to wait for but the end */
};

static void find_first(struct schedule *s, const struct watch *w)
{
	s->first = w->limit_ns ? w->limit_ns : UINT64_MAX;
	for (int i = 0; i < WATCH_TIMERS; i++)
		if (w->timers[i].every_ns && s->next[i] < s->first)
			s->first = s->next[i];
}

/* Fire what is due; a time that was missed is left out. */
static void fire(struct schedule *s, const struct watch *w, uint64_t elapsed)
{
	for (int i = 0; i < WATCH_TIMERS; i++) {
		const struct watch_timer *t = &w->timers[i];

		if (!t->every_ns || elapsed < s->next[i])
			continue;
		t->fire(t->context, elapsed);
		s->next[i] += t->every_ns *
			      (1 + (elapsed - s->next[i]) / t->every_ns);
	}
	find_first(s, w);
}

static int timeout_ms(uint64_t first, uint64_t elapsed)
{
	uint64_t ms;

	if (first == UINT64_MAX)
		return -1;
	if (first <= elapsed)
		return 0;
	ms = (first - elapsed + 999999) / 1000000;
	return ms > 60000 ? 60000 : (int)ms;
}

/* True when the process has ended within @ms; -1 is without end. */
static bool wait_for(int fd, pid_t pid, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		return poll(&poll_fd, 1, ms) > 0;
	poll(NULL, 0, ms < 0 || ms > ASK_MS ? ASK_MS : ms);
	return has_ended(pid);
}

void watch_process(pid_t pid, const struct watch *watch, uint64_t start_ns)
{
	int fd = open_process(pid);
	struct schedule schedule;

	for (int i = 0; i < WATCH_TIMERS; i++)
		schedule.next[i] = watch->timers[i].every_ns;
	find_first(&schedule, watch);
	for (;;) {
		uint64_t elapsed = clock_real_ns() - start_ns;

		if (watch->stop && *watch->stop)
			break;
		if (watch->limit_ns && elapsed >= watch->limit_ns)
			break;
		fire(&schedule, watch, elapsed);
		elapsed = clock_real_ns() - start_ns;
		if (wait_for(fd, pid, timeout_ms(schedule.first, elapsed)))
			break;
	}
	if (fd >= 0)
		close(fd);
}
