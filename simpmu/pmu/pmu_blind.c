/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blind mode: events without names, for a test of those who claim to find
 * out what an event counts. All plain events appear, in seeded order, behind
 * codes E0001 and up; among them are decoys: a second code for an event, a
 * multiple of one, the sum of two, one with noise, one that never counts; and
 * counters as they are wrong on real machines: a few per cent off, one in
 * every n, full too soon, deaf to small numbers, without one of their kinds,
 * with a part of another event, or with what other threads do. What they are is
 * told in the key file, if that was asked for, and nowhere else.
 */
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

enum {
	DECOYS = 10,       /* of each kind that is no wrong counter */
	WRONG = 5,         /* of each kind that is */
	DECOY_NOISE = 250, /* per mille */
	LEAK = 3,          /* tenths */
	KEY_LINE = 200
};

enum decoy {
	DECOY_ALIAS,
	DECOY_SCALED,
	DECOY_SUM,
	DECOY_NOISY,
	DECOY_DEAD,
	DECOY_KINDS, /* those that follow are wrong counters */
	DECOY_BIASED = DECOY_KINDS,
	DECOY_EVERY_NTH,
	DECOY_FULL,
	DECOY_DEAF,
	DECOY_PARTIAL,
	DECOY_LEAK,
	DECOY_THREADS,
	DECOY_END
};

/* An event and where it came from. */
struct origin {
	struct pmu_event event;
	const char *how;
	const char *first, *second;
	uint32_t over, under; /* factor of the first */
	uint32_t number; /* where it is full, what it is deaf to; the term that
			    it leaves out; tenths of the second */
};

static uint32_t draw(uint64_t *random, uint32_t from, uint32_t to)
{
	return from + (uint32_t)(pmu_random(random) % (to - from + 1));
}

static void add_terms(struct pmu_event *to, const struct pmu_event *from)
{
	for (uint32_t i = 0; i < from->n && to->n < EVENT_TERMS; i++)
		to->terms[to->n++] = from->terms[i];
}

static void scale_terms(struct pmu_event *event, uint32_t factor)
{
	for (uint32_t i = 0; i < event->n; i++)
		event->terms[i].weight *= (int32_t)factor;
}

/* An event that is a sum, all of it added: something can be left out. */
static const struct pmu_event *draw_sum(const struct pmu_event *plain,
					uint32_t n, uint64_t *random)
{
	for (;;) {
		const struct pmu_event *a = &plain[pmu_random(random) % n];
		bool adds = a->n > 1;

		for (uint32_t i = 0; i < a->n; i++)
			adds &= a->terms[i].weight > 0;
		if (adds)
			return a;
	}
}

static void leave_out(struct pmu_event *event, uint32_t term)
{
	event->n--;
	for (uint32_t i = term; i < event->n; i++)
		event->terms[i] = event->terms[i + 1];
}

/* A tenth of a count is not a count: tenths are added up, and then divided. */
static void leak_from(struct pmu_event *event, struct pmu_event other)
{
	scale_terms(event, 10);
	scale_terms(&other, LEAK);
	add_terms(event, &other);
	event->flaw.over = 1;
	event->flaw.under = 10;
}

/* A counter that is wrong. */
static struct origin make_wrong(enum decoy kind, const struct pmu_event *plain,
				uint32_t n, uint64_t *random)
{
	const struct pmu_event *a = kind == DECOY_PARTIAL
					    ? draw_sum(plain, n, random)
					    : &plain[pmu_random(random) % n];
	struct origin o = {
		.event = *a, .first = a->name, .over = 1, .under = 1
	};
	struct pmu_flaw *flaw = &o.event.flaw;
	const struct pmu_event *b;

	switch (kind) {
	case DECOY_BIASED: /* by 1 to 5 per cent, up or down */
		o.how = "biased";
		o.over = 1000 + 10 * draw(random, 1, 5);
		if (pmu_random(random) % 2)
			o.over = 2000 - o.over;
		o.under = 1000;
		break;
	case DECOY_EVERY_NTH:
		o.how = "every";
		o.under = draw(random, 3, 9);
		break;
	case DECOY_FULL:
		o.how = "full";
		o.number = draw(random, 500, 8000);
		flaw->most = o.number;
		break;
	case DECOY_DEAF:
		o.how = "deaf";
		o.number = draw(random, 100, 1000);
		flaw->least = o.number;
		break;
	case DECOY_PARTIAL:
		o.how = "partial";
		o.number = draw(random, 0, a->n - 1);
		leave_out(&o.event, o.number);
		break;
	case DECOY_LEAK:
		o.how = "leak";
		b = &plain[pmu_random(random) % n];
		o.second = b->name;
		o.number = LEAK;
		leak_from(&o.event, *b);
		break;
	default:
		o.how = "threads";
		flaw->leaks = true;
		break;
	}
	if (o.under > 1) {
		flaw->over = o.over;
		flaw->under = o.under;
	}
	o.event.counters = WIRE_ANY;
	return o;
}

