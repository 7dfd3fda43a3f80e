/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is answered by the server, and who is not. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "view/serve.h"

struct told {
	struct serve *serve;
	char word[64]; /* of the address */
};

static void answer(void *context, const struct serve_request *request,
		   struct serve_answer *a)
{
	(void)context;
	if (strcmp(request->path, "page") != 0)
		return;
	*a = (struct serve_answer){
		.status = 200,
		.type = "text/plain",
		.text = request->posts ? strdup(request->body) : strdup("page"),
		.len = request->posts ? request->len : 4,
	};
}

static int open_server(void **state)
{
	struct told *t = calloc(1, sizeof(*t));
	const char *word;

	*state = t;
	if (!t || serve_open(0, answer, NULL, &t->serve, NULL))
		return -1;
	word = strchr(serve_url(t->serve) + 7, '/') + 1;
	snprintf(t->word, sizeof(t->word), "%.*s", (int)strcspn(word, "/"),
		 word);
	return 0;
}

static int close_server(void **state)
{
	struct told *t = *state;

	serve_close(t->serve);
	free(t);
	return 0;
}

/* Send @text; the status of the answer, and all of it in @got. */
static int ask(const struct told *t, const char *text, char *got, size_t room)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)serve_port(t->serve)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t len = 0;
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	while (len + 1 < room && (n = read(fd, got + len, room - 1 - len)) > 0)
		len += (size_t)n;
	got[len] = '\0';
	close(fd);
	return len > 12 ? atoi(got + 9) : 0;
}

static int get(const struct told *t, const char *path, const char *host)
{
	char *text = str_format("GET %s HTTP/1.1\r\nHost: %s\r\n"
				"Connection: close\r\n\r\n",
				path, host);
	char got[4096];
	int status = ask(t, text, got, sizeof(got));

	free(text);
	/* whoever is refused learns nothing */
	if (status == 403)
		assert_null(strstr(got, "page"));
	return status;
}

static void test_the_word_opens(void **state)
{
	struct told *t = *state;
	char *path = str_format("/%s/page", t->word);

	assert_int_equal(get(t, path, "127.0.0.1"), 200);
	assert_int_equal(get(t, path, "localhost:9"), 200);
	free(path);
}

static void test_nothing_is_answered_without_the_word(void **state)
{
	struct told *t = *state;
	char almost[64], *path;

	assert_int_equal(get(t, "/", "127.0.0.1"), 403);
	assert_int_equal(get(t, "/page", "127.0.0.1"), 403);
	assert_int_equal(get(t, "//page", "127.0.0.1"), 403);
	assert_int_equal(get(t, "/favicon.ico", "127.0.0.1"), 403);
	memcpy(almost, t->word, sizeof(almost));
	almost[31] = almost[31] == '0' ? '1' : '0';
	path = str_format("/%s/page", almost);
	assert_int_equal(get(t, path, "127.0.0.1"), 403);
	free(path);
	path = str_format("/%.31s/page", t->word);
	assert_int_equal(get(t, path, "127.0.0.1"), 403);
	free(path);
	path = str_format("/%sx/page", t->word);
	assert_int_equal(get(t, path, "127.0.0.1"), 403);
	free(path);
	path = str_format("/x/../%s/page", t->word);
	assert_int_equal(get(t, path, "127.0.0.1"), 403);
	free(path);
}

static void test_other_names_of_this_machine_are_refused(void **state)
{
	struct told *t = *state;
	char *path = str_format("/%s/page", t->word);

	assert_int_equal(get(t, path, "evil.example"), 403);
	assert_int_equal(get(t, path, "127.0.0.1.evil.example"), 403);
	assert_int_equal(get(t, path, "localhost.evil.example:80"), 403);
	free(path);
}

static int post(const struct told *t, const char *origin, size_t bytes,
		char *got, size_t room)
{
	char *head = str_format("POST /%s/page HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				"%sContent-Length: %zu\r\n"
				"Connection: close\r\n\r\n",
				t->word, origin, bytes);
	char *text = calloc(1, strlen(head) + bytes + 1);
	int status;

	strcpy(text, head);
	memset(text + strlen(head), 'b', bytes);
	status = ask(t, text, got, room);
	free(head);
	free(text);
	return status;
}

static void test_only_the_page_itself_may_post(void **state)
{
	struct told *t = *state;
	char got[4096];

	assert_int_equal(post(t, "", 3, got, sizeof(got)), 200);
	assert_non_null(strstr(got, "\r\n\r\nbbb"));
	assert_int_equal(
		post(t, "Origin: http://127.0.0.1\r\n", 3, got, sizeof(got)),
		200);
	assert_int_equal(
		post(t, "Origin: http://evil.example\r\n", 3, got, sizeof(got)),
		403);
}

static void test_what_is_posted_is_limited(void **state)
{
	char got[4096];

	assert_int_equal(post(*state, "", SERVE_BODY_MAX + 1, got, sizeof(got)),
			 413);
}

static void test_every_answer_forbids_other_places(void **state)
{
	struct told *t = *state;
	char *text = str_format("GET /%s/page HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				"Connection: close\r\n\r\n",
				t->word);
	char got[4096];

	assert_int_equal(ask(t, text, got, sizeof(got)), 200);
	assert_non_null(strstr(got, "default-src 'none'"));
	assert_non_null(strstr(got, "nosniff"));
	assert_non_null(strstr(got, "no-referrer"));
	free(text);
}

static void test_no_two_servers_have_one_word(void **state)
{
	struct told *t = *state;
	struct serve *other;

	assert_int_equal(serve_open(0, answer, NULL, &other, NULL), 0);
	assert_null(strstr(serve_url(other), t->word));
	serve_close(other);
}

static void test_a_taken_port_is_said(void **state)
{
	struct told *t = *state;
	struct serve *other;
	struct diag diag = { 0 };

	assert_int_not_equal(
		serve_open(serve_port(t->serve), answer, NULL, &other, &diag),
		0);
	assert_non_null(strstr(diag.text, "cannot listen"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_word_opens),
		cmocka_unit_test(test_nothing_is_answered_without_the_word),
		cmocka_unit_test(test_other_names_of_this_machine_are_refused),
		cmocka_unit_test(test_only_the_page_itself_may_post),
		cmocka_unit_test(test_what_is_posted_is_limited),
		cmocka_unit_test(test_every_answer_forbids_other_places),
		cmocka_unit_test(test_no_two_servers_have_one_word),
		cmocka_unit_test(test_a_taken_port_is_said),
	};

	if (serve_missing()) {
		puts(serve_missing());
		return 77;
	}
	return cmocka_run_group_tests(tests, open_server, close_server);
}
