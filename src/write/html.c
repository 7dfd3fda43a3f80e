/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The viewer's page with data put into it, and the parts of a report as calls.
 */
#include "write/html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "write/page_files.h"
#include "write/xml.h"

/* Marks in the page; viewer/bundle.mjs puts each there once. */
#define MARK_CONNECT "@CONNECT@"
#define MARK_TITLE   "@TITLE@"
#define MARK_DATA    "@DATA@"

const char *html_missing(void)
{
	if (page_files[0].text[0])
		return NULL;
	return "this assay was built without its viewer, which needs Node and "
	       "npm at build time";
}

/* The page up to @mark, from *@at, which is then behind it. */
static bool put_until(const char **at, const char *mark, FILE *to)
{
	const char *end = strstr(*at, mark);

	if (!end)
		return false;
	fwrite(*at, 1, (size_t)(end - *at), to);
	*at = end + strlen(mark);
	return true;
}

int html_begin(const char *title, enum html_reader reader, FILE *to)
{
	const char *at = page_files[0].text;

	if (html_missing() || !put_until(&at, MARK_CONNECT, to))
		return PAPI_ENOSUPP;
	fputs(reader == HTML_SERVED ? "'self'" : "'none'", to);
	if (!put_until(&at, MARK_TITLE, to))
		return PAPI_ENOSUPP;
	xml_put_text(title, to);
	if (!put_until(&at, MARK_DATA, to))
		return PAPI_ENOSUPP;
	return ferror(to) ? PAPI_ESYS : 0;
}

/*
 * In JSON '<' stands only inside strings, where it can be written otherwise:
 * so no text, whatever it holds, ends the element it stands in.
 */
static void put_json(const char *json, size_t len, FILE *to)
{
	const char *end = json + len;

	while (json < end) {
		const char *next = memchr(json, '<', (size_t)(end - json));

		if (!next)
			next = end;
		fwrite(json, 1, (size_t)(next - json), to);
		if (next < end)
			fputs("\\u003c", to);
		json = next + 1;
	}
}

void html_block(const char *id, const char *kind, const char *json, size_t len,
		FILE *to)
{
	fputs("<script type=\"application/json\" id=\"", to);
	xml_put_attribute(id, to);
	fputs("\" data-kind=\"", to);
	xml_put_attribute(kind, to);
	fputs("\">", to);
	put_json(json, len, to);
	fputs("</script>\n", to);
}

int html_end(FILE *to)
{
	const char *rest = strstr(page_files[0].text, MARK_DATA);

	if (!rest)
		return PAPI_ENOSUPP;
	fputs(rest + strlen(MARK_DATA), to);
	return ferror(to) ? PAPI_ESYS : 0;
}

int html_write(const char *kind, const char *json, FILE *to)
{
	int err = html_begin("assay", HTML_FROM_DISK, to);

	if (err == PAPI_ENOSUPP)
		errno = ENOTSUP; /* for who says why a file was not written */
	if (err)
		return err;
	html_block("data", kind, json, strlen(json), to);
	return html_end(to);
}

int html_report_open(struct html_report *r, const char *title,
		     const char *subtitle)
{
	*r = (struct html_report){ 0 };
	if (memfile_open(&r->file))
		return PAPI_ENOMEM;
	json_init(&r->json, r->file.to);
	json_object(&r->json, NULL);
	json_string(&r->json, "title", title);
	json_string(&r->json, "subtitle", subtitle);
	return 0;
}

int html_report_close(struct html_report *r, FILE *page)
{
	int err;

	json_end_object(&r->json);
	json_finish(&r->json); /* what failed is known when it is closed */
	err = memfile_close(&r->file);
	if (!err)
		err = html_write("report", r->file.text, page);
	free(r->file.text);
	return err;
}

void html_report_fact(struct html_report *r, const char *name,
		      const char *value)
{
	json_row_of(&r->json, NULL, "name %s, value %s", name, value);
}

void html_report_part(struct html_report *r, const char *kind,
		      const char *title)
{
	json_object(&r->json, NULL);
	json_string(&r->json, "kind", kind);
	json_string(&r->json, "title", title);
}

static void put_column(struct json *j, const char *name, const char *kind,
		       bool more)
{
	json_row(j, NULL);
	json_string(j, "name", name);
	json_string(j, "kind", kind);
	if (more)
		json_bool(j, "more", true);
	json_end_object(j);
}

void html_report_column(struct html_report *r, const char *name,
			const char *kind)
{
	put_column(&r->json, name, kind, false);
}

void html_report_more(struct html_report *r, const char *name, const char *kind)
{
	put_column(&r->json, name, kind, true);
}

void html_report_columns(struct html_report *r, ...)
{
	const char *name;
	va_list columns;

	va_start(columns, r);
	json_array(&r->json, "columns");
	while ((name = va_arg(columns, const char *)))
		html_report_column(r, name, va_arg(columns, const char *));
	va_end(columns);
}

void html_report_rows(struct html_report *r)
{
	json_end_array(&r->json);
	json_array(&r->json, "rows");
}

void html_report_end(struct html_report *r)
{
	json_end_array(&r->json);
	json_end_object(&r->json);
}

void html_report_axis(struct html_report *r, const char *axis,
		      const char *label, bool log)
{
	json_row_of(&r->json, axis, "label %s, log %d", label, log);
}

void html_report_series(struct html_report *r, const char *name,
			const char *style, const double *x, const double *y,
			size_t n)
{
	json_row(&r->json, NULL);
	json_string(&r->json, "name", name);
	json_string(&r->json, "style", style);
	json_numbers(&r->json, "x", x, n);
	json_numbers(&r->json, "y", y, n);
	json_end_object(&r->json);
}

void html_report_lead(struct html_report *r, struct strbuf *lead)
{
	json_string(&r->json, "lead", strbuf_text(lead));
	strbuf_fini(lead);
}