static struct origin make_decoy(enum decoy kind, const struct pmu_event *plain,
				uint32_t n, uint64_t *random)
{
	const struct pmu_event *a = &plain[pmu_random(random) % n];
	const struct pmu_event *b = &plain[pmu_random(random) % n];
	struct origin o = {
		.event = *a, .first = a->name, .over = 1, .under = 1
	};

	switch (kind) {
	case DECOY_ALIAS:
		o.how = "alias";
		break;
	case DECOY_SCALED:
		o.how = "scaled";
		o.over = draw(random, 2, 10);
		scale_terms(&o.event, o.over);
		break;
	case DECOY_SUM:
		o.how = "sum";
		o.second = b->name;
		add_terms(&o.event, b);
		break;
	case DECOY_NOISY:
		o.how = "noisy";
		o.event.flaw.noise = DECOY_NOISE;
		break;
	default:
		o.how = "dead";
		o.event.n = 0;
		break;
	}
	o.event.counters = WIRE_ANY;
	return o;
}

static void set_code(struct pmu_event *event, uint32_t number)
{
	char *digit = event->name + 4;

	for (size_t i = 0; i < sizeof(event->name); i++)
		event->name[i] = 0;
	event->name[0] = 'E';
	for (; digit > event->name; digit--, number /= 10)
		*digit = (char)('0' + number % 10);
	event->text = "An event of a blind test.";
}

static size_t put(char *to, size_t at, const char *text)
{
	while (text && *text)
		to[at++] = *text++;
	return at;
}

static size_t put_number(char *to, size_t at, uint32_t number)
{
	char digits[12];
	size_t n = sizeof(digits) - 1;

	digits[n] = 0;
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	return put(to, at, digits + n);
}

/* One line: code, how, events, factor, number. */
static size_t put_line(char *to, size_t at, const struct origin *o)
{
	at = put(to, at, o->event.name);
	at = put(to, at, ",");
	at = put(to, at, o->how);
	at = put(to, at, ",");
	at = put(to, at, o->first);
	at = put(to, at, ",");
	at = put(to, at, o->second);
	at = put(to, at, ",");
	at = put_number(to, at, o->over);
	if (o->under > 1) {
		at = put(to, at, "/");
		at = put_number(to, at, o->under);
	}
	at = put(to, at, ",");
	at = put_number(to, at, o->number);
	return put(to, at, "\n");
}

static void write_key(const struct origin *origins, uint32_t n,
		      const char *path)
{
	char *text = host_new((size_t)(n + 1) * KEY_LINE);
	size_t bytes = put(text, 0, "code,kind,event,second,factor,number\n");

	for (uint32_t i = 0; i < n; i++)
		bytes = put_line(text, bytes, &origins[i]);
	if (!host_write_file(path, text, bytes))
		host_give_up(125, "cannot write the key file %s", path);
	host_free(text);
}

/* Event @i of all: the plain ones come first. */
static struct origin make_event(const struct pmu_event *plain, uint32_t n,
				uint32_t i, uint64_t *random)
{
	const uint32_t usual = DECOYS * DECOY_KINDS;

	if (i < n)
		return (struct origin){ .event = plain[i],
					.how = "plain",
					.first = plain[i].name,
					.over = 1,
					.under = 1 };
	if (i - n < usual)
		return make_decoy((i - n) / DECOYS, plain, n, random);
	return make_wrong(DECOY_KINDS + (i - n - usual) / WRONG, plain, n,
			  random);
}

uint32_t blind_make(const struct pmu_event *plain, uint32_t n, uint64_t seed,
		    const char *key, struct pmu_event **out)
{
	uint32_t total =
		n + DECOYS * DECOY_KINDS + WRONG * (DECOY_END - DECOY_KINDS);
	struct origin *origins = host_new(total * sizeof(*origins));
	uint64_t random = seed * 0x9e3779b97f4a7c15ULL;
	struct pmu_event *events = host_new(total * sizeof(*events));

	for (uint32_t i = 0; i < total; i++)
		origins[i] = make_event(plain, n, i, &random);
	for (uint32_t i = total; i-- > 1;) {
		uint32_t k = (uint32_t)(pmu_random(&random) % (i + 1));
		struct origin swap = origins[i];

		origins[i] = origins[k];
		origins[k] = swap;
	}
	for (uint32_t i = 0; i < total; i++) {
		set_code(&origins[i].event, i + 1);
		events[i] = origins[i].event;
	}
	if (key)
		write_key(origins, total, key);
	host_free(origins);
	*out = events;
	return total;
}
