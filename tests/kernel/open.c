/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_event_open() and what refuses it, in the order of the kernel: the
 * attributes, permissions, the PMU's driver, the group. Also tasks: what
 * children inherit, and what begins at an exec.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/kernel.h"

static bool holds(enum mk_rule rule)
{
	return mk_rule_holds(rule, mk->version);
}

static bool has_exclusion(const struct perf_event_attr *a)
{
	return a->exclude_user || a->exclude_kernel || a->exclude_hv ||
	       a->exclude_idle || a->exclude_guest || a->exclude_host;
}

/* [perf_copy_attr(), perf_event_open(): perf_allow_kernel(), _cpu()] */
static int check_permission(const struct perf_event_attr *a, pid_t pid)
{
	if (mk->privileged)
		return 0;
	if (mk->paranoid > 2)
		return EACCES;
	if (!a->exclude_kernel && mk->paranoid > 1)
		return EACCES;
	if (pid < 0 && mk->paranoid > 0)
		return EACCES;
	return 0;
}

static int check_attr(const struct perf_event_attr *a, pid_t pid, int cpu)
{
	if (pid == -1 && cpu == -1)
		return EINVAL;
	if (cpu >= 0 && !mk_cpu_in(mk->online, cpu))
		return ENODEV;
	if (a->inherit && a->read_format & PERF_FORMAT_GROUP &&
	    holds(MK_NO_GROUP_READ_INHERITED))
		return EINVAL;
	if (a->inherit && a->sample_type & PERF_SAMPLE_READ)
		return EINVAL;
	if (a->freq && a->sample_freq > mk->max_sample_rate)
		return EINVAL;
	return check_permission(a, pid);
}

/* The PMU that event @a is for; -1: the kernel counts; -2: none. */
static int find_pmu(const struct perf_event_attr *a, uint32_t type, int cpu)
{
	for (size_t i = 0; i < mk->n_pmus; i++) {
		const struct mk_pmu *p = &mk->pmus[i];
		bool core = p->kind.driver < MK_UNCORE;

		if (type >= PERF_TYPE_MAX ||
		    (type == PERF_TYPE_RAW && p->type == PERF_TYPE_RAW)) {
			if (p->type == type)
				return (int)i;
			continue;
		}
		if (!core || (cpu >= 0 && !mk_cpu_in(p->cpus, cpu)))
			continue;
		if ((type == PERF_TYPE_HARDWARE &&
		     !mk_has_generic(p->kind.driver, p->kind.flags,
				     a->config & 0xffffffff)) ||
		    (type == PERF_TYPE_HW_CACHE &&
		     !mk_has_cache(p->kind.driver, a->config & 0xffffffff)))
			continue;
		return (int)i;
	}
	return -2;
}

static bool is_generic(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE;
}

static int look_up(struct mk_event *e)
{
	const struct perf_event_attr *a = &e->attr;
	uint32_t type = a->type;
	const struct mk_pmu *p;

	e->pmu = -1;
	if (type == PERF_TYPE_SOFTWARE)
		return a->config < PERF_COUNT_SW_MAX ? 0 : ENOENT;
	if (is_generic(a) && a->config >> 32 && holds(MK_EXTENDED_TYPE)) {
		type = (uint32_t)(a->config >> 32);
		e->pmu = find_pmu(a, type, e->cpu);
	} else {
		e->pmu = find_pmu(a, type, e->cpu);
	}
	if (e->pmu < 0)
		return ENOENT;
	p = &mk->pmus[e->pmu];
	e->raw = a->type == PERF_TYPE_HARDWARE
			 ? mk_raw_of_generic(p->kind.driver,
					     a->config & 0xffffffff)
		 : a->type == PERF_TYPE_HW_CACHE ? 0xfe0000e0 | a->config << 32
						 : a->config;
	return 0;
}

/* [uncore_pmu_event_init(), rapl_pmu_event_init(): no levels, no tasks] */
static int check_uncore(const struct mk_event *e, const struct mk_pmu *p)
{
	if (e->task >= 0 || e->cpu < 0 || e->attr.sample_period)
		return EINVAL;
	if (has_exclusion(&e->attr) || e->attr.inherit)
		return EINVAL;
	return mk_cpu_in(p->cpus, e->cpu) ? 0 : EINVAL;
}

/* [intel_pmu_hw_config(): metric events need a slots leader] */
static int check_metric(const struct mk_event *e, int leader)
{
	if (!mk_is_metric(e))
		return 0;
	if (is_generic(&e->attr) || e->attr.sample_period || leader < 0 ||
	    !mk_is_slots(&mk->events[leader]) ||
	    mk->events[leader].attr.sample_period)
		return EINVAL;
	return 0;
}

