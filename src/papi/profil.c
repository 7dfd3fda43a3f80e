/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiling: histograms that are fed by overflows. */
#include "core/profil.h"

#include <stdlib.h>

#include "papi/entry.h"

/* One event's histogram. */
struct profiling {
	int code;
	struct profil *profil;
	PAPI_sprofil_t region; /* PAPI_profil()'s one; the core borrows it */
	struct profiling *next;
};

bool profiling_has(const struct handle *handle, int code)
{
	for (const struct profiling *p = handle->profiling; p; p = p->next)
		if (p->code == code)
			return true;
	return false;
}

static void free_profiling(struct profiling *p)
{
	profil_free(p->profil);
	free(p);
}

void profiling_forget(struct handle *handle, int code)
{
	struct profiling **at = &handle->profiling;

	while (*at && (*at)->code != code)
		at = &(*at)->next;
	if (*at) {
		struct profiling *p = *at;

		*at = p->next;
		free_profiling(p);
	}
}

void profiling_forget_all(struct handle *handle)
{
	while (handle->profiling)
		profiling_forget(handle, handle->profiling->code);
}

static void add_sample(struct profiling *p, const struct eventset *set,
		       size_t entry, const void *address)
{
	uint64_t overshoot;
	uint64_t threshold = eventset_threshold(set, entry, &overshoot);

	profil_add(p->profil, address, profil_weight(overshoot, threshold));
}

/*
 * In the signal handler. The core knows one function for a set: events that
 * are profiled go to their histograms, the others to the user's handler.
 */
void profiling_dispatch(int id, void *address, long long which, void *context,
			void *data)
{
	struct handle *handle = data;
	struct eventset *set = handle_set(handle);

	for (struct profiling *p = handle->profiling; p; p = p->next) {
		int entry = entry_find(set, p->code);
		long long bit = entry < 0 || entry > 62 ? 0 : 1LL << entry;

		if (which & bit)
			add_sample(p, set, (size_t)entry, address);
		which &= ~bit;
	}
	if (which && handle->on_overflow)
		handle->on_overflow(id, address, which, context);
}

/* Turn profiling of @code off; PAPI_EINVAL if it was not on. */
static int turn_off(struct handle *handle, size_t entry, int code)
{
	struct eventset *set = handle_set(handle);
	int err;

	if (!profiling_has(handle, code))
		return error_say(PAPI_EINVAL, "the event is not profiled");
	err = eventset_set_overflow(set, entry, 0, false, NULL, NULL, NULL);
	if (err)
		return error_set(err);
	profiling_forget(handle, code);
	eventset_set_profiling(set, handle->profiling != NULL);
	return PAPI_OK;
}

/* What profil() and sprofil() are asked for. */
struct request {
	PAPI_sprofil_t *regions; /* NULL: the one in @region */
	PAPI_sprofil_t region;
	int n;
	int code;
	int threshold;
	int flags;
};

static int turn_on(struct handle *handle, size_t entry,
		   const struct request *request)
{
	struct profiling *p = calloc(1, sizeof(*p));
	struct diag diag = { .text = "" };
	bool software = request->flags & PAPI_PROFIL_FORCE_SW;
	int err;

	if (!p)
		return error_set(PAPI_ENOMEM);
	p->code = request->code;
	p->region = request->region;
	err = profil_new(request->regions ? request->regions : &p->region,
			 request->n, request->flags, &p->profil);
	if (err) {
		free(p);
		return error_set(err);
	}
	err = eventset_set_overflow(handle_set(handle), entry,
				    (uint64_t)request->threshold, software,
				    profiling_dispatch, handle, &diag);
	if (err) {
		free_profiling(p);
		return error_from(err, &diag);
	}
	profiling_forget(handle, request->code); /* the one before */
	p->next = handle->profiling;
	handle->profiling = p;
	eventset_set_profiling(handle_set(handle), true);
	return PAPI_OK;
}

static int profile(int id, const struct request *request)
{
	ENTRY_HANDLE(handle, id);
	int entry;

	if (!handle)
		return error_no_set(id);
	if (eventset_state(handle_set(handle)) & PAPI_RUNNING)
		return error_set(PAPI_EISRUN);
	if (request->threshold < 0)
		return error_set(PAPI_EINVAL);
	entry = entry_find(handle_set(handle), request->code);
	if (entry < 0)
		return error_say(PAPI_ENOEVNT,
				 "the event is not in the EventSet");
	if (request->threshold == 0)
		return turn_off(handle, (size_t)entry, request->code);
	return turn_on(handle, (size_t)entry, request);
}

int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale,
		int EventSet, int EventCode, int threshold, int flags)
{
	const struct request request = {
		.region = { .pr_base = buf,
			    .pr_size = bufsiz,
			    .pr_off = offset,
			    .pr_scale = scale },
		.n = 1,
		.code = EventCode,
		.threshold = threshold,
		.flags = flags,
	};

	if (threshold > 0 && !buf && library_handle(EventSet))
		return error_set(PAPI_EINVAL);
	return profile(EventSet, &request);
}

int PAPI_sprofil(PAPI_sprofil_t *prof, int profcnt, int EventSet, int EventCode,
		 int threshold, int flags)
{
	const struct request request = {
		.regions = prof,
		.n = profcnt,
		.code = EventCode,
		.threshold = threshold,
		.flags = flags,
	};

	if (threshold > 0 && (!prof || profcnt < 1) && library_handle(EventSet))
		return error_set(PAPI_EINVAL);
	return profile(EventSet, &request);
}
