/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that most machines have, natively and on the simulated machine.
 *
 * Natively the kernel says how much CPU time each took. It samples which part
 * was the program's own, so that part is taken from all runs together, and the
 * least total from the best one. Simulated cycles are the program's own, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/doubles.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "lab/process.h"
#include "validate/time.h"

#define RUNS       7
#define PATIENCE   4    /* runs for one that is not disturbed */
#define STEADY     0.05 /* by which the clock may change during a run */
#define MOST_WORDS 16
#define TEXT_LINES 40000
#define FUNCTIONS  60

/* TEXT and CODE stand for files; in a shell's words as the user's own would. */
static const struct program {
	const char *name;
	const char *words[MOST_WORDS];
} programs[] = {
	{ "gzip", { "gzip", "-c", "TEXT" } },
	{ "zstd", { "zstd", "-q", "-6", "-c", "TEXT" } },
	{ "xz", { "xz", "-0", "-c", "TEXT" } },
	{ "sort", { "sort", "TEXT" } },
	{ "sqlite3",
	  { "sqlite3", ":memory:",
	    "create table t(a, b); with recursive c(x) as (select 1 union all "
	    "select x + 1 from c where x < 100000) insert into t select x, x * "
	    "7 % 1000 from c; select sum(a) from t group by b order by 1 limit "
	    "1;" } },
	{ "python3",
	  { "python3", "-S", "-E", "-c",
	    "d = {}\nfor i in range(150000):\n    d[str(i % 5000)] = "
	    "d.get(str(i % 5000), 0) + i" } },
	{ "perl",
	  { "perl", "-e",
	    "my %d; for my $i (1 .. 300000) { $d{$i % 5000} .= $i if $i =~ "
	    "/7/ }" } },
	{ "cc1", { "cc1", "-quiet", "-O2", "CODE", "-o", "/dev/null" } },
	{ "openssl", { "openssl", "dgst", "-sha3-512", "TEXT" } },
};

struct files {
	char *text, *code, *counts;
};

/* ---- what they work on ---- */

static char *make_text(struct diag *diag)
{
	struct strbuf text = { 0 };
	char *path = NULL;

	for (unsigned i = 0; i < TEXT_LINES; i++)
		strbuf_addf(&text, "%07u line %u of a text to work on\n",
			    (unsigned)(i * UINT64_C(2654435761) % 1000003), i);
	if (!text.failed)
		path = scratch_text("time", strbuf_text(&text), diag);
	strbuf_fini(&text);
	return path;
}

static char *make_code(struct diag *diag)
{
	struct strbuf text = { 0 };
	char *path = NULL;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		strbuf_addf(&text,
			    "int f%u(int *p, int n) { int s = 0; for (int j = "
			    "0; j < n; j++) if (p[j] %% %u) s += p[j] * %u; "
			    "else p[j] = s; return s; }\n",
			    i, i + 3, i);
	if (!text.failed)
		path = scratch_text("time", strbuf_text(&text), diag);
	strbuf_fini(&text);
	return path;
}

/* ---- where they are ---- */

/* The compiler proper, which is in no directory of PATH. "": none. */
static void find_compiler(char *path, size_t capacity)
{
	FILE *from = popen("cc -print-prog-name=cc1 2>/dev/null", "r");

	path[0] = '\0';
	if (from && fgets(path, (int)capacity, from))
		path[strcspn(path, "\n")] = '\0';
	if (from)
		pclose(from);
}

