/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorders: assay/record.h on a slice of the component that samples. */
#include <stdlib.h>

#include <assay/record.h>

#include "base/array.h"
#include "core/slice.h"
#include "papi/entry.h"

struct assay_recorder {
	struct slice *slice;
	size_t n;      /* events of the recording */
	size_t *owner; /* whose event each of the slice's is */
	struct count *counts;
	/* of the take that is under way */
	assay_record_fn fn;
	void *context;
};

/* Whether samples of its native events are samples of the event. */
static bool is_plain_sum(const struct recipe *recipe)
{
	if (!recipe->weights)
		return !recipe->eval;
	for (size_t i = 0; i < recipe->n; i++)
		if (recipe->weights[i] != 1)
			return false;
	return true;
}

static int add_native(struct assay_recorder *r, size_t event, size_t owner,
		      uint64_t period)
{
	size_t n = r->slice->n;
	size_t *owners = realloc(r->owner, (n + 1) * sizeof(*owners));

	if (!owners)
		return PAPI_ENOMEM;
	r->owner = owners;
	if (slice_append(r->slice, event))
		return PAPI_ENOMEM;
	r->owner[n] = owner;
	r->slice->thresholds[n] = period;
	return 0;
}

static int need_slice(struct assay_recorder *r, struct component *c,
		      struct diag *diag)
{
	if (!c->ops->recorder)
		return diag_fail(diag, PAPI_ENOSUPP,
				 "events of component %s cannot be sampled",
				 c->ops->name);
	if (!r->slice)
		return slice_new(c, &r->slice);
	if (r->slice->component == c)
		return 0;
	return diag_fail(diag, PAPI_ECNFLCT,
			 "events of %s and of %s cannot be sampled together",
			 r->slice->component->ops->name, c->ops->name);
}

static int add_event(struct library *lib, struct assay_recorder *r,
		     const struct assay_record_event *event, size_t owner,
		     struct diag *diag)
{
	const struct recipe *recipe;
	int err = events_plan(lib->events, event->code, &recipe, diag);

	if (err)
		return err;
	if (event->period == 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "the threshold must be above 0");
	if (!is_plain_sum(recipe))
		return diag_fail(diag, PAPI_ENOSUPP,
				 "it is a formula over %zu events and cannot "
				 "be sampled itself; sample those",
				 recipe->n);
	for (size_t i = 0; !err && i < recipe->n; i++) {
		const struct native *n = &recipe->natives[i];
		struct component *c = lib->registry->components[n->component];

		err = need_slice(r, c, diag);
		if (!err)
			err = add_native(r, n->event, owner, event->period);
	}
	return err;
}

static int open_slice(struct assay_recorder *r,
		      const struct assay_recording *what, struct diag *diag)
{
	struct slice *s = r->slice;
	int err;

	s->opt.target = TARGET_TASK;
	s->opt.tid = what->pid;
	s->opt.inherit = true;
	s->opt.on_exec = !what->threads;
	s->opt.stacks = what->stacks;
	s->opt.tids = what->threads;
	s->opt.n_tids = what->n_threads;
	err = s->component->ops->recorder->open(s);
	s->opt.tids = NULL; /* the caller's */
	s->opt.n_tids = 0;
	if (err)
		return diag_fail(diag, err, "%s", s->diag.text);
	s->running = true;
	r->counts = calloc(s->n, sizeof(*r->counts));
	return r->counts ? 0 : PAPI_ENOMEM;
}

int assay_recorder_open(const struct assay_recording *what,
			struct assay_recorder **out)
{
	struct library *lib = library_need();
	struct diag diag = { .text = "" };
	struct assay_recorder *r;
	int err = 0;

	if (!lib)
		return PAPI_ENOINIT;
	if (!what || !out || !what->events || what->n == 0 ||
	    (what->threads && what->n_threads == 0))
		return error_set(PAPI_EINVAL);
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_set(PAPI_ENOMEM);
	r->n = what->n;
	pthread_mutex_lock(&lib->lock);
	for (size_t i = 0; !err && i < what->n; i++)
		err = add_event(lib, r, &what->events[i], i, &diag);
	pthread_mutex_unlock(&lib->lock);
	if (!err)
		err = open_slice(r, what, &diag);
	if (err) {
		assay_recorder_close(r);
		return error_from(err, &diag);
	}
	*out = r;
	return PAPI_OK;
}

/* Native events become those of the recording. */
static int pass_on(void *recorder, const struct assay_record *record)
{
	struct assay_recorder *r = recorder;
	struct assay_record copy;

	if (record->kind != ASSAY_RECORD_SAMPLE)
		return r->fn(r->context, record);
	copy = *record;
	copy.event = r->owner[record->event];
	return r->fn(r->context, &copy);
}

int assay_recorder_take(struct assay_recorder *r, assay_record_fn fn,
			void *context)
{
	int err;

	if (!r || !fn)
		return error_set(PAPI_EINVAL);
	r->fn = fn;
	r->context = context;
	r->slice->diag.text[0] = '\0';
	err = r->slice->component->ops->recorder->take(r->slice, pass_on, r);
	/* Without a sentence it is what @fn returned. */
	return r->slice->diag.text[0] ? error_from(err, &r->slice->diag) : err;
}

int assay_recorder_values(struct assay_recorder *r, uint64_t *values)
{
	int err;

	if (!r || !values)
		return error_set(PAPI_EINVAL);
	err = r->slice->component->ops->recorder->read(r->slice, r->counts);
	if (err)
		return error_from(err, &r->slice->diag);
	for (size_t i = 0; i < r->n; i++)
		values[i] = 0;
	for (size_t i = 0; i < r->slice->n; i++)
		values[r->owner[i]] += r->counts[i].value;
	return PAPI_OK;
}

const char *assay_recorder_source(const struct assay_recorder *r)
{
	return r ? r->slice->component->ops->name : "";
}

const char *assay_recorder_clock(const struct assay_recorder *r)
{
	return r ? r->slice->component->ops->recorder->clock(r->slice) : "";
}

void assay_recorder_close(struct assay_recorder *r)
{
	if (!r)
		return;
	if (r->slice && r->slice->running)
		r->slice->component->ops->recorder->close(r->slice);
	if (r->slice)
		r->slice->running = false;
	slice_free(r->slice);
	free(r->owner);
	free(r->counts);
	free(r);
}
