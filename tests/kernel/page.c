/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel shows in mapped memory: the user page, by which counters are
 * read without a call, and rings of records. Also rdpmc itself, which traps
 * where the model runs.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

#define PAGE 4096

/* This process's view of the mapped memory of each event. */
static struct {
	uint64_t id;
	struct perf_event_mmap_page *page;
	size_t bytes;
} views[MK_EVENTS];

/* Signals wait until the kernel's lock is free. */
static _Thread_local struct {
	pid_t to;
	int sig, fd, code;
} waiting[64];
static _Thread_local int n_waiting;

static struct perf_event_mmap_page *view(int event)
{
	const struct mk_event *e = &mk->events[event];
	size_t bytes = PAGE + e->ring_bytes;
	char path[128];
	int fd;

	if (!e->lock_pages)
		return NULL;
	if (views[event].id == e->id && views[event].bytes == bytes)
		return views[event].page;
	mk_ring_path(path, sizeof(path), e->id);
	fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR, 0, 0, 0);
	if (fd < 0)
		return NULL;
	if (views[event].page)
		raw_call(SYS_munmap, (long)views[event].page,
			 (long)views[event].bytes, 0, 0, 0, 0);
	views[event].page =
		(void *)raw_call(SYS_mmap, 0, (long)bytes,
				 PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	views[event].id = e->id;
	views[event].bytes = bytes;
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return views[event].page;
}

void mk_views_forget(void)
{
	for (int i = 0; i < MK_EVENTS; i++) {
		if (views[i].page)
			raw_call(SYS_munmap, (long)views[i].page,
				 (long)views[i].bytes, 0, 0, 0, 0);
		views[i].page = NULL;
		views[i].id = 0;
	}
}

static uint64_t mask_of(unsigned width)
{
	return width >= 64 ? ~0ULL : (1ULL << width) - 1;
}

