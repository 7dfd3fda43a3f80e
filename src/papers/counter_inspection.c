/* SPDX-License-Identifier: BSD-3-Clause */
/* The 2018 paper: its table and figures, each with its gate. */

#include "papers/inspection.h"
#include "papers/papers.h"

static int run_paper(struct papers *papers)
{
	struct inspection i = { .console = papers->console,
				.machine = papers->machine,
				.folder = papers->folder };
	int status = 0;

	for (const struct inspection_item *item = inspection_items;
	     !status && item->name; item++) {
		struct inspection_verdict v = { .pass = true };

		status = item->run(&i, &v);
		if (!status)
			papers_add(papers, item->name,
				   v.skipped ? PAPERS_SKIP : v.pass, "%s: %s",
				   item->text, v.detail);
	}
	inspection_fini(&i);
	return status;
}

const struct paper paper_counter_inspection = {
	.name = "counter-inspection",
	.title = "Counter Inspection Toolkit: Making Sense out of Hardware "
		 "Performance Events (Danalis, Jagode, Hanumantharayappa, "
		 "Ragate, Dongarra 2018)",
	.run = run_paper,
};
