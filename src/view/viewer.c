/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the page of a view asks for. Requests name things by number, never by
 * path, so that there is nothing to traverse.
 */
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memfile.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "write/html.h"
#include "write/json.h"

#define MOST_PATCHES 1000

struct view_server {
	const struct view *view;
	struct memfile page; /* made once */
};

static int put_page(const struct view *v, FILE *to)
{
	struct memfile json;
	int err = memfile_open(&json);

	if (err)
		return err;
	err = view_write_json(v, json.to);
	if (memfile_close(&json))
		err = PAPI_ENOMEM;
	if (!err)
		err = html_begin(view_title(v), HTML_SERVED, to);
	if (!err) {
		html_block("data", "sections", json.text, json.len, to);
		err = html_end(to);
	}
	free(json.text);
	return err;
}

int view_server_new(const struct view *v, struct view_server **out)
{
	struct view_server *server = calloc(1, sizeof(*server));
	int err;

	if (!server || memfile_open(&server->page)) {
		free(server);
		return PAPI_ENOMEM;
	}
	server->view = v;
	err = put_page(v, server->page.to);
	if (memfile_close(&server->page))
		err = PAPI_ENOMEM;
	if (err) {
		view_server_free(server);
		return err;
	}
	*out = server;
	return 0;
}

void view_server_free(struct view_server *server)
{
	if (!server)
		return;
	free(server->page.text);
	free(server);
}

/* "rows/0/3": whether @path is @word and just @n numbers below their bounds. */
static bool parse(const char *path, const char *word, size_t n, size_t *numbers)
{
	size_t len = strlen(word);

	if (strncmp(path, word, len) != 0)
		return false;
	path += len;
	for (size_t i = 0; i < n; i++) {
		char *end;

		if (path[0] != '/' || path[1] < '0' || path[1] > '9')
			return false;
		errno = 0;
		numbers[i] = strtoul(path + 1, &end, 10);
		if (errno)
			return false;
		path = end;
	}
	return *path == '\0';
}

static int put_block(const struct view *v, const char *path, FILE *to)
{
	size_t at[2];

	if (parse(path, "rows", 2, at) && at[0] < v->n_runs &&
	    at[1] < v->runs[at[0]]->n_sections)
		return view_write_rows(v, at[0], at[1], to);
	if (parse(path, "source", 1, at) && at[0] < v->n_sources)
		return view_write_source(v, at[0], to);
	if (parse(path, "profile", 1, at) && at[0] < v->n_profiles)
		return view_write_profile(v, at[0], to);
	if (parse(path, "assembly", 1, at) && at[0] < v->n_profiles)
		return view_write_assembly(v, at[0], to);
	return PAPI_EINVAL;
}

static void answer_block(const struct view *v, const char *path,
			 struct serve_answer *answer)
{
	struct memfile file;
	int err;

	if (memfile_open(&file))
		return;
	err = put_block(v, path, file.to);
	if (memfile_close(&file) || err) {
		free(file.text);
		return;
	}
	*answer = (struct serve_answer){
		.status = 200,
		.type = "application/json",
		.text = file.text,
		.len = file.len,
	};
}

/*
 * Patches. A new file where the command runs, whose name is chosen here: what
 * is there already is never written to.
 */

static int open_new(char **path)
{
	for (int i = 1; i <= MOST_PATCHES; i++) {
		int fd;

		*path = str_format("assay-section-%d.patch", i);
		if (!*path)
			return -1;
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd;
		free(*path);
		*path = NULL;
	}
	return -1;
}

static bool write_patch(const char *text, size_t len, char **path)
{
	int fd = open_new(path);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	bool written;

	if (!to) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	written = fwrite(text, 1, len, to) == len;
	return fclose(to) == 0 && written;
}

static void answer_patch(const struct serve_request *request,
			 struct serve_answer *answer)
{
	struct memfile file;
	OWNED char *path = NULL;
	struct json j;

	if (strncmp(request->body, "--- a/", 6) != 0) {
		answer->status = 400;
		return;
	}
	answer->status = 500;
	if (memfile_open(&file))
		return;
	if (write_patch(request->body, request->len, &path)) {
		json_init(&j, file.to);
		json_object(&j, NULL);
		json_string(&j, "path", path);
		json_end_object(&j);
		json_finish(&j);
		answer->status = 200;
	}
	if (memfile_close(&file)) /* the patch is there all the same */
		answer->status = 500;
	answer->type = "application/json";
	answer->text = file.text;
	answer->len = file.len;
}

void view_answer(void *view_server, const struct serve_request *request,
		 struct serve_answer *answer)
{
	struct view_server *server = view_server;

	if (request->posts) {
		if (strcmp(request->path, "patch") == 0)
			answer_patch(request, answer);
		return;
	}
	if (request->path[0]) {
		answer_block(server->view, request->path, answer);
		return;
	}
	*answer = (struct serve_answer){
		.status = 200,
		.type = "text/html; charset=utf-8",
		.text = server->page.text,
		.len = server->page.len,
		.borrowed = true,
	};
}

int view_serve(const struct console *console, const struct view *v,
	       const struct serve_options *options)
{
	struct view_server *server;
	struct diag diag = { 0 };
	struct serve *s;

	if (view_server_new(v, &server))
		return say_no_memory(console);
	serve_hold_signals();
	if (serve_open(options->port, view_answer, server, &s, &diag)) {
		say_error(console, "%s", diag.text);
		view_server_free(server);
		return CMD_FAILED;
	}
	serve_announce(console, s, options, stdout);
	serve_wait();
	serve_close(s);
	view_server_free(server);
	return CMD_OK;
}
