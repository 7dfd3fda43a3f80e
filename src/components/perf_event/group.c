/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The system calls on a group: open, read, enable and disable. Which events
 * share a group is left to the slice.
 */
#include "components/perf_event/group.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"

/*
 * attr.config3 (Linux 6.3), which headers may lack: the 64-bit word that it is,
 * and the bytes with it [PERF_ATTR_SIZE_VER8].
 */
#define CONFIG3_AT   16
#define CONFIG3_SIZE 136

int pe_sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader,
			    PERF_FLAG_FD_CLOEXEC);
}

int pe_sys_open_event(const struct pe_event *e, struct perf_event_attr *attr,
		      pid_t pid, int cpu, int leader)
{
	union {
		struct perf_event_attr attr;
		uint64_t words[32];
	} wide = { .words = { 0 } };

	if (!e->code.config3)
		return pe_sys_open(attr, pid, cpu, leader);
	wide.attr = *attr;
	wide.words[CONFIG3_AT] = e->code.config3;
	if (wide.attr.size < CONFIG3_SIZE)
		wide.attr.size = CONFIG3_SIZE;
	return pe_sys_open(&wide.attr, pid, cpu, leader);
}

int pe_group_append(struct pe_group *g, size_t member)
{
	if (array_grow(&g->members, g->n, sizeof(*g->members)) ||
	    array_grow(&g->fds, g->n, sizeof(*g->fds)))
		return PAPI_ENOMEM;
	g->members[g->n] = member;
	g->fds[g->n] = -1;
	g->n++;
	return 0;
}

void pe_group_fini(struct pe_group *g)
{
	/* The leader last: siblings of a closed leader would go on alone. */
	while (g->n > 0) {
		g->n--;
		if (g->fds[g->n] >= 0)
			close(g->fds[g->n]);
	}
	if (pe_group_lead(g))
		close(g->lead_fd);
	free(g->places);
	free(g->fds);
	free(g->members);
	*g = (struct pe_group){ 0 };
}

int pe_group_read(const struct pe_group *g, struct pe_reading *out)
{
	int error;

	do
		error = pe_group_read_once(g, out);
	while (error == EINTR);
	return error ? err_from_errno(error) : 0;
}

int pe_group_control(const struct pe_group *g, unsigned long request)
{
	if (ioctl(pe_group_leader(g), request, 0))
		return err_from_errno(errno);
	return 0;
}
