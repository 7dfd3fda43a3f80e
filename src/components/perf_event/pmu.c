/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMUs below /sys/bus/event_source/devices. Their format files tell which
 * bits of the encoding a term fills, their events files give names to lists of
 * terms: "event=0x3c,umask=0x01" [Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events].
 */
#include "components/perf_event/pmu.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"

#define DEVICES "sys/bus/event_source/devices"

/* The content of DEVICES/pmu/folder/name, to be freed; NULL: not there. */
static char *read_entry(const struct fs *fs, const char *pmu,
			const char *folder, const char *name)
{
	OWNED char *path = str_format(DEVICES "/%s/%s%s", pmu, folder, name);

	if (!path)
		return NULL;
	return fs_read(fs, path);
}

static bool is_core_name(const char *name)
{
	return !strcmp(name, "cpu") || !strncmp(name, "cpu_", 4) ||
	       !strncmp(name, "armv", 4) || !strncmp(name, "cpum_cf", 7) ||
	       !strncmp(name, "apple_", 6);
}

size_t pe_pmus_count_cores(const struct fs *fs, char *name, size_t size)
{
	char **names;
	size_t n, found = 0;

	if (fs_list(fs, DEVICES, &names, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_core_name(names[i]))
			continue;
		if (found++ == 0)
			snprintf(name, size, "%s", names[i]);
	}
	fs_free_names(names, n);
	return found;
}

