/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for CUPTI. Its chip has a few metrics:
 *
 *   fake__work      what was done
 *   fake__double    twice that; counted beside fake__work in one pass
 *   fake__other     three times that; needs a pass of its own
 *   fake__hard      needs two passes even alone
 *   fake__share     a ratio: one half
 *   fake__load      a throughput: 25 %
 *
 * As the real one it must not be handed a name that it does not know: there it
 * would crash, here it aborts, so a test that lets one through fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "components/cuda/abi.h"
#include "components/cuda/calls.h"
#include "tests/gpu/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))

/* Declared as the component knows them. */
#define X_cuda(name, parameters)
#define X_cupti(name, parameters)    EXPORT int name parameters;
#define X(library, name, parameters) X_##library(name, parameters)
CUDA_CALLS(X)
#undef X

enum pass {
	PASS_FIRST = 1,
	PASS_SECOND = 2,
};

static const struct {
	const char *name;
	int kind;
	double weight; /* of the work; of others the value itself */
	unsigned passes;
	const char *unit;
} metrics[] = {
	{ "fake__work", CUPTI_COUNTER, 1, PASS_FIRST, "byte" },
	{ "fake__double", CUPTI_COUNTER, 2, PASS_FIRST, "instruction" },
	{ "fake__other", CUPTI_COUNTER, 3, PASS_SECOND, "instruction" },
	{ "fake__hard", CUPTI_COUNTER, 1, PASS_FIRST | PASS_SECOND, "" },
	{ "fake__share", CUPTI_RATIO, 0.5, PASS_FIRST, "" },
	{ "fake__load", CUPTI_THROUGHPUT, 25, PASS_FIRST, "" },
};

static const char *counter_endings[] = { ".avg", ".max", ".min", ".sum",
					 ".sum.per_second" };
static const char *ratio_endings[] = { ".max_rate", ".pct", ".ratio" };
static const char *load_endings[] = { ".avg.pct_of_peak_sustained_elapsed" };

/* The metric that @name, with or without an ending, is of. */
static size_t find(const char *name)
{
	size_t len = strcspn(name, ".");

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (strlen(metrics[i].name) == len &&
		    strncmp(metrics[i].name, name, len) == 0)
			return i;
	fprintf(stderr, "fake cupti: unknown metric %s\n", name);
	abort();
}

static void need_ending(const char *name)
{
	if (!strchr(name, '.')) {
		fprintf(stderr, "fake cupti: %s has no ending\n", name);
		abort();
	}
}

int cuptiProfilerInitialize(struct cupti_init *p)
{
	if (fake_is(__func__))
		return 999;
	return p->size == sizeof(*p) ? 0 : CUPTI_BAD_PARAMETER;
}

int cuptiDeviceGetChipName(struct cupti_chip_name *p)
{
	if (fake_is(__func__))
		return 999;
	p->name = "FK100";
	return 0;
}

/* Host objects hold the passes that were asked for. */
struct host_object {
	unsigned passes;
};

int cuptiProfilerHostInitialize(struct cupti_host_init *p)
{
	if (fake_is(__func__))
		return 999;
	if (strcmp(p->chip, "FK100") != 0)
		return 46;
	p->host = calloc(1, sizeof(struct host_object));
	return p->host ? 0 : CUPTI_NO_MEMORY;
}

int cuptiProfilerHostDeinitialize(struct cupti_host_end *p)
{
	if (fake_is(__func__))
		return 999;
	free(p->host);
	return 0;
}

int cuptiProfilerHostGetBaseMetrics(struct cupti_base_metrics *p)
{
	if (fake_is(__func__))
		return 999;
	static const char *names[CUPTI_KINDS][ARRAY_SIZE(metrics)];

	p->n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (metrics[i].kind == p->kind)
			names[p->kind][p->n++] = metrics[i].name;
	p->names = names[p->kind];
	return 0;
}

int cuptiProfilerHostGetSubMetrics(struct cupti_sub_metrics *p)
{
	if (fake_is(__func__))
		return 999;
	find(p->metric);
	switch (p->kind) {
	case CUPTI_COUNTER:
		p->names = counter_endings;
		p->n = ARRAY_SIZE(counter_endings);
		break;
	case CUPTI_RATIO:
		p->names = ratio_endings;
		p->n = ARRAY_SIZE(ratio_endings);
		break;
	default:
		p->names = load_endings;
		p->n = ARRAY_SIZE(load_endings);
	}
	return 0;
}

int cuptiProfilerHostGetMetricProperties(struct cupti_properties *p)
{
	if (fake_is(__func__))
		return 999;
	size_t i = find(p->metric);

	p->text = "# of fake work done";
	p->hw_unit = "fake";
	p->dim_unit = metrics[i].unit;
	p->kind = metrics[i].kind;
	return 0;
}

int cuptiProfilerHostConfigAddMetrics(struct cupti_add_metrics *p)
{
	if (fake_is(__func__))
		return 999;
	struct host_object *host = p->host;

	for (size_t i = 0; i < p->n; i++) {
		need_ending(p->metrics[i]);
		host->passes |= metrics[find(p->metrics[i])].passes;
	}
	return 0;
}

