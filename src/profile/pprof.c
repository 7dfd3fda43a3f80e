/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pprof's format: the message Profile of profile.proto, compressed by gzip.
 * Protocol buffers are fields of a number and a value (protobuf.dev,
 * "Encoding"); six kinds of messages need no library. Rows get the numbers
 * that they have here, plus 1, as 0 means none there.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "profile/inside.h"

/* Fields of the messages, by the names of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_TYPE = 14,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STRING = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

struct encoding {
	const struct profile *p;
	struct strbuf out;
	char **keys; /* the table of strings */
	size_t n_keys;
	struct map known; /* where they are in it */
};

static void put_varint(struct strbuf *to, uint64_t value)
{
	do {
		char byte = (char)(value & 0x7f);

		value >>= 7;
		if (value)
			byte = (char)(byte | 0x80);
		strbuf_addn(to, &byte, 1);
	} while (value);
}

/* Zero is what a field has when it is not there. */
static void put_number(struct strbuf *to, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put_varint(to, field << 3 | WIRE_VARINT);
	put_varint(to, value);
}

static void put_bytes(struct strbuf *to, unsigned field, const char *bytes,
		      size_t n)
{
	put_varint(to, field << 3 | WIRE_BYTES);
	put_varint(to, n);
	strbuf_addn(to, bytes, n);
}

/* Move @message, which is then empty, into @to. */
static void put_message(struct strbuf *to, unsigned field,
			struct strbuf *message)
{
	put_bytes(to, field, strbuf_text(message), message->len);
	to->failed |= message->failed;
	strbuf_fini(message);
}

/* @text with each byte that is no UTF-8 replaced; NULL: no memory. */
static char *clean(const char *text)
{
	struct strbuf out = { 0 };

	strbuf_addn(&out, "", 0);
	while (*text) {
		size_t n = utf8_length(text);

		strbuf_addn(&out, n ? text : "?", n ? n : 1);
		text += n ? n : 1;
	}
	return strbuf_take(&out);
}

/* The number of a string, which is in the table once. */
static uint64_t add_string(struct encoding *e, const char *text)
{
	char *key = clean(text);
	size_t number;

	if (key && map_find(&e->known, key, &number)) {
		free(key);
		return number;
	}
	number = e->n_keys;
	if (!key || array_grow(&e->keys, e->n_keys, sizeof(*e->keys)) ||
	    map_set(&e->known, key, number)) {
		free(key);
		e->out.failed = true;
		return 0;
	}
	e->keys[e->n_keys++] = key;
	return number;
}

static void put_value_type(struct encoding *e, unsigned field,
			   const struct profile_event *event)
{
	const char *unit = profile_unit(event);
	struct strbuf m = { 0 };

	put_number(&m, VALUE_TYPE, add_string(e, event->name));
	put_number(&m, VALUE_UNIT, add_string(e, *unit ? unit : "count"));
	put_message(&e->out, field, &m);
}

static void put_label(struct encoding *e, struct strbuf *sample,
		      const char *key, const char *text, uint64_t number)
{
	struct strbuf m = { 0 };

	put_number(&m, LABEL_KEY, add_string(e, key));
	if (text)
		put_number(&m, LABEL_STRING, add_string(e, text));
	put_number(&m, LABEL_NUMBER, number);
	put_message(sample, SAMPLE_LABEL, &m);
}

static void put_sample(struct encoding *e, const struct profile_sample *s)
{
	const struct profile *p = e->p;
	const struct profile_thread *thread = &p->threads[s->thread];
	struct strbuf m = { 0 }, list = { 0 };

	for (size_t at = s->stack; at != PROFILE_NONE;
	     at = p->stacks[at].caller)
		put_varint(&list, p->stacks[at].location + 1);
	put_message(&m, SAMPLE_LOCATION, &list);
	for (size_t i = 0; i < p->n_events; i++)
		put_varint(&list, profile_weight(p, s, i));
	put_message(&m, SAMPLE_VALUE, &list);
	put_label(e, &m, "program", thread->name, 0);
	put_label(e, &m, "pid", NULL, (uint64_t)thread->pid);
	put_label(e, &m, "tid", NULL, (uint64_t)thread->tid);
	put_message(&e->out, PROFILE_SAMPLE, &m);
}

static uint64_t last_address(const struct profile *p, size_t object)
{
	uint64_t last = 0;

	for (size_t i = 0; i < p->n_locations; i++)
		if (p->locations[i].object == object &&
		    p->locations[i].address > last)
			last = p->locations[i].address;
	return last;
}

