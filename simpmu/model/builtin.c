/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up the models that are compiled in. */

#include "simpmu/model/builtin.h"
#include "simpmu/model/params.h"
#include "simpmu/model/text.h"

const char *params_builtin_name(size_t i)
{
	return i < builtin_model_count ? builtin_models[i].name : NULL;
}

const char *params_builtin_text(const char *name)
{
	if (!name)
		return builtin_models[0].text;
	for (size_t i = 0; i < builtin_model_count; i++)
		if (piece_is(piece_of(name), builtin_models[i].name))
			return builtin_models[i].text;
	return NULL;
}
