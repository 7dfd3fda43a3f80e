/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One CUPTI host object for a chip: lists metrics, makes the configuration for
 * a set of them, and evaluates the counters that came back. It never talks to a
 * device.
 */
#include "components/cuda/host.h"

#include <stdlib.h>

int host_open(struct host *h, const struct calls *calls, const char *chip,
	      struct diag *diag)
{
	struct cupti_host_init block = CUPTI_BLOCK(cupti_host_init, host);
	int result;

	block.type = CUPTI_RANGE_PROFILER;
	block.chip = chip;
	result = calls->cuptiProfilerHostInitialize(&block);
	if (result)
		return diag_fail(diag, calls_code(result),
				 "CUPTI lists no metrics of the chip %s: %s",
				 chip, calls_why(result));
	*h = (struct host){ .calls = calls, .object = block.host };
	return 0;
}

void host_close(struct host *h)
{
	struct cupti_host_end block = CUPTI_BLOCK(cupti_host_end, host);

	if (!h->object)
		return;
	block.host = h->object;
	h->calls->cuptiProfilerHostDeinitialize(&block);
	h->object = NULL;
}

int host_base_metrics(const struct host *h, int kind, const char *const **names,
		      size_t *n)
{
	struct cupti_base_metrics block = CUPTI_BLOCK(cupti_base_metrics, n);
	int result;

	block.host = h->object;
	block.kind = kind;
	result = h->calls->cuptiProfilerHostGetBaseMetrics(&block);
	if (result)
		return calls_code(result);
	*names = block.names;
	*n = block.n;
	return 0;
}

int host_endings(const struct host *h, int kind, const char *base,
		 const char *const **names, size_t *n)
{
	struct cupti_sub_metrics block = CUPTI_BLOCK(cupti_sub_metrics, names);
	int result;

	block.host = h->object;
	block.kind = kind;
	block.metric = base;
	result = h->calls->cuptiProfilerHostGetSubMetrics(&block);
	if (result)
		return calls_code(result);
	*names = block.names;
	*n = block.n;
	return 0;
}

int host_describe(const struct host *h, const char *metric, const char **text,
		  const char **unit)
{
	struct cupti_properties block = CUPTI_BLOCK(cupti_properties, kind);
	int result;

	block.host = h->object;
	block.metric = metric;
	result = h->calls->cuptiProfilerHostGetMetricProperties(&block);
	if (result)
		return calls_code(result);
	*text = block.text ? block.text : "";
	*unit = block.dim_unit ? block.dim_unit : "";
	return 0;
}

static int count_passes(const struct host *h, uint8_t *config, size_t bytes,
			size_t *passes)
{
	struct cupti_passes block = CUPTI_BLOCK(cupti_passes, passes);
	int result;

	block.config = config;
	block.bytes = bytes;
	result = h->calls->cuptiProfilerHostGetNumOfPasses(&block);
	*passes = block.passes;
	return result;
}

/* The image of what was added so far; CUPTI's result. */
static int take_config(const struct host *h, uint8_t **config, size_t *bytes)
{
	struct cupti_config_size size = CUPTI_BLOCK(cupti_config_size, bytes);
	struct cupti_config image = CUPTI_BLOCK(cupti_config, config);
	int result;

	size.host = h->object;
	result = h->calls->cuptiProfilerHostGetConfigImageSize(&size);
	if (result)
		return result;
	*config = malloc(size.bytes ? size.bytes : 1);
	if (!*config)
		return CUPTI_NO_MEMORY;
	*bytes = size.bytes;
	image.host = h->object;
	image.bytes = size.bytes;
	image.config = *config;
	return h->calls->cuptiProfilerHostGetConfigImage(&image);
}

int host_configure(struct host *h, const char **metrics, size_t n,
		   uint8_t **config, size_t *bytes, size_t *passes)
{
	struct cupti_add_metrics block = CUPTI_BLOCK(cupti_add_metrics, n);
	uint8_t *image = NULL;
	int result;

	block.host = h->object;
	block.metrics = metrics;
	block.n = n;
	result = h->calls->cuptiProfilerHostConfigAddMetrics(&block);
	if (!result)
		result = take_config(h, &image, bytes);
	if (!result)
		result = count_passes(h, image, *bytes, passes);
	if (result) {
		free(image);
		return calls_code(result);
	}
	*config = image;
	return 0;
}

int host_evaluate(const struct host *h, const uint8_t *data, size_t bytes,
		  const char **metrics, size_t n, double *values)
{
	struct cupti_evaluate block = CUPTI_BLOCK(cupti_evaluate, values);
	int result;

	block.host = h->object;
	block.data = data;
	block.data_bytes = bytes;
	block.metrics = metrics;
	block.n = n;
	block.values = values;
	result = h->calls->cuptiProfilerHostEvaluateToGpuValues(&block);
	return result ? calls_code(result) : 0;
}
