/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libmicrohttpd does HTTP, one thread a connection; here is who may ask, and
 * what goes with every answer.
 */
#include "view/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/strbuf.h"
#include "view/microhttpd.h"

#define TOKEN_BYTES  16
#define CONNECTIONS  256
#define STRANGER_S   3   /* for who has not yet shown the word */
#define IDLE_S       120 /* before a silent connection is closed */
#define STREAM_BLOCK 4096

struct serve {
	struct MHD_Daemon *daemon;
	serve_fn answer;
	void *context;
	unsigned port;
	char token[2 * TOKEN_BYTES + 1];
	char *url;
};

/* A request whose body is still coming. */
struct posting {
	struct strbuf body;
	bool too_large;
};

/* The page may run and show only itself; it says so, too, by hashes. */
static const char *const headers[][2] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'unsafe-inline'; "
	  "style-src 'unsafe-inline'; img-src data: blob:; "
	  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
	  "form-action 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cache-Control", "no-store" },
};

/* As long for a wrong word as for the right one. */
static bool is_token(const struct serve *s, const char *word)
{
	unsigned differ = 0;

	for (size_t i = 0; i < sizeof(s->token) - 1; i++) {
		differ |= (unsigned)(s->token[i] ^ *word);
		word += *word != '\0';
	}
	return differ == 0;
}

/* "127.0.0.1:80", "localhost", "[::1]:80": a tunnel may change the port. */
static bool is_here(const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost",
					     "[::1]" };

	for (size_t i = 0; host && i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(host, names[i], n) == 0 &&
		    (host[n] == '\0' || host[n] == ':'))
			return true;
	}
	return false;
}

