/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring of samples and who waits for the next one; no thread is started
 * here.
 */
#include "view/live.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

int live_buffer_init(struct live_buffer *b, const char *title, double every_s)
{
	memset(b, 0, sizeof(*b));
	b->title = strdup(title);
	b->every_s = every_s;
	if (!b->title)
		return PAPI_ENOMEM;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->more, NULL);
	return 0;
}

void live_buffer_fini(struct live_buffer *b)
{
	if (!b->title)
		return;
	for (size_t i = 0; i < b->n_series; i++) {
		free(b->series[i].name);
		free(b->series[i].unit);
		free(b->series[i].text);
		free(b->series[i].formula);
	}
	free(b->series);
	free(b->ring);
	free(b->values);
	free(b->totals);
	free(b->title);
	free(b->note);
	pthread_cond_destroy(&b->more);
	pthread_mutex_destroy(&b->lock);
	memset(b, 0, sizeof(*b));
}

int live_buffer_describe(struct live_buffer *b, struct live_series *series,
			 size_t n, char *note)
{
	struct live_sample *ring = calloc(LIVE_SAMPLES, sizeof(*ring));
	double *values = calloc(LIVE_SAMPLES * (n + 1), sizeof(*values));
	long double *totals = calloc(n + 1, sizeof(*totals));

	pthread_mutex_lock(&b->lock);
	b->series = series;
	b->n_series = n;
	b->note = note;
	b->ring = ring;
	b->values = values;
	b->totals = totals;
	if (!ring || !values || !totals) {
		pthread_mutex_unlock(&b->lock);
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < LIVE_SAMPLES; i++)
		ring[i].values = values + i * n;
	b->described = true;
	pthread_cond_broadcast(&b->more);
	pthread_mutex_unlock(&b->lock);
	return 0;
}

void live_buffer_add(struct live_buffer *b, const struct live_sample *sample,
		     const long double *totals)
{
	struct live_sample *slot;
	double *values;

	pthread_mutex_lock(&b->lock);
	if (b->described) {
		slot = &b->ring[b->n % LIVE_SAMPLES];
		values = slot->values;
		memcpy(values, sample->values, b->n_series * sizeof(*values));
		memcpy(b->totals, totals, b->n_series * sizeof(*totals));
		*slot = *sample;
		slot->values = values;
		b->n++;
		pthread_cond_broadcast(&b->more);
	}
	pthread_mutex_unlock(&b->lock);
}

void live_buffer_end(struct live_buffer *b, int exit_status)
{
	pthread_mutex_lock(&b->lock);
	b->ended = true;
	b->exit_status = exit_status;
	pthread_cond_broadcast(&b->more);
	pthread_mutex_unlock(&b->lock);
}

void live_buffer_close(struct live_buffer *b)
{
	pthread_mutex_lock(&b->lock);
	b->closing = true;
	pthread_cond_broadcast(&b->more);
	pthread_mutex_unlock(&b->lock);
}
