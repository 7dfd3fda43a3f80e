/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of serve.c, in a command that serves no pages: the static one, and
 * one that was built without libmicrohttpd.
 */
#include "view/serve.h"

#include "console/build.h"

const char *serve_missing(void)
{
	if (build_lacks())
		return "the static assay cannot serve pages: install the "
		       "package assay; 'assay view --html OUT FILE' writes "
		       "recorded data as a page";
	return "this assay was built without libmicrohttpd and cannot serve "
	       "pages; 'assay view --html OUT FILE' writes recorded data as a "
	       "page";
}

int serve_open(unsigned port, serve_fn answer, void *context,
	       struct serve **out, struct diag *diag)
{
	(void)port, (void)answer, (void)context, (void)out;
	return diag_fail(diag, PAPI_ENOSUPP, "%s", serve_missing());
}

const char *serve_url(const struct serve *s)
{
	(void)s;
	return "";
}

unsigned serve_port(const struct serve *s)
{
	(void)s;
	return 0;
}

void serve_close(struct serve *s)
{
	(void)s;
}
