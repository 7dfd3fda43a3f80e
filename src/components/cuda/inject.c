/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that NVIDIA's driver loads into a program whose environment names
 * it in CUDA_INJECTION64_PATH: the program is counted without being changed.
 * It counts each GPU from the creation of the first context there to its end,
 * or to the program's, and adds a line to the file that outside.c tells of.
 *
 * It has a copy of the counting library of its own, so that it meets none that
 * the program may use.
 */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "components/cuda/calls.h"

#define VARIABLE "ASSAY_CUDA_CONTROL"
#define DEVICES  32

/* Called by the driver, by this name; not 0: it may stay. */
__attribute__((visibility("default"))) int InitializeInjection(void);

static struct {
	pthread_mutex_t lock; /* guards all below */
	struct calls calls;
	char *control;
	char **events; /* their names, as the file has them */
	size_t n;
	struct counted {
		void *context; /* NULL: nothing is counted there now */
		int set;
		uint64_t started_ns;
		int *positions; /* of the set's events among all */
	} devices[DEVICES];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A program that is counted wrongly is worse than one line too many. */
__attribute__((format(printf, 1, 2))) static void complain(const char *format,
							   ...)
{
	va_list args;

	va_start(args, format);
	fputs("assay: the GPU is not counted: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static const char *why(int err)
{
	return *assay_error() ? assay_error() : PAPI_strerror(err);
}

/* PAPI_ENOEVNT: the file is gone. */
static int read_events(void)
{
	FILE *file = fopen(state.control, "re");
	OWNED char *line = NULL;
	size_t capacity = 0;
	int err = 0;

	if (!file)
		return errno == ENOENT ? PAPI_ENOEVNT : PAPI_ESYS;
	while (getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "event ", strlen("event ")) != 0)
			continue;
		err = array_grow(&state.events, state.n, sizeof(char *));
		if (!err)
			state.events[state.n] = strdup(line + strlen("event "));
		if (err || !state.events[state.n])
			break;
		state.n++;
	}
	if (!feof(file))
		err = PAPI_ENOMEM;
	fclose(file);
	return err;
}

/* The device that @name is about, or -1: it names none. */
static int device_in(const char *name)
{
	const char *named = strstr(name, ":device=");

	return named ? atoi(named + strlen(":device=")) : -1;
}

/* Add the events that are about @device; how many were. */
static int add_events(struct counted *d, int device, int *added)
{
	int err = 0;

	*added = 0;
	for (size_t i = 0; !err && i < state.n; i++) {
		int named = device_in(state.events[i]);
		char *name;

		if (named >= 0 && named != device)
			continue;
		name = named >= 0 ? str_format("cuda::%s", state.events[i])
				  : str_format("cuda::%s:device=%d",
					       state.events[i], device);
		err = name ? PAPI_add_named_event(d->set, name) : PAPI_ENOMEM;
		if (!err)
			d->positions[(*added)++] = (int)i;
		free(name);
	}
	return err;
}

static int start_set(struct counted *d, int device)
{
	int added;
	int err = PAPI_create_eventset(&d->set);

	if (!err)
		err = add_events(d, device, &added);
	if (!err && added > 0)
		err = PAPI_start(d->set);
	if (!err && added == 0)
		err = PAPI_ENOEVNT;
	return err;
}

static void forget(struct counted *d)
{
	PAPI_cleanup_eventset(d->set);
	PAPI_destroy_eventset(&d->set);
	free(d->positions);
	d->positions = NULL;
	d->context = NULL;
}

/* The context is new, and its device is not counted yet. */
static void begin(void *context)
{
	struct counted *d;
	void *popped;
	int device;
	int err;

	if (state.calls.cuCtxPushCurrent_v2(context))
		return;
	if (state.calls.cuCtxGetDevice(&device) || device < 0 ||
	    device >= DEVICES || state.devices[device].context) {
		state.calls.cuCtxPopCurrent_v2(&popped);
		return;
	}
	d = &state.devices[device];
	d->set = PAPI_NULL;
	d->positions = calloc(state.n + 1, sizeof(*d->positions));
	err = d->positions ? start_set(d, device) : PAPI_ENOMEM;
	state.calls.cuCtxPopCurrent_v2(&popped);
	if (!err) {
		d->context = context;
		d->started_ns = clock_real_ns();
		return;
	}
	if (err != PAPI_ENOEVNT)
		complain("%s", why(err));
	forget(d);
}

/* One line, in one write, so that processes do not mix theirs. */
static void write_line(const struct counted *d, const long long *values)
{
	STRBUF(line);
	int n = PAPI_num_events(d->set);
	int fd = open(state.control, O_WRONLY | O_APPEND | O_CLOEXEC);

	strbuf_addf(&line, "counts %llu",
		    (unsigned long long)(clock_real_ns() - d->started_ns));
	for (size_t i = 0; i < state.n; i++) {
		long long value = 0;

		for (int k = 0; k < n; k++)
			if (d->positions[k] == (int)i)
				value = values[k];
		strbuf_addf(&line, " %lld", value);
	}
	strbuf_add(&line, "\n");
	if (fd < 0 || line.failed ||
	    write(fd, line.text, line.len) != (ssize_t)line.len)
		complain("cannot write to %s: %s", state.control,
			 strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void end(struct counted *d)
{
	int n = PAPI_num_events(d->set);
	long long *values = calloc((size_t)n + 1, sizeof(*values));
	int err = values ? PAPI_stop(d->set, values) : PAPI_ENOMEM;

	if (err)
		complain("%s", why(err));
	else
		write_line(d, values);
	free(values);
	forget(d);
}

static void on_context(void *user, int domain, uint32_t id, const void *data)
{
	const struct cupti_resource *resource = data;

	(void)user;
	if (domain != CUPTI_DOMAIN_RESOURCE)
		return;
	pthread_mutex_lock(&state.lock);
	if (id == CUPTI_CONTEXT_CREATED)
		begin(resource->context);
	for (int i = 0; id == CUPTI_CONTEXT_DESTROYED && i < DEVICES; i++)
		if (state.devices[i].context == resource->context)
			end(&state.devices[i]);
	pthread_mutex_unlock(&state.lock);
}

static void finish(void)
{
	pthread_mutex_lock(&state.lock);
	for (int i = 0; i < DEVICES; i++)
		if (state.devices[i].context)
			end(&state.devices[i]);
	pthread_mutex_unlock(&state.lock);
}

static int subscribe(void)
{
	void *subscriber;
	int result = state.calls.cuptiSubscribe(&subscriber, on_context, NULL);

	for (uint32_t id = CUPTI_CONTEXT_CREATED;
	     !result && id <= CUPTI_CONTEXT_DESTROYED; id++)
		result = state.calls.cuptiEnableCallback(
			1, subscriber, CUPTI_DOMAIN_RESOURCE, id);
	return result;
}

static int init_library(void)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	return version == (int)PAPI_VER_CURRENT ? 0 : version;
}

int InitializeInjection(void)
{
	const char *control = secure_getenv(VARIABLE);
	struct diag diag = { .text = "" };
	int result;
	int err;

	if (!control || !*control)
		return 1;
	state.control = strdup(control);
	err = state.control ? read_events() : PAPI_ENOMEM;
	if (err == PAPI_ENOEVNT || (!err && state.n == 0))
		return 1; /* nobody waits for counts any more */
	if (!err)
		err = init_library();
	if (!err)
		err = calls_open(&state.calls, &diag);
	if (err) {
		complain("%s", diag.text[0] ? diag.text : PAPI_strerror(err));
		return 1;
	}
	result = subscribe();
	if (result)
		complain("%s", calls_why(result));
	else if (atexit(finish))
		complain("no more exit functions can be registered");
	return 1;
}
