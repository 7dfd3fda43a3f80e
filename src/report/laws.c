/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts checked against each other; see laws.h. */

#include "report/laws.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

#define NAME_BYTES 64

enum relation {
	EQUAL,
	AT_MOST,
	NEARLY,
};

static const struct law {
	const char *left;
	enum relation relation;
	const char *right;
} laws[] = {
#define LAW(left, relation, right) { left, relation, right },
#include "report/laws.def"
#undef LAW
};

/* The next name of a sum; NULL: there is none. */
static const char *next_name(const char *sum, char name[NAME_BYTES])
{
	size_t n = strcspn(sum, " ");

	if (n == 0 || n >= NAME_BYTES)
		return NULL;
	memcpy(name, sum, n);
	name[n] = '\0';
	return sum + n + strspn(sum + n, " +");
}

static int add_names(const char *sum, law_event_fn *add, void *ctx)
{
	char name[NAME_BYTES];
	int status = 0;

	while (!status && (sum = next_name(sum, name)))
		if (strncmp(name, "sim::", 5) == 0)
			status = add(ctx, name);
	return status;
}

int laws_events(law_event_fn *add, void *ctx)
{
	int status = 0;

	for (size_t i = 0; !status && i < ARRAY_SIZE(laws); i++) {
		status = add_names(laws[i].left, add, ctx);
		if (!status)
			status = add_names(laws[i].right, add, ctx);
	}
	return status;
}

static struct report_event *find_event(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (strcmp(r->events[i].name, name) == 0)
			return &r->events[i];
	return NULL;
}

/* NaN: an event is not there, or was not counted all the time. */
static long double sum_of(const struct report *r, const char *sum)
{
	char name[NAME_BYTES];
	long double total = 0;

	while ((sum = next_name(sum, name))) {
		const struct report_event *e = find_event(r, name);

		if (!e || e->quality != REPORT_COUNTED || e->reason)
			return NAN;
		total += e->number.value;
	}
	return total;
}

static void set_reason(const struct report *r, const char *sum,
		       const char *reason)
{
	char name[NAME_BYTES];

	while ((sum = next_name(sum, name)))
		find_event(r, name)->reason = reason;
}

/* Means over runs are rounded. */
static bool is_near(long double a, long double b)
{
	return fabsl(a - b) <= 1e-9L * fabsl(a) + 1e-6L;
}

static bool holds(enum relation relation, long double a, long double b)
{
	switch (relation) {
	case AT_MOST:
		return a <= b || is_near(a, b);
	case NEARLY:
		return fabsl(a - b) <= 1e-3L * b + 100;
	default:
		return is_near(a, b);
	}
}

/* Both sides of those that were broken, for their events' reasons: set in the
 * end, so that one law does not hide another. */
struct broken {
	const struct law *law;
	const char *text;
};

static const char *describe(struct report *r, const struct law *law,
			    long double a, long double b)
{
	static const char *const must[] = {
		[EQUAL] = "must be equal to",
		[AT_MOST] = "must be at most",
		[NEARLY] = "must be nearly equal to",
	};

	return report_text(r,
			   "counts contradict each other: %s (%.0Lf) %s "
			   "%s (%.0Lf)",
			   law->left, a, must[law->relation], law->right, b);
}

/* In a report a sentence is the reason of counts, and the first note: some
 * formats show reasons only of what has no value. */
struct hearer {
	struct report *report;
	law_broken_fn *tell;
	void *ctx;
	struct laws_result result;
};

static void tell_broken(struct hearer *h, const char *sentence)
{
	h->result.broken++;
	h->result.failed |= report_add_note(h->report, sentence) != 0;
	h->tell(h->ctx, sentence);
}

static void check_fold(struct hearer *h, const struct report_fold *fold)
{
	struct report *r = h->report;
	struct report_event *e = find_event(r, fold->event);
	long double total = 0;

	for (size_t k = 0; k < r->threads.n; k++)
		total += fold->values[k];
	if (!e || e->quality != REPORT_COUNTED || e->reason ||
	    isnan((double)total) || r->runs > 1)
		return;
	h->result.checked++;
	if (is_near(total, e->number.value))
		return;
	e->reason = report_text(r,
				"counts contradict each other: %s is %.0Lf in "
				"all threads together, %.0Lf in the process",
				e->name, total, e->number.value);
	tell_broken(h, e->reason);
}

/* Those that do not hold go to @broken. Returns how many. */
static size_t check_laws(struct hearer *h, struct broken *broken)
{
	struct report *r = h->report;
	size_t n = 0;

	for (size_t i = 0; r->passes < 2 && i < ARRAY_SIZE(laws); i++) {
		long double a = sum_of(r, laws[i].left);
		long double b = sum_of(r, laws[i].right);

		if (isnan((double)a) || isnan((double)b))
			continue;
		h->result.checked++;
		if (!holds(laws[i].relation, a, b))
			broken[n++] =
				(struct broken){ &laws[i],
						 describe(r, &laws[i], a, b) };
	}
	return n;
}

struct laws_result laws_check(struct report *r, law_broken_fn *tell, void *ctx)
{
	struct hearer h = { .report = r, .tell = tell, .ctx = ctx };
	struct broken broken[ARRAY_SIZE(laws)];
	size_t n = check_laws(&h, broken);
	const char *sum;

	for (size_t i = 0; i < r->threads.n_folds; i++)
		check_fold(&h, &r->threads.folds[i]);
	for (size_t i = 0; i < n; i++) {
		set_reason(r, broken[i].law->left, broken[i].text);
		set_reason(r, broken[i].law->right, broken[i].text);
		tell_broken(&h, broken[i].text);
	}
	sum = report_text(r,
			  "relations between counts: %zu checked, %zu do not "
			  "hold",
			  h.result.checked, h.result.broken);
	h.result.failed |= report_add_note(r, sum) != 0;
	return h.result;
}
