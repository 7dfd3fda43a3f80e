/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of NVIDIA's driver and CUPTI interfaces that is used here, declared
 * anew: the libraries are loaded at run time, and the component is built where
 * their headers are not. Layouts are those of CUDA 13.0 (cuda.h,
 * cupti_profiler_host.h, cupti_range_profiler.h, cupti_target.h,
 * cupti_callbacks.h); tests/gpu/check-abi compares where the headers are.
 *
 * Every parameter block begins with its own size, up to and with its last
 * field: that is how CUPTI tells which version it is spoken to in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	CU_SUCCESS = 0,
	CU_NO_DEVICE = 100,
};

enum {
	CUPTI_OK = 0,
	CUPTI_BAD_PARAMETER = 1,
	CUPTI_NO_MEMORY = 8,
	CUPTI_BUSY = 26,
	CUPTI_NO_PRIVILEGE = 35,
	CUPTI_VIRTUAL_NO_PRIVILEGE = 40,
};

enum {
	CUPTI_COUNTER, /* kinds of metrics */
	CUPTI_RATIO,
	CUPTI_THROUGHPUT,
	CUPTI_KINDS
};

#define CUPTI_RANGE_PROFILER    0
#define CUPTI_USER_RANGE        2
#define CUPTI_USER_REPLAY       3
#define CUPTI_DOMAIN_RESOURCE   3
#define CUPTI_CONTEXT_CREATED   1
#define CUPTI_CONTEXT_DESTROYED 2

#define CUPTI_SIZE(type, last)                                                 \
	(offsetof(struct type, last) + sizeof(((struct type *)0)->last))
/* A block of @type up to @last, with its size and these members in it. */
#define CUPTI_BLOCK(type, last, ...)                                           \
	(struct type)                                                          \
	{                                                                      \
		.size = CUPTI_SIZE(type, last), __VA_ARGS__                    \
	}

struct cupti_init {
	size_t size;
	void *priv;
};

struct cupti_chip_name {
	size_t size;
	void *priv;
	size_t device;
	const char *name;
};

struct cupti_host_init {
	size_t size;
	void *priv;
	int type;
	const char *chip;
	const uint8_t *availability;
	void *host;
};

struct cupti_host_end {
	size_t size;
	void *priv;
	void *host;
};

struct cupti_base_metrics {
	size_t size;
	void *priv;
	void *host;
	int kind;
	const char **names;
	size_t n;
};

struct cupti_sub_metrics {
	size_t size;
	void *priv;
	void *host;
	int kind;
	const char *metric;
	size_t n;
	const char **names;
};

struct cupti_properties {
	size_t size;
	void *priv;
	void *host;
	const char *metric;
	const char *text;
	const char *hw_unit;
	const char *dim_unit;
	int kind;
};

struct cupti_evaluate {
	size_t size;
	void *priv;
	void *host;
	const uint8_t *data;
	size_t data_bytes;
	size_t range;
	const char **metrics;
	size_t n;
	double *values;
};

struct cupti_add_metrics {
	size_t size;
	void *priv;
	void *host;
	const char **metrics;
	size_t n;
};

struct cupti_config_size {
	size_t size;
	void *priv;
	void *host;
	size_t bytes;
};

struct cupti_config {
	size_t size;
	void *priv;
	void *host;
	size_t bytes;
	uint8_t *config;
};

struct cupti_passes {
	size_t size;
	void *priv;
	size_t bytes;
	uint8_t *config;
	size_t passes;
};

struct cupti_enable {
	size_t size;
	void *priv;
	void *context;
	void *profiler;
};

struct cupti_profiler { /* for calls that take nothing else */
	size_t size;
	void *priv;
	void *profiler;
};

struct cupti_data_size {
	size_t size;
	void *priv;
	void *profiler;
	const char **metrics;
	size_t n;
	size_t ranges;
	uint32_t nodes;
	size_t bytes;
};

struct cupti_data_init {
	size_t size;
	void *priv;
	void *profiler;
	size_t bytes;
	uint8_t *data;
};

struct cupti_set_config {
	size_t size;
	void *priv;
	void *profiler;
	size_t config_bytes;
	const uint8_t *config;
	size_t data_bytes;
	uint8_t *data;
	int range;
	int replay;
	size_t ranges;
	uint16_t levels;
	uint16_t least_level;
	size_t pass;
	uint16_t target_level;
};

struct cupti_push {
	size_t size;
	void *priv;
	void *profiler;
	const char *name;
};

struct cupti_stop {
	size_t size;
	void *priv;
	void *profiler;
	size_t pass;
	size_t target_level;
	uint8_t all_submitted;
};

struct cupti_decode {
	size_t size;
	void *priv;
	void *profiler;
	size_t dropped;
};

/* Handed to callbacks about contexts. */
struct cupti_resource {
	void *context;
	void *handle;
	void *descriptor;
};

typedef void (*cupti_callback_fn)(void *user, int domain, uint32_t id,
				  const void *data);
