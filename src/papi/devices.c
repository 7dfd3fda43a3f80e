/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's device calls. There is one kind of device here, the processor; the
 * two kinds of GPU that PAPI knows are listed with no devices.
 */
#include <stddef.h>

#include <papi.h>

#include "base/array.h"
#include "papi/entry.h"
#include "papi/hwinfo.h"

struct device_type {
	PAPI_dev_type_id_e id;
	const char *vendor; /* NULL: the processor's */
	const char *status;
};

static const struct device_type types[] = {
	{ PAPI_DEV_TYPE_ID__CPU, NULL, "Device Initialized" },
	{ PAPI_DEV_TYPE_ID__CUDA, "NVIDIA", "GPUs are not detected" },
	{ PAPI_DEV_TYPE_ID__ROCM, "AMD/ATI", "GPUs are not detected" },
};

/* The type that @handle is, or NULL. Handles may be any garbage. */
static const struct device_type *find_type(const void *handle)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (handle == &types[i])
			return &types[i];
	return NULL;
}

/*
 * papi_hardware_avail begins with a handle that it never set, and begins again
 * with the one that the end of a walk left; so whatever is not one of ours
 * means the beginning.
 */
int PAPI_enum_dev_type(int enum_modifier, void **handle)
{
	const struct device_type *type;
	size_t i = 0;

	if (!library_need())
		return PAPI_ENOINIT;
	if (!handle)
		return error_say(PAPI_EINVAL, "handle is NULL");
	type = find_type(*handle);
	if (type && enum_modifier != PAPI_DEV_TYPE_ENUM__FIRST)
		i = (size_t)(type - types) + 1;
	for (; i < ARRAY_SIZE(types); i++)
		if (enum_modifier == PAPI_DEV_TYPE_ENUM__FIRST ||
		    enum_modifier & 1 << types[i].id) {
			*handle = (void *)&types[i];
			return PAPI_OK;
		}
	*handle = NULL;
	return PAPI_EINVAL;
}

int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr, void *value)
{
	const struct device_type *type = find_type(handle);
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();

	if (!hw)
		return PAPI_ENOINIT;
	if (!type || !value)
		return error_say(PAPI_EINVAL, "no such handle, or no value");
	switch (attr) {
	case PAPI_DEV_TYPE_ATTR__INT_PAPI_ID:
		*(int *)value = (int)type->id;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID:
		*(int *)value = type->vendor ? -1 : hw->vendor;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__CHAR_NAME:
		*(const char **)value =
			type->vendor ? type->vendor : hw->vendor_string;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__INT_COUNT:
		*(int *)value = type->id == PAPI_DEV_TYPE_ID__CPU;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__CHAR_STATUS:
		*(const char **)value = type->status;
		return PAPI_OK;
	default:
		return error_say(PAPI_ENOSUPP, "no such attribute");
	}
}

/* One of the sixteen attributes of caches: which cache, and what of it. */
static unsigned cache_attr(const struct host_caches *caches, unsigned offset)
{
	static const struct {
		unsigned level;
		enum cache_kind kind;
	} which[] = {
		{ 1, CACHE_INSTRUCTION },
		{ 1, CACHE_DATA },
		{ 2, CACHE_DATA },
		{ 3, CACHE_DATA },
	};
	const struct host_cache *cache = cache_find(
		caches, which[offset % 4].level, which[offset % 4].kind);

	if (!cache)
		return 0;
	switch (offset / 4) {
	case 0:
		return (unsigned)cache->bytes;
	case 1:
		return cache->line_bytes;
	case 2:
		return cache->line_bytes
			       ? (unsigned)(cache->bytes / cache->line_bytes)
			       : 0;
	default:
		return cache->ways;
	}
}

/* What does not depend on a node or a CPU. */
static int machine_attr(const struct host *host, PAPI_dev_attr_e attr,
			unsigned *value)
{
	const struct host_topology *t = &host->topology;

	switch (attr) {
	case PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT:
		*value = t->sockets;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT:
		*value = (unsigned)t->n_nodes;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT:
		*value = t->cores;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT:
		*value = t->cpus;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_FAMILY:
		*value = host->cpu.family;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_MODEL:
		*value = host->cpu.model;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_STEPPING:
		*value = host->cpu.stepping;
		return PAPI_OK;
	default:
		return error_say(PAPI_ENOSUPP, "not an attribute of a CPU");
	}
}

/* What is about node @id or CPU @id; both are counted from 0 without gaps. */
static int member_attr(const struct host_topology *t, unsigned id,
		       PAPI_dev_attr_e attr, unsigned *value)
{
	unsigned n = attr == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY
			     ? t->cpus
			     : (unsigned)t->n_nodes;

	if (id >= n)
		return error_say(PAPI_EINVAL, "there are only %u", n);
	if (attr == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY)
		*value = t->cpu_node[id];
	else if (attr == PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA)
		*value = t->nodes[id].cpus;
	else
		*value = (unsigned)(t->nodes[id].memory_kb >> 10);
	return PAPI_OK;
}

static bool is_about_member(PAPI_dev_attr_e attr)
{
	return attr == PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE ||
	       attr == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY ||
	       attr == PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA;
}

int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value)
{
	const struct device_type *type = find_type(handle);
	const struct host *host;

	if (!library_need())
		return PAPI_ENOINIT;
	if (!type || !value || id < 0)
		return error_say(PAPI_EINVAL, "no such handle, or no value");
	if (type->id != PAPI_DEV_TYPE_ID__CPU)
		return error_say(PAPI_EINVAL, "no device of this kind");
	host = hwinfo_host();
	if (!host)
		return error_say(PAPI_ENOMEM, "out of memory");
	if (attr == PAPI_DEV_ATTR__CPU_CHAR_NAME) {
		*(const char **)value = host->cpu.name;
		return PAPI_OK;
	}
	if (attr >= PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE &&
	    attr <= PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC) {
		unsigned offset = attr - PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE;

		*(unsigned *)value = cache_attr(&host->caches, offset);
		return PAPI_OK;
	}
	if (is_about_member(attr))
		return member_attr(&host->topology, (unsigned)id, attr, value);
	return machine_attr(host, attr, value);
}
