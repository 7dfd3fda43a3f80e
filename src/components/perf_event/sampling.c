/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow by counter interrupts. The kernel writes the address into a ring
 * buffer and sends a real-time signal that carries the descriptor to the
 * thread that opened the event. The event is armed for one overflow at a time
 * (PERF_EVENT_IOC_REFRESH): it stands still while the handler runs, so the
 * handler is not counted and a short threshold cannot interrupt it for ever.
 * Inherited events cannot be armed so; theirs run on. They are opened on each
 * CPU, as the kernel maps no ring of one that is inherited on all
 * [perf_mmap()].
 *
 * Samplers are never freed, only used again, because a signal that is on its
 * way when an event is closed may still look at one.
 */
#include "components/perf_event/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"
#include "components/perf_event/ring.h"

#define SAMPLE_SIGNAL (SIGRTMIN + 4)

/* Descriptors are looked up in the signal handler: chunks of a sparse array. */
#define CHUNK  1024
#define CHUNKS 1024

struct pe_sampler {
	_Atomic(struct pe_slice *) slice; /* NULL: nobody's */
	size_t position;
	int fd;
	struct pe_ring ring;
	atomic_bool armed;       /* one overflow is allowed, and has not been */
	bool one_by_one;         /* armed for each; false: runs on */
	atomic_int inside;       /* signal handlers that are using it */
	struct pe_sampler *next; /* of the same event, on other cores */
	struct pe_sampler *next_free;
};

typedef _Atomic(struct pe_sampler *) sampler_ref;

/* Process-wide, since a signal handler has no other context. */
static struct {
	pthread_mutex_t lock; /* guards all but the chunks' elements */
	struct pe_sampler *free;
	bool installed;
	_Atomic(sampler_ref *) chunks[CHUNKS];
} samplers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local int handlers_of_thread;

/* Where fd's sampler is or will be; NULL if nowhere yet. */
static sampler_ref *ref_of(int fd)
{
	sampler_ref *chunk;

	if (fd < 0 || fd >= CHUNK * CHUNKS)
		return NULL;
	chunk = atomic_load(&samplers.chunks[fd / CHUNK]);
	return chunk ? &chunk[fd % CHUNK] : NULL;
}

static void call(struct pe_slice *ps, const struct pe_sampler *sampler,
		 void *address, void *context)
{
	struct slice *s = ps->slice;
	uint64_t which = sampler->position < 64 ? 1ULL << sampler->position : 0;

	if (atomic_load(&ps->running) && s->on_overflow)
		s->on_overflow(s, which, address, context);
}

/*
 * Hand on each address in the ring; without one, where the signal hit. Of
 * events that run on, another signal may have handed it on already.
 */
static void hand_on(struct pe_slice *ps, struct pe_sampler *sampler,
		    void *context)
{
	struct pe_record record;
	bool any = false;

	while (pe_ring_next(&sampler->ring, &record)) {
		if (record.type != PERF_RECORD_SAMPLE || record.n < 1)
			continue;
		any = true;
		call(ps, sampler, (void *)(uintptr_t)record.words[0], context);
	}
	if (any)
		return;
	if (sampler->one_by_one)
		call(ps, sampler, context_address(context), context);
	else if (!sampler->ring.page) /* it may be another thread's */
		call(ps, sampler, NULL, context);
}

/* Allow one overflow. Marked first: it may come before ioctl() returns. */
static void arm(struct pe_sampler *sampler)
{
	atomic_store(&sampler->armed, true);
	if (ioctl(sampler->fd, PERF_EVENT_IOC_REFRESH, 1))
		atomic_store(&sampler->armed, false);
}

