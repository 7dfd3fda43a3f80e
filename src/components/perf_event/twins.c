/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/twins.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "components/perf_event/open.h"

static size_t map_bytes(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

/* Not writable: then the kernel goes on writing when the buffer is full. */
static bool watch_children(struct pe_twins *t)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.task = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	void *page;

	t->watch_fd = pe_sys_open(&attr, 0, -1, -1);
	if (t->watch_fd < 0)
		return false;
	page = mmap(NULL, map_bytes(), PROT_READ, MAP_SHARED | MAP_POPULATE,
		    t->watch_fd, 0);
	if (page == MAP_FAILED) {
		close(t->watch_fd);
		return false;
	}
	t->watch = page;
	return true;
}

struct pe_twins *pe_twins_new(const struct slice *s)
{
	struct pe_twins *t = malloc(sizeof(*t) + s->n * sizeof(*t->fds));

	if (!t)
		return NULL;
	t->n = s->n;
	t->tid = gettid();
	for (size_t i = 0; i < t->n; i++)
		t->fds[i] = -1;
	if (!watch_children(t)) {
		free(t);
		return NULL;
	}
	return t;
}

void pe_twins_close(struct pe_twins *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->fds[i] >= 0)
			close(t->fds[i]);
		t->fds[i] = -1;
	}
}

void pe_twins_free(struct pe_twins *t, bool stale)
{
	if (!t)
		return;
	pe_twins_close(t);
	if (!stale)
		munmap((void *)(uintptr_t)t->watch, map_bytes());
	close(t->watch_fd);
	free(t);
}

static int open_twin(const struct slice *s, size_t i, pid_t tid,
		     void (*adapt)(struct perf_event_attr *attr))
{
	struct perf_event_attr attr = pe_attr_of(s, i);
	int fd;

	attr.inherit = 0;
	adapt(&attr);
	fd = pe_sys_open(&attr, tid, -1, -1);
	if (fd < 0 && pe_attr_with_less(&attr, pe_event_of(s, i)))
		fd = pe_sys_open(&attr, tid, -1, -1);
	return fd;
}

bool pe_twins_open(struct pe_twins *t, const struct slice *s,
		   void (*adapt)(struct perf_event_attr *attr))
{
	for (size_t i = 0; i < t->n; i++) {
		t->fds[i] = open_twin(s, i, t->tid, adapt);
		if (t->fds[i] < 0) {
			pe_twins_close(t);
			return false;
		}
	}
	return true;
}
