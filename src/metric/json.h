/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as a tree, for files of metrics; RFC 8259, up to 64 levels deep. */
#ifndef METRIC_JSON_H
#define METRIC_JSON_H

#include "base/err.h"

enum json_kind {
	JSON_NULL,
	JSON_WORD, /* true, false, a number: as written */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json {
	enum json_kind kind;
	char *key;  /* of an object's member */
	char *text; /* of a word or a string, in UTF-8 */
	struct json *items;
	size_t n;
};

/* Read @text; json_free() releases *@out. @diag has line and column. */
int json_parse(const char *text, struct json **out, struct diag *diag);
void json_free(struct json *json);

/* Member @key of an object, or NULL. */
const struct json *json_member(const struct json *json, const char *key);

/* A member's text if it is a string, or NULL. */
const char *json_text(const struct json *json, const char *key);

#endif /* METRIC_JSON_H */