static int64_t extend(uint64_t value, unsigned width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

/* The kernel's number of the counter for user space, plus one; 0: none. */
static uint32_t index_of(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	if (e->state != MK_ACTIVE || !p)
		return 0;
	if (p->kind.driver == MK_INTEL && mk_is_metric(e))
		return (1u << 29) + 1;
	if (e->counter < 0)
		return 0;
	if (p->kind.driver == MK_ARM)
		return e->counter >= MK_FIXED ? 32 : (uint32_t)e->counter + 1;
	return (e->counter >= MK_FIXED
			? 1u << 30 | (uint32_t)(e->counter - MK_FIXED)
			: (uint32_t)e->counter) +
	       1;
}

/* In front of a program: its instruction would read the real machine. */
static bool is_readable(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	if (!p || mk->cpu_clock || mk->traits & MK_NO_RDPMC)
		return false;
	return p->kind.driver == MK_INTEL || p->kind.driver == MK_AMD;
}

void mk_page_update(int event)
{
	const struct mk_event *e = &mk->events[event];
	struct perf_event_mmap_page *page = view(event);
	const struct mk_pmu *p = mk_pmu_of(e);

	if (!page)
		return;
	page->lock++;
	page->version = page->compat_version = 0;
	page->cap_user_rdpmc = is_readable(e);
	page->cap_user_time =
		page->cap_user_rdpmc && !(mk->traits & MK_NO_USER_TIME);
	page->pmc_width = p ? (uint16_t)p->kind.width : 0;
	page->index = is_readable(e) ? index_of(e) : 0;
	page->offset = (int64_t)mk_value(e);
	if (page->index && !mk_is_metric(e))
		page->offset = (int64_t)e->started_at -
			       extend(e->programmed, p->kind.width);
	page->time_enabled = e->enabled;
	page->time_running = e->running;
	page->time_mult = page->time_shift = 0;
	page->time_offset = 0;
	page->data_offset = PAGE;
	page->data_size = e->ring_bytes;
	page->lock++;
}

/* [x86: rdpmc of a counter that the core does not have is a #GP] */
uint64_t mk_rdpmc(uint32_t index, bool *valid)
{
	int task = mk_task_self(), cpu = mk->tasks[task].cpu;
	bool fixed = index >> 30 & 1, metrics = index >> 29 & 1;
	int counter = (int)(index & 0xff) + (fixed ? MK_FIXED : 0);

	*valid = false;
	for (size_t i = 0; i < mk->n_pmus; i++) {
		const struct mk_pmu *p = &mk->pmus[i];

		if (p->kind.driver >= MK_UNCORE || !mk_cpu_in(p->cpus, cpu))
			continue;
		*valid = metrics ? p->kind.flags & MK_METRICS
			 : fixed ? counter - MK_FIXED < (int)p->kind.fixed
				 : counter < (int)p->kind.general;
	}
	if (metrics)
		return 0x1e33190f4c4c1966; /* eight fractions */
	for (int i = 0; i < mk->n_events && *valid; i++) {
		const struct mk_event *e = &mk->events[i];

		if (!e->used || e->state != MK_ACTIVE ||
		    e->counter != counter || e->pmu < 0 ||
		    (e->task != task && e->cpu != cpu))
			continue;
		return (e->programmed + mk_value(e) - e->started_at) &
		       mask_of(mk_pmu_of(e)->kind.width);
	}
	return 0x5555; /* somebody's who was there before */
}

/* Into the ring of @event's output; false: it is full. */
static bool append(int output, const void *from, size_t bytes)
{
	struct perf_event_mmap_page *page = view(output);
	size_t ring = mk->events[output].ring_bytes;
	uint64_t head;

	if (!page || ring == 0)
		return false;
	head = page->data_head;
	if (head + bytes - page->data_tail > ring)
		return false;
	for (size_t i = 0; i < bytes; i++)
		((char *)page)[PAGE + ((head + i) & (ring - 1))] =
			((const char *)from)[i];
	__atomic_store_n(&page->data_head, head + bytes, __ATOMIC_RELEASE);
	return true;
}

void mk_ring_write(int event, uint32_t type, uint16_t misc, const void *body,
		   size_t bytes)
{
	const struct mk_event *e = &mk->events[event];
	char record[512];
	struct perf_event_header head = {
		.type = type,
		.misc = misc,
	};
	size_t n = sizeof(head);
	uint64_t trailer[3] = { 0 };

	memcpy(record + n, body, bytes);
	n += bytes;
	if (type != PERF_RECORD_SAMPLE && e->attr.sample_id_all) {
		const struct mk_task *t = &mk->tasks[e->task < 0 ? 0 : e->task];

		trailer[0] = (uint32_t)t->pid | (uint64_t)t->tid << 32;
		trailer[1] = mk_clock();
		trailer[2] = e->id;
		memcpy(record + n, trailer, sizeof(trailer));
		n += sizeof(trailer);
	}
	head.size = (uint16_t)n;
	memcpy(record, &head, sizeof(head));
	append(e->output, record, n);
}

/* The words of a sample, in the order of perf_event_open(2). */
static size_t sample_words(int event, uint64_t *to)
{
	const struct mk_event *e = &mk->events[event];
	const struct mk_task *t = &mk->tasks[e->task < 0 ? 0 : e->task];
	uint64_t type = e->attr.sample_type, enabled, running;
	uint64_t id = e->parent < 0 ? e->id : mk->events[e->parent].id;
	size_t n = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		to[n++] = id;
	if (type & PERF_SAMPLE_IP)
		to[n++] = t->address;
	if (type & PERF_SAMPLE_TID)
		to[n++] = (uint32_t)t->pid | (uint64_t)t->tid << 32;
	if (type & PERF_SAMPLE_TIME)
		to[n++] = mk_clock();
	if (type & PERF_SAMPLE_READ) {
		size_t at = n;

		n += 3;
		to[at] = 0;
		mk_total(event, &enabled, &running);
		to[at + 1] = enabled;
		to[at + 2] = running;
		for (int i = e->leader; i < mk->n_events; i++)
			if (mk->events[i].used &&
			    mk->events[i].leader == e->leader) {
				to[at]++;
				to[n++] = mk_total(i, &enabled, &running);
			}
	}
	if (type & PERF_SAMPLE_REGS_USER)
		to[n++] = PERF_SAMPLE_REGS_ABI_NONE;
	if (type & PERF_SAMPLE_STACK_USER)
		to[n++] = 0;
	return n;
}

static void queue_signal(int event, int code)
{
	const struct mk_event *e = &mk->events[event];

	if (!e->async || n_waiting == 64)
		return;
	waiting[n_waiting].to = e->to;
	waiting[n_waiting].sig = e->sig ? e->sig : SIGIO;
	waiting[n_waiting].fd = e->fd;
	waiting[n_waiting++].code = code;
}

void mk_sample(int event)
{
	struct mk_event *e = &mk->events[event];
	uint64_t words[48];
	size_t n = sample_words(event, words);
	int code = POLL_IN;

	mk_ring_write(event, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words,
		      n * sizeof(words[0]));
	if (e->refresh > 0 && --e->refresh == 0) {
		code = POLL_HUP;
		e->state = MK_OFF;
		e->counter = -1;
	}
	queue_signal(e->parent < 0 ? event : e->parent, code);
}

void mk_throttle(int event, bool on)
{
	const struct mk_event *e = &mk->events[event];
	uint64_t words[3] = { mk_clock(), e->id, e->id };

	mk_ring_write(event, on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
		      0, words, sizeof(words));
}

bool mk_signals_wait(void)
{
	return n_waiting > 0;
}

void mk_send_signals(void)
{
	for (int i = 0; i < n_waiting; i++) {
		siginfo_t info = { .si_signo = waiting[i].sig,
				   .si_code = waiting[i].code };

		info.si_fd = waiting[i].fd;
		/* [send_sigio_to_task(): no room is a plain SIGIO] */
		if (raw_call(SYS_rt_tgsigqueueinfo, getpid(), waiting[i].to,
			     waiting[i].sig, (long)&info, 0, 0))
			raw_call(SYS_tgkill, getpid(), waiting[i].to, SIGIO, 0,
				 0, 0);
		/* the handler may have queued others */
	}
	n_waiting = 0;
}
