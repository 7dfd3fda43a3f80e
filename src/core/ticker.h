/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A timer that interrupts one thread at regular intervals, of its CPU time most
 * often: what software multiplexing and software overflow run on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ticker;

/* Called in the signal handler, on the thread that started the ticker. */
typedef void (*tick_handler)(void *data, void *context);

/* A ticker that is off. 0 or PAPI_ENOMEM. */
int ticker_new(tick_handler handler, void *data, struct ticker **out);
void ticker_free(struct ticker *ticker); /* stops it; NULL is allowed */

/* Interrupt the calling thread every @interval_ns of its CPU time, or of real
 * time. */
int ticker_start(struct ticker *ticker, uint64_t interval_ns, bool real);
void ticker_stop(struct ticker *ticker); /* no handler runs after this */

/* The signal that tickers use. */
int ticker_signal(void);
