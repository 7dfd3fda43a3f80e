/* SPDX-License-Identifier: BSD-3-Clause */
/* The last classification of this machine, kept for `assay explain`. */

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/classify.h"
#include "cli/state.h"

/* "classify-sim-icx.json" */
static void name_state(const char *model, char *name, size_t room)
{
	snprintf(name, room, "classify-%s.json", model);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
}

int classify_remember(const struct classified *d)
{
	char name[96];

	name_state(d->model, name, sizeof(name));
	return state_write(name, classify_write_json, d);
}

static const char *text_of(const cJSON *object, const char *member)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* The event's name as asked for may lack the component's before it. */
static bool is_called(const cJSON *event, const char *name)
{
	const char *full = text_of(event, "name");
	const char *colons = full ? strstr(full, "::") : NULL;

	return full && (strcmp(full, name) == 0 ||
			(colons && strcmp(colons + 2, name) == 0));
}

/* "BR_COND: conditional branches retired (sure: 1.0000)" */
static char *sentence(const cJSON *event)
{
	const char *class = text_of(event, "class");
	const char *text = text_of(event, "description");
	const char *formula = text_of(event, "formula");
	const cJSON *sure =
		cJSON_GetObjectItemCaseSensitive(event, "confidence");
	struct strbuf sb = { 0 };

	strbuf_add(&sb, class ? class : "unclassified");
	if (text)
		strbuf_addf(&sb, ": %s", text);
	else if (formula)
		strbuf_addf(&sb, " = %s", formula);
	if (cJSON_IsNumber(sure))
		strbuf_addf(&sb, " (sure: %.4f)", sure->valuedouble);
	return strbuf_take(&sb);
}

char *classify_recall(const char *model, const char *name)
{
	char file[96], *path, *text = NULL, *found = NULL;
	const cJSON *event;
	size_t len;
	cJSON *json;

	name_state(model, file, sizeof(file));
	path = state_path(file);
	if (!path || file_read(path, &text, &len, NULL)) {
		free(path);
		return NULL;
	}
	free(path);
	json = cJSON_ParseWithLength(text, len);
	free(text);
	cJSON_ArrayForEach(event, cJSON_GetObjectItem(json, "events"))
	{
		if (!is_called(event, name))
			continue;
		found = sentence(event);
		break;
	}
	cJSON_Delete(json);
	return found;
}
