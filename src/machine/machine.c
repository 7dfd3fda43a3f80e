/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants and curves of a machine, put together. */

#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void constant_fini(struct machine_constant *c)
{
	free(c->name);
	free(c->unit);
	free(c->method);
	free(c->reason);
	free(c->note);
}

static void sweep_fini(struct machine_sweep *s)
{
	free(s->name);
	free(s->x_label);
	free(s->y_label);
	free(s->points);
}

void machine_fini(struct machine *m)
{
	for (size_t i = 0; i < m->n_constants; i++)
		constant_fini(&m->constants[i]);
	for (size_t i = 0; i < m->n_sweeps; i++)
		sweep_fini(&m->sweeps[i]);
	free(m->constants);
	free(m->sweeps);
	free(m->name);
	free(m->cpu);
	free(m->vendor);
	free(m->kernel);
	memset(m, 0, sizeof(*m));
}

struct machine_constant *machine_add(struct machine *m, const char *name,
				     double value, const char *unit,
				     const char *method)
{
	struct machine_constant c = {
		.name = strdup(name),
		.unit = strdup(unit),
		.method = strdup(method),
		.value = value,
		.nominal = NAN,
		.spread = NAN,
		.stable = !isnan(value),
	};

	if (!c.name || !c.unit || !c.method ||
	    array_grow(&m->constants, m->n_constants, sizeof(c))) {
		constant_fini(&c);
		m->failed = true;
		return NULL;
	}
	m->constants[m->n_constants] = c;
	return &m->constants[m->n_constants++];
}

/* A copy of @text in *@field, unless there is one. */
static void put_once(struct machine *m, char **field, const char *text)
{
	if (*field)
		return;
	*field = strdup(text);
	if (!*field)
		m->failed = true;
}

void machine_doubt(struct machine *m, struct machine_constant *c,
		   const char *reason)
{
	if (!c)
		return;
	c->stable = false;
	put_once(m, &c->reason, reason);
}

void machine_remark(struct machine *m, struct machine_constant *c,
		    const char *note)
{
	if (c)
		put_once(m, &c->note, note);
}

const struct machine_constant *machine_find(const struct machine *m,
					    const char *name)
{
	for (size_t i = 0; i < m->n_constants; i++)
		if (strcmp(m->constants[i].name, name) == 0)
			return &m->constants[i];
	return NULL;
}

double machine_get(const struct machine *m, const char *name)
{
	const struct machine_constant *c = machine_find(m, name);

	return c ? c->value : NAN;
}

struct machine_sweep *machine_add_sweep(struct machine *m, const char *name,
					const char *x_label,
					const char *y_label)
{
	struct machine_sweep s = {
		.name = strdup(name),
		.x_label = strdup(x_label),
		.y_label = strdup(y_label),
	};

	if (!s.name || !s.x_label || !s.y_label ||
	    array_grow(&m->sweeps, m->n_sweeps, sizeof(s))) {
		sweep_fini(&s);
		m->failed = true;
		return NULL;
	}
	m->sweeps[m->n_sweeps] = s;
	return &m->sweeps[m->n_sweeps++];
}

void machine_add_point(struct machine *m, struct machine_sweep *sweep,
		       struct machine_point point)
{
	if (!sweep)
		return;
	if (array_add(sweep->points, sweep->n, point)) {
		m->failed = true;
		return;
	}
}

double machine_round(double value)
{
	double scale;

	if (isnan(value) || value == 0)
		return value;
	scale = pow(10, 3 - floor(log10(fabs(value))));
	return round(value * scale) / scale;
}
