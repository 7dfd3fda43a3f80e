/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The buffer as a stream of events (HTML standard, server-sent events). Each
 * message has the number of its last sample as its id, so that a browser that
 * lost the connection says where it was, and goes on there.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memfile.h"
#include "view/live.h"
#include "write/json.h"

#define MOST_AT_ONCE 200 /* samples in a message */
#define SILENCE_S    10  /* after which a word keeps the connection open */

struct live_reader *live_reader_new(struct live_buffer *b, long last)
{
	struct live_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->buffer = b;
	pthread_mutex_lock(&b->lock);
	if (last >= 0 && (uint64_t)last < b->n)
		r->next = (uint64_t)last + 1;
	pthread_mutex_unlock(&b->lock);
	return r;
}

void live_reader_free(void *reader)
{
	struct live_reader *r = reader;

	strbuf_fini(&r->text);
	free(r);
}

/* JSON on one line: lines end messages. */
static void add_json(struct live_reader *r, const char *head,
		     void (*put)(struct live_reader *r, struct json *j))
{
	struct memfile file;
	struct json j;

	if (memfile_open(&file))
		return;
	json_init(&j, file.to);
	json_row(&j, NULL);
	put(r, &j);
	json_end_object(&j);
	json_finish(&j);
	if (memfile_close(&file))
		return;
	for (size_t i = 0; i < file.len; i++)
		if (file.text[i] == '\n')
			file.text[i] = ' ';
	strbuf_add(&r->text, head);
	strbuf_add(&r->text, "data: ");
	strbuf_addn(&r->text, file.text, file.len);
	strbuf_add(&r->text, "\n\n");
	free(file.text);
}

static void put_series(struct live_reader *r, struct json *j)
{
	const struct live_buffer *b = r->buffer;

	json_string(j, "title", b->title);
	json_number(j, "every", b->every_s);
	json_number(j, "room", LIVE_SAMPLES);
	json_bool(j, "simulated", b->simulated);
	json_string(j, "note", b->note);
	json_list(j, "series");
	for (size_t i = 0; i < b->n_series; i++) {
		const struct live_series *s = &b->series[i];

		json_row_of(j, NULL,
			    "name %s, unit %s, text %s, formula %s, event %d",
			    s->name, s->unit, s->text, s->formula, s->event);
	}
	json_end_array(j);
}

static void put_marks(const struct live_sample *s, struct json *j)
{
	json_list(j, NULL);
	for (unsigned i = 0; i < s->n_marks; i++) {
		const struct live_mark *m = &s->marks[i];

		json_list(j, NULL);
		json_number(j, NULL, m->time_s);
		json_unsigned(j, NULL, m->begins);
		json_number(j, NULL, m->number);
		json_string(j, NULL, m->word);
		json_end_array(j);
	}
	json_end_array(j);
}

/* [time, [values], [marks], marks lost] */
static void put_sample(const struct live_sample *s, size_t n, struct json *j)
{
	json_list(j, NULL);
	json_number(j, NULL, s->time_s);
	json_numbers(j, NULL, s->values, n);
	put_marks(s, j);
	json_unsigned(j, NULL, s->lost_marks);
	json_end_array(j);
}

static void put_samples(struct live_reader *r, struct json *j)
{
	struct live_buffer *b = r->buffer;

	json_unsigned(j, "first", r->next);
	json_list(j, "samples");
	for (int i = 0; i < MOST_AT_ONCE && r->next < b->n; i++, r->next++)
		put_sample(&b->ring[r->next % LIVE_SAMPLES], b->n_series, j);
	json_end_array(j);
}

static void put_end(struct live_reader *r, struct json *j)
{
	json_number(j, "exit", r->buffer->exit_status);
}

/* What there is to say now, if anything. The lock is held. */
static bool say_next(struct live_reader *r)
{
	struct live_buffer *b = r->buffer;
	char head[64];

	if (b->n > LIVE_SAMPLES && r->next < b->n - LIVE_SAMPLES)
		r->next = b->n - LIVE_SAMPLES;
	if (b->described && !r->told) {
		add_json(r, "retry: 1000\nevent: series\n", put_series);
		r->told = true;
	} else if (b->described && r->next < b->n) {
		uint64_t last = r->next + MOST_AT_ONCE - 1;

		if (last > b->n - 1)
			last = b->n - 1;
		snprintf(head, sizeof(head), "id: %llu\nevent: samples\n",
			 (unsigned long long)last);
		add_json(r, head, put_samples);
	} else if (b->ended && !r->done) {
		add_json(r, "event: ended\n", put_end);
		r->done = true;
	} else {
		return false;
	}
	return true;
}

/* Wait for news; after a while of silence say a word that means nothing. */
static void wait_for_news(struct live_reader *r)
{
	struct live_buffer *b = r->buffer;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += SILENCE_S;
	while (!b->closing && !say_next(r))
		if (pthread_cond_timedwait(&b->more, &b->lock, &until) ==
		    ETIMEDOUT) {
			strbuf_add(&r->text, ":\n\n");
			return;
		}
}

ssize_t live_reader_more(void *reader, char *buffer, size_t capacity)
{
	struct live_reader *r = reader;
	size_t n;

	if (r->used == r->text.len) {
		struct live_buffer *b = r->buffer;

		strbuf_fini(&r->text);
		r->used = 0;
		pthread_mutex_lock(&b->lock);
		wait_for_news(r);
		pthread_mutex_unlock(&b->lock);
		if (r->text.len == 0)
			return -1;
	}
	n = r->text.len - r->used;
	if (n > capacity)
		n = capacity;
	memcpy(buffer, r->text.text + r->used, n);
	r->used += n;
	return (ssize_t)n;
}
