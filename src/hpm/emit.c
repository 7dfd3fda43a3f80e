/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text, numbers and XML characters through a buffer that the caller has. What
 * is written is left to file.c.
 */
#include "hpm/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/utf8.h"

static void fail(struct emit *e)
{
	if (!e->failed)
		e->error = errno;
	e->failed = true;
}

/* A new file without a name in the folder of @path; -1 if there is no way. */
static int open_unnamed(const char *path)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');

	if (slash) {
		size_t length = slash == path ? 1 : (size_t)(slash - path);

		memcpy(folder, path, length);
		folder[length] = 0;
	}
	return open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

int emit_open(struct emit *e, const char *path)
{
	size_t length = strlen(path);

	e->failed = e->attached = e->hurried = false;
	e->n = 0;
	if (length >= sizeof(e->path)) {
		e->error = ENAMETOOLONG;
		return PAPI_ESYS;
	}
	memcpy(e->path, path, length + 1);
	snprintf(e->temporary, sizeof(e->temporary), "%s.%d.tmp", e->path,
		 (int)getpid());
	e->fd = open_unnamed(path);
	e->unnamed = e->fd >= 0;
	if (!e->unnamed)
		e->fd = open(e->temporary,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	e->error = errno;
	return e->fd < 0 ? PAPI_ESYS : 0;
}

void emit_attach(struct emit *e, int fd)
{
	e->fd = fd;
	e->failed = e->unnamed = false;
	e->attached = true;
	e->n = 0;
}

static void flush(struct emit *e)
{
	size_t done = 0;

	while (done < e->n && !e->failed) {
		ssize_t n = write(e->fd, e->buffer + done, e->n - done);

		if (n < 0 && errno != EINTR)
			fail(e);
		else if (n > 0)
			done += (size_t)n;
	}
	e->n = 0;
}

static void emit_bytes(struct emit *e, const char *text, size_t n)
{
	while (n > 0 && !e->failed) {
		size_t part = sizeof(e->buffer) - e->n;

		if (part > n)
			part = n;
		memcpy(e->buffer + e->n, text, part);
		e->n += part;
		text += part;
		n -= part;
		if (e->n == sizeof(e->buffer))
			flush(e);
	}
}

void emit_text(struct emit *e, const char *text)
{
	emit_bytes(e, text, strlen(text));
}

void emit_xml(struct emit *e, const char *text)
{
	static const struct {
		char character;
		const char *escape;
	} escapes[] = {
		{ '&', "&amp;" },  { '<', "&lt;" },   { '>', "&gt;" },
		{ '"', "&quot;" }, { '\n', "&#10;" }, { '\t', "&#9;" },
	};

	for (size_t n; *text; text += n ? n : 1) {
		const char *escape = NULL;

		n = utf8_length(text);

		for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
			if (escapes[i].character == *text)
				escape = escapes[i].escape;
		if (escape)
			emit_text(e, escape);
		else if (n == 0 || (unsigned char)*text < 0x20)
			emit_text(e, "?"); /* no XML 1.0 character */
		else
			emit_bytes(e, text, n);
	}
}

void emit_integer(struct emit *e, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[21];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (value < 0)
		digits[--at] = '-';
	emit_bytes(e, digits + at, sizeof(digits) - at);
}

void emit_real(struct emit *e, double value, int digits)
{
	double scale = pow(10, digits);
	double scaled = round(fabs(value) * scale);
	char fraction[20];
	int64_t part;

	if (isnan(value))
		return;
	if (!(scaled < 9e18)) { /* too large to have digits after the point */
		emit_integer(e, fabs(value) < 9e18 ? (int64_t)value
				: value > 0        ? INT64_MAX
						   : INT64_MIN);
		return;
	}
	if (value < 0 && scaled > 0)
		emit_text(e, "-");
	emit_integer(e, (int64_t)scaled / (int64_t)scale);
	part = (int64_t)scaled % (int64_t)scale;
	fraction[0] = '.';
	for (int i = digits; i > 0; i--) {
		fraction[i] = (char)('0' + part % 10);
		part /= 10;
	}
	if (digits > 0)
		emit_bytes(e, fraction, (size_t)digits + 1);
}

/* Give the whole file the temporary name. */
static void name_file(struct emit *e)
{
	char own[32];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", e->fd);
	unlink(e->temporary); /* of a process that had our number */
	if (linkat(AT_FDCWD, own, AT_FDCWD, e->temporary, AT_SYMLINK_FOLLOW))
		fail(e);
}

int emit_close(struct emit *e)
{
	flush(e);
	if (e->attached)
		return e->failed ? PAPI_ESYS : 0;
	if (!e->hurried && fsync(e->fd) && errno != EINVAL)
		fail(e);
	if (e->unnamed && !e->failed)
		name_file(e);
	if (close(e->fd))
		fail(e);
	if (!e->failed && rename(e->temporary, e->path))
		fail(e);
	if (!e->failed)
		return 0;
	unlink(e->temporary);
	return PAPI_ESYS;
}
