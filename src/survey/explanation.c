/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding out about an event through PAPI's calls. Aliases are not a table:
 * they are the presets and native events that turn out to be the same count.
 */

#include "survey/explanation.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "measure/session.h"

static int names_add(struct names *list, const char *name)
{
	char *copy;

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return 0;
	if (array_grow(&list->items, list->n, sizeof(*list->items)))
		return PAPI_ENOMEM;
	copy = strdup(name);
	if (!copy)
		return PAPI_ENOMEM;
	list->items[list->n++] = copy;
	return 0;
}

static void names_fini(struct names *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
}

/* Native events of @info, also where they cannot be counted here. */
static size_t count_natives(const PAPI_event_info_t *info)
{
	size_t n = 0;

	while (n < PAPI_MAX_INFO_TERMS && *info->name[n])
		n++;
	return n;
}

static bool has_native(const PAPI_event_info_t *info, const char *name)
{
	for (size_t i = 0; i < count_natives(info); i++)
		if (strcmp(info->name[i], name) == 0)
			return true;
	return false;
}

/* What PAPI calls the kinds that are one native event and no more. */
static bool is_plain(const PAPI_event_info_t *info)
{
	return count_natives(info) == 1 &&
	       (!*info->derived || strcmp(info->derived, "NOT_DERIVED") == 0 ||
		strcmp(info->derived, "DERIVED_CMPD") == 0);
}

/*
 * The formula with names for N0, N1, ...: "perf::A|perf::B|+|" is what PAPI
 * calls postfix. Sums and differences have none and are written out.
 */
static int write_formula(const PAPI_event_info_t *info, char **out)
{
	struct strbuf text = { 0 };
	const char *sign =
		strcmp(info->derived, "DERIVED_SUB") == 0 ? " - " : " + ";
	size_t n = count_natives(info);
	bool sum = strcmp(info->derived, "DERIVED_SUB") == 0 ||
		   strcmp(info->derived, "DERIVED_ADD") == 0;

	if (!is_plain(info) && sum)
		for (size_t i = 0; i < n; i++)
			strbuf_addf(&text, "%s%s", i ? sign : "",
				    info->name[i]);
	else if (!is_plain(info) && *info->postfix)
		strbuf_addf(&text, "%s (reverse Polish; N0 is %s)",
			    info->postfix, info->name[0]);
	*out = strdup(strbuf_text(&text));
	strbuf_fini(&text);
	return *out ? 0 : PAPI_ENOMEM;
}

static const char *kind_of(int code)
{
	if (IS_PRESET(code))
		return "preset";
	return IS_USER_DEFINED(code) ? "user-defined event" : "native event";
}

/* Presets that are this event, or are made of it. */
static int find_relatives(struct explanation *x, const PAPI_event_info_t *self)
{
	const char *native = count_natives(self) == 1 ? self->name[0] : NULL;
	int code = PAPI_PRESET_MASK;
	int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	int err = 0;

	for (; native && more == PAPI_OK && !err;
	     more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
		PAPI_event_info_t other;

		if (code == (int)self->event_code ||
		    PAPI_get_event_info(code, &other) != PAPI_OK ||
		    !has_native(&other, native))
			continue;
		if (is_plain(&other) && is_plain(self))
			err = names_add(&x->same, other.symbol);
		else
			err = names_add(&x->within, other.symbol);
	}
	return err;
}

static int fill_texts(struct explanation *x, const PAPI_event_info_t *info,
		      const char *component)
{
	const char *text =
		*info->long_descr ? info->long_descr : info->short_descr;

	x->name = strdup(info->symbol);
	x->text = strdup(text);
	x->unit = strdup(info->units);
	x->note = strdup(info->note);
	x->component = strdup(component);
	if (!x->name || !x->text || !x->unit || !x->note || !x->component)
		return PAPI_ENOMEM;
	return write_formula(info, &x->formula);
}

/* Whose event @info is; NULL: nobody's. */
static const char *component_of(const PAPI_event_info_t *info)
{
	const PAPI_component_info_t *component =
		PAPI_get_component_info(info->component_index);

	return component && count_natives(info) ? component->name : NULL;
}

static bool is_simulated(const PAPI_event_info_t *info)
{
	const char *component = component_of(info);

	return component && strcmp(component, "sim") == 0;
}

