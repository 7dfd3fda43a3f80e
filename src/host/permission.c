/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the settings of perf_event, the capabilities, the lockdown and rdpmc.
 * What follows from them is left to src/survey.
 */
#include "host/permission.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/text.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT   38

static int read_int(const struct fs *fs, const char *path)
{
	long value;

	if (fs_read_long(fs, path, &value) || value < INT_MIN ||
	    value > INT_MAX)
		return PERMISSION_UNKNOWN;
	return (int)value;
}

static int status_int(const char *status, const char *key)
{
	uint64_t value;

	return text_find_number(status, key, &value) ? (int)value
						     : PERMISSION_UNKNOWN;
}

static void read_status(const struct fs *fs, struct host_permission *p)
{
	OWNED char *status = fs_read(fs, "proc/self/status");
	unsigned real, effective = 1;
	uint64_t caps = 0;
	char value[64];

	p->seccomp = PERMISSION_UNKNOWN;
	if (!status)
		return;
	if (text_find_field(status, "Uid", value, sizeof(value)) &&
	    sscanf(value, "%u %u", &real, &effective) == 2)
		p->is_root = effective == 0;
	if (text_find_field(status, "CapEff", value, sizeof(value)))
		caps = strtoull(value, NULL, 16);
	p->cap_sys_admin = caps >> CAP_SYS_ADMIN_BIT & 1;
	p->cap_perfmon = caps >> CAP_PERFMON_BIT & 1;
	p->seccomp = status_int(status, "Seccomp");
	p->no_new_privs = status_int(status, "NoNewPrivs") == 1;
}

/* "none [integrity] confidentiality": the one in brackets holds. */
static void read_lockdown(const struct fs *fs, char *to, size_t size)
{
	char line[64];
	char *open;

	to[0] = '\0';
	if (!text_read(fs, line, sizeof(line), "sys/kernel/security/lockdown"))
		return;
	open = strchr(line, '[');
	if (!open)
		return;
	open[1 + strcspn(open + 1, "]")] = '\0';
	text_copy(to, size, open + 1);
}

/* A PMU's rdpmc file; hybrid machines have one for each kind of core. */
static int read_rdpmc(const struct fs *fs)
{
	int value = read_int(fs, "sys/bus/event_source/devices/cpu/rdpmc");

	if (value == PERMISSION_UNKNOWN)
		value = read_int(fs,
				 "sys/bus/event_source/devices/cpu_core/rdpmc");
	return value;
}

void permission_read(const struct fs *fs, struct host_permission *out)
{
	struct host_permission p = { 0 };

	read_status(fs, &p);
	p.paranoid = read_int(fs, "proc/sys/kernel/perf_event_paranoid");
	p.nmi_watchdog = read_int(fs, "proc/sys/kernel/nmi_watchdog");
	p.user_access = read_int(fs, "proc/sys/kernel/perf_user_access");
	p.max_sample_rate =
		read_int(fs, "proc/sys/kernel/perf_event_max_sample_rate");
	p.mlock_kb = read_int(fs, "proc/sys/kernel/perf_event_mlock_kb");
	p.rdpmc = read_rdpmc(fs);
	read_lockdown(fs, p.lockdown, sizeof(p.lockdown));
	*out = p;
}
