/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What regions recorded, as a file and as a table.
 *
 * The file has the shape that PAPI's has, so papi_hl_output_writer reads it;
 * but a region is one object for all its visits, and each metric an object of
 * statistics whose "region_value" is the inclusive sum. Numbers are numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <papi.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "papi/error.h"
#include "papi/hl_region.h"
#include "papi/library.h"

#define FOLDER "papi_hl_output"

/* JSON */

static void put_string(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

static const char *metric_name(const struct hl_recording *rec, size_t metric)
{
	switch (metric) {
	case HL_CYCLES:
		return "cycles";
	case HL_REAL_NS:
		return "real_time_nsec";
	default:
		return rec->events.items[metric - HL_EVENTS].name;
	}
}

/* A region's value of a metric: its sum, or the mean of a level. */
static long long region_value(const struct regions *r,
			      const struct region *region, size_t metric)
{
	long long sum = region->stats[metric].sum;

	if (!r->levels[metric] || region->outermost == 0)
		return sum;
	return sum / (long long)region->outermost;
}

static void put_metric(FILE *to, const struct regions *r,
		       const struct region *region, size_t metric)
{
	const struct region_stat *stat = &region->stats[metric];

	fprintf(to, "{\"region_value\":%lld", region_value(r, region, metric));
	if (!r->levels[metric])
		fprintf(to, ",\"exclusive\":%lld", stat->exclusive);
	fprintf(to, ",\"visits\":%llu", region->visits);
	if (region->visits > 0)
		fprintf(to, ",\"min\":%lld,\"max\":%lld", stat->min, stat->max);
	if (region->reads > 0)
		fprintf(to,
			",\"reads\":%llu,\"read_min\":%lld,\"read_max\":%lld",
			region->reads, stat->read_min, stat->read_max);
	putc('}', to);
}

static void put_region(FILE *to, const struct hl_recording *rec,
		       const struct regions *r, size_t i)
{
	const struct region *region = &r->items[i];

	fprintf(to, "        \"%zu\":{\n          \"name\":", i);
	put_string(to, r->names[region->name].text);
	fprintf(to,
		",\n          \"parent_region_id\":%td"
		",\n          \"region_count\":%llu",
		region->parent == REGION_NONE ? (ptrdiff_t)-1
					      : (ptrdiff_t)region->parent,
		region->visits);
	for (size_t m = 0; m < r->n_metrics; m++) {
		fputs(",\n          ", to);
		put_string(to, metric_name(rec, m));
		putc(':', to);
		put_metric(to, r, region, m);
	}
	fputs("\n        }", to);
}

/* A region without a whole visit has no values yet; notes has it. */
static bool has_values(const struct region *region)
{
	return region->visits > 0;
}

static void put_thread(FILE *to, const struct hl_recording *rec,
		       const struct hl_record *record)
{
	const struct regions *r = &record->regions;
	const char *between = "";

	fprintf(to, "    \"%d\":{\n      \"regions\":{\n", record->number);
	for (size_t i = 0; i < r->n; i++) {
		if (!has_values(&r->items[i]))
			continue;
		fputs(between, to);
		put_region(to, rec, r, i);
		between = ",\n";
	}
	fputs("\n      }\n    }", to);
}

/* What was not as it should be: one sentence each. */
static void put_notes(FILE *to, const struct hl_record *record,
		      const char **between)
{
	const struct regions *r = &record->regions;

	if (r->bad_ends > 0) {
		fprintf(to,
			"%s\n    {\"thread\":%d,\"note\":\"%llu ends of "
			"regions that were not open\"}",
			*between, record->number, r->bad_ends);
		*between = ",";
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct region *region = &r->items[i];

		if (!region->active && !region->overlaps)
			continue;
		fprintf(to, "%s\n    {\"thread\":%d,\"region\":", *between,
			record->number);
		put_string(to, r->names[region->name].text);
		fprintf(to, ",\"unfinished\":%u,\"overlaps\":%llu}",
			region->active, region->overlaps);
		*between = ",";
	}
}

static void put_events(FILE *to, const struct hl_events *events)
{
	fputs("  \"event_definitions\":{", to);
	for (size_t i = 0; i < events->n_counted; i++) {
		const struct hl_event *event = &events->items[i];

		fputs(i ? ",\n    " : "\n    ", to);
		put_string(to, event->name);
		fputs(":{\"component\":", to);
		put_string(to, event->component);
		fprintf(to, ",\"type\":\"%s\"}",
			event->level ? "instant" : "delta");
	}
	fputs("\n  },\n  \"unavailable\":{", to);
	for (size_t i = events->n_counted; i < events->n; i++) {
		fputs(i > events->n_counted ? ",\n    " : "\n    ", to);
		put_string(to, events->items[i].name);
		putc(':', to);
		put_string(to, events->items[i].reason);
	}
	fputs("\n  },\n", to);
}

/* Records are kept newest first; the file has thread 0 first. */
static struct hl_record *record_of(const struct hl_recording *rec, int number)
{
	struct hl_record *record = rec->records;

	while (record && record->number != number)
		record = record->next;
	return record;
}

static void put_recording(FILE *to, const struct hl_recording *rec)
{
	const char *between = "";

	fprintf(to, "{\n  \"papi_version\":\"%d.%d.%d.%d\",\n  \"cpu_info\":",
		PAPI_VERSION_MAJOR(library_version()),
		PAPI_VERSION_MINOR(library_version()),
		PAPI_VERSION_REVISION(library_version()),
		PAPI_VERSION_INCREMENT(library_version()));
	put_string(to, rec->cpu_name);
	fprintf(to,
		",\n  \"max_cpu_rate_mhz\":%d,\n  \"min_cpu_rate_mhz\":%d,\n",
		rec->max_mhz, rec->min_mhz);
	put_events(to, &rec->events);
	fputs("  \"threads\":{\n", to);
	for (int i = 0; i < rec->n_records; i++) {
		struct hl_record *record = record_of(rec, i);

		pthread_mutex_lock(&record->lock);
		put_thread(to, rec, record);
		pthread_mutex_unlock(&record->lock);
		fputs(i + 1 < rec->n_records ? ",\n" : "\n", to);
	}
	fputs("  },\n  \"notes\":[", to);
	for (int i = 0; i < rec->n_records; i++) {
		struct hl_record *record = record_of(rec, i);

		pthread_mutex_lock(&record->lock);
		put_notes(to, record, &between);
		pthread_mutex_unlock(&record->lock);
	}
	fputs("\n  ]\n}\n", to);
}

/* Where it goes */

/* This process's number among those of a parallel program; -1 if it is none. */
static long find_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "PMIX_RANK", "PMI_RANK",
					     "ALPS_APP_PE", "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = secure_getenv(names[i]);
		char *end;
		long rank;

		if (!text)
			continue;
		rank = strtol(text, &end, 10);
		if (end != text && *end == '\0' && rank >= 0)
			return rank;
	}
	return -1;
}