static int check_x86(const struct mk_event *e, const struct mk_pmu *p,
		     int leader)
{
	if (e->cpu >= 0 && !mk_cpu_in(p->cpus, e->cpu) &&
	    holds(MK_HYBRID_CPU_CHECK))
		return ENOENT;
	if (e->attr.precise_ip) {
		if (!e->attr.sample_period && holds(MK_PRECISE_NEEDS_PERIOD))
			return EINVAL;
		if (mk->traits & MK_NO_USER_TIME) /* a guest has no PEBS */
			return EOPNOTSUPP;
	}
	return check_metric(e, leader);
}

static int check_driver(const struct mk_event *e, int leader)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	if (!p)
		return 0;
	switch (p->kind.driver) {
	case MK_UNCORE:
		return check_uncore(e, p);
	case MK_FREE:
		if (has_exclusion(&e->attr))
			return EINVAL;
		if (p->kind.flags & MK_TASK)
			return e->attr.sample_period ? EINVAL : 0;
		return e->attr.sample_period ? 0 : EINVAL; /* IBS samples */
	case MK_ARM:
	case MK_APPLE:
		if (e->cpu >= 0 && !mk_cpu_in(p->cpus, e->cpu))
			return ENOENT;
		if (p->kind.driver == MK_APPLE && !e->attr.exclude_guest &&
		    holds(MK_APPLE_EXCLUDES_GUEST))
			return EOPNOTSUPP;
		return e->attr.config1 & 2 && !(mk->traits & MK_USER_ACCESS)
			       ? EOPNOTSUPP
			       : 0;
	case MK_POWER:
		return (e->raw >> 16 & 0xf) > 6 ? EINVAL : 0;
	default:
		return check_x86(e, p, leader);
	}
}

/* [arm_pmu.c validate_event(): a disabled leader is not looked at] */
static bool is_overlooked(const struct mk_event *e, const struct mk_pmu *p)
{
	return (p->kind.driver == MK_ARM || p->kind.driver == MK_APPLE) &&
	       e->state == MK_OFF && !e->attr.enable_on_exec;
}

static bool is_groupable(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	return !p || (p->kind.driver == MK_FREE && p->kind.flags & MK_TASK);
}

/* [perf_event_open(), validate_group()] */
static int check_group(int event, int leader)
{
	struct mk_event *e = &mk->events[event];
	const struct mk_pmu *p = mk_pmu_of(e);
	int group[64];
	size_t n = 0;

	if (leader >= 0) {
		const struct mk_event *l = &mk->events[leader];

		if (l->leader != leader || l->task != e->task ||
		    l->cpu != e->cpu || e->attr.exclusive || e->attr.pinned)
			return EINVAL;
	}
	if (is_groupable(e))
		return 0;
	for (int i = leader < 0 ? event : leader; i <= event; i++) {
		const struct mk_event *o = &mk->events[i];

		if (!o->used || (i != event && o->leader != leader) ||
		    is_groupable(o))
			continue;
		if (o->pmu != e->pmu)
			return EINVAL;
		if (p->kind.driver != MK_FREE && !is_overlooked(o, p) && n < 64)
			group[n++] = i;
	}
	return n && !mk_fits(group, n, e->pmu, true) ? EINVAL : 0;
}

/* The same for the same event everywhere; cycles and instructions known. */
static uint64_t rate_of(uint32_t type, uint64_t config)
{
	uint64_t h = (config ^ (uint64_t)type << 56) * 0x9e3779b97f4a7c15ULL;

	if (type == PERF_TYPE_HARDWARE && config == PERF_COUNT_HW_CPU_CYCLES)
		return 2000;
	if (type == PERF_TYPE_HARDWARE && config == PERF_COUNT_HW_INSTRUCTIONS)
		return 3000;
	if (type == PERF_TYPE_SOFTWARE)
		return config == PERF_COUNT_SW_CPU_CLOCK ||
				       config == PERF_COUNT_SW_TASK_CLOCK
			       ? 1000
			       : 0;
	return 100 + (h >> 40) % 1400;
}

/* A metric is a part of the slots; the parts of level 1 make the whole. */
static uint64_t rate_of_metric(uint64_t raw)
{
	static const uint64_t parts[] = { 400, 100, 200, 300, 50, 60, 90, 150 };

	return parts[(raw >> 8 & 0xff) - 0x80] * 12;
}

uint64_t mk_expected(uint32_t type, uint64_t config, uint64_t ns)
{
	return ns * rate_of(type, config) / 1000;
}

