/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blind mode: events without names, for a test of those who claim to find
 * out what an event counts. All plain events appear, in seeded order, behind
 * codes E0001 and up; among them are decoys: a second code for an event, a
 * multiple of one, the sum of two, one with noise, one that never counts.
 * What they are is told in the key file, if that was asked for, and nowhere
 * else.
 */
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

enum {
	DECOYS = 10,       /* of each kind */
	DECOY_NOISE = 250, /* per mille */
	KEY_LINE = 200
};

enum decoy {
	DECOY_ALIAS,
	DECOY_SCALED,
	DECOY_SUM,
	DECOY_NOISY,
	DECOY_DEAD,
	DECOY_KINDS
};

/* An event and where it came from. */
struct origin {
	struct pmu_event event;
	const char *how;
	const char *first, *second;
	uint32_t factor;
};

static void add_terms(struct pmu_event *to, const struct pmu_event *from)
{
	for (uint32_t i = 0; i < from->n && to->n < EVENT_TERMS; i++)
		to->terms[to->n++] = from->terms[i];
}

static struct origin make_decoy(enum decoy kind, const struct pmu_event *plain,
				uint32_t n, uint64_t *random)
{
	const struct pmu_event *a = &plain[pmu_random(random) % n];
	const struct pmu_event *b = &plain[pmu_random(random) % n];
	struct origin o = { .event = *a, .first = a->name, .factor = 1 };

	switch (kind) {
	case DECOY_ALIAS:
		o.how = "alias";
		break;
	case DECOY_SCALED:
		o.how = "scaled";
		o.factor = 2 + (uint32_t)(pmu_random(random) % 9);
		for (uint32_t i = 0; i < o.event.n; i++)
			o.event.terms[i].weight *= (int32_t)o.factor;
		break;
	case DECOY_SUM:
		o.how = "sum";
		o.second = b->name;
		add_terms(&o.event, b);
		break;
	case DECOY_NOISY:
		o.how = "noisy";
		o.event.noise = DECOY_NOISE;
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

/* One line: code, how, events, factor. */
static size_t put_line(char *to, size_t at, const struct origin *o)
{
	char factor[4] = { (char)('0' + o->factor / 10 % 10),
			   (char)('0' + o->factor % 10), '\n', 0 };

	at = put(to, at, o->event.name);
	at = put(to, at, ",");
	at = put(to, at, o->how);
	at = put(to, at, ",");
	at = put(to, at, o->first);
	at = put(to, at, ",");
	at = put(to, at, o->second);
	at = put(to, at, ",");
	return put(to, at, factor);
}

static void write_key(const struct origin *origins, uint32_t n,
		      const char *path)
{
	char *text = host_new((size_t)(n + 1) * KEY_LINE);
	size_t bytes = put(text, 0, "code,kind,event,second,factor\n");

	for (uint32_t i = 0; i < n; i++)
		bytes = put_line(text, bytes, &origins[i]);
	if (!host_write_file(path, text, bytes))
		host_give_up(125, "cannot write the key file %s", path);
	host_free(text);
}

uint32_t blind_make(const struct pmu_event *plain, uint32_t n, uint64_t seed,
		    const char *key, struct pmu_event **out)
{
	uint32_t total = n + DECOYS * DECOY_KINDS;
	struct origin *origins = host_new(total * sizeof(*origins));
	uint64_t random = seed * 0x9e3779b97f4a7c15ULL;
	struct pmu_event *events = host_new(total * sizeof(*events));

	for (uint32_t i = 0; i < total; i++)
		origins[i] =
			i < n ? (struct origin){ plain[i], "plain",
						 plain[i].name, NULL, 1 }
			      : make_decoy((i - n) / DECOYS, plain, n, &random);
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
