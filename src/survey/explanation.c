/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding out about an event through PAPI's calls. Aliases are not a table:
 * they are the presets and native events that turn out to be the same count.
 */

#include "survey/survey.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "measure/pmu.h"

static int names_add(struct explanation *x, struct names *list,
		     const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return 0;
	return array_add(list->items, list->n, texts_copy(&x->texts, name));
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
static void write_formula(struct explanation *x, const PAPI_event_info_t *info)
{
	STRBUF(text);
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
	x->formula = texts_copy(&x->texts, strbuf_text(&text));
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
			err = names_add(x, &x->same, other.symbol);
		else
			err = names_add(x, &x->within, other.symbol);
	}
	return err;
}

static void fill_texts(struct explanation *x, const PAPI_event_info_t *info,
		       const char *component)
{
	const char *text =
		*info->long_descr ? info->long_descr : info->short_descr;

	x->name = texts_copy(&x->texts, info->symbol);
	x->text = texts_copy(&x->texts, text);
	x->unit = texts_copy(&x->texts, info->units);
	x->note = texts_copy(&x->texts, info->note);
	x->component = texts_copy(&x->texts, component);
	write_formula(x, info);
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

static void fill_availability(struct explanation *x, int code)
{
	const char *why = NULL;
	int err = assay_event_available(code, &why);

	x->available = err == PAPI_OK;
	if (err)
		x->reason = texts_copy(&x->texts, why ? session_reason(why)
						      : PAPI_strerror(err));
}

static int fill_names(struct explanation *x, const PAPI_event_info_t *info,
		      const char *asked)
{
	size_t n = count_natives(info);
	int err = 0;

	if (strcmp(asked, info->symbol) != 0)
		err = names_add(x, &x->same, asked);
	for (size_t i = 0; !err && i < n; i++)
		if (strcmp(info->name[i], info->symbol) != 0)
			err = names_add(x, &x->natives, info->name[i]);
	return err ? err : find_relatives(x, info);
}

/* @err, or that a text found no memory; then nothing is left of @x. */
static int finish(struct explanation *x, int err)
{
	if (!err)
		err = texts_error(&x->texts);
	if (err)
		explanation_fini(x);
	return err;
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
	fill_texts(x, &info, component ? component : "");
	fill_availability(x, code);
	return finish(x, fill_names(x, &info, name));
}

static void fill_metric_texts(struct explanation *x, const struct def *def)
{
	const char *text = def_field(def, KEY_LDESC);
	const char *unit = def_field(def, KEY_UNIT);
	const char *note = def_field(def, KEY_NOTE);
	char *threshold = metrics_threshold(def);

	if (!text)
		text = def_field(def, KEY_SDESC);
	x->name = texts_copy(&x->texts, def->name);
	x->text = texts_copy(&x->texts, text ? text : "");
	x->unit = texts_copy(&x->texts, unit ? unit : "");
	x->note = texts_copy(&x->texts, note ? note : "");
	x->formula = texts_copy(&x->texts, def->formula ? def->formula : "");
	x->component = "";
	x->threshold = threshold ? texts_take(&x->texts, threshold) : NULL;
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
		x->available = false;
		x->reason = texts_take(&x->texts,
				       str_format("%s: %s", name,
						  why ? session_reason(why)
						      : PAPI_strerror(err)));
	}
	return names_add(x, &x->natives, name);
}

int explanation_of_metric(struct explanation *x, const struct metrics *m,
			  const char *name)
{
	const struct metric_file *file;
	const struct metric *metric = metrics_find(m, name, &file);
	int err = 0;

	memset(x, 0, sizeof(*x));
	if (!metric)
		return PAPI_ENOEVNT;
	x->kind = "metric";
	x->available = true;
	fill_metric_texts(x, metric->def);
	for (size_t k = 0; !err && k < metric->n_slots; k++) {
		const char *event = file->set->names.names[metric->slots[k]];

		if (!metrics_is_input(event))
			err = fill_metric_event(x, event);
	}
	return finish(x, err);
}

void explanation_fini(struct explanation *x)
{
	texts_fini(&x->texts);
	free(x->measured);
	free(x->validated);
	free(x->natives.items);
	free(x->same.items);
	free(x->within.items);
	memset(x, 0, sizeof(*x));
}
