/* SPDX-License-Identifier: BSD-3-Clause */
/* The addresses of a live page, and the stream that each connection reads. */
#include "view/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memfile.h"
#include "write/html.h"
#include "write/json.h"
#include "write/number.h"

/* An answer whose text @put writes. */
static void answer_text(struct live_buffer *b, const char *type,
			int (*put)(struct live_buffer *b, FILE *to),
			struct serve_answer *answer)
{
	struct memfile file;
	int err;

	answer->status = 500;
	if (memfile_open(&file))
		return;
	pthread_mutex_lock(&b->lock);
	err = put(b, file.to);
	pthread_mutex_unlock(&b->lock);
	if (memfile_close(&file) || err) {
		free(file.text);
		return;
	}
	*answer = (struct serve_answer){
		.status = 200, .type = type, .text = file.text, .len = file.len
	};
}

static int put_page(struct live_buffer *b, FILE *to)
{
	struct memfile file;
	struct json j;
	int err = memfile_open(&file);

	if (err)
		return err;
	json_init(&j, file.to);
	json_object(&j, NULL);
	json_string(&j, "title", b->title);
	json_end_object(&j);
	json_finish(&j);
	err = memfile_close(&file);
	if (!err)
		err = html_begin(b->title, HTML_SERVED, to);
	if (!err) {
		html_block("data", "live", file.text, file.len, to);
		err = html_end(to);
	}
	free(file.text);
	return err;
}

static void put_label(const char *value, FILE *to)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', to);
		if (*value == '\n')
			fputs("\\n", to);
		else
			putc(*value, to);
	}
}

static void put_sample(const struct live_buffer *b, const char *name,
		       const char *label, size_t i, long double value, FILE *to)
{
	char text[NUMBER_CAPACITY];

	if (!isfinite(value))
		return;
	fprintf(to, "%s{program=\"", name);
	put_label(b->title, to);
	fprintf(to, "\",%s=\"", label);
	put_label(b->series[i].name, to);
	fprintf(to, "\"} %s\n", number_exact(text, value));
}

/* Events are counters from the start on; metrics are those of the last sample,
 * under the names that `count` gives them. */
static int put_metrics(struct live_buffer *b, FILE *to)
{
	const struct live_sample *last =
		b->n ? &b->ring[(b->n - 1) % LIVE_SAMPLES] : NULL;

	fputs("# TYPE assay_events counter\n"
	      "# HELP assay_events Events counted so far.\n",
	      to);
	for (size_t i = 0; last && i < b->n_series; i++)
		if (b->series[i].event)
			put_sample(b, "assay_events_total", "event", i,
				   b->totals[i], to);
	fputs("# TYPE assay_metric gauge\n"
	      "# HELP assay_metric Metrics derived from events.\n",
	      to);
	for (size_t i = 0; last && i < b->n_series; i++)
		if (!b->series[i].event)
			put_sample(b, "assay_metric", "metric", i,
				   last->values[i], to);
	fputs("# TYPE assay_running gauge\n"
	      "# HELP assay_running Whether the program is running.\n"
	      "assay_running{program=\"",
	      to);
	put_label(b->title, to);
	fprintf(to, "\"} %d\n# EOF\n", !b->ended);
	return 0;
}

static void answer_stream(struct live_buffer *b, long last,
			  struct serve_answer *answer)
{
	struct live_reader *reader = live_reader_new(b, last);

	answer->status = 500;
	if (!reader)
		return;
	*answer = (struct serve_answer){
		.status = 200,
		.type = "text/event-stream",
		.stream = reader,
		.more = live_reader_more,
		.done = live_reader_free,
	};
}

void live_answer(void *buffer, const struct serve_request *request,
		 struct serve_answer *answer)
{
	struct live_buffer *b = buffer;
	const char *path = request->path;
	char *end;

	if (request->posts)
		return;
	if (path[0] == '\0') {
		answer_text(b, "text/html; charset=utf-8", put_page, answer);
	} else if (strcmp(path, "metrics") == 0) {
		answer_text(b,
			    "application/openmetrics-text; version=1.0.0; "
			    "charset=utf-8",
			    put_metrics, answer);
	} else if (strcmp(path, "stream") == 0) {
		answer_stream(b, request->last_event, answer);
	} else if (strncmp(path, "stream/", 7) == 0 && path[7] >= '0' &&
		   path[7] <= '9') {
		long last = strtol(path + 7, &end, 10);

		if (*end == '\0')
			answer_stream(b, last, answer);
	}
}
