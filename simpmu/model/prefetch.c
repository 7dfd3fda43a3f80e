/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefetchers.
 *
 *  - Adjacent line: a demand miss of L2 also fetches the other line of its
 *    aligned pair into L2.
 *  - Streamer: follows the last pages that demand accesses to L2 touched (LRU).
 *    After the accesses that train it, each access to the page fetches the
 *    next lines in the direction of the last step into L2, never past the end
 *    of the page, and none twice while it follows the page. If the model has a
 *    window, an access farther from the last one, or in the other direction,
 *    begins the training again.
 *  - Next line: a load miss of L1D fetches the following line into L1D.
 *  - Stride: load misses of L1D by one instruction that are equally far apart
 *    fetch the lines further on into L1D.
 *
 * Known lies: what is prefetched is there at once, so no prefetch is late; none
 * is dropped for lack of bandwidth; the L1 prefetchers learn from misses and
 * from first uses of lines they fetched, not from hits (which the filter
 * hides); the parameters of the streamer are fitted to published figures.
 */

#include "simpmu/model/machine.h"

static uint64_t page_of(const struct core *core, uint64_t line)
{
	return line >> (PAGE_SHIFT - core->line_shift);
}

/* ---- L2 ---- */

static uint16_t *bucket_of(struct streamer *s, uint64_t page)
{
	return &s->bucket[page % STREAM_BUCKETS];
}

static void unlink_stream(struct streamer *s, uint16_t i)
{
	s->stream[s->stream[i].newer].older = s->stream[i].older;
	s->stream[s->stream[i].older].newer = s->stream[i].newer;
}

static void make_newest(struct streamer *s, uint16_t i)
{
	struct stream *head = &s->stream[0];

	s->stream[i].newer = 0;
	s->stream[i].older = head->older;
	s->stream[head->older].newer = i;
	head->older = i;
}

static void leave_chain(struct streamer *s, uint16_t i)
{
	uint16_t *link = bucket_of(s, s->stream[i].key - 1);

	while (*link != i)
		link = &s->stream[*link].chain;
	*link = s->stream[i].chain;
}

/* A new entry takes the place of the oldest. */
static struct stream *new_stream(struct streamer *s, uint64_t page)
{
	uint16_t i = s->stream[0].newer;
	struct stream *stream = &s->stream[i];

	unlink_stream(s, i);
	if (stream->key)
		leave_chain(s, i);
	*stream = (struct stream){ .key = page + 1,
				   .chain = *bucket_of(s, page) };
	*bucket_of(s, page) = i;
	make_newest(s, i);
	return stream;
}

/* The entry that follows @page. */
static struct stream *find_stream(struct streamer *s, uint64_t page)
{
	uint16_t i = *bucket_of(s, page);

	while (i && s->stream[i].key != page + 1)
		i = s->stream[i].chain;
	if (!i)
		return new_stream(s, page);
	if (s->stream[0].older != i) {
		unlink_stream(s, i);
		make_newest(s, i);
	}
	return &s->stream[i];
}

/* Whether @line was used or fetched since its page is followed; it is now. */
static bool ask_once(const struct streamer *s, struct stream *stream,
		     uint64_t line)
{
	uint64_t i = line & ((UINT64_C(1) << s->page_shift) - 1);
	uint64_t bit = UINT64_C(1) << i % 64;
	bool asked = stream->asked[i / 64] & bit;

	stream->asked[i / 64] |= bit;
	return asked;
}

/* The entry of the page that a stream goes on into: it need not be trained. */
static struct stream *next_page(struct streamer *s, const struct params *params,
				uint64_t line, bool down)
{
	struct stream *stream = find_stream(s, line >> s->page_shift);

	if (stream->seen < params->pf_stream_train) {
		stream->seen = params->pf_stream_train;
		stream->last = line;
		stream->down = down;
	}
	return stream;
}

static void fetch_ahead(struct core *core, struct stream *stream)
{
	const struct params *params = &core->model->params;
	struct streamer *s = &core->mem->streamer;
	bool down = stream->down;
	uint64_t line = stream->last, step = down ? (uint64_t)-1 : 1;

	for (uint32_t i = 0; i < params->pf_stream_degree; i++) {
		uint64_t before = line;

		line += step;
		if ((line ^ before) >> s->page_shift) {
			if (!params->pf_stream_cross)
				return;
			stream = next_page(s, params, line, down);
		}
		if (!ask_once(s, stream, line))
			levels_prefetch(core, line);
	}
}

