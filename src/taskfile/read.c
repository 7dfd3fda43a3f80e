/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading performance files with expat. */
#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "taskfile/inside.h"
#include "taskfile/taskfile.h"

/* A section is handed over when it ends, so its parts are kept till then. */
struct reader {
	XML_Parser parser;
	const struct taskfile_sink *sink;
	const char *path;
	struct diag *diag;
	int err;
	unsigned depth;
	struct task_section section; /* strings are owned here */
	struct task_datum *data;     /* names are owned here */
	size_t n;
};

static const char *find(const XML_Char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static const char *text_of(const XML_Char **attributes, const char *name)
{
	const char *text = find(attributes, name);

	return text ? text : "";
}

/*
 * A number of up to 15 digits without an exponent, which is most of them: a
 * quotient of two numbers that a double holds exactly is rounded once, so it
 * is what strtod() says. False: anything else.
 */
static bool quick_real(const char *text, double *out)
{
	static const double tens[] = { 1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
				       1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15 };
	uint64_t digits = 0;
	unsigned n = 0, after = 0;
	bool point = false;

	for (; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || ++n > 15)
			return false;
		digits = 10 * digits + (unsigned)(*text - '0');
		after += point;
	}
	*out = (double)digits / tens[after];
	return n > 0;
}

static long double wide_in(const char *text)
{
	long double value;
	double quick;
	char *end;

	if (quick_real(text, &quick))
		return quick;
	value = strtold(text, &end);
	return end == text ? NAN : value;
}

static double real_of(const XML_Char **attributes, const char *name)
{
	return (double)wide_in(text_of(attributes, name));
}

static long integer_in(const char *text, long otherwise)
{
	char *end;
	long value = strtol(text, &end, 10);

	return end == text || *end ? otherwise : value;
}

static long integer_of(const XML_Char **attributes, const char *name,
		       long otherwise)
{
	return integer_in(text_of(attributes, name), otherwise);
}

static bool is_true(const XML_Char **attributes, const char *name,
		    bool otherwise)
{
	const char *text = find(attributes, name);

	return text ? strcmp(text, "true") == 0 : otherwise;
}

/* Stop with a sentence about the line where the parser is. */
static void refuse(struct reader *r, int code, const char *what)
{
	if (r->err)
		return;
	r->err = diag_fail(r->diag, code, "%s", what);
	if (r->diag) {
		r->diag->file = r->path;
		r->diag->line = XML_GetCurrentLineNumber(r->parser);
		r->diag->column = XML_GetCurrentColumnNumber(r->parser) + 1;
	}
	XML_StopParser(r->parser, XML_FALSE);
}

/* The sink's own refusal ends reading with its code, and its sentence. */
static void check(struct reader *r, int code)
{
	if (code == PAPI_ENOMEM) {
		refuse(r, code, "out of memory");
	} else if (code && !r->err) {
		r->err = code;
		XML_StopParser(r->parser, XML_FALSE);
	}
}

static void on_head(struct reader *r, const XML_Char **a)
{
	struct task_head head = {
		.program = text_of(a, "program"),
		.task = integer_of(a, "task", -1),
		.tasks = integer_of(a, "tasks", 1),
		.pid = integer_of(a, "pid", 0),
		.started = integer_of(a, "started", 0),
		.seconds = real_of(a, "seconds"),
		.pmu = text_of(a, "pmu"),
		.model = text_of(a, "model"),
		.complete = is_true(a, "complete", false),
	};

	if (strcmp(text_of(a, "version"), "1") != 0)
		refuse(r, PAPI_EINVAL,
		       "the file's format version is newer than this assay; "
		       "use "
		       "a newer one");
	else if (r->sink->head)
		check(r, r->sink->head(r->sink->context, &head));
}

static void on_event(struct reader *r, const XML_Char **a)
{
	struct task_event event = { text_of(a, "name"),
				    is_true(a, "counted", true),
				    text_of(a, "reason") };

	if (r->sink->event)
		check(r, r->sink->event(r->sink->context, &event));
}

static void on_overhead(struct reader *r, const XML_Char **a)
{
	struct task_overhead overhead = {
		text_of(a, "kind"),        text_of(a, "name"),
		real_of(a, "inside"),      real_of(a, "full"),
		real_of(a, "uncertainty"),
	};

	if (r->sink->overhead)
		check(r, r->sink->overhead(r->sink->context, &overhead));
}