static void set_rate(struct mk_event *e)
{
	const struct perf_event_attr *a = &e->attr;

	if (mk_is_slots(e))
		e->rate = 12000;
	else if (mk_is_metric(e))
		e->rate = rate_of_metric(e->raw);
	else
		e->rate =
			rate_of(a->type, is_generic(a) ? a->config & 0xffffffff
						       : a->config);
	if (a->exclude_user)
		e->rate /= 100;
}

static int new_event(void)
{
	if (mk->n_events == MK_EVENTS)
		return -1;
	memset(&mk->events[mk->n_events], 0, sizeof(mk->events[0]));
	return mk->n_events++;
}

static void drop_event(int event)
{
	mk->events[event].used = false;
	while (mk->n_events > 0 && !mk->events[mk->n_events - 1].used)
		mk->n_events--;
}

static void reschedule_around(const struct mk_event *e)
{
	if (e->task >= 0)
		mk_reschedule(mk->tasks[e->task].cpu, e->task);
	else
		mk_reschedule(e->cpu, -1);
}

/* [mediated_pmu_account_event()] */
static int check_guests(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	if (p && p->kind.driver < MK_UNCORE && mk->traits & MK_MEDIATED &&
	    !e->attr.exclude_guest && holds(MK_MEDIATED_REFUSES_GUEST))
		return EOPNOTSUPP;
	return 0;
}

/* What lies beyond the attributes of Linux 5.13: 0, or it must be known. */
static int take_config3(struct mk_event *e, const struct perf_event_attr *attr)
{
	const size_t at = 128;

	if (attr->size >= at + sizeof(e->config3))
		memcpy(&e->config3, (const char *)attr + at,
		       sizeof(e->config3));
	return e->config3 && !mk_rule_holds(MK_HAS_CONFIG3, mk->version) ? E2BIG
									 : 0;
}

int mk_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
	    unsigned long flags)
{
	int error, event = new_event();
	struct mk_event *e;

	(void)flags;
	mk->opens++;
	if (event < 0) {
		errno = ENOMEM;
		return -1;
	}
	e = &mk->events[event];
	e->used = true;
	e->attr = *attr;
	e->cpu = cpu;
	e->task = pid < 0 ? -1 : pid == 0 ? mk_task_self() : mk_task_find(pid);
	e->leader = leader < 0 ? event : leader;
	e->parent = e->counter = -1;
	e->output = event;
	e->state = attr->disabled ? MK_OFF : MK_INACTIVE;
	e->next = attr->sample_period;
	e->id = ++mk->next_id;
	e->order = ++mk->next_order;
	error = pid > 0 && e->task < 0 ? ESRCH : check_attr(attr, pid, cpu);
	if (!error)
		error = take_config3(e, attr);
	if (!error)
		error = look_up(e);
	if (!error)
		error = check_driver(e, leader);
	if (!error)
		error = check_guests(e);
	if (!error)
		error = check_group(event, leader);
	if (error) {
		drop_event(event);
		errno = error;
		return -1;
	}
	set_rate(e);
	reschedule_around(e);
	return event;
}

void mk_release(int event)
{
	struct mk_event *e = &mk->events[event];
	struct mk_event closed = *e;

	for (int i = mk->n_events - 1; i >= 0; i--) {
		struct mk_event *o = &mk->events[i];

		if (o->used && i != event && o->leader == event)
			o->leader = i;
		if (o->used && o->parent == event)
			drop_event(i);
	}
	mk->locked_pages -= (uint64_t)e->lock_pages;
	drop_event(event);
	reschedule_around(&closed);
}

/* IOC_ENABLE and _DISABLE, for inherited ones too. */
static void switch_one(int event, bool on)
{
	for (int i = event; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];

		if (!e->used || (i != event && e->parent != event))
			continue;
		if (!on)
			e->state = MK_OFF;
		else if (e->state <= MK_OFF)
			e->state = MK_INACTIVE;
		mk_page_update(i);
		reschedule_around(e);
	}
}

int mk_control(int event, unsigned long request, unsigned long argument)
{
	struct mk_event *e = &mk->events[event];

	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		switch_one(event, request == PERF_EVENT_IOC_ENABLE);
		return 0;
	case PERF_EVENT_IOC_RESET:
		e->base = 0 - e->active_ns * e->rate / 1000;
		return 0;
	case PERF_EVENT_IOC_REFRESH:
		if (e->attr.inherit || !e->attr.sample_period)
			return EINVAL;
		e->refresh += (int)argument;
		switch_one(event, true);
		return 0;
	case PERF_EVENT_IOC_PERIOD: /* [_perf_event_period()] */
		if (!e->attr.sample_period)
			return EINVAL;
		e->attr.sample_period = *(uint64_t *)argument;
		e->next = mk_value(e) + e->attr.sample_period;
		return 0;
	case PERF_EVENT_IOC_ID:
		*(uint64_t *)argument = e->id;
		return 0;
	default:
		return ENOTTY;
	}
}

