/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing a PMU. */

#include "cli/pmu.h"

#include <papi.h>
#include <unistd.h>

#include <assay/assay.h>

#include "cli/say.h"
#include "cli/session.h"

int pmu_open(const struct cli *cli, struct pmu *pmu)
{
	struct assay_pmu found = { .name = "" };
	int status = session_open(cli);

	if (status)
		return status;
	assay_get_pmu(&found);
	*pmu = (struct pmu){ .kind = PMU_NONE,
			     .reason = found.reason
					       ? session_reason(found.reason)
					       : NULL };
	if (cli->pmu == PMU_NONE) {
		pmu->reason = "--pmu none was asked for";
	} else if (found.kind == ASSAY_PMU_HARDWARE) {
		pmu->kind = PMU_HARDWARE;
		pmu->model = found.name;
		pmu->counters = (unsigned)found.counters;
		pmu->reason = NULL;
	}
	return 0;
}

void pmu_close(struct pmu *pmu)
{
	(void)pmu;
	PAPI_shutdown();
}

void pmu_announce(const struct cli *cli, const struct pmu *pmu)
{
	if (pmu->kind == PMU_NONE && cli->pmu != PMU_NONE)
		say_note(cli, "hardware events cannot be counted here: %s",
			 pmu->reason);
}

void pmu_exec(void *pmu, char **argv)
{
	(void)pmu;
	execvp(argv[0], argv);
}
