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
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <assay/assay.h>

#include "components/components.h"
#include "components/sim/sim.h"

/* For assay_get_simulation(), which names no component. */
static struct {
	pthread_mutex_t lock; /* guards all below */
	struct sim *sim;
	char reason[sizeof(((struct wire_control *)0)->why)];
	char engine_reason[sizeof(((struct wire_control *)0)->engine_why)];
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

static void describe(struct wire_control *control,
		     const struct sim_target *target)
{
	control->version = WIRE_VERSION;
	control->unlimited = target->unlimited;
	memcpy(control->machine, &target->params, sizeof(target->params));
	__atomic_store_n(&control->magic, WIRE_MAGIC, __ATOMIC_RELEASE);
}

int control_open(const struct sim_target *target, struct sim *sim)
{
	struct wire_control *control;
	int fd = target->runs ? open(target->control, O_RDWR | O_CLOEXEC)
			      : make_file(target->control);
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
	if (!target->runs)
		describe(control, target);
	sim->file = (struct control_file){ .shared = control, .fd = fd };
	set_current(sim);
	return 0;
}

void control_close(struct sim *sim)
{
	if (!sim->file.shared)
		return;
	set_current(NULL);
	munmap(sim->file.shared, sizeof(*sim->file.shared));
	close(sim->file.fd);
	sim->file.shared = NULL;
}

static struct flock one_byte(short type, int64_t at)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1
	};
}

/*
 * Who holds byte @at of the file; 0: nobody. Asked as for a lock of the open
 * file, which also tells of what this process's own simulator holds.
 */
