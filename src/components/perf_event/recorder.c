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
#include "components/perf_event/cpus.h"
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

/* @first on its CPU: the event that also tells of maps, programs and processes.
 */
static struct perf_event_attr attr_for(const struct slice *s, size_t position,
				       bool first)
{
	struct perf_event_attr attr = pe_attr_of(s, position);

	attr.read_format = PERF_FORMAT_ID;
	attr.sample_period = s->thresholds[position];
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			   PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if (s->opt.stacks) {
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
	attr.disabled = s->opt.on_exec;
	attr.enable_on_exec = s->opt.on_exec;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = first;
	return attr;
}

/* Where an event is opened. */
struct place {
	pid_t tid;
	int cpu;
	int leader; /* whose ring it shares; -1: it is the first there */
};

static int open_event(struct slice *s, size_t position,
		      const struct place *place, int *fd)
{
	struct perf_event_attr attr = attr_for(s, position, place->leader < 0);
	const struct pe_event *e = pe_event_of(s, position);

	*fd = pe_sys_open_event(e, &attr, place->tid, place->cpu, -1);
	if (*fd < 0 && (errno == EACCES || errno == EPERM) &&
	    pe_attr_with_less(&attr, e))
		*fd = pe_sys_open_event(e, &attr, place->tid, place->cpu, -1);
	return *fd < 0 ? errno : 0;
}

/* Let the event @fd write where the others of its CPU do. */
static int give_ring(struct slice *s, struct pe_recording *r, size_t position,
		     struct place *place, int fd)
{
	struct pe_recorder_ring ring = { 0 };

	if (place->leader >= 0) {
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, place->leader) == 0)
			return 0;
		return slice_fail(
			s, PAPI_ECNFLCT,
			"%s cannot be sampled together with the others",
			pe_event_name(s, position));
	}
	if (!map_ring(&ring, fd, r->cpus))
		return slice_fail(
			s, PAPI_ESYS,
			"there is no room for samples (%s); to fix it: ulimit -l, or sysctl kernel.perf_event_mlock_kb",
			strerror(errno));
	r->rings[r->n_rings++] = ring;
	place->leader = fd;
	return 0;
}

/* All events of a thread on one CPU; there may be no such CPU or thread. */
static int open_thread(struct slice *s, struct pe_recording *r,
		       struct place *place)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pe_recorded *opened = &r->opened[r->n];
		const struct pe_event *e = pe_event_of(s, i);
		int fd, error;

		if (pe_event_is_partial(e) &&
		    !pe_cpus_have(e->cpus, place->cpu))
			continue; /* a CPU of the other kind */
		error = open_event(s, i, place, &fd);
		if (error == ENODEV || error == ENXIO) /* it is offline */
			return 0;
		if (error == ESRCH && s->opt.tids) /* it has ended */
			return 0;
		if (error)
			return pe_why(s, i, error, true);
		*opened = (struct pe_recorded){ .event = i, .fd = fd };
		ioctl(fd, PERF_EVENT_IOC_ID, &opened->id);
		r->n++;
		error = give_ring(s, r, i, place, fd);
		if (error)
			return error;
	}
	return 0;
}

/* All events on one CPU, with one ring. */
static int open_cpu(struct slice *s, struct pe_recording *r, int cpu)
{
	struct place place = { s->opt.tid, cpu, -1 };
	int err = 0;

	if (!s->opt.tids)
		return open_thread(s, r, &place);
	for (size_t i = 0; !err && i < s->opt.n_tids; i++) {
		place.tid = s->opt.tids[i];
		err = open_thread(s, r, &place);
	}
	return err;
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
		close(r->opened[i].fd);
	free(r->rings);
	free(r->opened);
	free(r->held);
	free(r->bytes);
	free(r);
	ps->recording = NULL;
}

/* Room for events of every thread on every CPU there may be. */
static int make_room(struct slice *s, size_t cpus)
{
	size_t most = cpus * s->n * (s->opt.tids ? s->opt.n_tids : 1);
	struct pe_slice *ps = s->priv;
	struct pe_recording *r = calloc(1, sizeof(*r));

	ps->recording = r;
	if (!r)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	r->cpus = cpus;
	r->opened = calloc(most, sizeof(*r->opened));
	r->rings = calloc(cpus, sizeof(*r->rings));
	if (!r->opened || !r->rings)
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
#ifndef PE_KNOWS_REGISTERS
	if (s->opt.stacks)
		return slice_fail(s, PAPI_ENOSUPP,
				  "stacks cannot be unwound on this machine");
#endif
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct pe_recorded *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static size_t count_cpus(const char *list)
{
	struct pe_cpus walk = { list, 0, 0, false };
	size_t n = 0;
	int cpu;

	while (pe_cpus_next(&walk, &cpu))
		n++;
	return n;
}

static int open_cpus(struct slice *s, const char *online)
{
	struct pe_cpus walk = { online, 0, 0, false };
	int cpu, err = make_room(s, count_cpus(online));

	while (!err && pe_cpus_next(&walk, &cpu))
		err = open_cpu(s, pe_recording_of(s), cpu);
	return err;
}

static int recorder_open(struct slice *s)
{
	OWNED char *online =
		fs_read(s->component->fs, "sys/devices/system/cpu/online");
	int err = check_events(s);

	if (!err)
		err = open_cpus(s, online ? online : "0");
	if (!err && pe_recording_of(s)->n == 0)
		err = slice_fail(s, PAPI_ESYS, "%s",
				 s->opt.tids ? "it has ended"
					     : "no CPU can be sampled");
	if (err)
		recorder_close(s);
	else
		qsort(pe_recording_of(s)->opened, pe_recording_of(s)->n,
		      sizeof(struct pe_recorded), by_id);
	return err;
}

static int recorder_read(struct slice *s, struct count *counts)
{
	const struct pe_recording *r = pe_recording_of(s);

	memset(counts, 0, s->n * sizeof(*counts));
	for (size_t i = 0; i < r->n; i++) {
		uint64_t value[2]; /* and the identity */

		if (read(r->opened[i].fd, value, sizeof(value)) !=
		    (ssize_t)sizeof(value))
			return slice_fail(s, PAPI_ESYS,
					  "the counters cannot be read");
		counts[r->opened[i].event].value += value[0];
	}
	return 0;
}

static const char *recorder_clock(const struct slice *s)
{
	(void)s;
	return "ns";
}

const struct recorder_ops pe_recorder = {
	.open = recorder_open,
	.take = pe_recorder_take,
	.read = recorder_read,
	.clock = recorder_clock,
	.close = recorder_close,
};
