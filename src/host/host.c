/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts together what the other files of this room read. What the process may
 * count is left to permission.c.
 */
#include "host/host.h"

#include <sys/utsname.h>

#include "base/err.h"
#include "host/text.h"

static void read_kernel(const struct fs *fs, struct host *host)
{
	struct utsname name;

	text_read(fs, host->kernel, sizeof(host->kernel),
		  "proc/sys/kernel/osrelease");
	if (fs->root[0] == '\0' && uname(&name) == 0) {
		text_copy(host->arch, sizeof(host->arch), name.machine);
		text_copy(host->kernel, sizeof(host->kernel), name.release);
	}
}

int host_read(const struct fs *fs, struct host *out)
{
	struct host host = { 0 };
	int err = cpu_read(fs, &host.cpu);

	if (!err)
		err = topology_read(fs, &host.topology);
	if (!err)
		err = caches_read(fs, &host.caches);
	if (err) {
		host_fini(&host);
		return err;
	}
	virt_read(fs, &host.virt);
	read_kernel(fs, &host);
	*out = host;
	return 0;
}

void host_fini(struct host *host)
{
	topology_fini(&host->topology);
	caches_fini(&host->caches);
}
