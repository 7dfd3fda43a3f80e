/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/group.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"

int pe_sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader,
			    PERF_FLAG_FD_CLOEXEC);
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
	if (g->clocked)
		close(g->clock_fd);
	free(g->fds);
	free(g->members);
	*g = (struct pe_group){ 0 };
}

static int read_whole(int fd, void *out, size_t bytes)
{
	ssize_t got;

	do
		got = read(fd, out, bytes);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_from_errno(errno);
	return (size_t)got == bytes ? 0 : PAPI_ESYS;
}

int pe_group_read(const struct pe_group *g, struct pe_reading *out)
{
	size_t n = g->n + pe_group_lead(g);
	uint64_t alone[3]; /* value, enabled, running */
	int err;

	if (!pe_group_is_alone(g))
		return read_whole(pe_group_leader(g), out,
				  sizeof(*out) + n * sizeof(out->values[0]));
	err = read_whole(g->fds[0], alone, sizeof(alone));
	if (err)
		return err;
	out->n = 1;
	out->values[0] = alone[0];
	out->enabled_ns = alone[1];
	out->running_ns = alone[2];
	return 0;
}

int pe_group_control(const struct pe_group *g, unsigned long request)
{
	if (ioctl(pe_group_leader(g), request, 0))
		return err_from_errno(errno);
	return 0;
}