static void on_problem(struct reader *r, const XML_Char **a)
{
	struct task_problem problem = {
		text_of(a, "what"),  integer_of(a, "id", 0),
		text_of(a, "file"),  integer_of(a, "line", 0),
		real_of(a, "count"),
	};

	if (r->sink->problem)
		check(r, r->sink->problem(r->sink->context, &problem));
}

const struct task_datum task_datum_empty = {
	.value = NAN,
	.raw = NAN,
	.correction = NAN,
	.uncertainty = NAN,
	.exclusive = NAN,
	.mean = NAN,
	.stddev = NAN,
	.min = NAN,
	.max = NAN,
	.task_n = NAN,
	.task_mean = NAN,
	.task_stddev = NAN,
	.task_min = NAN,
	.task_max = NAN,
	.min_task = -1,
	.max_task = -1,
	.formula = "",
	.unit = "",
	.verdict = "",
	.sbad = NAN,
	.sgood = NAN,
	.dbad = NAN,
	.dgood = NAN,
};

static void forget_datum(struct task_datum *datum)
{
	free((char *)datum->name);
	free((char *)datum->reason);
	if (datum->formula[0]) { /* the rest of a metric */
		free((char *)datum->formula);
		free((char *)datum->unit);
		free((char *)datum->verdict);
	}
}

static void forget_section(struct reader *r)
{
	free((char *)r->section.lid);
	free((char *)r->section.label);
	free((char *)r->section.file);
	free((char *)r->section.kind);
	while (r->n > 0)
		forget_datum(&r->data[--r->n]);
	r->section = (struct task_section){ 0 };
}

static void on_section(struct reader *r, const XML_Char **a)
{
	r->section = (struct task_section){
		.lid = strdup(text_of(a, "lid")),
		.label = strdup(text_of(a, "label")),
		.file = strdup(text_of(a, "file")),
		.kind = strdup(text_of(a, "kind")),
		.line_start = integer_of(a, "linestart", 0),
		.line_end = integer_of(a, "lineend", 0),
		.tid = integer_of(a, "tid", -1),
		.task = integer_of(a, "task", -1),
		.id = integer_of(a, "id", 0),
		.parent = integer_of(a, "parent", -1),
		.is_short = is_true(a, "short", false),
	};
	if (!r->section.lid || !r->section.label || !r->section.file ||
	    !r->section.kind)
		refuse(r, PAPI_ENOMEM, "out of memory");
}

/* The numbers of a datum, in the order they are written in. */
#define PLACE(member)                                                          \
	offsetof(struct task_datum, member),                                   \
		sizeof(((struct task_datum *)NULL)->member) > sizeof(double)

static const struct {
	const char *name;
	size_t offset; /* in struct task_datum */
	bool wide;     /* long double */
} reals[] = {
	{ "value", PLACE(value) },
	{ "raw", PLACE(raw) },
	{ "correction", PLACE(correction) },
	{ "uncertainty", PLACE(uncertainty) },
	{ "exclusive", PLACE(exclusive) },
	{ "mean", PLACE(mean) },
	{ "stddev", PLACE(stddev) },
	{ "min", PLACE(min) },
	{ "max", PLACE(max) },
	{ "taskn", PLACE(task_n) },
	{ "taskmean", PLACE(task_mean) },
	{ "taskstddev", PLACE(task_stddev) },
	{ "taskmin", PLACE(task_min) },
	{ "taskmax", PLACE(task_max) },
	{ "sbad", PLACE(sbad) },
	{ "sgood", PLACE(sgood) },
	{ "dbad", PLACE(dbad) },
	{ "dgood", PLACE(dgood) },
};

static void set_real(struct task_datum *datum, size_t i, long double value)
{
	void *place = (char *)datum + reals[i].offset;

	if (reals[i].wide)
		*(long double *)place = value;
	else
		*(double *)place = (double)value;
}

/* Which number @name is, looked for from @from on; else how many there are. */
static size_t find_real(const char *name, size_t from)
{
	for (size_t k = 0; k < ARRAY_SIZE(reals); k++) {
		size_t i = (from + k) % ARRAY_SIZE(reals);

		if (strcmp(reals[i].name, name) == 0)
			return i;
	}
	return ARRAY_SIZE(reals);
}