static int fill_availability(struct explanation *x, int code)
{
	const char *why = NULL;
	int err = assay_event_available(code, &why);

	x->available = err == PAPI_OK;
	if (!err)
		return 0;
	x->reason = strdup(why ? session_reason(why) : PAPI_strerror(err));
	return x->reason ? 0 : PAPI_ENOMEM;
}

static int fill_names(struct explanation *x, const PAPI_event_info_t *info,
		      const char *asked)
{
	size_t n = count_natives(info);
	int err = 0;

	if (strcmp(asked, info->symbol) != 0)
		err = names_add(&x->same, asked);
	for (size_t i = 0; !err && i < n; i++)
		if (strcmp(info->name[i], info->symbol) != 0)
			err = names_add(&x->natives, info->name[i]);
	return err ? err : find_relatives(x, info);
}

int explanation_make(struct explanation *x, const char *name)
{
	const char *component;
	PAPI_event_info_t info;
	int code;
	int err;

	memset(x, 0, sizeof(*x));
	err = PAPI_event_name_to_code(name, &code);
	if (!err)
		err = PAPI_get_event_info(code, &info);
	if (err)
		return err;
	component = component_of(&info);
	x->kind = kind_of(code);
	x->simulated = is_simulated(&info);
	err = fill_texts(x, &info, component ? component : "");
	if (!err)
		err = fill_availability(x, code);
	if (!err)
		err = fill_names(x, &info, name);
	if (err)
		explanation_fini(x);
	return err;
}

static int fill_metric_texts(struct explanation *x, const struct def *def)
{
	const char *text = def_field(def, KEY_LDESC);
	const char *unit = def_field(def, KEY_UNIT);
	const char *note = def_field(def, KEY_NOTE);

	if (!text)
		text = def_field(def, KEY_SDESC);
	x->name = strdup(def->name);
	x->text = strdup(text ? text : "");
	x->unit = strdup(unit ? unit : "");
	x->note = strdup(note ? note : "");
	x->formula = strdup(def->formula ? def->formula : "");
	x->component = strdup("");
	x->threshold = metrics_threshold(def);
	return x->name && x->text && x->unit && x->note && x->formula &&
			       x->component
		       ? 0
		       : PAPI_ENOMEM;
}

/* An event of a metric; the first that cannot be counted says why not. */
static int fill_metric_event(struct explanation *x, const char *name)
{
	const char *why = NULL;
	PAPI_event_info_t info;
	int code;
	int err = PAPI_event_name_to_code(name, &code);

	if (err)
		why = assay_error();
	else
		err = assay_event_available(code, &why);
	if (!err && PAPI_get_event_info(code, &info) == PAPI_OK)
		x->simulated |= is_simulated(&info);
	if (err && x->available) {
		struct strbuf text = { 0 };

		x->available = false;
		strbuf_addf(&text, "%s: %s", name,
			    why ? session_reason(why) : PAPI_strerror(err));
		x->reason = strbuf_take(&text);
		if (!x->reason)
			return PAPI_ENOMEM;
	}
	return names_add(&x->natives, name);
}

int explanation_of_metric(struct explanation *x, const struct metrics *m,
			  const char *name)
{
	const struct metric_file *file;
	const struct metric *metric = metrics_find(m, name, &file);
	int err;

	memset(x, 0, sizeof(*x));
	if (!metric)
		return PAPI_ENOEVNT;
	x->kind = "metric";
	x->available = true;
	err = fill_metric_texts(x, metric->def);
	for (size_t k = 0; !err && k < metric->n_slots; k++) {
		const char *event = file->set->names.names[metric->slots[k]];

		if (!metrics_is_input(event))
			err = fill_metric_event(x, event);
	}
	if (err)
		explanation_fini(x);
	return err;
}

void explanation_fini(struct explanation *x)
{
	free(x->name);
	free(x->text);
	free(x->unit);
	free(x->formula);
	free(x->threshold);
	free(x->component);
	free(x->note);
	free(x->reason);
	free(x->measured);
	free(x->validated);
	names_fini(&x->natives);
	names_fini(&x->same);
	names_fini(&x->within);
	memset(x, 0, sizeof(*x));
}