/* PMUs whose counts go with a task, beside any other's [perf_sw_context]. */
static bool is_software_name(const char *name)
{
	static const char *const names[] = { "software", "tracepoint", "kprobe",
					     "uprobe",   "breakpoint", "msr" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int load_one(struct pe_pmus *pmus, const struct fs *fs, const char *name)
{
	struct pe_pmu pmu = { 0 };
	OWNED char *type = read_entry(fs, name, "", "type");

	if (!type)
		return 0;
	pmu.type = (uint32_t)strtoul(type, NULL, 10);
	pmu.core = is_core_name(name);
	if (!is_software_name(name))
		pmu.cpus =
			read_entry(fs, name, "", pmu.core ? "cpus" : "cpumask");
	if (pmu.core) {
		OWNED char *slots = read_entry(fs, name, "events/", "slots");

		pmu.slots = slots != NULL;
	}
	pmu.name = strdup(name);
	if (!pmu.name || array_grow(&pmus->items, pmus->n, sizeof(pmu))) {
		free(pmu.name);
		free(pmu.cpus);
		return PAPI_ENOMEM;
	}
	pmus->items[pmus->n++] = pmu;
	pmus->cores += pmu.core;
	return 0;
}

int pe_pmus_load(struct pe_pmus *pmus, const struct fs *fs)
{
	char **names;
	size_t n;
	int err;

	if (pmus->loaded)
		return 0;
	err = fs_list(fs, DEVICES, &names, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = load_one(pmus, fs, names[i]);
	fs_free_names(names, n);
	if (err)
		pe_pmus_fini(pmus);
	else
		pmus->loaded = true;
	return err;
}

void pe_pmus_fini(struct pe_pmus *pmus)
{
	while (pmus->n > 0) {
		pmus->n--;
		free(pmus->items[pmus->n].name);
		free(pmus->items[pmus->n].cpus);
	}
	free(pmus->items);
	*pmus = (struct pe_pmus){ 0 };
}

/* RAPL's PMU is there without any event where a hypervisor hides its MSRs. */
static bool is_empty_power(const struct fs *fs, const char *name)
{
	char **names;
	size_t n;

	if (strcmp(name, "power") != 0 ||
	    fs_list(fs, DEVICES "/power/events", &names, &n))
		return false;
	fs_free_names(names, n);
	return n == 0;
}

bool pe_pmus_are_whole(const struct pe_pmus *pmus, const struct fs *fs)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (!is_software_name(pmus->items[i].name) &&
		    !is_empty_power(fs, pmus->items[i].name))
			return false;
	return pmus->n > 0;
}

const struct pe_pmu *pe_pmus_find(const struct pe_pmus *pmus, const char *name,
				  size_t length)
{
	for (size_t i = 0; i < pmus->n; i++) {
		const struct pe_pmu *pmu = &pmus->items[i];

		if (strlen(pmu->name) == length &&
		    !memcmp(pmu->name, name, length))
			return pmu;
	}
	return NULL;
}

enum pe_topdown pe_pmus_topdown(const struct pe_pmus *pmus,
				const struct pe_encoding *code)
{
	uint64_t umask = code->config >> 8;

	if (code->place != PE_CORE || code->type == PERF_TYPE_HARDWARE ||
	    code->type == PERF_TYPE_HW_CACHE || code->config & 0xff ||
	    (umask != 4 && (umask < 0x80 || umask > 0x87)))
		return PE_NO_TOPDOWN;
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->items[i].slots &&
		    (pmus->items[i].type == code->type ||
		     (code->type == PERF_TYPE_RAW && pmus->cores == 1)))
			return umask == 4 ? PE_SLOTS : PE_METRIC;
	return PE_NO_TOPDOWN;
}

int pe_pmu_events(const struct fs *fs, const struct pe_pmu *pmu, char ***names,
		  size_t *n)
{
	OWNED char *path = str_format(DEVICES "/%s/events", pmu->name);
	size_t kept = 0;
	int err;

	if (!path)
		return PAPI_ENOMEM;
	*names = NULL;
	*n = 0;
	/* of the kernel's own only one has names for its events */
	if (is_software_name(pmu->name) && strcmp(pmu->name, "msr") != 0)
		return 0;
	err = fs_list(fs, path, names, n);
	if (err)
		return err;
	/* "energy-pkg.unit" describes the event beside it */
	for (size_t i = 0; i < *n; i++) {
		if (strchr((*names)[i], '.'))
			free((*names)[i]);
		else
			(*names)[kept++] = (*names)[i];
	}
	*n = kept;
	return 0;
}

char *pe_pmu_unit(const struct fs *fs, const struct pe_pmu *pmu,
		  const char *event)
{
	OWNED char *folder = str_format("events/%s", event);
	char *unit = NULL, *scale = NULL, *both = NULL;

	if (!folder)
		return NULL;
	unit = read_entry(fs, pmu->name, folder, ".unit");
	scale = read_entry(fs, pmu->name, folder, ".scale");
	if (scale && strtod(scale, NULL) != 1.0)
		both = str_format("%.6g %s", strtod(scale, NULL),
				  unit ? unit : "");
	else if (unit)
		both = strdup(unit);
	free(unit);
	free(scale);
	return both;
}

/* One pass over the terms of one name. */
struct parse {
	const struct fs *fs;
	const struct pe_pmu *pmu;
	struct pe_event *out;
	struct diag *diag;
	size_t column;    /* of the term being looked at */
	bool inside;      /* an events file, not the user's text */
	char missing[64]; /* a term whose value the user has to give */
};

static uint64_t *config_word(struct pe_event *e, const char *name, size_t n)
{
	if (n == 6 && !memcmp(name, "config", 6))
		return &e->code.config;
	if (n == 7 && !memcmp(name, "config1", 7))
		return &e->code.config1;
	if (n == 7 && !memcmp(name, "config2", 7))
		return &e->code.config2;
	if (n == 7 && !memcmp(name, "config3", 7))
		return &e->code.config3;
	return NULL;
}

static int refuse(struct parse *p, const char *what, const char *term)
{
	return diag_fail_at(p->diag, PAPI_EINVAL, p->column,
			    "PMU %s: %s \"%s\"", p->pmu->name, what, term);
}

/*
 * Put @value into the bits that @format lists, lowest first: "config:0-7,32".
 * Bits named there but not filled become 0.
 */
static int put_bits(struct parse *p, const char *term, const char *format,
		    uint64_t value)
{
	size_t n = strcspn(format, ":");
	uint64_t *word = config_word(p->out, format, n);
	const char *at = format + n;
	char *end;

	if (!word || *at != ':')
		return refuse(p, "unknown format in", term);
	do {
		unsigned long low = strtoul(at + 1, &end, 10), high = low;

		if (end == at + 1)
			return refuse(p, "unknown format in", term);
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (high > 63 || low > high)
			return refuse(p, "unknown format in", term);
		for (unsigned long bit = low; bit <= high; bit++) {
			*word &= ~(1ULL << bit);
			*word |= (value & 1) << bit;
			value >>= 1;
		}
		at = end;
	} while (*at == ',');
	if (value)
		return refuse(p, "the value is too large for", term);
	return 0;
}

static int put_term(struct parse *p, const char *term, uint64_t value)
{
	uint64_t *word = config_word(p->out, term, strlen(term));
	OWNED char *format = NULL;

	if (word) {
		*word = value;
		return 0;
	}
	format = read_entry(p->fs, p->pmu->name, "format/", term);
	if (!format)
		return refuse(p, "no event and no field is called", term);
	return put_bits(p, term, format, value);
}

static int parse_terms(struct parse *p, char *terms);

/* A word without "=": an event of this PMU, or a field set to 1. */
static int parse_word(struct parse *p, const char *word)
{
	OWNED char *terms = NULL;
	int err;

	terms = p->inside || strchr(word, '/')
			? NULL
			: read_entry(p->fs, p->pmu->name, "events/", word);
	if (!terms)
		return put_term(p, word, 1);
	p->inside = true;
	err = parse_terms(p, terms);
	p->inside = false;
	return err;
}

static int parse_value(struct parse *p, const char *term, const char *value)
{
	uint64_t number;
	char *end;

	if (p->inside && !strcmp(value, "?")) {
		snprintf(p->missing, sizeof(p->missing), "%s", term);
		return 0;
	}
	if (!strcmp(term, p->missing))
		p->missing[0] = '\0';
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || end == value || *end || *value == '-')
		return refuse(p, "not a number:", value);
	return put_term(p, term, number);
}