static size_t put_values(int event, uint64_t *to)
{
	const struct mk_event *e = &mk->events[event];
	bool group = e->attr.read_format & PERF_FORMAT_GROUP;
	uint64_t format = e->attr.read_format, enabled, running, value;
	size_t n = 1;

	value = mk_total(event, &enabled, &running);
	to[0] = group ? 0 : value;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		to[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		to[n++] = running;
	if (!group) {
		if (format & PERF_FORMAT_ID)
			to[n++] = e->id;
		return n;
	}
	for (int i = event; i < mk->n_events; i++) {
		if (!mk->events[i].used || mk->events[i].leader != event)
			continue;
		to[0]++;
		to[n++] = mk_total(i, &enabled, &running);
		if (format & PERF_FORMAT_ID)
			to[n++] = mk->events[i].id;
	}
	return n;
}

/* [perf_read(): no room is ENOSPC, an error state is an end of file] */
long mk_read(int event, void *to, size_t bytes)
{
	uint64_t words[512];
	size_t n;

	if (mk->events[event].state == MK_ERROR)
		return 0;
	n = put_values(event, words) * sizeof(words[0]);
	if (bytes < n) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(to, words, n);
	return (long)n;
}

/* What the new task inherits, group by group, in order. */
static void inherit(int from, int to)
{
	int n = mk->n_events;

	for (int i = 0; i < n; i++) {
		const struct mk_event *e = &mk->events[i];
		int child, leader;

		if (!e->used || e->task != from || !e->attr.inherit)
			continue;
		child = new_event();
		if (child < 0)
			return;
		mk->events[child] = *e;
		e = &mk->events[i];
		mk->events[child].task = to;
		mk->events[child].parent = e->parent < 0 ? i : e->parent;
		mk->events[child].active_ns = 0;
		mk->events[child].base = 0;
		mk->events[child].enabled = mk->events[child].running = 0;
		mk->events[child].next = e->attr.sample_period;
		mk->events[child].counter = -1;
		if (mk->events[child].state == MK_ACTIVE)
			mk->events[child].state = MK_INACTIVE;
		leader = child;
		for (int j = n; j < child && e->leader != i; j++)
			if (mk->events[j].used && mk->events[j].task == to &&
			    mk->events[j].leader == j)
				leader = j;
		mk->events[child].leader = leader;
	}
}

int mk_task_find(pid_t tid)
{
	for (int i = 0; i < MK_TASKS; i++)
		if (mk->tasks[i].used && !mk->tasks[i].ended &&
		    mk->tasks[i].tid == tid)
			return i;
	return -1;
}

static bool has_events(int task)
{
	for (int i = 0; i < mk->n_events; i++)
		if (mk->events[i].used && mk->events[i].task == task)
			return true;
	return false;
}

int mk_task_add(pid_t pid, pid_t tid, int parent)
{
	for (int i = 0; i < MK_TASKS; i++) {
		struct mk_task *t = &mk->tasks[i];

		if (t->used && !(t->ended && !has_events(i)))
			continue;
		*t = (struct mk_task){
			.used = true, .pid = pid, .tid = tid, .parent = parent
		};
		if (parent >= 0) {
			t->cpu = mk->tasks[parent].cpu;
			t->address = mk->tasks[parent].address;
			inherit(parent, i);
			mk_reschedule(t->cpu, i);
		}
		return i;
	}
	return -1;
}

/* [perf_event_enable_on_exec(): the events of the task that calls exec] */
void mk_task_exec(int task)
{
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];

		if (e->used && e->task == task && e->attr.enable_on_exec &&
		    e->state == MK_OFF) {
			e->attr.enable_on_exec = 0;
			e->state = MK_INACTIVE;
		}
	}
	mk_reschedule(mk->tasks[task].cpu, task);
}

/* Its inherited events give what they have to their parents. */
void mk_task_end(int task)
{
	struct mk_task *t = &mk->tasks[task];

	t->ended = true;
	for (int i = mk->n_events - 1; i >= 0; i--) {
		struct mk_event *e = &mk->events[i];

		if (!e->used || e->task != task)
			continue;
		if (e->parent >= 0) {
			struct mk_event *p = &mk->events[e->parent];

			p->base += mk_value(e);
			p->enabled += e->enabled;
			p->running += e->running;
			drop_event(i);
		} else if (e->state > MK_OFF) {
			e->state = MK_OFF; /* PERF_EVENT_STATE_EXIT */
			e->counter = -1;
		}
	}
}
