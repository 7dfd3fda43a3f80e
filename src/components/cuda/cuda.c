/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVIDIA GPUs: every metric that CUPTI lists for the chip is an event. Looking
 * whether there is a GPU reads /proc only; libraries are loaded when an event
 * is first asked for, and nothing of NVIDIA's is linked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/components.h"
#include "components/cuda/slice.h"

#define VERSION "proc/driver/nvidia/version"
#define PARAMS  "proc/driver/nvidia/params"
#define GPUS    "proc/driver/nvidia/gpus"

static bool has_gpu(const struct fs *fs)
{
	char **names;
	size_t n;

	if (fs_list(fs, GPUS, &names, &n))
		return false;
	fs_free_names(names, n);
	return n > 0;
}

/* Whether the driver keeps the counters for root, and this is not root. */
static bool is_forbidden(const struct fs *fs)
{
	OWNED char *text = fs_read(fs, PARAMS);

	return text && strstr(text, "RmProfilingAdminOnly: 1") &&
	       geteuid() != 0;
}

/* Who names the libraries has them; not every driver is seen in /proc. */
static bool is_named(void)
{
	const char *folder = secure_getenv("ASSAY_CUDA_LIBRARIES");

	return folder && *folder;
}

static int cuda_probe(struct component *c, const struct fs *fs)
{
	bool seen = fs_exists(fs, VERSION);

	if (!seen && !is_named())
		return component_disable(
			c, "NVIDIA's driver is not loaded: there is no "
			   "/" VERSION);
	if (seen && !has_gpu(fs))
		return component_disable(
			c, "NVIDIA's driver found no GPU: /" GPUS " is empty");
	if (is_forbidden(fs))
		return component_disable(
			c, "only root may read the GPU's counters; to allow "
			   "all users, load the kernel module nvidia with "
			   "NVreg_RestrictProfilingToAdminUsers=0");
	c->priv = gpu_new();
	return c->priv ? 0 : PAPI_ENOMEM;
}

static int cuda_list(struct component *c)
{
	struct gpu *gpu;
	struct diag diag = { .text = "" };
	int err = gpu_lock(c, &gpu, &diag);

	if (err)
		return component_disable(c, "%s", diag.text);
	gpu_unlock(gpu);
	return gpu_metrics_list(c);
}

static int cuda_open(struct slice *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->thresholds[i])
			return slice_fail(
				s, PAPI_ENOSUPP,
				"GPU counters cannot raise interrupts");
	if (s->opt.target == TARGET_CPU)
		return slice_fail(s, PAPI_ENOSUPP,
				  "GPU work belongs to processes, not to CPUs");
	return s->opt.target == TARGET_TASK ? gpu_outside_open(s)
					    : gpu_plan_open(s);
}

static bool is_outside(const struct slice *s)
{
	const struct gpu_slice *mine = s->priv;

	return mine->outside;
}

static int cuda_start(struct slice *s, struct count *counts)
{
	return is_outside(s) ? gpu_outside_start(s, counts)
			     : gpu_inside_start(s, counts);
}

static int cuda_read(struct slice *s, struct count *counts)
{
	return is_outside(s) ? gpu_outside_read(s, counts)
			     : gpu_inside_read(s, counts);
}

static int cuda_stop(struct slice *s, struct count *counts)
{
	return is_outside(s) ? gpu_outside_read(s, counts)
			     : gpu_inside_stop(s, counts);
}

static void cuda_shutdown(struct component *c)
{
	gpu_free(c->priv);
	c->priv = NULL;
}

const struct component_ops cuda_component = {
	.name = "cuda",
	.summary = "counters of NVIDIA GPUs (CUPTI)",
	.scope = SCOPE_PROCESS,
	.caps = CAP_ATTACH | CAP_INHERIT | CAP_ON_EXEC | CAP_MULTIPLEX,
	.slice_bytes = sizeof(struct gpu_slice),
	.probe = cuda_probe,
	.list = cuda_list,
	.masks = gpu_metrics_list_endings,
	.find = gpu_metrics_find,
	.attempt = gpu_plan_attempt,
	.open = cuda_open,
	.close = gpu_plan_close,
	.start = cuda_start,
	.read = cuda_read,
	.stop = cuda_stop,
	.shutdown = cuda_shutdown,
};
