/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What assay_simulate() said: which machine the simulators of this process's
 * children model. Said before the library is initialised, so it has to be
 * kept here until the component is probed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "components/components.h"
#include "components/sim/request.h"
#include "components/sim/sim.h"

static struct {
	pthread_mutex_t lock; /* guards all below */
	bool set;
	struct sim_target target;
	char *control;
} said = { .lock = PTHREAD_MUTEX_INITIALIZER };

const struct sim_target *sim_target(void)
{
	const struct sim_target *target;

	pthread_mutex_lock(&said.lock);
	target = said.set ? &said.target : NULL;
	pthread_mutex_unlock(&said.lock);
	return target;
}

static int parse(const char *path, const char *text, struct params *params,
		 struct diag *diag)
{
	struct params_error error = { 0 };

	if (params_parse(params, text, &error))
		return 0;
	return diag_fail(diag, PAPI_EINVAL, "%s:%u:%u: %s", path, error.line,
			 error.column, error.text);
}

const char *sim_shipped_model(unsigned i)
{
	return params_builtin_name(i);
}

static int no_model(const char *model, int error, struct diag *diag)
{
	STRBUF(names);

	for (unsigned i = 0; sim_shipped_model(i); i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "",
			    sim_shipped_model(i));
	if (strchr(model, '/') || error != ENOENT)
		diag_fail(diag, PAPI_EINVAL,
			  "cannot read the machine model %s: %s", model,
			  strerror(error));
	else
		diag_fail(diag, PAPI_EINVAL,
			  "there is no machine model '%s'; models: %s, or a "
			  "FILE",
			  model, strbuf_text(&names));
	return PAPI_EINVAL;
}

/*
 * A compiled-in model by its name (NULL: the default), or a model file.
 */
static int load(const char *model, struct params *params, struct diag *diag)
{
	OWNED char *text = NULL;
	size_t length;
	int err;

	if (params_builtin(params, model))
		return 0;
	if (access(model, R_OK))
		return no_model(model, errno, diag);
	err = file_read(model, &text, &length, diag);
	if (err)
		return err;
	return parse(model, text, params, diag);
}

/* The machine that this program is run on. */
static int load_self(struct params *params, struct diag *diag)
{
	if (sim_request(WIRE_PARAMS, (uintptr_t)params, sizeof(*params)) == 1)
		return 0;
	return diag_fail(diag, PAPI_EINVAL,
			 "this program does not run on the simulated PMU");
}

static int take_counters(const char *counters, struct sim_target *target,
			 struct diag *diag)
{
	unsigned programmable, fixed = 0;
	char rest;

	if (!counters)
		return 0;
	if (strcmp(counters, "unlimited") == 0) {
		target->unlimited = true;
		return 0;
	}
	if ((sscanf(counters, "%u+%u%c", &programmable, &fixed, &rest) != 2 &&
	     sscanf(counters, "%u%c", &programmable, &rest) != 1) ||
	    programmable > WIRE_PROGRAMMABLE || fixed > WIRE_FIXED_MAX)
		return diag_fail(
			diag, PAPI_EINVAL,
			"'%s' counters: give up to %d programmable and "
			"%d fixed ones, as in 8+3, or unlimited",
			counters, WIRE_PROGRAMMABLE, WIRE_FIXED_MAX);
	target->params.counters = programmable;
	target->params.counters_fixed = fixed;
	return 0;
}

static struct assay_cache cache_of(const struct cache_params *p,
				   uint32_t line_bytes)
{
	return (struct assay_cache){ .size = (uint64_t)p->sets * p->ways *
					     line_bytes,
				     .ways = p->ways,
				     .latency = p->latency };
}

static struct assay_cache tlb_of(const struct tlb_params *p, uint32_t latency)
{
	return (struct assay_cache){ .size = (uint64_t)p->sets * p->ways,
				     .ways = p->ways,
				     .latency = latency };
}

/*
 * A loop's end is foreseen if the turns before it still are in the history: a
 * loop of n turns repeats its branch n - 1 times in between.
 */