static int parse_terms(struct parse *p, char *terms)
{
	char *term = terms;
	int err = 0;

	while (term && !err) {
		char *comma = strchr(term, ',');
		char *equals;

		if (comma)
			*comma = '\0';
		equals = strchr(term, '=');
		if (!*term || equals == term || strstr(term, ".."))
			return refuse(p, "an empty or impossible term in",
				      term);
		if (equals) {
			*equals = '\0';
			err = parse_value(p, term, equals + 1);
		} else {
			err = parse_word(p, term);
		}
		if (!p->inside && comma)
			p->column += (size_t)(comma - term) + 1;
		term = comma ? comma + 1 : NULL;
	}
	return err;
}

int pe_pmu_encode(const struct pe_pmus *pmus, const struct fs *fs,
		  const struct pe_pmu *pmu, const char *terms, size_t column,
		  struct pe_event *out, struct diag *diag)
{
	struct pe_event e = pe_event_init();
	struct parse p = { fs, pmu, &e, diag, column, false, "" };
	OWNED char *copy = strdup(terms);
	int err;

	if (!copy)
		return PAPI_ENOMEM;
	err = parse_terms(&p, copy);
	if (err)
		return err;
	if (p.missing[0])
		return refuse(&p, "give a value for", p.missing);

	/* With one kind of core its PMU is what "raw" means, by any name. */
	e.code.type = pmu->core && pmus->cores == 1 ? PERF_TYPE_RAW : pmu->type;
	e.code.place = pmu->core                     ? PE_CORE
		       : pmu->cpus                   ? PE_UNCORE
		       : is_software_name(pmu->name) ? PE_SOFTWARE
						     : PE_DEVICE;
	e.code.side = pmu->core ? PE_SIDE_USER : PE_SIDE_NONE;
	if (!pmu->core || pmus->cores > 1)
		e.cpus = pmu->cpus;
	*out = e;
	return 0;
}

int pe_pmu_find_event(const struct pe_pmus *pmus, const struct fs *fs,
		      const struct pe_pmu *pmu, const char *event,
		      struct pe_event *out)
{
	OWNED char *terms =
		*event && *event != '.'
			? read_entry(fs, pmu->name, "events/", event)
			: NULL;

	if (!terms)
		return PAPI_ENOEVNT;
	return pe_pmu_encode(pmus, fs, pmu, event, 1, out, NULL);
}
