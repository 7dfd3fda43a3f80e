/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address said, a browser opened, and signals kept from the server's
 * threads.
 */
#include "view/serve.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "console/console.h"

extern char **environ;

static bool has_screen(void)
{
	const char *x = getenv("DISPLAY");
	const char *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

/* What the desktop opens pages with; what it says is of no interest. */
static void open_browser(const char *url)
{
	char *argv[] = { (char *)"xdg-open", (char *)url, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
					 O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setpgroup(&attributes, 0); /* Ctrl-C is not for it */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETPGROUP);
	posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
}

/* Where only this user can read, if there is such a place. */
static const char *private_folder(void)
{
	const char *own = getenv("XDG_RUNTIME_DIR");
	const char *temporary = getenv("TMPDIR");

	if (own && *own && access(own, W_OK) == 0)
		return own;
	return temporary && *temporary ? temporary : "/tmp";
}

/*
 * A page that leads to @url, in a file that only this user can read: arguments
 * of a process are everybody's to read, and the address has the token in it.
 * Returns its path, to be freed; NULL: it could not be written.
 */
static char *write_redirect(const char *url)
{
	char *path = str_format("%s/assay-view-XXXXXX.html", private_folder());
	int fd = path ? mkostemps(path, (int)strlen(".html"), O_CLOEXEC) : -1;
	FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!to) {
		if (fd >= 0)
			close(fd);
		free(path);
		return NULL;
	}
	fprintf(to,
		"<!DOCTYPE html><meta charset=\"utf-8\"><title>assay</title>"
		"<meta http-equiv=\"refresh\" content=\"0; url=%s\">"
		"<a href=\"%s\">assay</a>\n",
		url, url);
	if (fclose(to) == 0)
		return path;
	unlink(path);
	free(path);
	return NULL;
}

/* The browser reads it when it has started, which takes its time. */
static char *redirect;

static void remove_redirect(void)
{
	if (redirect)
		unlink(redirect);
	free(redirect);
	redirect = NULL;
}

static void open_page(const char *url)
{
	remove_redirect();
	redirect = write_redirect(url);
	if (!redirect)
		return;
	atexit(remove_redirect);
	open_browser(redirect);
}

void serve_announce(const struct console *console, const struct serve *s,
		    const struct serve_options *options, FILE *to)
{
	char host[HOST_NAME_MAX + 1] = "HOST";

	gethostname(host, sizeof(host) - 1);
	fprintf(to, "%s\n", serve_url(s));
	fflush(to);
	say_note(console,
		 "open this address in a browser on this machine; from "
		 "another machine first run: ssh -L %u:127.0.0.1:%u %s",
		 serve_port(s), serve_port(s), host);
	if (!options->no_open && has_screen())
		open_page(serve_url(s));
}

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void serve_hold_signals(void)
{
	sigset_t set;

	ending_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void serve_release_signals(void)
{
	sigset_t set;

	ending_signals(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void serve_wait(void)
{
	sigset_t set;
	int got;

	ending_signals(&set);
	while (sigwait(&set, &got))
		;
}
