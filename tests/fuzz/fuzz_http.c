/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes sent to the server of `assay view` and `assay live`. "WORD" in them
 * stands for the random word of its address; without it nothing but a refusal
 * may come back. Even inputs ask the one, odd ones the other.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>
#include <sys/socket.h>

/* Its server is made here, with no page: fuzzers are built without one. */
#include "view/viewer.c"

#include "tests/fuzz/input.h"
#include "view/live.h"

#define PLACE "WORD"

static struct {
	struct serve *serve;
	const char *word; /* in its address */
	size_t len;
} servers[2];

static struct view view;
static struct live_buffer live;

static void open_one(size_t i, serve_fn answer, void *context)
{
	struct diag diag = { 0 };

	if (serve_open(0, answer, context, &servers[i].serve, &diag))
		abort();
	servers[i].word = strchr(serve_url(servers[i].serve) + 7, '/') + 1;
	servers[i].len = strcspn(servers[i].word, "/");
}

static void open_both(void)
{
	char folder[] = "/tmp/assay-fuzz-http-XXXXXX";
	static char page[] = "page";
	static struct view_server server = { .view = &view, .page = page };

	/* What is posted is written where the server was started. */
	if (!mkdtemp(folder) || chdir(folder) || view_complete(&view) ||
	    live_buffer_init(&live, "program", 0.1))
		abort();
	live_buffer_close(&live); /* so that its streams end */
	open_one(0, view_answer, &server);
	open_one(1, live_answer, &live);
}

/* @data with the word in its place, to be freed. */
static char *compose(size_t which, const uint8_t *data, size_t size,
		     size_t *len)
{
	char *text = malloc(size / (sizeof(PLACE) - 1) * servers[which].len +
			    size + 1);

	*len = 0;
	for (size_t i = 0; i < size;) {
		if (size - i >= sizeof(PLACE) - 1 &&
		    memcmp(data + i, PLACE, sizeof(PLACE) - 1) == 0) {
			memcpy(text + *len, servers[which].word,
			       servers[which].len);
			*len += servers[which].len;
			i += sizeof(PLACE) - 1;
		} else {
			text[(*len)++] = (char)data[i++];
		}
	}
	return text;
}

/* Send all, say that this was all, and read what comes until the end. */
static size_t ask(size_t which, const char *text, size_t len, char *head,
		  size_t room)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)serve_port(servers[which].serve)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct linger now = { .l_onoff = 1 }; /* no ports kept waiting */
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char rest[4096];
	size_t got = 0;
	ssize_t n;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		abort();
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (send(fd, text, len, MSG_NOSIGNAL) >= 0)
		shutdown(fd, SHUT_WR);
	while (got < room && (n = read(fd, head + got, room - got)) > 0)
		got += (size_t)n;
	while (got == room && read(fd, rest, sizeof(rest)) > 0)
		;
	close(fd);
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char head[64] = { 0 };
	size_t which = size % 2, len, got;
	char *text;

	if (!servers[0].serve)
		open_both();
	text = compose(which, data, size, &len);
	got = ask(which, text, len, head, sizeof(head) - 1);
	if (got > 12 && memcmp(head, "HTTP/1.", 7) == 0 && head[9] == '2')
		assert(memmem(text, len, servers[which].word,
			      servers[which].len) ||
		       memchr(text, '%', len));
	free(text);
	return 0;
}
