/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads, run natively and on the simulated machine; see time.h. */

#include "validate/time.h"

#include <fnmatch.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/doubles.h"
#include "base/fs.h"
#include "console/console.h"
#include "host/cpu.h"
#include "lab/process.h"
#include "process/process.h"

#define REPEATS    24
#define ROUNDS     2   /* apart from each other, with a simulated run between */
#define REAL_SHARE 0.5 /* of the time there is, for what is not simulated */
#define QUIET      0.01 /* a spread so small needs no second round */

static const struct companion workloads = {
	.build = "libexec/workloads",
	.installed = "workloads",
	.variable = "ASSAY_WORKLOADS",
	.mode = X_OK,
	.missing = "the program that runs workloads is missing: it should be "
		   "in libexec/ beside this command",
};

const char *const time_waits[WAIT_COUNT] = {
	"front end", "branches", "units", "stores", "L1D", "L2", "L3", "memory",
};

const char *const time_events[WAIT_COUNT + 1] = {
	"PAPI_TOT_CYC",
	"sim::CYCLE_ACTIVITY:STALLS_FRONTEND",
	"sim::CYCLE_ACTIVITY:STALLS_MISPREDICT",
	"sim::CYCLE_ACTIVITY:STALLS_FP",
	"sim::CYCLE_ACTIVITY:STALLS_STORE",
	"sim::CYCLE_ACTIVITY:STALLS_L1D",
	"sim::CYCLE_ACTIVITY:STALLS_L2",
	"sim::CYCLE_ACTIVITY:STALLS_L3",
	"sim::CYCLE_ACTIVITY:STALLS_DRAM",
};

struct time_row *time_add_row(struct time_table *table, const char *name,
			      const char *kind)
{
	struct time_row *row;

	if (array_grow(&table->rows, table->n, sizeof(*table->rows)))
		return NULL;
	row = &table->rows[table->n++];
	*row = (struct time_row){ .real = NAN,
				  .spread = NAN,
				  .hz = NAN,
				  .cycles = NAN,
				  .error = NAN };
	snprintf(row->name, sizeof(row->name), "%s", name);
	snprintf(row->kind, sizeof(row->kind), "%s", kind);
	snprintf(row->part, sizeof(row->part), "any");
	return row;
}

void time_free(struct time_table *table)
{
	if (table)
		free(table->rows);
	free(table);
}

bool time_is_over(const struct time_options *options,
		  const struct time_table *table, struct time_row *row)
{
	double passed = (double)(clock_real_ns() - table->began_ns) / 1e9;

	if (options->budget_s <= 0 || passed < options->budget_s * table->share)
		return false;
	if (table->share < 1 && !isnan(row->real))
		return true; /* it is timed, if not as often as others */
	snprintf(row->reason, sizeof(row->reason), "there was no time for it");
	return true;
}

bool time_is_wanted(const struct time_options *options, const char *name,
		    const char *kind)
{
	if (options->brief && strcmp(kind, "kernel") != 0)
		return false;
	for (size_t i = 0; i < options->n_names; i++)
		if (fnmatch(options->names[i], name, 0) == 0 ||
		    strcmp(options->names[i], kind) == 0)
			return true;
	return options->n_names == 0;
}

/* The processes that run workloads, and the table that they fill. */
struct sides {
	struct process native, simulated;
	const struct console *console;
	const struct time_options *options;
	struct time_table *table;
	char *program;
	char *caches; /* of the real machine: both work for these */
};

/* The answer to one line, valid until the next; NULL: the process ended. */
static char *ask(struct process *process, const char *order, const char *what)
{
	return process_send(process, "%s%s", order, what)
		       ? NULL
		       : process_wait_line(process);
}

/* Rows of all workloads that are wanted. 0 or PAPI_ENOMEM. */
static int list_rows(struct sides *sides)
{
	struct time_table *table = sides->table;
	char kind[12], part[12], name[48];
	struct time_row *row = NULL;
	char *line = ask(&sides->native, "list", "");

	for (; line && strcmp(line, "end") != 0;
	     line = process_wait_line(&sides->native)) {
		if (row && strncmp(line, "s ", 2) == 0)
			snprintf(row->slower, sizeof(row->slower), "%s",
				 line + 2);
		row = NULL;
		if (sscanf(line, "w %11s %11s %47[^\n]", kind, part, name) !=
			    3 ||
		    !time_is_wanted(sides->options, name, kind))
			continue;
		row = time_add_row(table, name, kind);
		if (!row)
			return PAPI_ENOMEM;
		snprintf(row->part, sizeof(row->part), "%s", part);
	}
	return 0;
}