static int holder_of(const struct control_file *file, int64_t at)
{
	struct flock lock = one_byte(F_WRLCK, at);

	if (fcntl(file->fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	/* one of a namespace that this one does not see: it lives, though */
	return lock.l_pid > 0 ? lock.l_pid : -1;
}

int control_holder(const struct control_file *file, int i)
{
	return holder_of(file, WIRE_LOCKS + i);
}

bool control_is_own(const struct control_file *file)
{
	for (int i = 0; i < WIRE_PROCESSES; i++)
		if (__atomic_load_n(&file->shared->slots[i].pid,
				    __ATOMIC_ACQUIRE) &&
		    control_holder(file, i) == getpid())
			return true;
	return false;
}

bool control_has_publisher(const struct control_file *file, int i)
{
	return holder_of(file, WIRE_LOCKS + WIRE_PROCESSES + i) != 0;
}

int control_served_by(const struct control_file *file, int pid)
{
	for (int i = 0; i < WIRE_PROCESSES; i++)
		if (__atomic_load_n(&file->shared->slots[i].pid,
				    __ATOMIC_ACQUIRE) &&
		    holder_of(file, WIRE_LOCKS + WIRE_PROCESSES + i) == pid)
			return control_holder(file, i);
	return 0;
}

bool control_is_finishing(const struct control_file *file, int i)
{
	return !control_holder(file, i) && control_has_publisher(file, i);
}

/*
 * Whether the process is on its way out: a signal that ends it is SIGKILL for
 * the kernel from then on, and while files are closed a flag is set. Fields 9
 * and 31 of /proc/PID/stat.
 */
static bool is_ending(int pid)
{
	enum {
		EXITING = 0x4
	}; /* PF_EXITING */
	unsigned long flags = 0, pending = 0;
	char path[64], text[1024], *rest;
	FILE *from;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	from = pid > 0 ? fopen(path, "re") : NULL;
	if (!from)
		return false;
	n = fread(text, 1, sizeof(text) - 1, from);
	fclose(from);
	text[n] = '\0';
	rest = strrchr(text, ')'); /* behind the name, which may be anything */
	if (!rest ||
	    sscanf(rest,
		   ") %*c %*d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u "
		   "%*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u "
		   "%*u %*u %*u %lu",
		   &flags, &pending) != 2)
		return false;
	return flags & EXITING || pending >> (SIGKILL - 1) & 1;
}

#define END_MS 2000

void control_await_end(const struct control_file *file, int i)
{
	const struct wire_slot *slot = &file->shared->slots[i];
	const struct timespec ms = { 0, 1000000 };

	for (int n = 0;
	     n < END_MS && __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE) &&
	     (control_is_finishing(file, i) ||
	      is_ending(control_holder(file, i)) ||
	      (n < (int)WIRE_PROMISE_MS && !control_holder(file, i) &&
	       wire_is_promised(slot)));
	     n++)
		nanosleep(&ms, NULL);
}

/* While it execs, nobody holds its lock. */
static bool is_alive(const struct control_file *file, int i)
{
	const struct wire_slot *slot = &file->shared->slots[i];

	return control_holder(file, i) || control_is_finishing(file, i) ||
	       (__atomic_load_n(&slot->execs, __ATOMIC_ACQUIRE) &&
		(kill(slot->pid, 0) == 0 || errno == EPERM));
}

void control_hold_set(const struct control_file *file, int i)
{
	struct flock lock = one_byte(F_WRLCK, WIRE_SET_LOCKS + i);

	if (fcntl(file->fd, F_OFD_SETLK, &lock) == 0)
		__atomic_store_n(&file->shared->sets[i].holder, getpid(),
				 __ATOMIC_RELEASE);
}

void control_free_set(const struct control_file *file, int i)
{
	struct flock lock = one_byte(F_UNLCK, WIRE_SET_LOCKS + i);
	struct wire_set *set = &file->shared->sets[i];

	__atomic_store_n(&set->holder, 0, __ATOMIC_RELEASE);
	fcntl(file->fd, F_OFD_SETLK, &lock);
	__atomic_store_n(&set->state, WIRE_FREE, __ATOMIC_RELEASE);
}

/* A process does not see its own locks: those it has are not left behind. */
void control_reclaim(const struct control_file *file)
{
	for (int i = 0; i < WIRE_SETS; i++) {
		struct wire_set *set = &file->shared->sets[i];
		int32_t holder =
			__atomic_load_n(&set->holder, __ATOMIC_ACQUIRE);

		if (holder && holder != getpid() &&
		    !holder_of(file, WIRE_SET_LOCKS + i) &&
		    __atomic_compare_exchange_n(&set->holder, &holder, 0, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			__atomic_store_n(&set->state, WIRE_FREE,
					 __ATOMIC_RELEASE);
	}
}

void control_forget(const struct control_file *file)
{
	struct wire_control *control = file->shared;

	for (int i = 0; i < WIRE_SETS; i++)
		if (__atomic_load_n(&control->sets[i].state,
				    __ATOMIC_ACQUIRE) != WIRE_FREE)
			return;
	control->started = control->lost = 0;
	control->failed = control->varies = 0;
	control->first_aside = 0;
	memset(control->engines, 0, sizeof(control->engines));
	control->engine_why[0] = '\0';
	memset(control->aside, 0, sizeof(control->aside));
	for (int i = 0; i < WIRE_PROCESSES; i++)
		if (control->slots[i].pid && !is_alive(file, i))
			control->slots[i].pid = 0;
}

/* Children that have no place yet; a parent may notice its own later. */
static unsigned count_arriving(const struct wire_control *control)
{
	uint32_t arrived = __atomic_load_n(&control->arrived, __ATOMIC_SEQ_CST);
	uint32_t forked = __atomic_load_n(&control->forked, __ATOMIC_SEQ_CST);

	return (int32_t)(forked - arrived) > 0 ? forked - arrived : 0;
}

static void count_processes(const struct control_file *file,
			    struct assay_simulation *out)
{
	for (int i = 0; i < WIRE_PROCESSES; i++) {
		const struct wire_slot *slot = &file->shared->slots[i];

		if (!__atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE))
			continue;
		control_await_end(file, i);
		if (!__atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE))
			continue;
		if (is_alive(file, i))
			out->running++;
		else if (slot->pid && !(slot->flags & WIRE_LEAVES))
			out->killed++;
	}
	out->running += count_arriving(file->shared);
}

static void take_census(const struct sim *sim, struct assay_simulation *out)
{
	const struct wire_control *control = sim->file.shared;

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
	out->fast = control->engines[WIRE_ENGINE_FAST];
	out->valgrind = control->engines[WIRE_ENGINE_VALGRIND];
	memcpy(current.engine_reason, control->engine_why,
	       sizeof(current.engine_reason) - 1);
	if (out->valgrind && current.engine_reason[0])
		out->valgrind_reason = current.engine_reason;
	count_processes(&sim->file, out);
}

int sim_take_census(struct assay_simulation *out)
{
	int err;

	_Static_assert((int)ASSAY_ASIDE_KINDS == (int)WIRE_ASIDE_KINDS &&
			       (int)ASSAY_VARIES_SYSTEM ==
				       (int)WIRE_VARIES_SYSTEM,
		       "what is public is what is on the wire");
	pthread_mutex_lock(&current.lock);
	err = current.sim ? 0 : inside_take_census(out);
	if (current.sim)
		take_census(current.sim, out);
	pthread_mutex_unlock(&current.lock);
	return err;
}
