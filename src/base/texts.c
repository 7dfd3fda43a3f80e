/* SPDX-License-Identifier: BSD-3-Clause */
/* Many texts with one owner; what they belong to is the caller's. */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *texts_take(struct texts *texts, char *text)
{
	if (text && !array_add(texts->list, texts->n, text))
		return text;
	texts->failed = true;
	free(text);
	return "";
}

const char *texts_copy(struct texts *texts, const char *text)
{
	return text ? texts_take(texts, strdup(text)) : NULL;
}

int texts_error(const struct texts *texts)
{
	return texts->failed ? PAPI_ENOMEM : 0;
}

void texts_fini(struct texts *texts)
{
	while (texts->n > 0)
		free(texts->list[--texts->n]);
	free(texts->list);
	*texts = (struct texts){ 0 };
}
