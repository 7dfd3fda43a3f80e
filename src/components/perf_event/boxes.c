/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the PMUs of one kind by their numbered names, and adds one event for
 * all of them. Opening and summing is left to the slice.
 */
#include "components/perf_event/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The length of @name without its "_7"; 0: it has no number. */
static size_t stem_of(const char *name)
{
	size_t n = strlen(name), digits = strspn(name, "0123456789");

	if (digits == n)
		return 0;
	while (n > 0 && strchr("0123456789", name[n - 1]))
		n--;
	return n > 1 && name[n] && name[n - 1] == '_' ? n - 1 : 0;
}

static bool is_of(const struct pe_pmu *pmu, const char *stem, size_t length)
{
	return !pmu->core && pmu->cpus && stem_of(pmu->name) == length &&
	       memcmp(pmu->name, stem, length) == 0;
}

const struct pe_pmu *pe_boxes_first(const struct pe_pmus *pmus,
				    const char *name, size_t length)
{
	for (size_t i = 0; i < pmus->n && length > 0; i++)
		if (is_of(&pmus->items[i], name, length))
			return &pmus->items[i];
	return NULL;
}

size_t pe_boxes_common(const struct pe_pmus *pmus, const struct pe_pmu *pmu)
{
	size_t length = stem_of(pmu->name), n = 0;

	for (size_t i = 0; i < pmus->n && length > 0; i++)
		n += is_of(&pmus->items[i], pmu->name, length);
	return n > 1 ? length : 0;
}

static bool is_same(const struct pe_encoding *a, const struct pe_encoding *b)
{
	return a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->config3 == b->config3;
}

int pe_boxes_add(struct component *c, const struct pe_pmu *first,
		 const char *terms, struct pe_event *e)
{
	const struct pe_pmus *pmus = &pe_state_of(c)->pmus;
	size_t length = pe_boxes_common(pmus, first), n = 0;
	struct pe_box *boxes = NULL;

	if (length == 0)
		return 0;
	for (size_t i = 0; i < pmus->n; i++) {
		const struct pe_pmu *pmu = &pmus->items[i];
		struct pe_event other;

		if (!is_of(pmu, first->name, length) ||
		    pe_pmu_encode(pmus, c->fs, pmu, terms, 1, &other, NULL) ||
		    !is_same(&other.code, &e->code))
			continue;
		if (array_grow(&boxes, n, sizeof(*boxes))) {
			free(boxes);
			return PAPI_ENOMEM;
		}
		boxes[n++] = (struct pe_box){ pmu->type, pmu->cpus };
	}
	e->n_boxes = n;
	e->boxes = pe_state_keep_memory(pe_state_of(c), boxes);
	return e->boxes ? 0 : PAPI_ENOMEM;
}
