/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of processes that run under simulators: a set of the control file
 * with thresholds, and the file that simulators append their samples to. What
 * was taken is given back to the file system, so that it stays small.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/sim/sim.h"

#define MOST_BYTES (16u << 20) /* of a chunk; simulators write far less */

struct sim_samples {
	int fd;
	off_t at;      /* what comes before was taken */
	uint64_t lost; /* so many were told */
	char *chunk;   /* room for one */
	size_t capacity;
};

static int open_samples(struct slice *s, const char *path)
{
	struct sim_slice *mine = s->priv;
	struct sim_samples *samples = calloc(1, sizeof(*samples));

	if (!samples)
		return slice_fail(s, PAPI_ENOMEM, "out of memory");
	unlink(path);
	samples->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (samples->fd < 0) {
		int err =
			slice_fail(s, err_from_errno(errno),
				   "cannot make %s: %s", path, strerror(errno));

		free(samples);
		return err;
	}
	mine->samples = samples;
	return 0;
}

static void close_samples(struct slice *s)
{
	const struct sim *sim = s->component->priv;
	struct sim_slice *mine = s->priv;

	if (!mine->samples)
		return;
	unlink(sim->samples);
	close(mine->samples->fd);
	free(mine->samples->chunk);
	free(mine->samples);
	mine->samples = NULL;
}

static void recorder_close(struct slice *s)
{
	outside_close(s);
	close_samples(s);
}

static int recorder_open(struct slice *s)
{
	const struct sim *sim = s->component->priv;
	struct count counts[WIRE_EVENTS];
	int err;

	if (sim->inside || !sim->samples)
		return slice_fail(
			s, PAPI_ENOSUPP,
			"a simulated program cannot record another one");
	if (s->opt.tids)
		return slice_fail(s, PAPI_ENOSUPP,
				  "a running process cannot be moved to the "
				  "simulated PMU");
	if (s->n > WIRE_TRAPS)
		return slice_fail(s, PAPI_ECNFLCT,
				  "the simulated PMU samples at most %d events "
				  "at a time",
				  WIRE_TRAPS);
	err = open_samples(s, sim->samples);
	if (!err)
		err = outside_open(s);
	if (!err)
		err = outside_start(s, counts);
	if (err)
		recorder_close(s);
	return err;
}

/* Text behind @bytes of a record, which ends in it; "" if it does not. */
static const char *text_of(const struct wire_record *record, size_t bytes)
{
	const char *text = (const char *)record + bytes;

	return record->bytes > bytes && memchr(text, 0, record->bytes - bytes)
		       ? text
		       : "";
}

static void take_stack(const struct wire_sample *sample,
		       struct assay_record *out)
{
	memcpy(out->registers, sample->registers, sizeof(sample->registers));
	out->known = (1ULL << WIRE_REGISTERS) - 1;
	out->pc = sample->registers[WIRE_REGISTERS - 1];
	out->stack_start = sample->registers[7];
	out->stack = sample + 1;
	out->stack_bytes = sample->stack_bytes;
}

/* False if the record is nothing to tell of. */
static bool translate(const struct slice *s, const struct wire_record *record,
		      struct assay_record *out)
{
	const struct wire_sample *sample = (const void *)record;
	const struct wire_map *map = (const void *)record;
	const struct wire_taken *taken = (const void *)record;

	switch (record->kind) {
	case WIRE_REC_BEGIN:
		out->kind = ASSAY_RECORD_EXEC;
		out->text = text_of(record, sizeof(*record));
		return true;
	case WIRE_REC_MAP:
		if (record->bytes < sizeof(*map))
			return false;
		out->kind = ASSAY_RECORD_MAP;
		out->start = map->start;
		out->end = map->end;
		out->offset = map->offset;
		out->text = text_of(record, sizeof(*map));
		return true;
	case WIRE_REC_SAMPLE:
		out->kind = ASSAY_RECORD_SAMPLE;
		out->tid = sample->tid;
		out->event = sample->event;
		out->address = sample->address;
		out->time = sample->time;
		if (sample->event >= s->n)
			return false;
		if (s->opt.stacks && sample->stack_bytes)
			take_stack(sample, out);
		return true;
	case WIRE_REC_TAKEN:
		if (record->bytes < sizeof(*taken))
			return false;
		out->kind = ASSAY_RECORD_TAKEN;
		out->start = taken->line;
		out->end = taken->line + taken->bytes;
		out->offset = taken->address;
		out->address = taken->pc;
		out->lost = taken->count;
		return true;
	default:
		return false;
	}
}