/* Like mkdir -p; an error shows when the file is opened. */
static void make_folders(const char *path)
{
	OWNED char *copy = strdup(path);

	if (!copy)
		return;
	for (char *slash = strchr(copy + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(copy, 0777);
		*slash = '/';
	}
	(void)mkdir(copy, 0777);
}

/*
 * A program that is not one of many keeps a folder to itself: an older one is
 * renamed after the time it was written. Ranks of a parallel program share
 * their folder, and each replaces its own file only.
 */
static void set_aside(const char *folder, const char *file)
{
	struct stat st;
	struct tm tm;
	char stamp[32];

	if (stat(file, &st) != 0 || !localtime_r(&st.st_mtime, &tm))
		return;
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int i = 0; i < 1000; i++) {
		OWNED char *to = i ? str_format("%s-%s-%d", folder, stamp, i)
				   : str_format("%s-%s", folder, stamp);
		bool done = !to || (stat(to, &st) != 0 && errno == ENOENT &&
				    rename(folder, to) == 0);

		if (done)
			return;
	}
}

int hl_output_write(struct hl_recording *rec, const char *base)
{
	long rank = find_rank();
	char *folder = base && base[0] ? str_format("%s/%s", base, FOLDER)
				       : str_format("%s", FOLDER);
	OWNED char *file = folder ? str_format("%s/rank_%06ld.json", folder,
					       rank < 0 ? 0 : rank)
				  : NULL;
	struct diag diag = { 0 };
	struct outfile *out;
	int err = PAPI_ENOMEM;

	if (!file) {
		free(folder);
		return error_set(err);
	}
	if (rank < 0 && !rec->folder)
		set_aside(folder, file);
	make_folders(folder);
	err = outfile_open(file, &out, &diag);
	if (!err) {
		put_recording(outfile_stream(out), rec);
		err = outfile_commit(out, &diag);
	}
	if (err) {
		free(folder);
		return error_from(err, &diag);
	}
	free(rec->folder);
	rec->folder = folder;
	return PAPI_OK;
}

/* The table */

static unsigned depth_of(const struct regions *r, size_t i)
{
	unsigned depth = 0;

	while (r->items[i].parent != REGION_NONE) {
		i = r->items[i].parent;
		depth++;
	}
	return depth;
}

static void report_region(const struct hl_recording *rec,
			  const struct regions *r, size_t i)
{
	const struct region *region = &r->items[i];

	printf("  %*s%-*s %12llu visits\n", (int)(2 * depth_of(r, i)), "",
	       (int)(30 - 2 * depth_of(r, i) % 30), r->names[region->name].text,
	       region->visits);
	for (size_t m = HL_REAL_NS; m < r->n_metrics; m++)
		printf("      %-40s %20lld\n", metric_name(rec, m),
		       region_value(r, region, m));
}

void hl_output_report(struct hl_recording *rec)
{
	printf("PAPI regions, inclusive%s%s\n",
	       rec->folder ? "; all of it is in " : "",
	       rec->folder ? rec->folder : "");
	for (int i = 0; i < rec->n_records; i++) {
		struct hl_record *record = record_of(rec, i);

		pthread_mutex_lock(&record->lock);
		printf("thread %d\n", i);
		for (size_t j = 0; j < record->regions.n; j++)
			report_region(rec, &record->regions, j);
		pthread_mutex_unlock(&record->lock);
	}
	for (size_t i = rec->events.n_counted; i < rec->events.n; i++)
		printf("not counted: %s: %s\n", rec->events.items[i].name,
		       rec->events.items[i].reason);
	fflush(stdout);
}