/* Whether @text is a whole number that 64 bits do not hold. */
static bool is_too_large(const char *text, long double value)
{
	return fabsl(value) >= 0x1p64L && !strpbrk(text, ".eEpPnN");
}

/*
 * One pass over the attributes: a file is mostly these. False if a count is
 * too large.
 */
static bool take_reals(struct task_datum *datum, const XML_Char **a)
{
	bool fits = true;
	size_t next = 0;

	for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
		set_real(datum, i, NAN);
	for (; *a; a += 2) {
		bool digit = (a[1][0] >= '0' && a[1][0] <= '9') ||
			     a[1][0] == '-' || a[1][0] == '.';
		size_t i = digit ? find_real(a[0], next) : ARRAY_SIZE(reals);
		long double value;

		if (i == ARRAY_SIZE(reals))
			continue;
		value = wide_in(a[1]);
		set_real(datum, i, value);
		fits = fits && !is_too_large(a[1], value);
		next = i + 1;
	}
	return fits;
}

/* What only metrics have. Most data are none, and copy nothing. */
static bool take_metric(struct task_datum *datum, const XML_Char **a)
{
	const char *formula = text_of(a, "formula");

	datum->formula = datum->unit = datum->verdict = "";
	datum->title = NULL;
	if (!formula[0])
		return true;
	datum->formula = strdup(formula);
	datum->unit = strdup(text_of(a, "unit"));
	datum->verdict = strdup(text_of(a, "verdict"));
	if (datum->formula && datum->unit && datum->verdict)
		return true;
	free((char *)datum->formula);
	free((char *)datum->unit);
	free((char *)datum->verdict);
	datum->formula = "";
	return false;
}

/* Most data have none. */
static bool take_reason(struct task_datum *datum, const XML_Char **a)
{
	const char *reason = find(a, "reason");

	datum->reason = reason ? strdup(reason) : NULL;
	return !reason || datum->reason;
}

static void on_datum(struct reader *r, const XML_Char **a)
{
	struct task_datum datum = {
		.name = strdup(text_of(a, "name")),
		.min_task = integer_of(a, "mintask", -1),
		.max_task = integer_of(a, "maxtask", -1),
		.shown = is_true(a, "disp", true),
	};

	if (!take_reals(&datum, a))
		refuse(r, PAPI_EINVAL, TASKFILE_TOO_LARGE);
	if (!take_metric(&datum, a) || !take_reason(&datum, a) || !datum.name ||
	    array_add(r->data, r->n, datum)) {
		forget_datum(&datum);
		refuse(r, PAPI_ENOMEM, "out of memory");
		return;
	}
}

/* Elements, and how deep they stand. */
static const struct {
	const char *name;
	unsigned depth;
	void (*begin)(struct reader *r, const XML_Char **attributes);
} elements[] = {
	{ "hpm", 0, on_head },
	{ "Event", 1, on_event },
	{ "Overhead", 1, on_overhead },
	{ "Problem", 1, on_problem },
	{ "InstrumentationPt", 1, on_section },
	{ "data", 2, on_datum },
};

static void XMLCALL on_begin(void *data, const XML_Char *name,
			     const XML_Char **attributes)
{
	struct reader *r = data;
	unsigned depth = r->depth++;

	for (size_t i = 0; i < ARRAY_SIZE(elements); i++) {
		if (elements[i].depth == depth &&
		    strcmp(elements[i].name, name) == 0) {
			elements[i].begin(r, attributes);
			return;
		}
	}
	if (depth == 0)
		refuse(r, PAPI_EINVAL,
		       "not a performance file: its first "
		       "element is not <hpm>");
	else if (depth > 8)
		refuse(r, PAPI_EINVAL, "elements are nested too deeply");
	/* what a later version may add is passed over */
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
	struct reader *r = data;

	if (--r->depth != 1 || strcmp(name, "InstrumentationPt") != 0)
		return;
	r->section.data = r->data;
	r->section.n = r->n;
	if (r->sink->section && !r->err)
		check(r, r->sink->section(r->sink->context, &r->section));
	forget_section(r);
}

