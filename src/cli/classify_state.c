/* SPDX-License-Identifier: BSD-3-Clause */
/* The last classification of this machine, kept for `assay explain`. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/tree.h"
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

/* The event's name as asked for may lack the component's before it. */
static bool is_called(const struct tree *event, const char *name)
{
	const char *full = tree_text(event, "name");
	const char *colons = full ? strstr(full, "::") : NULL;

	return full && (strcmp(full, name) == 0 ||
			(colons && strcmp(colons + 2, name) == 0));
}

/* "BR_COND: conditional branches retired (sure: 1.0000)" */
static char *sentence(const struct tree *event)
{
	const char *class = tree_text(event, "class");
	const char *text = tree_text(event, "description");
	const char *formula = tree_text(event, "formula");
	double sure = tree_number(tree_member(event, "confidence"));
	struct strbuf sb = { 0 };

	strbuf_add(&sb, class ? class : "unclassified");
	if (text)
		strbuf_addf(&sb, ": %s", text);
	else if (formula)
		strbuf_addf(&sb, " = %s", formula);
	if (!isnan(sure))
		strbuf_addf(&sb, " (sure: %.4f)", sure);
	return strbuf_take(&sb);
}

char *classify_recall(const char *model, const char *name)
{
	char file[96], *path, *text = NULL, *found = NULL;
	const struct tree *events;
	struct tree *root = NULL;
	size_t len;

	name_state(model, file, sizeof(file));
	path = state_path(file);
	if (!path || file_read(path, &text, &len, NULL)) {
		free(path);
		return NULL;
	}
	free(path);
	if (tree_parse(text, &root, NULL) == 0) {
		events = tree_member(root, "events");
		for (size_t i = 0; events && !found && i < events->n; i++)
			if (is_called(&events->items[i], name))
				found = sentence(&events->items[i]);
	}
	free(text);
	tree_free(root);
	return found;
}