static void put_mapping(struct encoding *e, size_t i)
{
	const struct profile_object *o = &e->p->objects[i];
	bool debug = o->symbols == PROFILE_DEBUG;
	struct strbuf m = { 0 };

	put_number(&m, MAPPING_ID, i + 1);
	put_number(&m, MAPPING_LIMIT, last_address(e->p, i) + 1);
	put_number(&m, MAPPING_FILE, add_string(e, o->path));
	if (o->build_id)
		put_number(&m, MAPPING_BUILD_ID, add_string(e, o->build_id));
	put_number(&m, MAPPING_HAS_FUNCTIONS, 1); /* all that there are */
	put_number(&m, MAPPING_HAS_FILES, debug);
	put_number(&m, MAPPING_HAS_LINES, debug);
	put_number(&m, MAPPING_HAS_INLINED, debug);
	put_message(&e->out, PROFILE_MAPPING, &m);
}

static void put_location(struct encoding *e, size_t i)
{
	const struct profile_location *l = &e->p->locations[i];
	struct strbuf m = { 0 }, line = { 0 };

	put_number(&m, LOCATION_ID, i + 1);
	put_number(&m, LOCATION_MAPPING, l->object + 1);
	put_number(&m, LOCATION_ADDRESS, l->address);
	for (size_t k = 0; k < l->n; k++) {
		put_number(&line, LINE_FUNCTION, l->frames[k].function + 1);
		put_number(&line, LINE_LINE, (uint64_t)l->frames[k].line);
		put_message(&m, LOCATION_LINE, &line);
	}
	put_message(&e->out, PROFILE_LOCATION, &m);
}

static void put_function(struct encoding *e, size_t i)
{
	const struct profile_function *f = &e->p->functions[i];
	struct strbuf m = { 0 };
	uint64_t name = add_string(e, f->name);

	put_number(&m, FUNCTION_ID, i + 1);
	put_number(&m, FUNCTION_NAME, name);
	put_number(&m, FUNCTION_SYSTEM_NAME, name);
	if (f->file != PROFILE_NONE)
		put_number(&m, FUNCTION_FILE,
			   add_string(e, e->p->files[f->file].path));
	put_number(&m, FUNCTION_LINE, (uint64_t)f->line);
	put_message(&e->out, PROFILE_FUNCTION, &m);
}

static void encode(struct encoding *e)
{
	const struct profile *p = e->p;

	add_string(e, ""); /* by the format's rule */
	for (size_t i = 0; i < p->n_events; i++)
		put_value_type(e, PROFILE_SAMPLE_TYPE, &p->events[i]);
	for (size_t i = 0; i < p->n_samples; i++)
		put_sample(e, &p->samples[i]);
	for (size_t i = 0; i < p->n_objects; i++)
		put_mapping(e, i);
	for (size_t i = 0; i < p->n_locations; i++)
		put_location(e, i);
	for (size_t i = 0; i < p->n_functions; i++)
		put_function(e, i);
	if (p->native && p->wall_s > 0)
		put_number(&e->out, PROFILE_DURATION_NANOS,
			   (uint64_t)(p->wall_s * 1e9));
	if (p->n_events > 0) {
		put_value_type(e, PROFILE_PERIOD_TYPE, &p->events[0]);
		put_number(&e->out, PROFILE_PERIOD, p->events[0].period);
		put_number(&e->out, PROFILE_DEFAULT_TYPE,
			   add_string(e, p->events[0].name));
	}
	for (size_t i = 0; i < e->n_keys; i++)
		put_bytes(&e->out, PROFILE_STRING, e->keys[i],
			  strlen(e->keys[i]));
}

static int compress_to(const struct strbuf *data, FILE *to)
{
	const int gzip = 16 + MAX_WBITS;
	unsigned char buffer[65536];
	z_stream z = { .next_in = (unsigned char *)data->text,
		       .avail_in = (unsigned)data->len };
	int state;

	if (data->len > 0x7fffffff)
		return PAPI_ENOMEM;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return PAPI_ENOMEM;
	do {
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		state = deflate(&z, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, to);
	} while (state == Z_OK);
	deflateEnd(&z);
	return ferror(to) || state != Z_STREAM_END ? PAPI_ESYS : 0;
}

int profile_write_pprof(const void *profile, const struct report_style *style,
			FILE *to)
{
	const struct profile *p = profile;
	struct encoding e = { .p = p };
	int err;

	(void)style;
	encode(&e);
	if (e.out.failed) {
		errno = ENOMEM;
		err = PAPI_ENOMEM;
	} else {
		err = compress_to(&e.out, to);
	}
	for (size_t i = 0; i < e.n_keys; i++)
		free(e.keys[i]);
	free(e.keys);
	map_fini(&e.known);
	strbuf_fini(&e.out);
	return err;
}