static void XMLCALL on_doctype(void *data, const XML_Char *name,
			       const XML_Char *system, const XML_Char *public,
			       int internal)
{
	(void)name, (void)system, (void)public, (void)internal;
	refuse(data, PAPI_EINVAL,
	       "performance files must not contain a document type "
	       "declaration");
}

/* For the parser's own reason. */
static void refuse_text(struct reader *r)
{
	char sentence[128];

	switch (XML_GetErrorCode(r->parser)) {
	case XML_ERROR_NO_MEMORY:
		refuse(r, PAPI_ENOMEM, "out of memory");
		break;
	case XML_ERROR_NO_ELEMENTS:
	case XML_ERROR_UNCLOSED_TOKEN:
	case XML_ERROR_PARTIAL_CHAR:
		refuse(r, PAPI_EINVAL, "the file is truncated");
		break;
	default:
		snprintf(sentence, sizeof(sentence), "not valid XML: %s",
			 XML_ErrorString(XML_GetErrorCode(r->parser)));
		refuse(r, PAPI_EINVAL, sentence);
	}
}

/*
 * The parser begins a token anew with every call that did not bring its end,
 * so a call that brought none is followed by one of twice the size: what is
 * read again stays in proportion to the file, however long a token is.
 */
static void feed(struct reader *r, FILE *from)
{
	int size = 65536;
	bool last = false;

	while (!last && !r->err) {
		XML_Index before = XML_GetCurrentByteIndex(r->parser);
		char *chunk = XML_GetBuffer(r->parser, size);
		size_t n = chunk ? fread(chunk, 1, (size_t)size, from) : 0;

		last = n < (size_t)size;
		if (chunk && ferror(from))
			refuse(r, PAPI_ESYS, strerror(errno));
		else if (!chunk || XML_ParseBuffer(r->parser, (int)n, last) !=
					   XML_STATUS_OK)
			refuse_text(r);
		else if (XML_GetCurrentByteIndex(r->parser) == before &&
			 size < INT_MAX / 4)
			size *= 2;
	}
}

static int read_xml(FILE *from, const char *path,
		    const struct taskfile_sink *sink, struct diag *diag)
{
	struct reader r = { .sink = sink, .path = path, .diag = diag };

	r.parser = XML_ParserCreate(NULL);
	if (!r.parser)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_begin, on_end);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	feed(&r, from);
	forget_section(&r);
	free(r.data);
	XML_ParserFree(r.parser);
	return r.err;
}

#define BOM 0xef /* first byte of a mark before UTF-8 */

static bool is_page(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && strcmp(path + len - 5, ".html") == 0;
}

/* What a file that is neither XML nor JSON is, by its first byte. */
static int refuse_kind(int first, const char *path, struct diag *diag)
{
	size_t len = strlen(path);

	if (first == EOF)
		return diag_fail(diag, PAPI_EINVAL, "%s is empty", path);
	if (first == 0x1f && len > 6 && strcmp(path + len - 6, ".pb.gz") == 0)
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s is a pprof profile, which assay writes but "
			"does not read; record the profile as JSON: "
			"assay record -o FILE.json",
			path);
	if (first == '<')
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is an HTML page, which assay writes but "
				 "does not read; give the file it was made "
				 "from",
				 path);
	if (first == 0x1f)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is compressed; decompress it first", path);
	if (first == 0x7f)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is a program or a library, not a "
				 "performance file",
				 path);
	return diag_fail(
		diag, PAPI_EINVAL,
		"%s is not a performance file (XML) of libhpm, and not "
		"JSON of assay count or assay record",
		path);
}

int taskfile_read(FILE *from, const char *path,
		  const struct taskfile_sink *sink, struct diag *diag)
{
	int first;

	do
		first = getc(from);
	while (first == ' ' || first == '\n' || first == '\t');
	if (ferror(from))
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	if ((first != '{' && first != '<' && first != BOM) ||
	    (first == '<' && is_page(path)))
		return refuse_kind(first, path, diag);
	ungetc(first, from);
	if (first == '{')
		return regions_read(from, path, sink, diag);
	return read_xml(from, path, sink, diag);
}

int taskfile_load(const char *path, const struct taskfile_sink *sink,
		  struct diag *diag)
{
	FILE *from = fopen(path, "re");
	int err;

	if (!from)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", path,
				 strerror(errno));
	err = taskfile_read(from, path, sink, diag);
	fclose(from);
	return err;
}
