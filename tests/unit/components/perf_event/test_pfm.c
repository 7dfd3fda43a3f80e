/* SPDX-License-Identifier: BSD-3-Clause */
/* What libpfm4 may answer, some of which its tables give for no name here. */
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

#include "tests/unit/components/perf_event/fixture.h"

static int answer;

pfm_err_t pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os,
				    void *arg);

__attribute__((visibility("default"))) pfm_err_t
pfm_get_os_event_encoding(const char *name, int levels, pfm_os_t os, void *arg)
{
	(void)name;
	(void)levels;
	(void)os;
	(void)arg;
	return answer;
}

TEST(test_each_answer_has_a_code_and_its_sentence)
{
	static const struct {
		int line, answer, code;
	} rows[] = {
		{ __LINE__, PFM_ERR_NOTFOUND, PAPI_ENOEVNT },
		{ __LINE__, PFM_ERR_NOTSUPP, PAPI_ENOEVNT },
		{ __LINE__, PFM_ERR_NOMEM, PAPI_ENOMEM },
		{ __LINE__, PFM_ERR_UMASK, PAPI_EATTR },
		{ __LINE__, PFM_ERR_ATTR, PAPI_EATTR },
		{ __LINE__, PFM_ERR_ATTR_VAL, PAPI_EATTR },
		{ __LINE__, PFM_ERR_ATTR_SET, PAPI_EATTR },
		{ __LINE__, PFM_ERR_FEATCOMB, PAPI_ECOMBO },
		{ __LINE__, PFM_ERR_TOOMANY, PAPI_ECOUNT },
		{ __LINE__, PFM_ERR_INVAL, PAPI_ENOEVNT },
	};
	struct component *c = *state;
	size_t i;

	SKIP_IF_DISABLED(c);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct diag diag = { 0 };

		answer = rows[k].answer;
		CHECK_AT(rows[k].line,
			 component_find_event(c, "some_event", &i, &diag) ==
				 rows[k].code);
		/* of what is not there the component speaks itself */
		if (rows[k].code != PAPI_ENOEVNT)
			CHECK_AT(rows[k].line,
				 strstr(diag.text, pfm_strerror(answer)));
	}
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