/* ---- real times ---- */

static void time_natively(struct sides *sides, struct time_row *row)
{
	unsigned repeats =
		sides->options->repeats ? sides->options->repeats : REPEATS;
	double real, quartile, hz;
	char order[24];
	char *line;

	snprintf(order, sizeof(order), "time %u ", repeats);
	line = ask(&sides->native, order, row->name);
	if (!line ||
	    sscanf(line, "t %lf %lf %lf", &real, &quartile, &hz) != 3) {
		snprintf(row->reason, sizeof(row->reason), "%s",
			 line ? line : "the program that runs it ended");
		return;
	}
	if (real < row->real || isnan(row->real)) {
		row->real = real;
		row->spread = quartile / real - 1;
		row->hz = hz;
	}
}

/* The clock, which programs need whatever else is run. */
static void find_clock(struct sides *sides)
{
	struct time_row any = { .name = "chase/L1D", .real = NAN };

	time_natively(sides, &any);
	sides->table->hz = isnan(any.real) ? 0 : any.hz;
}

/* Those that the journal does not know, one after another and once more. */
static void time_rows(struct sides *sides)
{
	struct time_table *table = sides->table;
	struct progress progress;
	size_t step = 0;

	progress_start(&progress, sides->console, "timing", "workloads",
		       ROUNDS * table->n);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < table->n; i++) {
			struct time_row *row = &table->rows[i];

			progress_step(&progress, ++step);
			if (row->is_kept || row->spread < QUIET ||
			    time_is_over(sides->options, table, row))
				continue;
			time_natively(sides, row);
			if (row->spread < QUIET || round + 1 == ROUNDS)
				time_journal_add_real(table->journal, row);
		}
	progress_end(&progress);
}

static int time_workloads(struct sides *sides)
{
	struct diag diag = { .text = "" };
	int status = process_start(&sides->native, sides->program, NULL, &diag);
	char *line = status ? NULL : ask(&sides->native, "machine", "");

	if (status)
		return say_failure(sides->console, "%s", diag.text);
	sides->caches = line && line[0] == 'm' ? strdup(line + 1) : NULL;
	if (!sides->caches || list_rows(sides))
		return say_failure(sides->console,
				   "the program that runs workloads does not "
				   "answer");
	for (size_t i = 0; i < sides->table->n; i++)
		time_journal_recall(sides->table->journal,
				    &sides->table->rows[i]);
	find_clock(sides);
	time_rows(sides);
	return 0;
}

/* ---- simulated cycles ---- */

static void count_simulated(struct sides *sides, struct time_row *row)
{
	double *w = row->wait;
	char *line = ask(&sides->simulated, "count ", row->name);

	if (!line || sscanf(line, "c %lf %lf %lf %lf %lf %lf %lf %lf %lf",
			    &row->cycles, &w[0], &w[1], &w[2], &w[3], &w[4],
			    &w[5], &w[6], &w[7]) != WAIT_COUNT + 1)
		snprintf(row->reason, sizeof(row->reason), "%s",
			 line ? line : "the simulated program ended");
	else
		time_journal_add_simulated(sides->table->journal, row);
}

static void count_rows(struct sides *sides, size_t n)
{
	struct time_table *table = sides->table;
	struct progress progress;

	progress_start(&progress, sides->console, "simulating", "workloads", n);
	for (size_t i = 0; i < n; i++) {
		struct time_row *row = &table->rows[i];

		if (isnan(row->cycles) && !isnan(row->real) &&
		    !time_is_over(sides->options, table, row))
			count_simulated(sides, row);
		progress_step(&progress, i + 1);
	}
	progress_end(&progress);
}

/* The first @n rows are of workloads. */
static int simulate_workloads(struct sides *sides, size_t n)
{
	struct diag diag = { .text = "" };

	if (n == 0)
		return 0;
	if (process_start(&sides->simulated, sides->program,
			  sides->options->simulator, &diag))
		return say_failure(sides->console, "%s", diag.text);
	if (!ask(&sides->simulated, "machine", sides->caches))
		return say_failure(sides->console,
				   "the program that runs workloads does not "
				   "answer on the simulated PMU");
	count_rows(sides, n);
	return 0;
}

