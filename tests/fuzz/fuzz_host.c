/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the files of /proc and /sys: pieces that end with the byte 0xff,
 * one for each path below. Whatever they say, the machine is described and its
 * components probed.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "components/components.h"
#include "core/registry.h"
#include "host/host.h"
#include "host/permission.h"
#include "tests/fuzz/input.h"

#define PIECE_END 0xff

static const char *const paths[] = {
	"proc/cpuinfo",
	"proc/net/dev",
	"proc/stat",
	"proc/sys/kernel/perf_event_paranoid",
	"proc/self/status",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/possible",
	"sys/devices/system/cpu/cpu0/topology/physical_package_id",
	"sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
	"sys/devices/system/cpu/cpu0/cache/index0/size",
	"sys/devices/system/cpu/cpu0/cache/index0/type",
	"sys/devices/system/cpu/cpu0/cache/index0/level",
	"sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
	"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
	"sys/devices/system/node/node0/cpulist",
	"sys/devices/system/node/node0/meminfo",
	"sys/bus/event_source/devices/cpu/type",
	"sys/bus/event_source/devices/cpu/format/event",
	"sys/bus/event_source/devices/cpu/events/cycles",
	"sys/bus/event_source/devices/cpu/caps/pmu_name",
	"sys/hypervisor/type",
	"sys/class/dmi/id/sys_vendor",
};
#define N_PATHS (sizeof(paths) / sizeof(*paths))

static char root[] = "/dev/shm/assay-fuzz-host-XXXXXX";

static void make_folders(char *path)
{
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			abort();
		*at = '/';
	}
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[256];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (size == 0) {
		unlink(path);
		return;
	}
	to = fopen(path, "w");
	if (!to) {
		make_folders(path);
		to = fopen(path, "w");
	}
	if (!to || fwrite(data, 1, size, to) != size || fclose(to))
		abort();
}

static void put_all(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < N_PATHS; i++) {
		const uint8_t *end =
			size ? memchr(data, PIECE_END, size) : NULL;
		size_t n = end ? (size_t)(end - data) : size;

		put(paths[i], data, n);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct component_ops *const list[] = {
		&perf_event_component, &net_component, &io_component,
		&stealtime_component
	};
	struct fs fs = { .root = root };
	struct host_permission permission;
	struct registry *registry;
	struct host host;

	if (!strcmp(root + sizeof(root) - 7, "XXXXXX") && !mkdtemp(root))
		abort();
	put_all(data, size);
	if (host_read(&fs, &host) == 0)
		host_fini(&host);
	permission_read(&fs, &permission);
	if (registry_open(list, 4, root, &registry) == 0)
		registry_close(registry);
	return 0;
}
