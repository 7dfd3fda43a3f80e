/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages for a browser on this machine, or at the end of a tunnel to it.
 *
 * The server listens on 127.0.0.1 alone. Its address has a random word in it,
 * without which nothing is answered: other users of the machine can reach the
 * port, but not guess the word. Requests whose Host is not this machine are
 * refused, so that no name that a web page controls leads here.
 */
#ifndef VIEW_SERVE_H
#define VIEW_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct serve_request {
	const char *path; /* what follows the word and its slash; may be "" */
	bool posts;       /* else it reads */
	const char *body; /* of a posting one; NUL-terminated */
	size_t len;
	long last_event; /* Last-Event-ID of a stream that comes back, or -1 */
};

/*
 * An answer: text, or a stream of which more() gives the next bytes (it may
 * wait for them; 0 asks again, negative is the end) and done() frees it.
 */
struct serve_answer {
	unsigned status;
	const char *type;
	char *text; /* to be freed by the server, unless borrowed */
	size_t len;
	bool borrowed;
	void *stream;
	ssize_t (*more)(void *stream, char *buffer, size_t room);
	void (*done)(void *stream);
};

/*
 * Fills in an answer whose status is 404 at first. Called from several threads
 * at once.
 */
typedef void (*serve_fn)(void *context, const struct serve_request *request,
			 struct serve_answer *answer);

struct serve;

/* Why this command cannot serve pages; NULL: it can. */
const char *serve_missing(void);

#define SERVE_BODY_MAX ((size_t)1 << 20) /* of what is posted */

/*
 * Listen on @port, 0 for any that is free. PAPI_ESYS with a sentence if that
 * is not possible.
 */
int serve_open(unsigned port, serve_fn answer, void *context,
	       struct serve **out, struct diag *diag);

/* "http://127.0.0.1:PORT/WORD/"; borrowed. */
const char *serve_url(const struct serve *s);
unsigned serve_port(const struct serve *s);

/* End all connections. Streams must be told before that they are to end. */
void serve_close(struct serve *s);

#endif /* VIEW_SERVE_H */
