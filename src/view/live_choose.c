/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events and metrics a live plot shows if nobody says. */
#include "view/live.h"

#include "console/console.h"

#define USUAL_GROUP "hpm"       /* the metrics of the 2001 paper's Table 1 */
#define MORE_GROUP  "bandwidth" /* where counters are unlimited */

static int load(const struct console *console, struct counting *c,
		const struct selection *files)
{
	struct diag diag = { .text = "" };

	for (size_t i = 0; i < files->n; i++)
		if (metrics_load(&c->metrics, files->names[i], c->pmu.model,
				 &diag))
			return counting_bad_metrics(console, &diag);
	if (metrics_init(&c->metrics, c->pmu.model, &diag))
		return counting_bad_metrics(console, &diag);
	return 0;
}

static int choose_groups(const struct console *console, struct counting *c,
			 const struct selection *groups)
{
	c->selection.named = c->selection.n;
	for (size_t i = 0; i < groups->n; i++) {
		int err = metrics_add_events(&c->metrics, groups->names[i],
					     &c->selection);

		if (err == PAPI_ENOEVNT)
			return counting_unknown_group(console, &c->metrics,
						      groups->names[i]);
		if (err)
			return say_no_memory(console);
		c->selection.chosen = true;
	}
	return 0;
}

static int choose_usual(struct counting *c)
{
	enum usual usual = USUAL_SOFTWARE;
	int err;

	if (c->pmu.kind == PMU_HARDWARE)
		usual = USUAL_ALL;
	else if (c->pmu.kind == PMU_SIMULATED)
		usual = USUAL_HARDWARE;
	err = selection_add_usual(&c->selection, usual);
	if (!err && usual != USUAL_SOFTWARE)
		err = metrics_add_events(&c->metrics, USUAL_GROUP,
					 &c->selection);
	if (!err && c->pmu.kind == PMU_SIMULATED && !c->counters)
		err = metrics_add_events(&c->metrics, MORE_GROUP,
					 &c->selection);
	return err;
}

int live_choose(const struct console *console, struct counting *c,
		const struct selection *groups, const struct selection *files)
{
	int status = load(console, c, files);

	if (!status)
		status = choose_groups(console, c, groups);
	if (status || c->selection.chosen)
		return status;
	return choose_usual(c) ? say_no_memory(console) : 0;
}