/* A stream begins anew where an access is not near the last one, or in another
 * direction. */
static void turn_stream(struct stream *stream, uint64_t line, uint32_t window)
{
	bool down = line < stream->last;
	uint64_t step = down ? stream->last - line : line - stream->last;

	if (!step) /* or where another one has led: its direction stays */
		return;
	if (step > window || (stream->seen > 1 && down != stream->down))
		stream->seen = 0;
	stream->down = stream->seen && down;
}

static inline void follow_stream(struct core *core, uint64_t line)
{
	struct streamer *s = &core->mem->streamer;
	struct stream *stream = find_stream(s, line >> s->page_shift);

	if (core->model->params.pf_stream_window)
		turn_stream(stream, line, core->model->params.pf_stream_window);
	else
		stream->down = stream->seen && line < stream->last;
	stream->last = line;
	stream->seen++;
	ask_once(s, stream, line);
	if (stream->seen > core->model->params.pf_stream_train)
		fetch_ahead(core, stream);
}

void prefetch_l2(struct core *core, uint64_t line, bool hit)
{
	const struct params *params = &core->model->params;

	if (params->pf_adjacent && !hit)
		levels_prefetch(core, line ^ 1);
	if (params->pf_stream)
		follow_stream(core, line);
}

/* ---- L1 ---- */

static void fetch_stride(struct core *core, const struct stride *stride)
{
	uint64_t line = stride->last;

	for (uint32_t i = 0; i < core->model->params.pf_stride_degree; i++) {
		line += (uint64_t)stride->delta;
		if (page_of(core, line) != page_of(core, stride->last))
			return;
		access_prefetch_l1(core, line);
	}
}

static void follow_stride(struct core *core, uint64_t pc, uint64_t line)
{
	const struct params *params = &core->model->params;
	struct stride *stride =
		&core->mem->strides[pc % params->pf_stride_entries];
	int64_t delta = (int64_t)(line - stride->last);

	if (stride->pc != pc) {
		*stride = (struct stride){ .pc = pc, .last = line };
		return;
	}
	if (!delta)
		return;
	stride->seen = delta == stride->delta ? stride->seen + 1 : 1;
	stride->delta = delta;
	stride->last = line;
	if (stride->seen >= params->pf_stride_train)
		fetch_stride(core, stride);
}

void prefetch_l1(struct core *core, uint64_t pc, uint64_t line)
{
	const struct params *params = &core->model->params;

	if (params->pf_next && page_of(core, line + 1) == page_of(core, line))
		access_prefetch_l1(core, line + 1);
	if (params->pf_stride)
		follow_stride(core, pc, line);
}

/* ---- life ---- */

static void empty_streamer(struct streamer *s, uint32_t pages)
{
	for (uint32_t i = 0; i <= pages; i++)
		s->stream[i] = (struct stream){ 0 };
	for (uint32_t i = 0; i < STREAM_BUCKETS; i++)
		s->bucket[i] = 0;
	for (uint32_t i = 1; i <= pages; i++)
		make_newest(s, (uint16_t)i);
}

bool prefetch_init(struct core *core)
{
	const struct params *p = &core->model->params;
	struct memory *memory = &core->model->memory;
	struct hierarchy *mem = core->mem;

	if (p->pf_stream) {
		mem->streamer.page_shift = PAGE_SHIFT - core->line_shift;
		mem->streamer.stream =
			memory_get(memory, ((size_t)p->pf_stream_pages + 1) *
						   sizeof(struct stream));
		if (!mem->streamer.stream)
			return false;
	}
	if (p->pf_stride) {
		mem->strides = memory_get(
			memory, p->pf_stride_entries * sizeof(*mem->strides));
		if (!mem->strides)
			return false;
	}
	prefetch_flush(core);
	return true;
}

void prefetch_flush(struct core *core)
{
	const struct params *p = &core->model->params;

	if (p->pf_stream)
		empty_streamer(&core->mem->streamer, p->pf_stream_pages);
	for (uint32_t i = 0; p->pf_stride && i < p->pf_stride_entries; i++)
		core->mem->strides[i] = (struct stride){ 0 };
}