static void use(struct pe_sampler *sampler, const siginfo_t *info,
		void *context)
{
	struct pe_slice *ps = atomic_load(&sampler->slice);

	if (!ps || pe_slice_is_stale(ps))
		return;
	if (info->si_code == POLL_HUP)
		atomic_store(&sampler->armed, false);
	if (!atomic_load(&ps->running))
		return; /* late: it came after the stop */
	hand_on(ps, sampler, context);
	if (sampler->one_by_one && !atomic_load(&sampler->armed) &&
	    atomic_load(&ps->running))
		arm(sampler);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	sampler_ref *ref = ref_of(info->si_fd);
	struct pe_sampler *sampler = ref ? atomic_load(ref) : NULL;
	int saved = errno;

	(void)signal;
	if (sampler) {
		handlers_of_thread++;
		atomic_fetch_add(&sampler->inside, 1);
		if (atomic_load(ref) == sampler)
			use(sampler, info, context);
		atomic_fetch_sub(&sampler->inside, 1);
		handlers_of_thread--;
	}
	errno = saved;
}

static void ignore(int signal)
{
	(void)signal;
}

/*
 * Where no more signals can be queued the kernel sends a plain SIGIO instead
 * [send_sigio_to_task()], which would end the program. Events that run on can
 * be that many. Not SIG_IGN, which programs that are executed would inherit.
 */
static void survive_too_many(void)
{
	struct sigaction action;

	if (sigaction(SIGIO, NULL, &action) || action.sa_flags & SA_SIGINFO ||
	    action.sa_handler != SIG_DFL)
		return;
	action = (struct sigaction){ .sa_handler = ignore,
				     .sa_flags = SA_RESTART };
	sigemptyset(&action.sa_mask);
	sigaction(SIGIO, &action, NULL);
}

/* Once, and for good: a signal may come after the last event is closed. */
static int install_handler(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	if (samplers.installed)
		return 0;
	sigemptyset(&action.sa_mask);
	if (sigaction(SAMPLE_SIGNAL, &action, NULL))
		return PAPI_ESYS;
	samplers.installed = true;
	return 0;
}

/* The place for @fd, made if need be; the caller holds the lock. */
static sampler_ref *make_ref(int fd)
{
	sampler_ref *chunk;

	if (fd >= CHUNK * CHUNKS)
		return NULL;
	if (!atomic_load(&samplers.chunks[fd / CHUNK])) {
		chunk = calloc(CHUNK, sizeof(*chunk));
		if (!chunk)
			return NULL;
		atomic_store(&samplers.chunks[fd / CHUNK], chunk);
	}
	return ref_of(fd);
}

static struct pe_sampler *take_sampler(int fd, sampler_ref **ref)
{
	struct pe_sampler *sampler = NULL;

	pthread_mutex_lock(&samplers.lock);
	*ref = install_handler() ? NULL : make_ref(fd);
	if (*ref) {
		sampler = samplers.free;
		if (sampler)
			samplers.free = sampler->next_free;
		else
			sampler = calloc(1, sizeof(*sampler));
	}
	pthread_mutex_unlock(&samplers.lock);
	return sampler;
}

static void give_sampler(struct pe_sampler *sampler)
{
	pthread_mutex_lock(&samplers.lock);
	sampler->next_free = samplers.free;
	samplers.free = sampler;
	pthread_mutex_unlock(&samplers.lock);
}

/* Have overflows of @fd sent to this thread. */
static int direct_signals(int fd)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETSIG, SAMPLE_SIGNAL) ||
	    fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETFL, flags | O_ASYNC))
		return err_from_errno(errno);
	return 0;
}

/*
 * Let the first overflow come after a whole period: while it was tried, some
 * of it was counted [_perf_event_period(): hw.period_left].
 */
static void begin_period(const struct slice *s, size_t position, int fd)
{
	uint64_t period = s->thresholds[position];

	ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

static int watch(struct pe_slice *ps, size_t position, int fd)
{
	sampler_ref *ref;
	struct pe_sampler *sampler = take_sampler(fd, &ref);
	int err;

	if (!sampler)
		return PAPI_ENOMEM;
	sampler->position = position;
	sampler->fd = fd;
	sampler->one_by_one = !ps->slice->opt.inherit;
	if (!sampler->one_by_one)
		survive_too_many();
	begin_period(ps->slice, position, fd);
	atomic_store(&sampler->armed, false);
	atomic_store(&sampler->slice, ps);
	/* Without a ring the address is where the signal hit: a bit later. */
	pe_ring_open(&sampler->ring, fd, 1);
	atomic_store(ref, sampler);
	sampler->next = ps->sampler[position];
	ps->sampler[position] = sampler;
	err = direct_signals(fd);
	if (err)
		slice_fail(ps->slice, err, "overflow signals are refused");
	return err;
}

bool pe_sampling_wanted(const struct slice *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->thresholds[i])
			return true;
	return false;
}

