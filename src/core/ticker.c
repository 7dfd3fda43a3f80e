/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers whose signal may still be on its way when they are gone.
 *
 * A signal that was sent before the timer was deleted is delivered after. So
 * tickers are never freed but kept for the next user, and the signal carries
 * the ticker's number of starts: a late one does not match and is dropped.
 */
#include "core/ticker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Real-time signals queue, and few programs use them. */
#define TICKER_SIGNAL (SIGRTMIN + 3)

struct ticker {
	tick_handler handler;
	void *data;
	timer_t timer;
	bool running;
	atomic_uint generation; /* odd while it runs */
	unsigned index;
	struct ticker *next_free;
};

#define TICKERS_MAX 4096

static struct {
	pthread_mutex_t lock; /* guards all but the table's elements */
	struct ticker *free;
	unsigned n;
	bool installed;
	/* read by the signal handler: set once, never changed */
	struct ticker *_Atomic table[TICKERS_MAX];
} tickers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The value a signal carries: which ticker, and which of its starts. */
static int pack(unsigned index, unsigned generation)
{
	return (int)(index | (generation & 0x7ffff) << 12);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	unsigned packed = (unsigned)info->si_value.sival_int;
	struct ticker *ticker;
	int saved = errno;

	(void)signal;
	if (info->si_code == SI_TIMER) {
		ticker = atomic_load(&tickers.table[packed % TICKERS_MAX]);
		if (ticker &&
		    pack(ticker->index, atomic_load(&ticker->generation)) ==
			    (int)packed)
			ticker->handler(ticker->data, context);
	}
	errno = saved;
}

static void install_handler(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	if (tickers.installed)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(TICKER_SIGNAL, &action, NULL);
	tickers.installed = true;
}

/* A ticker nobody uses, old or new; the caller holds the lock. */
static struct ticker *take_free(void)
{
	struct ticker *ticker = tickers.free;

	if (ticker) {
		tickers.free = ticker->next_free;
		return ticker;
	}
	if (tickers.n == TICKERS_MAX)
		return NULL;
	ticker = calloc(1, sizeof(*ticker));
	if (!ticker)
		return NULL;
	ticker->index = tickers.n++;
	atomic_store(&tickers.table[ticker->index], ticker);
	return ticker;
}

int ticker_new(tick_handler handler, void *data, struct ticker **out)
{
	struct ticker *ticker;

	pthread_mutex_lock(&tickers.lock);
	install_handler();
	ticker = take_free();
	pthread_mutex_unlock(&tickers.lock);
	if (!ticker)
		return PAPI_ENOMEM;
	ticker->handler = handler;
	ticker->data = data;
	*out = ticker;
	return 0;
}

void ticker_free(struct ticker *ticker)
{
	if (!ticker)
		return;
	ticker_stop(ticker);
	pthread_mutex_lock(&tickers.lock);
	ticker->next_free = tickers.free;
	tickers.free = ticker;
	pthread_mutex_unlock(&tickers.lock);
}

int ticker_start(struct ticker *ticker, uint64_t interval_ns, bool real)
{
	unsigned generation = atomic_fetch_add(&ticker->generation, 1) + 1;
	struct timespec every = {
		.tv_sec = (time_t)(interval_ns / 1000000000U),
		.tv_nsec = (long)(interval_ns % 1000000000U),
	};
	struct itimerspec when = { .it_interval = every, .it_value = every };
	struct sigevent notify = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = TICKER_SIGNAL,
		.sigev_value.sival_int = pack(ticker->index, generation),
	};

	notify.sigev_notify_thread_id = gettid();
	if (timer_create(real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID,
			 &notify, &ticker->timer))
		goto not_running;
	if (timer_settime(ticker->timer, 0, &when, NULL)) {
		timer_delete(ticker->timer);
		goto not_running;
	}
	ticker->running = true;
	return 0;

not_running:
	atomic_fetch_add(&ticker->generation, 1);
	return PAPI_ESYS;
}

void ticker_stop(struct ticker *ticker)
{
	if (!ticker->running)
		return;
	ticker->running = false;
	atomic_fetch_add(&ticker->generation, 1);
	timer_delete(ticker->timer);
}

int ticker_signal(void)
{
	return TICKER_SIGNAL;
}