int time_start_beside(struct process *beside, struct diag *diag)
{
	char *program = companion_find(&workloads, diag);
	int status = program ? process_start(beside, program, NULL, diag)
			     : CMD_FAILED;

	free(program);
	return status;
}

bool time_is_alone(struct process *beside, double *hz)
{
	const char *line = ask(beside, "alone", "");
	int alone = 1;

	if (line)
		sscanf(line, "a %d %lf", &alone, hz);
	return alone;
}

/* Share of all CPUs' time since @began that a host gave to others. */
static double share_stolen(double stolen, uint64_t began_ns)
{
	double passed = (double)(clock_real_ns() - began_ns) / 1e9;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return (time_stolen() - stolen) / passed /
	       (double)(cpus > 0 ? cpus : 1);
}

/* It varies from run to run: the middle of what was seen beside workloads. */
static double median_clock(const struct time_table *table)
{
	double *hz = calloc(table->n, sizeof(*hz)), median = table->hz;
	size_t n = 0;

	for (size_t i = 0; hz && i < table->n; i++)
		if (table->rows[i].hz > 0)
			hz[n++] = table->rows[i].hz;
	if (n > 0)
		median = doubles_median(hz, n);
	free(hz);
	return median;
}

/* Everything that is timed comes before anything that is simulated. */
static int run_sides(struct sides *sides)
{
	struct time_table *table = sides->table;
	const struct time_options *options = sides->options;
	struct time_programs *programs = NULL;
	double stolen = time_stolen();
	int status;
	size_t n;

	table->share = options->real_only ? 1 : REAL_SHARE;
	status = time_workloads(sides);
	n = table->n;

	if (n > 0)
		table->hz = median_clock(table);
	if (!status && !options->brief) {
		programs = time_programs_begin(sides->console, options, table);
		status = programs ? 0 : CMD_FAILED;
	}
	if (!status && programs)
		time_programs_real(sides->console, programs);
	table->share = 1;
	table->stolen = share_stolen(stolen, table->began_ns);
	process_end(&sides->native);
	if (!status && !options->real_only)
		status = simulate_workloads(sides, n);
	if (!status && !options->real_only && programs)
		time_programs_simulate(sides->console, programs);
	time_programs_end(programs);
	return status;
}

static int run_all(const struct console *console,
		   const struct time_options *options, struct time_table *table)
{
	struct diag diag = { .text = "" };
	struct sides sides = { .console = console,
			       .options = options,
			       .table = table,
			       .program = companion_find(&workloads, &diag) };
	int status;

	if (!sides.program)
		return say_failure(console, "%s", diag.text);
	status = time_journal_open(console, options, table->where,
				   sides.program, &table->journal);
	if (!status)
		status = run_sides(&sides);
	process_end(&sides.native);
	process_end(&sides.simulated);
	time_journal_close(table->journal);
	table->journal = NULL;
	free(sides.caches);
	free(sides.program);
	return status;
}

/* "AMD EPYC, 2 CPUs": which machine this is. */
static void say_where(struct time_table *table)
{
	struct fs fs = { .root = "" };
	struct host_cpu cpu = { 0 };

	if (!cpu_read(&fs, &cpu))
		snprintf(table->where, sizeof(table->where),
			 "%s family %u model %u", cpu.name, cpu.family,
			 cpu.model);
}

static const char *short_model(const char *model)
{
	const char *slash = strrchr(model, '/');

	return slash ? slash + 1 : model;
}

int time_measure(const struct console *console,
		 const struct time_options *options, struct time_table **out)
{
	struct time_table *table = calloc(1, sizeof(*table));
	const char *model =
		short_model(simulator_model(options->simulator->model));
	int status;

	*out = NULL;
	if (!table)
		return say_failure(console, "out of memory");
	snprintf(table->model, sizeof(table->model), "%.*s",
		 (int)strcspn(model, "."), model);
	table->began_ns = clock_real_ns();
	say_where(table);
	status = run_all(console, options, table);
	if (status) {
		time_free(table);
		return status;
	}
	time_judge(table);
	*out = table;
	return 0;
}
