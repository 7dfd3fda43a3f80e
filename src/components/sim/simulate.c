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

#include "base/file.h"
#include "components/components.h"
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
	if (error.line)
		return diag_fail(diag, PAPI_EINVAL, "%s:%u:%u: %s", path,
				 error.line, error.column, error.text);
	return diag_fail(diag, PAPI_EINVAL, "%s: %s", path, error.text);
}

/* A compiled-in model by its name, or a model file. */
static int load(const char *model, struct params *params, struct diag *diag)
{
	char *text = NULL;
	size_t length;
	int err;

	if (params_builtin(params, model))
		return 0;
	if (access(model, R_OK))
		return diag_fail(diag, PAPI_EINVAL,
				 "there is no model '%s': %s", model,
				 strerror(errno));
	err = file_read(model, &text, &length, diag);
	if (err)
		return err;
	err = parse(model, text, params, diag);
	free(text);
	return err;
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

int sim_set_target(const char *model, const char *counters, const char *control,
		   struct diag *diag)
{
	struct sim_target target = { 0 };
	char *path = NULL;
	int err = load(model ? model : "icx", &target.params, diag);

	if (!err)
		err = take_counters(counters, &target, diag);
	if (err || !control)
		return err; /* it was only to be checked */
	path = strdup(control);
	if (!path)
		return PAPI_ENOMEM;
	target.control = path;
	pthread_mutex_lock(&said.lock);
	free(said.control);
	said.control = path;
	said.target = target;
	said.set = true;
	pthread_mutex_unlock(&said.lock);
	return 0;
}
