/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing events that sample other processes. */
#include "components/perf_event/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "components/perf_event/open.h"
#include "components/perf_event/slice.h"

#define ALL_PAGES   16384 /* of all rings; fewer if the kernel gives no more */
#define MOST_PAGES  4096  /* of a ring */
#define LEAST_PAGES 64
#define STACK_BYTES 16384 /* of a stack that is kept */

struct pe_recording *pe_recording_of(const struct slice *s)
{
	const struct pe_slice *ps = s->priv;

	return ps->recording;
}

/* Pages of each of @rings, a power of two. */
static size_t pages_for(size_t rings)
{
	size_t pages = MOST_PAGES;

	while (pages > LEAST_PAGES && pages * rings > ALL_PAGES)
		pages /= 2;
	return pages;
}

static bool map_ring(struct pe_recorder_ring *ring, int fd, size_t rings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t pages = pages_for(rings); pages > 0; pages /= 2) {
		void *at = mmap(NULL, (1 + pages) * page,
				PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (at == MAP_FAILED)
			continue;
		ring->page = at;
		ring->data = (const char *)at + page;
		ring->bytes = pages * page;
		return true;
	}
	return false;
}

static void unmap_ring(struct pe_recorder_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
}

/* @first: the event that also tells of maps, programs and processes. */
static struct perf_event_attr attr_for(const struct slice *s, size_t position,
				       bool first)
{
	struct perf_event_attr attr = pe_attr_of(s, position);

	attr.read_format = PERF_FORMAT_ID;
	attr.sample_period = s->thresholds[position];
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			   PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (s->opt.stacks && pe_register_mask) {
		attr.sample_type |=
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = pe_register_mask;
		attr.sample_stack_user = STACK_BYTES;
	}
	attr.wakeup_events = 0;
	attr.sample_id_all = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.inherit = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = first;
	return attr;
}

static int open_event(struct slice *s, size_t position, int cpu, int *fd)
{
	struct perf_event_attr attr = attr_for(s, position, position == 0);

	*fd = pe_sys_open(&attr, s->opt.tid, cpu, -1);
	if (*fd < 0 && (errno == EACCES || errno == EPERM) &&
	    pe_attr_with_less(&attr, pe_event_of(s, position)))
		*fd = pe_sys_open(&attr, s->opt.tid, cpu, -1);
	return *fd < 0 ? errno : 0;
}

/* All events on one CPU, with one ring. */
static int open_cpu(struct slice *s, struct pe_recording *r, int cpu)
{
	struct pe_recorder_ring ring = { 0 };
	int leader = -1;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t id = 0;
		int fd, error = open_event(s, i, cpu, &fd);

		if (error == ENODEV || error == ENXIO) /* it is offline */
			return 0;
		if (error)
			return pe_why(s, i, error, true);
		r->fds[r->n] = fd;
		ioctl(fd, PERF_EVENT_IOC_ID, &id);
		r->ids[r->n++] = id;
		if (i == 0 && !map_ring(&ring, fd, r->cpus))
			return slice_fail(
				s, PAPI_ESYS,
				"there is no room for samples (%s); remedy: ulimit -l, or sysctl kernel.perf_event_mlock_kb",
				strerror(errno));
		if (i == 0)
			leader = fd;
		else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, leader))
			return slice_fail(
				s, PAPI_ECNFLCT,
				"%s cannot be sampled together with the others",
				pe_event_name(s, i));
		if (i == 0)
			r->rings[r->n_rings++] = ring;
	}
	return 0;
}

static void recorder_close(struct slice *s)
{
	struct pe_slice *ps = s->priv;
	struct pe_recording *r = ps->recording;

	if (!r)
		return;
	for (size_t i = 0; i < r->n_rings; i++)
		unmap_ring(&r->rings[i]);
	for (size_t i = 0; i < r->n; i++)
		close(r->fds[i]);
	free(r->rings);
	free(r->fds);
	free(r->ids);
	free(r->held);
	free(r->bytes);
	free(r);
	ps->recording = NULL;
}

/* Room for events on every CPU there may be. */
static int make_room(struct slice *s, size_t cpus)
{
	struct pe_slice *ps = s->priv;
	struct pe_recording *r = calloc(1, sizeof(*r));

	ps->recording = r;
	if (!r)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	r->n_events = s->n;
	r->cpus = cpus;
	r->fds = calloc(cpus * s->n, sizeof(*r->fds));
	r->ids = calloc(cpus * s->n, sizeof(*r->ids));
	r->rings = calloc(cpus, sizeof(*r->rings));
	if (!r->fds || !r->ids || !r->rings)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	return 0;
}

static int check_events(struct slice *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct pe_event *e = pe_event_of(s, i);

		if (e->error)
			return slice_fail(s, e->error, "%s: %s",
					  pe_event_name(s, i), e->why);
		if (e->code.place == PE_UNCORE)
			return slice_fail(
				s, PAPI_ENOSUPP,
				"%s counts for a whole CPU package and has no samples",
				pe_event_name(s, i));
	}
	if (s->opt.stacks && !pe_register_mask)
		return slice_fail(s, PAPI_ENOSUPP,
				  "stacks cannot be unwound on this machine");
	return 0;
}

static int recorder_open(struct slice *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = check_events(s);

	if (!err)
		err = make_room(s, cpus > 0 ? (size_t)cpus : 1);
	for (int cpu = 0; !err && cpu < cpus; cpu++)
		err = open_cpu(s, pe_recording_of(s), cpu);
	if (!err && pe_recording_of(s)->n == 0)
		err = slice_fail(s, PAPI_ESYS, "no CPU can be sampled");
	if (err)
		recorder_close(s);
	return err;
}

static int recorder_read(struct slice *s, struct count *counts)
{
	const struct pe_recording *r = pe_recording_of(s);

	memset(counts, 0, s->n * sizeof(*counts));
	for (size_t i = 0; i < r->n; i++) {
		uint64_t value[2]; /* and the identity */

		if (read(r->fds[i], value, sizeof(value)) !=
		    (ssize_t)sizeof(value))
			return slice_fail(s, PAPI_ESYS,
					  "the counters cannot be read");
		counts[i % r->n_events].value += value[0];
	}
	return 0;
}

const struct recorder_ops pe_recorder = {
	.open = recorder_open,
	.take = pe_recorder_take,
	.read = recorder_read,
	.close = recorder_close,
};
