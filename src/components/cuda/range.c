/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges are the user's (CUPTI_USER_RANGE): kernels inside run as they would
 * anyway, at once where they can, and are counted together. Nothing is
 * replayed, for only sets of one pass are counted.
 */
#include "components/cuda/range.h"

#include <stdlib.h>
#include <string.h>

int range_init(struct range *r, const struct calls *calls, const char *chip,
	       const char *const *names, size_t n, struct diag *diag)
{
	int err;

	memset(r, 0, sizeof(*r));
	err = host_open(&r->host, calls, chip, diag);
	if (err)
		return err;
	r->names = calloc(n ? n : 1, sizeof(*r->names));
	r->values = calloc(n ? n : 1, sizeof(*r->values));
	if (r->names && r->values) {
		r->n = n;
		for (size_t i = 0; i < n; i++)
			r->names[i] = names[i];
		err = host_configure(&r->host, r->names, n, &r->config,
				     &r->config_bytes, &r->passes);
	} else {
		err = PAPI_ENOMEM;
	}
	if (err) {
		range_fini(r);
		return diag_fail(diag, err, "CUPTI cannot schedule %s%s",
				 names[0], n > 1 ? " and the others" : "");
	}
	return 0;
}

void range_fini(struct range *r)
{
	host_close(&r->host);
	free(r->names);
	free(r->values);
	free(r->config);
	free(r->data);
	memset(r, 0, sizeof(*r));
}

/* An image for the counts of one range; CUPTI's result. */
static int make_data(struct range *r)
{
	const struct calls *calls = r->host.calls;
	struct cupti_data_size size = CUPTI_BLOCK(
		cupti_data_size, bytes, .profiler = r->profiler,
		.metrics = r->names, .n = r->n, .ranges = 1, .nodes = 1);
	uint8_t *grown;
	int result = calls->cuptiRangeProfilerGetCounterDataSize(&size);

	if (result)
		return result;
	grown = realloc(r->data, size.bytes ? size.bytes : 1);
	if (!grown)
		return CUPTI_NO_MEMORY;
	r->data = grown;
	r->data_bytes = size.bytes;
	memset(r->data, 0, r->data_bytes);
	return calls->cuptiRangeProfilerCounterDataImageInitialize(
		&CUPTI_BLOCK(cupti_data_init, data, .profiler = r->profiler,
			     .data = r->data, .bytes = r->data_bytes));
}

static int set_config(struct range *r)
{
	return r->host.calls->cuptiRangeProfilerSetConfig(&CUPTI_BLOCK(
		cupti_set_config, target_level, .profiler = r->profiler,
		.config = r->config, .config_bytes = r->config_bytes,
		.data = r->data, .data_bytes = r->data_bytes,
		.range = CUPTI_USER_RANGE, .replay = CUPTI_USER_REPLAY,
		.ranges = 1, .levels = 1, .least_level = 1));
}

static struct cupti_profiler plain(const struct range *r)
{
	struct cupti_profiler block =
		CUPTI_BLOCK(cupti_profiler, profiler, .profiler = r->profiler);

	return block;
}

static int start(struct range *r)
{
	const struct calls *calls = r->host.calls;
	struct cupti_profiler block = plain(r);
	int result = calls->cuptiRangeProfilerStart(&block);

	if (result)
		return result;
	return calls->cuptiRangeProfilerPushRange(&CUPTI_BLOCK(
		cupti_push, name, .profiler = r->profiler, .name = "assay"));
}

int range_begin(struct range *r, void *profiler, void *context,
		struct diag *diag)
{
	const struct calls *calls = r->host.calls;
	void *popped;
	int result;

	r->profiler = profiler;
	r->context = context;
	calls->cuCtxPushCurrent_v2(context);
	result = make_data(r);
	if (!result)
		result = set_config(r);
	if (!result)
		result = start(r);
	calls->cuCtxPopCurrent_v2(&popped);
	if (result)
		return diag_fail(diag, calls_code(result),
				 "the GPU's counters do not start: %s "
				 "(CUPTI error %d)",
				 calls_why(result), result);
	return 0;
}

/* Stop and bring the counts into the image; CUPTI's result. */
static int collect(struct range *r)
{
	const struct calls *calls = r->host.calls;
	struct cupti_profiler block = plain(r);
	int result = calls->cuptiRangeProfilerPopRange(&block);

	if (!result)
		result = calls->cuptiRangeProfilerStop(&CUPTI_BLOCK(
			cupti_stop, all_submitted, .profiler = r->profiler));
	if (!result)
		result = calls->cuptiRangeProfilerDecodeData(&CUPTI_BLOCK(
			cupti_decode, dropped, .profiler = r->profiler));
	return result;
}

int range_end(struct range *r, struct diag *diag)
{
	const struct calls *calls = r->host.calls;
	void *popped;
	int result;
	int err;

	calls->cuCtxPushCurrent_v2(r->context);
	calls->cuCtxSynchronize();
	result = collect(r);
	calls->cuCtxPopCurrent_v2(&popped);
	if (result)
		return diag_fail(diag, calls_code(result),
				 "the GPU's counters cannot be read: %s "
				 "(CUPTI error %d)",
				 calls_why(result), result);
	err = host_evaluate(&r->host, r->data, r->data_bytes, r->names, r->n,
			    r->values);
	if (err)
		return diag_fail(diag, err,
				 "CUPTI cannot evaluate what it counted");
	return 0;
}