int cuptiProfilerHostGetConfigImageSize(struct cupti_config_size *p)
{
	if (fake_is(__func__))
		return 999;
	p->bytes = sizeof(struct host_object);
	return 0;
}

int cuptiProfilerHostGetConfigImage(struct cupti_config *p)
{
	if (fake_is(__func__))
		return 999;
	memcpy(p->config, p->host, p->bytes);
	return 0;
}

int cuptiProfilerHostGetNumOfPasses(struct cupti_passes *p)
{
	if (fake_is(__func__))
		return 999;
	struct host_object host;

	memcpy(&host, p->config, sizeof(host));
	p->passes = host.passes == (PASS_FIRST | PASS_SECOND) ? 2 : 1;
	return 0;
}

/* What a range counted, in the data image. */
int cuptiProfilerHostEvaluateToGpuValues(struct cupti_evaluate *p)
{
	if (fake_is(__func__))
		return 999;
	uint64_t work;

	memcpy(&work, p->data, sizeof(work));
	for (size_t i = 0; i < p->n; i++) {
		size_t m = find(p->metrics[i]);

		need_ending(p->metrics[i]);
		p->values[i] = metrics[m].kind == CUPTI_COUNTER
				       ? metrics[m].weight * (double)work
				       : metrics[m].weight;
	}
	return 0;
}

/* A profiler is on one device at a time, as on the real one. */
struct profiler {
	bool enabled;
	bool started;
	bool pushed;
	int device;
	uint64_t before;
	uint64_t counted;
	uint8_t *data;
	const uint8_t *config;
	bool confused; /* by a second configuration, as the real one is */
};

static struct profiler profilers[2];

int cuptiRangeProfilerEnable(struct cupti_enable *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler;
	int device;

	if (fake_is("unprivileged"))
		return CUPTI_NO_PRIVILEGE;
	if (fake_is("busy"))
		return CUPTI_BUSY;
	if (cuCtxGetDevice(&device))
		return CUPTI_BAD_PARAMETER;
	profiler = &profilers[device];
	if (profiler->enabled)
		return 7;
	memset(profiler, 0, sizeof(*profiler));
	profiler->enabled = true;
	profiler->device = device;
	p->profiler = profiler;
	return 0;
}

int cuptiRangeProfilerDisable(struct cupti_profiler *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	profiler->enabled = false;
	return 0;
}

int cuptiRangeProfilerGetCounterDataSize(struct cupti_data_size *p)
{
	if (fake_is(__func__))
		return 999;
	p->bytes = sizeof(uint64_t) * p->ranges;
	return 0;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct cupti_data_init *p)
{
	if (fake_is(__func__))
		return 999;
	memset(p->data, 0, p->bytes);
	return 0;
}

int cuptiRangeProfilerSetConfig(struct cupti_set_config *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	if (p->range != CUPTI_USER_RANGE || p->replay != CUPTI_USER_REPLAY ||
	    !p->config || !p->data || p->ranges != 1)
		return CUPTI_BAD_PARAMETER;
	profiler->confused |= profiler->config && profiler->config != p->config;
	profiler->config = p->config;
	profiler->data = p->data;
	return 0;
}

int cuptiRangeProfilerStart(struct cupti_profiler *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	profiler->started = profiler->enabled;
	return profiler->started ? 0 : 7;
}

int cuptiRangeProfilerPushRange(struct cupti_push *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	if (!profiler->started || !p->name)
		return 7;
	profiler->pushed = true;
	profiler->before = fake_done(profiler->device);
	return 0;
}

int cuptiRangeProfilerPopRange(struct cupti_profiler *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	if (!profiler->pushed)
		return 7;
	profiler->pushed = false;
	profiler->counted = fake_done(profiler->device) - profiler->before;
	if (profiler->confused)
		profiler->counted = 0;
	return 0;
}

int cuptiRangeProfilerStop(struct cupti_stop *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	profiler->started = false;
	p->all_submitted = 1;
	return 0;
}

int cuptiRangeProfilerDecodeData(struct cupti_decode *p)
{
	if (fake_is(__func__))
		return 999;
	struct profiler *profiler = p->profiler;

	memcpy(profiler->data, &profiler->counted, sizeof(profiler->counted));
	return 0;
}

/* Callbacks about contexts. */
static cupti_callback_fn subscribed;
static void *subscribed_user;
static bool wants_created;

static void tell_created(void *context)
{
	struct cupti_resource data = { .context = context };

	if (subscribed && wants_created)
		subscribed(subscribed_user, CUPTI_DOMAIN_RESOURCE,
			   CUPTI_CONTEXT_CREATED, &data);
}

int cuptiSubscribe(void **subscriber, cupti_callback_fn fn, void *user)
{
	if (fake_is(__func__))
		return 999;
	fake_on_created(tell_created);
	*subscriber = &subscribed;
	subscribed = fn;
	subscribed_user = user;
	return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain,
			uint32_t id)
{
	if (fake_is(__func__))
		return 999;
	if (subscriber != &subscribed)
		return CUPTI_BAD_PARAMETER;
	if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_CONTEXT_CREATED)
		wants_created = enable;
	return 0;
}
