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
	struct cupti_host_init block =
		CUPTI_BLOCK(cupti_host_init, host, .type = CUPTI_RANGE_PROFILER,
			    .chip = chip);
	int result = calls->cuptiProfilerHostInitialize(&block);

	if (result)
		return diag_fail(diag, calls_code(result),
				 "CUPTI lists no metrics of the chip %s: %s",
				 chip, calls_why(result));
	*h = (struct host){ .calls = calls, .object = block.host };
	return 0;
}

void host_close(struct host *h)
{
	if (!h->object)
		return;
	h->calls->cuptiProfilerHostDeinitialize(
		&CUPTI_BLOCK(cupti_host_end, host, .host = h->object));
	h->object = NULL;
}

int host_base_metrics(const struct host *h, int kind, const char *const **names,
		      size_t *n)
{
	struct cupti_base_metrics block = CUPTI_BLOCK(
		cupti_base_metrics, n, .host = h->object, .kind = kind);
	int result = h->calls->cuptiProfilerHostGetBaseMetrics(&block);

	if (result)
		return calls_code(result);
	*names = block.names;
	*n = block.n;
	return 0;
}

int host_endings(const struct host *h, int kind, const char *base,
		 const char *const **names, size_t *n)
{
	struct cupti_sub_metrics block =
		CUPTI_BLOCK(cupti_sub_metrics, names, .host = h->object,
			    .kind = kind, .metric = base);
	int result = h->calls->cuptiProfilerHostGetSubMetrics(&block);

	if (result)
		return calls_code(result);
	*names = block.names;
	*n = block.n;
	return 0;
}

int host_describe(const struct host *h, const char *metric, const char **text,
		  const char **unit)
{
	struct cupti_properties block = CUPTI_BLOCK(
		cupti_properties, kind, .host = h->object, .metric = metric);
	int result = h->calls->cuptiProfilerHostGetMetricProperties(&block);

	if (result)
		return calls_code(result);
	*text = block.text ? block.text : "";
	*unit = block.dim_unit ? block.dim_unit : "";
	return 0;
}

static int count_passes(const struct host *h, uint8_t *config, size_t bytes,
			size_t *passes)
{
	struct cupti_passes block = CUPTI_BLOCK(
		cupti_passes, passes, .config = config, .bytes = bytes);
	int result = h->calls->cuptiProfilerHostGetNumOfPasses(&block);

	*passes = block.passes;
	return result;
}

/* The image of what was added so far; CUPTI's result. */
static int take_config(const struct host *h, uint8_t **config, size_t *bytes)
{
	struct cupti_config_size size =
		CUPTI_BLOCK(cupti_config_size, bytes, .host = h->object);
	int result = h->calls->cuptiProfilerHostGetConfigImageSize(&size);

	if (result)
		return result;
	*config = malloc(size.bytes ? size.bytes : 1);
	if (!*config)
		return CUPTI_NO_MEMORY;
	*bytes = size.bytes;
	return h->calls->cuptiProfilerHostGetConfigImage(
		&CUPTI_BLOCK(cupti_config, config, .host = h->object,
			     .bytes = size.bytes, .config = *config));
}

int host_configure(struct host *h, const char **metrics, size_t n,
		   uint8_t **config, size_t *bytes, size_t *passes)
{
	uint8_t *image = NULL;
	int result = h->calls->cuptiProfilerHostConfigAddMetrics(
		&CUPTI_BLOCK(cupti_add_metrics, n, .host = h->object,
			     .metrics = metrics, .n = n));

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
	int result = h->calls->cuptiProfilerHostEvaluateToGpuValues(
		&CUPTI_BLOCK(cupti_evaluate, values, .host = h->object,
			     .data = data, .data_bytes = bytes,
			     .metrics = metrics, .n = n, .values = values));

	return result ? calls_code(result) : 0;
}