static unsigned history_of(const struct params *p)
{
	switch (p->predictor) {
	case PREDICT_LOCAL:
		return p->history_bits;
	case PREDICT_GSHARE:
		return p->history_bits - 1;
	case PREDICT_TAGE:
	case PREDICT_HYBRID:
		return p->tage_tables ? p->tage_history[p->tage_tables - 1] + 1
				      : p->history_bits;
	default:
		return 0;
	}
}

int sim_describe_model(const char *model, struct assay_model *out,
		       struct diag *diag)
{
	struct params p;
	int err = model && strcmp(model, "self") == 0 ? load_self(&p, diag)
						      : load(model, &p, diag);

	if (err)
		return err;
	*out = (struct assay_model){
		.line_bytes = p.line_bytes,
		.l1i = cache_of(&p.l1i, p.line_bytes),
		.l1d = cache_of(&p.l1d, p.line_bytes),
		.l2 = cache_of(&p.l2, p.line_bytes),
		.l3_is_victim = p.l3_kind == L3_VICTIM,
		.itlb = tlb_of(&p.itlb, 0),
		.dtlb = tlb_of(&p.dtlb, 0),
		.stlb = tlb_of(&p.stlb, p.stlb_latency),
		.walk_latency = p.walk_latency,
		.memory_latency = p.dram_latency,
		.prefetches = p.pf_adjacent || p.pf_stream || p.pf_next ||
			      p.pf_stride,
		.branch_history = history_of(&p),
		.return_stack = p.ras_depth,
		.mispredict_penalty = p.mispredict_penalty,
		.issue_width = p.issue_width,
		.counters = p.counters,
		.fixed_counters = p.counters_fixed,
		.prefetches_pairs = p.pf_adjacent != 0,
		.replaces_lru = p.l1i.replacement == REPLACE_LRU &&
				p.l1d.replacement == REPLACE_LRU &&
				p.l2.replacement == REPLACE_LRU &&
				(p.l3_kind == L3_NONE ||
				 p.l3.replacement == REPLACE_LRU),
		.pages_in_order = p.page_map == PAGE_IDENTITY,
		.prefetches_next = p.pf_next != 0,
		.wrong_path = p.wrong_path,
	};
	memcpy(out->name, p.name, sizeof(out->name));
	if (p.l3_kind != L3_NONE)
		out->l3 = cache_of(&p.l3, p.line_bytes);
	return 0;
}

static void keep(const struct sim_target *target, char *path)
{
	pthread_mutex_lock(&said.lock);
	free(said.control);
	said.control = path;
	said.target = *target;
	said.set = true;
	pthread_mutex_unlock(&said.lock);
}

int sim_set_process(int pid, struct diag *diag)
{
	struct sim_target target = { .runs = true };
	struct control_file file;
	char path[64], *copy;
	int err = peer_open(pid, &file, path, sizeof(path)), served;

	if (err)
		return diag_fail(diag, err,
				 "process %d does not run on this version's "
				 "simulated PMU%s",
				 pid,
				 err == PAPI_EPERM    ? ", or may not be seen"
				 : err == PAPI_EINVAL ? ": it does not exist"
						      : "");
	peer_machine(&file, &target.params);
	target.unlimited = file.shared->unlimited;
	served = control_served_by(&file, pid);
	peer_close(&file);
	if (served)
		return diag_fail(diag, PAPI_EINVAL, SIM_SERVES, pid, served);
	copy = strdup(path);
	if (!copy)
		return PAPI_ENOMEM;
	target.control = copy;
	keep(&target, copy);
	return 0;
}

int sim_set_target(const char *model, const char *counters, const char *control,
		   struct diag *diag)
{
	struct sim_target target = { 0 };
	char *path = NULL;
	int err = load(model, &target.params, diag);

	if (!err)
		err = take_counters(counters, &target, diag);
	if (err || !control)
		return err; /* it was only to be checked */
	path = strdup(control);
	if (!path)
		return PAPI_ENOMEM;
	target.control = path;
	keep(&target, path);
	return 0;
}
