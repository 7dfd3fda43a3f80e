/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a twin on every CPU, switches all of them on and off, and closes them.
 * Counting their records is left to tally.c.
 */
#include "components/perf_event/twins.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "components/perf_event/open.h"

/* Descriptors that a program can spare: the usual limit is 1,024. */
#define MOST 64

static int open_twin(const struct slice *s, size_t i, int cpu,
		     void (*adapt)(struct perf_event_attr *attr))
{
	struct perf_event_attr attr = pe_attr_of(s, i);
	int fd;

	attr.read_format = PE_ALONE_FORMAT;
	attr.disabled = 1;
	adapt(&attr);
	fd = pe_sys_open(&attr, 0, cpu, -1);
	if (fd < 0 && pe_attr_with_less(&attr, pe_event_of(s, i)))
		fd = pe_sys_open(&attr, 0, cpu, -1);
	return fd;
}

struct pe_twins *pe_twins_new(const struct slice *s,
			      void (*adapt)(struct perf_event_attr *attr))
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t n = cpus > 0 ? s->n * (size_t)cpus : 0;
	struct pe_twins *t;

	if (n == 0 || n > MOST)
		return NULL;
	t = malloc(sizeof(*t) + n * sizeof(*t->fds));
	if (!t)
		return NULL;
	t->n = 0;
	t->cpus = (size_t)cpus;
	for (; t->n < n; t->n++) {
		int fd = open_twin(s, t->n / t->cpus, (int)(t->n % t->cpus),
				   adapt);

		if (fd < 0) {
			pe_twins_free(t);
			return NULL;
		}
		t->fds[t->n] = fd;
	}
	return t;
}

void pe_twins_free(struct pe_twins *t)
{
	for (size_t i = 0; t && i < t->n; i++)
		close(t->fds[i]);
	free(t);
}

bool pe_twins_switch(const struct pe_twins *t, bool on)
{
	bool done = true;

	for (size_t i = 0; i < t->n; i++)
		done &= !ioctl(
			t->fds[i],
			on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	return done;
}