void pe_sampling_set_attr(const struct slice *s, size_t position,
			  struct perf_event_attr *attr)
{
	/* x86_pmu_hw_config() refuses precision without a period */
	attr->precise_ip = pe_event_of(s, position)->code.precise & 3;
	attr->sample_period = s->thresholds[position];
	attr->sample_type = PERF_SAMPLE_IP;
	attr->wakeup_events = 1;
}

int pe_sampling_open(struct pe_slice *ps)
{
	ps->sampler = calloc(ps->n, sizeof(struct pe_sampler *));
	if (!ps->sampler)
		return PAPI_ENOMEM;
	for (size_t k = 0; k < ps->n_groups; k++) {
		const struct pe_group *g = &ps->groups[k];

		for (size_t i = 0; i < g->n; i++) {
			size_t position = g->members[i];
			int err;

			/* of a CPU's, those of the first CPU only */
			if (!ps->slice->thresholds[position] ||
			    (ps->sampler[position] && g->pid < 0))
				continue;
			err = watch(ps, position, g->fds[i]);
			if (err)
				return err;
		}
	}
	return 0;
}

static void unwatch(struct pe_sampler *sampler, bool stale)
{
	sampler_ref *ref = ref_of(sampler->fd);

	atomic_store(&sampler->slice, NULL);
	if (ref && atomic_load(ref) == sampler)
		atomic_store(ref, NULL);
	/* Another thread's handler may be at it; this one's own cannot end. */
	while (!handlers_of_thread && !stale && atomic_load(&sampler->inside))
		sched_yield();
	pe_ring_close(&sampler->ring, stale);
	if (!handlers_of_thread && !stale)
		give_sampler(sampler);
}

void pe_sampling_close(struct pe_slice *ps)
{
	if (!ps->sampler)
		return;
	for (size_t i = 0; i < ps->n; i++) {
		struct pe_sampler *next;

		for (struct pe_sampler *at = ps->sampler[i]; at; at = next) {
			next = at->next;
			unwatch(at, pe_slice_is_stale(ps));
		}
	}
	free(ps->sampler);
	ps->sampler = NULL;
}

/* The sampler of member @i of @g, if it is armed one by one; or NULL. */
static struct pe_sampler *armed_member(const struct pe_slice *ps,
				       const struct pe_group *g, size_t i)
{
	struct pe_sampler *sampler = ps->sampler[g->members[i]];

	while (sampler && sampler->fd != g->fds[i])
		sampler = sampler->next;
	return sampler && sampler->one_by_one ? sampler : NULL;
}

/*
 * Siblings first: they wait for their leader. A sampler that is still armed
 * from before must not be armed twice, or it would overflow twice at a time.
 */
static int start_group(struct pe_slice *ps, const struct pe_group *g)
{
	struct pe_sampler *leader = armed_member(ps, g, 0);

	for (size_t i = 1; i < g->n; i++) {
		struct pe_sampler *sampler = armed_member(ps, g, i);

		if (sampler && !atomic_load(&sampler->armed))
			arm(sampler);
	}
	if (leader && !atomic_load(&leader->armed)) {
		arm(leader);
		return 0;
	}
	return pe_group_control(g, PERF_EVENT_IOC_ENABLE);
}

int pe_sampling_start(struct pe_slice *ps)
{
	int err = 0;

	for (size_t k = 0; k < ps->n_groups && !err; k++)
		err = start_group(ps, &ps->groups[k]);
	if (err)
		return slice_fail(ps->slice, err,
				  "the counters cannot be enabled");
	atomic_store(&ps->enabled, true);
	return 0;
}