/* Whether @record, with @left bytes from it on, is whole. */
static bool is_whole(const struct wire_record *record, size_t left)
{
	const struct wire_sample *sample = (const void *)record;

	if (left < sizeof(*record) || record->bytes < sizeof(*record) ||
	    record->bytes > left || record->bytes % 8)
		return false;
	if (record->kind != WIRE_REC_SAMPLE)
		return true;
	return record->bytes >= offsetof(struct wire_sample, registers) &&
	       (sample->stack_bytes == 0 ||
		record->bytes >= sizeof(*sample) + sample->stack_bytes);
}

static int take_chunk(struct slice *s, const struct wire_chunk *chunk,
		      assay_record_fn fn, void *context)
{
	const struct sim_slice *mine = s->priv;
	const char *at = mine->samples->chunk, *end = at + chunk->bytes;
	int err = 0;

	while (at < end && !err) {
		const struct wire_record *record = (const void *)at;
		struct assay_record out = { .pid = chunk->pid,
					    .tid = chunk->pid };

		if (!is_whole(record, (size_t)(end - at)))
			return slice_fail(s, PAPI_ESYS,
					  "the file of samples is damaged");
		if (translate(s, record, &out))
			err = fn(context, &out);
		at += record->bytes;
	}
	return err;
}

static int make_room(struct sim_samples *samples, size_t bytes)
{
	char *more;

	if (bytes <= samples->capacity)
		return 0;
	more = realloc(samples->chunk, bytes);
	if (!more)
		return PAPI_ENOMEM;
	samples->chunk = more;
	samples->capacity = bytes;
	return 0;
}

/* Read one chunk; false if there is none, or it is not written yet. */
static bool next_chunk(struct sim_samples *samples, struct wire_chunk *chunk)
{
	off_t body = samples->at + (off_t)sizeof(*chunk);

	if (pread(samples->fd, chunk, sizeof(*chunk), samples->at) !=
		    (ssize_t)sizeof(*chunk) ||
	    chunk->magic != WIRE_CHUNK_MAGIC || chunk->bytes > MOST_BYTES ||
	    make_room(samples, chunk->bytes) ||
	    pread(samples->fd, samples->chunk, chunk->bytes, body) !=
		    (ssize_t)chunk->bytes)
		return false;
	samples->at = body + chunk->bytes;
	return true;
}

static int tell_lost(struct slice *s, assay_record_fn fn, void *context)
{
	const struct sim *sim = s->component->priv;
	struct sim_slice *mine = s->priv;
	uint32_t lost = __atomic_load_n(&sim->file.shared->lost_samples,
					__ATOMIC_RELAXED);
	struct assay_record out = { .kind = ASSAY_RECORD_LOST,
				    .lost = lost - mine->samples->lost };

	if (lost == mine->samples->lost)
		return 0;
	mine->samples->lost = lost;
	return fn(context, &out);
}

static int recorder_take(struct slice *s, assay_record_fn fn, void *context)
{
	struct sim_slice *mine = s->priv;
	struct sim_samples *samples = mine->samples;
	struct wire_chunk chunk;
	off_t before = samples->at;
	int err = 0;

	while (!err && next_chunk(samples, &chunk))
		err = take_chunk(s, &chunk, fn, context);
	if (samples->at > before) /* where it cannot be, the file just grows */
		(void)!fallocate(samples->fd,
				 FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				 before, samples->at - before);
	return err ? err : tell_lost(s, fn, context);
}

static const char *recorder_clock(const struct slice *s)
{
	const struct sim *sim = s->component->priv;
	uint32_t unit = __atomic_load_n(&sim->file.shared->clock_unit,
					__ATOMIC_RELAXED);

	return unit == WIRE_CLOCK_CYCLES ? "cycles" : "instructions";
}

const struct recorder_ops sim_recorder = {
	.open = recorder_open,
	.take = recorder_take,
	.read = outside_read,
	.clock = recorder_clock,
	.close = recorder_close,
};
