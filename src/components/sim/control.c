/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control file, as its maker has it: made with memory for all that is
 * written at once, so that a full file system is an error and not a signal;
 * and who of the processes in it is still alive.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <assay/assay.h>

#include "components/components.h"
#include "components/sim/sim.h"

/* For assay_get_simulation(), which names no component. */
static struct {
	pthread_mutex_t lock; /* guards all below */
	struct sim *sim;
	char reason[sizeof(((struct wire_control *)0)->why)];
} current = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void set_current(struct sim *sim)
{
	pthread_mutex_lock(&current.lock);
	current.sim = sim;
	pthread_mutex_unlock(&current.lock);
}

/* 0 or errno. A file system that cannot allocate ahead is taken as it is. */
static int allocate(int fd, size_t offset, size_t bytes)
{
	int error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);

	return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int error = 0;

	if (fd < 0)
		return -1;
	if (ftruncate(fd, 0) ||
	    ftruncate(fd, (off_t)sizeof(struct wire_control)))
		error = errno;
	if (!error)
		error = allocate(fd, 0,
				 offsetof(struct wire_control, processes));
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

int control_open(const char *path, struct sim *sim)
{
	struct wire_control *control;
	int fd = make_file(path);
	int err;

	if (fd < 0)
		return err_from_errno(errno);
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (control == MAP_FAILED) {
		err = err_from_errno(errno);
		close(fd);
		return err;
	}
	control->version = WIRE_VERSION;
	__atomic_store_n(&control->magic, WIRE_MAGIC, __ATOMIC_RELEASE);
	sim->control = control;
	sim->control_fd = fd;
	set_current(sim);
	return 0;
}

void control_close(struct sim *sim)
{
	if (!sim->control)
		return;
	set_current(NULL);
	munmap(sim->control, sizeof(*sim->control));
	close(sim->control_fd);
	sim->control = NULL;
}

int control_holder(const struct sim *sim, int i)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = WIRE_LOCKS + i,
			      .l_len = 1 };

	if (fcntl(sim->control_fd, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	/* one of a namespace that this one does not see: it lives, though */
	return lock.l_pid > 0 ? lock.l_pid : -1;
}

/* While it execs, nobody holds its lock. */
static bool is_alive(const struct sim *sim, int i)
{
	const struct wire_slot *slot = &sim->control->slots[i];

	return control_holder(sim, i) ||
	       (__atomic_load_n(&slot->execs, __ATOMIC_ACQUIRE) &&
		(kill(slot->pid, 0) == 0 || errno == EPERM));
}

void control_forget(struct sim *sim)
{
	struct wire_control *control = sim->control;

	for (int i = 0; i < WIRE_SETS; i++)
		if (__atomic_load_n(&control->sets[i].state,
				    __ATOMIC_ACQUIRE) != WIRE_FREE)
			return;
	control->started = control->lost = 0;
	control->failed = control->varies = 0;
	control->first_aside = 0;
	memset(control->aside, 0, sizeof(control->aside));
	for (int i = 0; i < WIRE_PROCESSES; i++)
		if (control->slots[i].pid && !is_alive(sim, i))
			control->slots[i].pid = 0;
}

static void count_processes(const struct sim *sim, struct assay_simulation *out)
{
	for (int i = 0; i < WIRE_PROCESSES; i++) {
		const struct wire_slot *slot = &sim->control->slots[i];

		if (!__atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE))
			continue;
		if (is_alive(sim, i))
			out->running++;
		else if (slot->pid && !(slot->flags & WIRE_LEAVES))
			out->killed++;
	}
}

static void take_census(const struct sim *sim, struct assay_simulation *out)
{
	const struct wire_control *control = sim->control;

	*out = (struct assay_simulation){
		.started = control->started,
		.lost = control->lost,
		.first_aside = (int)control->first_aside - 1,
		.varies = control->varies,
		.failed = control->failed,
	};
	for (int i = 0; i < ASSAY_ASIDE_KINDS; i++)
		out->aside[i] = control->aside[i];
	memcpy(current.reason, control->why, sizeof(current.reason));
	current.reason[sizeof(current.reason) - 1] = '\0';
	if (out->failed)
		out->reason = current.reason;
	count_processes(sim, out);
}

int sim_take_census(struct assay_simulation *out)
{
	int err = PAPI_ENOSUPP;

	_Static_assert((int)ASSAY_ASIDE_KINDS == (int)WIRE_ASIDE_KINDS &&
			       (int)ASSAY_VARIES_SECCOMP ==
				       (int)WIRE_VARIES_SECCOMP,
		       "what is public is what is on the wire");
	pthread_mutex_lock(&current.lock);
	if (current.sim) {
		take_census(current.sim, out);
		err = 0;
	}
	pthread_mutex_unlock(&current.lock);
	return err;
}