static const char *header_of(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* A page of another place may not post here, even if it knew the word. */
static bool is_same_origin(struct MHD_Connection *c)
{
	const char *origin = header_of(c, "Origin");
	const char *host = header_of(c, "Host");

	return !origin || (strncmp(origin, "http://", 7) == 0 && host &&
			   strcmp(origin + 7, host) == 0);
}

static ssize_t read_stream(void *answer, uint64_t at, char *buffer,
			   size_t capacity)
{
	struct serve_answer *a = answer;
	ssize_t n = a->more(a->stream, buffer, capacity);

	(void)at;
	return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void end_stream(void *answer)
{
	struct serve_answer *a = answer;

	a->done(a->stream);
	free(a);
}

static struct MHD_Response *make_response(const struct serve_answer *a)
{
	struct serve_answer *copy;
	struct MHD_Response *r;

	if (!a->stream)
		return MHD_create_response_from_buffer(
			a->len, a->text ? a->text : (char *)"",
			a->borrowed || !a->text ? MHD_RESPMEM_PERSISTENT
						: MHD_RESPMEM_MUST_FREE);
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *a;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK,
					      read_stream, copy, end_stream);
	if (!r)
		free(copy);
	return r;
}

static enum MHD_Result send_answer(struct MHD_Connection *c,
				   const struct serve_answer *a)
{
	struct MHD_Response *r = make_response(a);
	enum MHD_Result result;

	if (!r) {
		if (a->stream)
			a->done(a->stream);
		else if (!a->borrowed)
			free(a->text);
		return MHD_NO;
	}
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	if (a->type)
		MHD_add_response_header(r, "Content-Type", a->type);
	result = MHD_queue_response(c, a->status, r);
	MHD_destroy_response(r);
	return result;
}

/* Collect what is posted. True once it is all there. */
static bool has_body(struct posting *p, const char *data, size_t *n)
{
	if (*n == 0)
		return true;
	if (p->body.len + *n > SERVE_BODY_MAX)
		p->too_large = true;
	else
		strbuf_addn(&p->body, data, *n);
	*n = 0;
	return false;
}

static enum MHD_Result answer_request(struct serve *s, struct MHD_Connection *c,
				      const char *url, bool posts,
				      const struct posting *p)
{
	const char *last = header_of(c, "Last-Event-ID");
	struct serve_request request = {
		.path = url + 2 + 2 * TOKEN_BYTES,
		.posts = posts,
		.body = strbuf_text(&p->body),
		.len = p->body.len,
		.last_event = last ? strtol(last, NULL, 10) : -1,
	};
	struct serve_answer a = { .status = MHD_HTTP_NOT_FOUND };

	if (p->too_large)
		a.status = MHD_HTTP_CONTENT_TOO_LARGE;
	else
		s->answer(s->context, &request, &a);
	return send_answer(c, &a);
}

/* Nothing is said to who has not the word, not even what is missing. */
static bool is_allowed(const struct serve *s, struct MHD_Connection *c,
		       const char *url)
{
	return url[0] == '/' && is_token(s, url + 1) &&
	       strlen(url) > 1 + 2 * TOKEN_BYTES &&
	       url[1 + 2 * TOKEN_BYTES] == '/' && is_here(header_of(c, "Host"));
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c,
			      const char *url, const char *method,
			      const char *version, const char *data, size_t *n,
			      void **memory)
{
	struct serve_answer refusal = { .status = MHD_HTTP_FORBIDDEN };
	struct posting *p = *memory;
	struct serve *s = context;
	bool posts = strcmp(method, "POST") == 0;

	(void)version;
	if (!p) {
		*memory = calloc(1, sizeof(*p));
		if (is_allowed(s, c, url))
			MHD_set_connection_option(c,
						  MHD_CONNECTION_OPTION_TIMEOUT,
						  (unsigned)IDLE_S);
		return *memory ? MHD_YES : MHD_NO;
	}
	if (!has_body(p, data, n))
		return MHD_YES;
	if (!is_allowed(s, c, url))
		return send_answer(c, &refusal);
	if (posts && !is_same_origin(c))
		return send_answer(c, &refusal);
	if (!posts && strcmp(method, "GET") != 0 &&
	    strcmp(method, "HEAD") != 0) {
		refusal.status = MHD_HTTP_METHOD_NOT_ALLOWED;
		return send_answer(c, &refusal);
	}
	return answer_request(s, c, url, posts, p);
}

static void forget(void *context, struct MHD_Connection *c, void **memory,
		   enum MHD_RequestTerminationCode why)
{
	struct posting *p = *memory;

	(void)context;
	(void)c;
	(void)why;
	if (p)
		strbuf_fini(&p->body);
	free(p);
	*memory = NULL;
}

static int make_token(struct serve *s)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int listen_on(struct serve *s, unsigned port)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const union MHD_DaemonInfo *info;

	s->daemon = MHD_start_daemon(
		MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD,
		0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, &here,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)STRANGER_S,
		MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
	if (!s->daemon)
		return -1;
	info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
	s->port = info ? info->port : port;
	return 0;
}

const char *serve_missing(void)
{
	return NULL;
}

int serve_open(unsigned port, serve_fn answer, void *context,
	       struct serve **out, struct diag *diag)
{
	struct serve *s = calloc(1, sizeof(*s));
	int err = 0;

	if (!s)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	s->answer = answer;
	s->context = context;
	errno = 0;
	if (!microhttpd_load())
		err = diag_fail(diag, PAPI_ENOSUPP,
				"cannot serve pages without libmicrohttpd: "
				"install it (%s), or write the page with "
				"--html",
				MICROHTTPD);
	else if (make_token(s))
		err = diag_fail(diag, PAPI_ESYS,
				"no random numbers from the system: %s",
				strerror(errno));
	else if (listen_on(s, port))
		err = diag_fail(diag, PAPI_ESYS,
				"cannot listen on port %u of 127.0.0.1: %s",
				port, strerror(errno ? errno : EADDRINUSE));
	if (!err) {
		s->url = str_format("http://127.0.0.1:%u/%s/", s->port,
				    s->token);
		if (!s->url)
			err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	}
	if (err) {
		serve_close(s);
		return err;
	}
	*out = s;
	return 0;
}

const char *serve_url(const struct serve *s)
{
	return s->url;
}

unsigned serve_port(const struct serve *s)
{
	return s->port;
}

void serve_close(struct serve *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	free(s->url);
	free(s);
}
