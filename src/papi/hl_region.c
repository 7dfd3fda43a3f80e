/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The high level of today: named regions around pieces of a program. Each
 * thread has a set that runs all the time; begin and end read it, and the
 * differences go into the thread's tree of regions. Nothing is started or
 * stopped inside a region.
 *
 *   PAPI_EVENTS            what to count; a useful list if not set
 *   PAPI_MULTIPLEX         more events than counters
 *   PAPI_OUTPUT_DIRECTORY  where papi_hl_output is made; else where it runs
 *   PAPI_REPORT            print a table when the program ends
 *   PAPI_HL_VERBOSE        say what could not be counted, and where the
 *                          output is
 */
#include "papi/hl_region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

#include "papi/error.h"
#include "papi/library.h"

/* All that regions know in this process. */
static struct {
	pthread_mutex_t lock; /* guards all of it but the records' inside */
	bool ready;
	pthread_key_t key; /* a thread's record */
	struct hl_recording recording;
	struct hl_recording inherited; /* a child's, of its parent; unused */
} hl = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_error;

/* The records */

static void stop_counting(struct hl_record *record)
{
	int set = record->set;

	record->set = PAPI_NULL;
	if (set == PAPI_NULL || !library_get() ||
	    record->epoch != library_epoch())
		return;
	PAPI_stop(set, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void thread_ends(void *p)
{
	struct hl_record *record = p;

	pthread_mutex_lock(&record->lock);
	stop_counting(record);
	pthread_mutex_unlock(&record->lock);
}

static struct hl_record *new_record(void)
{
	size_t n = HL_EVENTS + hl.recording.events.n_counted;
	struct hl_record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->now = calloc(n, sizeof(*record->now));
	if (!record->now || pthread_setspecific(hl.key, record)) {
		free(record->now);
		free(record);
		return NULL;
	}
	pthread_mutex_init(&record->lock, NULL);
	regions_init(&record->regions, n, hl.recording.levels);
	record->set = PAPI_NULL;
	record->number = hl.recording.n_records++;
	record->next = hl.recording.records;
	hl.recording.records = record;
	return record;
}

/* The end of the program */

static bool has_regions(const struct hl_recording *recording)
{
	for (struct hl_record *r = recording->records; r; r = r->next)
		if (r->regions.n > 0 || r->regions.bad_ends > 0)
			return true;
	return false;
}

/* The caller holds the lock. */
static int write_output(void)
{
	int err;

	if (!has_regions(&hl.recording))
		return PAPI_OK;
	err = hl_output_write(&hl.recording,
			      secure_getenv("PAPI_OUTPUT_DIRECTORY"));
	if (secure_getenv("PAPI_HL_VERBOSE"))
		fprintf(stderr, "PAPI regions: %s%s\n",
			err ? error_sentence() : "written to ",
			err ? "" : hl.recording.folder);
	return err;
}

static void program_ends(void)
{
	pthread_mutex_lock(&hl.lock);
	if (hl.ready) {
		write_output();
		if (secure_getenv("PAPI_REPORT"))
			hl_output_report(&hl.recording);
	}
	pthread_mutex_unlock(&hl.lock);
}

/*
 * A child has none of its parent's regions, and must not write them down a
 * second time. What they held is lost to the child, as the threads are.
 */
static void in_child(void)
{
	pthread_mutex_init(&hl.lock, NULL);
	pthread_setspecific(hl.key, NULL);
	hl.ready = false;
	hl.inherited = hl.recording;
	hl.recording = (struct hl_recording){ 0 };
}

static void before_fork(void)
{
	pthread_mutex_lock(&hl.lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&hl.lock);
}

static void prepare(void)
{
	once_error = pthread_key_create(&hl.key, thread_ends) ||
		     pthread_atfork(before_fork, in_parent, in_child) ||
		     atexit(program_ends);
}

/* The beginning */

static void tell_unavailable(const struct hl_events *events)
{
	if (!secure_getenv("PAPI_HL_VERBOSE"))
		return;
	for (size_t i = events->n_counted; i < events->n; i++)
		fprintf(stderr, "PAPI regions: %s is not counted: %s\n",
			events->items[i].name, events->items[i].reason);
}

static int open_recording(struct hl_recording *recording)
{
	const char *list = secure_getenv("PAPI_EVENTS");
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
	struct hl_recording made = { 0 };
	int err = hl_events_choose(list && list[0] ? list : NULL,
				   secure_getenv("PAPI_MULTIPLEX") != NULL,
				   &made.events);

	if (err)
		return err;
	made.levels = calloc(HL_EVENTS + made.events.n_counted, sizeof(bool));
	if (!made.levels) {
		hl_events_fini(&made.events);
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < made.events.n_counted; i++)
		made.levels[HL_EVENTS + i] = made.events.items[i].level;
	if (hw) {
		memcpy(made.cpu_name, hw->model_string, sizeof(made.cpu_name));
		made.max_mhz = hw->cpu_max_mhz;
		made.min_mhz = hw->cpu_min_mhz;
	}
	tell_unavailable(&made.events);
	*recording = made;
	return 0;
}

/* The calling thread's record, all made ready at the first call. */
static int get_record(struct hl_record **out)
{
	struct hl_record *record;
	int err = 0;

	if (PAPI_is_initialized() == PAPI_NOT_INITED) {
		err = PAPI_library_init(library_interface());
		if (err != library_interface())
			return err;
		err = 0;
	}
	pthread_once(&once, prepare);
	if (once_error)
		return PAPI_ENOMEM;
	record = pthread_getspecific(hl.key);
	if (!record) {
		pthread_mutex_lock(&hl.lock);
		if (!hl.ready) {
			err = open_recording(&hl.recording);
			hl.ready = err == 0;
		}
		if (!err)
			record = new_record();
		pthread_mutex_unlock(&hl.lock);
		library_set_level(PAPI_HIGH_LEVEL_INITED);
		if (!err && !record)
			err = PAPI_ENOMEM;
	}
	if (!err)
		*out = record;
	return err;
}

/* Let the thread's set run, and read it; the record is locked. */
static int read_now(struct hl_record *record)
{
	const struct hl_events *events = &hl.recording.events;
	int err = 0;

	if (events->n_counted > 0) {
		if (record->epoch != library_epoch())
			record->set = PAPI_NULL;
		if (record->set == PAPI_NULL) {
			err = hl_events_start(events, &record->set);
			record->epoch = library_epoch();
		}
		if (!err)
			err = PAPI_read(record->set, &record->now[HL_EVENTS]);
	}
	record->now[HL_REAL_NS] = PAPI_get_real_nsec();
	record->now[HL_CYCLES] = PAPI_get_real_cyc();
	return err;
}

/* One of regions_begin(), regions_read(), regions_end() at this moment. */
static int note(const char *name,
		int (*what)(struct regions *, const char *, const long long *))
{
	struct hl_record *record = NULL;
	int err;

	if (!name)
		return error_say(PAPI_EINVAL, "the region has no name");
	err = get_record(&record);
	if (err)
		return error_set(err);
	pthread_mutex_lock(&record->lock);
	err = read_now(record);
	if (!err) {
		err = what(&record->regions, name, record->now);
		if (err == PAPI_EINVAL)
			error_say(err, "region %s is not open", name);
	}
	pthread_mutex_unlock(&record->lock);
	return err;
}

int PAPI_hl_region_begin(const char *region)
{
	return note(region, regions_begin);
}

int PAPI_hl_read(const char *region)
{
	return note(region, regions_read);
}

int PAPI_hl_region_end(const char *region)
{
	return note(region, regions_end);
}

int PAPI_hl_stop(void)
{
	struct hl_record *record;
	int err = PAPI_OK;

	pthread_once(&once, prepare);
	record = once_error ? NULL : pthread_getspecific(hl.key);
	if (!record)
		return error_say(PAPI_ENOEVNT, "this thread has no regions");
	pthread_mutex_lock(&record->lock);
	if (regions_depth(&record->regions) > 0)
		err = error_say(PAPI_EISRUN, "a region is open");
	else
		stop_counting(record);
	pthread_mutex_unlock(&record->lock);
	if (err)
		return err;
	pthread_mutex_lock(&hl.lock);
	err = write_output();
	pthread_mutex_unlock(&hl.lock);
	return err;
}