/* A program of the system: what a user put before it may be a script. */
static bool find_program(const char *name, char *path, size_t capacity)
{
	static const char *const places[] = { "/usr/bin", "/bin",
					      "/usr/local/bin" };

	if (strcmp(name, "cc1") == 0) {
		find_compiler(path, capacity);
		return path[0] == '/' && access(path, X_OK) == 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, capacity, "%s/%s", places[i], name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Words of the command, which are valid as long as @files and @path. */
static size_t fill_words(const struct program *program,
			 const struct files *files, char *path, char **words)
{
	size_t n = 0;

	for (; program->words[n]; n++) {
		words[n] = (char *)program->words[n];
		if (strcmp(words[n], "TEXT") == 0)
			words[n] = files->text;
		if (strcmp(words[n], "CODE") == 0)
			words[n] = files->code;
	}
	words[0] = path;
	words[n] = NULL;
	return n;
}

/* ---- running ---- */

/* Without output; the environment is what addresses and hashes depend on. */
static void become(char **words)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	setenv("LC_ALL", "C", 1);
	setenv("PYTHONHASHSEED", "0", 1);
	execv(words[0], words);
	_exit(127);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* False: it failed. */
static bool run_once(char **words, double *user, double *system_)
{
	struct rusage usage;
	pid_t pid = fork();
	int how = 0;

	if (pid == 0)
		become(words);
	if (pid < 0)
		return false;
	while (wait4(pid, &how, 0, &usage) < 0)
		if (errno != EINTR)
			return false;
	*user = seconds_of(usage.ru_utime);
	*system_ = seconds_of(usage.ru_stime);
	return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* One of them, and the runs so far that nothing disturbed. */
struct timed {
	const struct program *program;
	size_t row; /* its number: rows move */
	char path[4096];
	double total[RUNS]; /* cycles */
	double users, sum;  /* seconds */
	size_t n, tries;
};

struct time_programs {
	const struct time_options *options;
	struct time_table *table;
	struct files files;
	struct process beside;
	struct timed timed[ARRAY_SIZE(programs)];
	size_t n;
};

/* Once more. Runs beside which another thread used the core, during which the
 * host took it away, or the clock changed, do not count, unless most are so. */
static void time_once(struct time_programs *p, struct timed *t)
{
	struct time_row *row = &p->table->rows[t->row];
	char *words[MOST_WORDS + 1];
	double before = p->table->hz, after = p->table->hz;
	bool alone = time_is_alone(&p->beside, &before);
	double stolen = time_stolen();
	double user, system_;

	t->tries++;
	fill_words(t->program, &p->files, t->path, words);
	if (!run_once(words, &user, &system_)) {
		snprintf(row->reason, sizeof(row->reason), "%s failed",
			 row->name);
		return;
	}
	alone = time_is_alone(&p->beside, &after) && alone &&
		!(time_stolen() > stolen) &&
		fabs(before - after) <= STEADY * before;
	if (!alone && RUNS - t->n <= RUNS * PATIENCE - t->tries)
		return;
	t->total[t->n++] = (user + system_) * (before + after) / 2;
	t->users += user;
	t->sum += user + system_;
}

static void say_real(struct time_programs *p, struct timed *t)
{
	struct time_row *row = &p->table->rows[t->row];

	if (t->n < RUNS)
		return;
	doubles_sort(t->total, RUNS);
	row->real = t->total[0] * t->users / t->sum;
	row->spread = t->total[RUNS / 4] / t->total[0] - 1;
	row->hz = p->table->hz;
	time_journal_add_real(p->table->journal, row);
}

/* "event,PAPI_TOT_CYC,123,...": the value, or NaN. */
static double value_of(const char *text, const char *event)
{
	char *start = str_format("\nevent,%s,", event);
	const char *at = start ? strstr(text, start) : NULL;
	double value = at ? strtod(at + strlen(start), NULL) : NAN;

	free(start);
	return value;
}

static void read_counts(const char *path, struct time_row *row)
{
	char *text = NULL;
	size_t len;

	if (file_read(path, &text, &len, NULL))
		return;
	row->cycles = value_of(text, time_events[0]);
	for (size_t i = 0; i < WAIT_COUNT; i++)
		row->wait[i] = value_of(text, time_events[i + 1]);
	free(text);
}

/* All events, as one list; to be freed. */
static char *event_list(void)
{
	struct strbuf list = { 0 };

	for (size_t i = 0; i <= WAIT_COUNT; i++)
		strbuf_addf(&list, "%s%s", i ? "," : "", time_events[i]);
	return strbuf_take(&list);
}

/* This command counts them, as a user would have it do. */
static void count_simulated(const struct time_options *options, char **words,
			    const struct files *files, struct time_row *row)
{
	char exe[4096];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *list = event_list();
	const char *model = simulator_model(options->simulator->model);
	char *argv[MOST_WORDS + 20] = {
		exe,
		(char *)"count",
		(char *)"-q",
		(char *)"--pmu=sim",
		(char *)"--counters=unlimited",
		(char *)"--format=csv",
		(char *)"--model",
		(char *)model,
		(char *)"-o",
		files->counts,
		(char *)"-e",
		list,
		(char *)"--",
	};
	double user, system_;
	size_t n = 13;

	for (size_t i = 0; words[i]; i++)
		argv[n++] = words[i];
	if (length > 0 && list) {
		exe[length] = '\0';
		if (run_once(argv, &user, &system_))
			read_counts(files->counts, row);
	}
	if (isnan(row->cycles))
		snprintf(row->reason, sizeof(row->reason),
			 "it could not be counted on the simulated PMU");
	free(list);
}

/* Whether it can be run; its row says why not. */
static bool can_run(struct time_programs *p, struct timed *t)
{
	struct time_row *row = &p->table->rows[t->row];

	if (find_program(t->program->name, t->path, sizeof(t->path)))
		return true;
	snprintf(row->reason, sizeof(row->reason), "it is not installed");
	return false;
}

static int add_rows(struct time_programs *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		struct timed *t = &p->timed[p->n];
		struct time_row *row;

		if (!time_is_wanted(p->options, programs[i].name, "program"))
			continue;
		row = time_add_row(p->table, programs[i].name, "program");
		if (!row)
			return PAPI_ENOMEM;
		time_journal_recall(p->table->journal, row);
		t->program = &programs[i];
		t->row = p->table->n - 1;
		p->n += can_run(p, t);
	}
	return 0;
}

struct time_programs *time_programs_begin(const struct console *console,
					  const struct time_options *options,
					  struct time_table *table)
{
	struct diag diag = { .text = "" };
	struct time_programs *p = calloc(1, sizeof(*p));

	if (!p) {
		say_failure(console, "out of memory");
		return NULL;
	}
	p->options = options;
	p->table = table;
	p->files = (struct files){ make_text(&diag), make_code(&diag),
				   scratch_file("time", &diag) };
	if (time_start_beside(&p->beside, &diag) || !p->files.text ||
	    !p->files.code || !p->files.counts || add_rows(p)) {
		say_error(console, "%s",
			  *diag.text ? diag.text : "out of memory");
		time_programs_end(p);
		return NULL;
	}
	return p;
}

void time_programs_end(struct time_programs *p)
{
	if (!p)
		return;
	process_end(&p->beside);
	scratch_remove(p->files.text);
	scratch_remove(p->files.code);
	scratch_remove(p->files.counts);
	free(p);
}

static bool is_to_be_timed(const struct time_programs *p, const struct timed *t)
{
	const struct time_row *row = &p->table->rows[t->row];

	return !row->is_kept && !*row->reason && t->n < RUNS;
}

/* By turns, so that what disturbs one for a while does not disturb all of its
 * runs. */
void time_programs_real(const struct console *console, struct time_programs *p)
{
	struct progress progress;

	progress_start(&progress, console, "timing", "rounds", RUNS * PATIENCE);
	for (size_t i = 0; i < RUNS * PATIENCE; i++) {
		for (size_t k = 0; k < p->n; k++)
			if (is_to_be_timed(p, &p->timed[k]) &&
			    !time_is_over(p->options, p->table,
					  &p->table->rows[p->timed[k].row]))
				time_once(p, &p->timed[k]);
		progress_step(&progress, i + 1);
	}
	progress_end(&progress);
	for (size_t k = 0; k < p->n; k++)
		say_real(p, &p->timed[k]);
}

void time_programs_simulate(const struct console *console,
			    struct time_programs *p)
{
	struct progress progress;

	progress_start(&progress, console, "simulating", "programs", p->n);
	for (size_t k = 0; k < p->n; k++) {
		struct timed *t = &p->timed[k];
		struct time_row *row = &p->table->rows[t->row];
		char *words[MOST_WORDS + 1];

		fill_words(t->program, &p->files, t->path, words);
		if (isnan(row->cycles) && !isnan(row->real) &&
		    !time_is_over(p->options, p->table, row)) {
			count_simulated(p->options, words, &p->files, row);
			time_journal_add_simulated(p->table->journal, row);
		}
		progress_step(&progress, k + 1);
	}
	progress_end(&progress);
}
