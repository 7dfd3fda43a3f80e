/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings with blanks, structures as separate arguments, and options that C
 * passes in a union. Everything else is generated.
 */
#include "papi/fortran.h"

#include <stdint.h>
#include <string.h>

#include <papi.h>

bool fortran_get_text(char *to, size_t size, const char *text, size_t len)
{
	size_t n = strnlen(text, len); /* some add a NUL of their own */

	while (n > 0 && text[n - 1] == ' ')
		n--;
	if (n >= size)
		return false;
	memcpy(to, text, n);
	to[n] = '\0';
	return true;
}

/* Fill @to with @text and blanks. */
static void put_text(char *to, size_t len, const char *text)
{
	size_t n = strnlen(text, len);

	memcpy(to, text, n);
	memset(to + n, ' ', len - n);
}

void fortran_library_init(int *check)
{
	*check = PAPI_library_init(*check);
}

void fortran_get_clockrate(int *mhz)
{
	*mhz = PAPI_get_opt(PAPI_CLOCKRATE, NULL);
}

void fortran_event_code_to_name(int *code, char *name, int *check,
				size_t name_len)
{
	char text[PAPI_HUGE_STR_LEN] = "";

	*check = PAPI_event_code_to_name(*code, text);
	if (*check == PAPI_OK)
		put_text(name, name_len, text);
}

void fortran_get_event_info(int *code, char *symbol, char *long_descr,
			    char *short_descr, int *count, char *note,
			    int *flags, int *check, size_t symbol_len,
			    size_t long_descr_len, size_t short_descr_len,
			    size_t note_len)
{
	PAPI_event_info_t info;

	(void)flags; /* PAPI has never used it */
	*check = PAPI_get_event_info(*code, &info);
	if (*check != PAPI_OK)
		return;
	put_text(symbol, symbol_len, info.symbol);
	put_text(long_descr, long_descr_len, info.long_descr);
	put_text(short_descr, short_descr_len, info.short_descr);
	*count = (int)info.count;
	put_text(note, note_len, info.note);
}

/* Machine and program */

void fortran_get_hardware_info(int *ncpu, int *nnodes, int *totalcpus,
			       int *vendor, char *vendor_string, int *model,
			       char *model_string, float *revision, float *mhz,
			       size_t vendor_len, size_t model_len)
{
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
	static const PAPI_hw_info_t nothing;

	if (!hw)
		hw = &nothing;
	*ncpu = hw->ncpu;
	*nnodes = hw->nnodes;
	*totalcpus = hw->totalcpus;
	*vendor = hw->vendor;
	put_text(vendor_string, vendor_len, hw->vendor_string);
	*model = hw->model;
	put_text(model_string, model_len, hw->model_string);
	*revision = hw->revision;
	*mhz = (float)hw->cpu_max_mhz;
}

static long long address(vptr_t p)
{
	return (long long)(uintptr_t)p;
}

void fortran_get_exe_info(char *fullname, char *name, long long *text_start,
			  long long *text_end, long long *data_start,
			  long long *data_end, long long *bss_start,
			  long long *bss_end, int *check, size_t fullname_len,
			  size_t name_len)
{
	PAPI_option_t option;
	const PAPI_address_map_t *map;

	*check = PAPI_get_opt(PAPI_EXEINFO, &option);
	if (*check != PAPI_OK)
		return;
	map = &option.exe_info->address_info;
	put_text(fullname, fullname_len, option.exe_info->fullname);
	put_text(name, name_len, map->name);
	*text_start = address(map->text_start);
	*text_end = address(map->text_end);
	*data_start = address(map->data_start);
	*data_end = address(map->data_end);
	*bss_start = address(map->bss_start);
	*bss_end = address(map->bss_end);
}

/* An array of PAPIF_DMEM_MAXVAL long integers. */
void fortran_get_dmem_info(long long *dest, int *check)
{
	PAPI_dmem_info_t info;

	_Static_assert(sizeof(info) == PAPIF_DMEM_MAXVAL * sizeof(*dest),
		       "all of it is long integers");
	*check = PAPI_get_dmem_info(&info);
	if (*check == PAPI_OK)
		memcpy(dest, &info, sizeof(info));
}

void fortran_get_preload(char *env, int *check, size_t env_len)
{
	PAPI_option_t option;

	*check = PAPI_get_opt(PAPI_PRELOAD, &option);
	if (*check == PAPI_OK)
		put_text(env, env_len, option.preload.lib_preload_env);
}

/* Options */

void fortran_get_domain(int *set, int *domain, int *mode, int *check)
{
	PAPI_option_t option = { 0 };
	int result;

	if (*mode == PAPI_DEFDOM) {
		result = PAPI_get_opt(PAPI_DEFDOM, NULL);
		*check = result < 0 ? result : PAPI_OK;
		if (result >= 0)
			*domain = result;
		return;
	}
	if (*mode != PAPI_DOMAIN) {
		*check = PAPI_EINVAL;
		return;
	}
	option.domain.eventset = *set;
	*check = PAPI_get_opt(PAPI_DOMAIN, &option);
	if (*check == PAPI_OK)
		*domain = option.domain.domain;
}

void fortran_get_granularity(int *set, int *granularity, int *mode, int *check)
{
	PAPI_option_t option = { 0 };
	int result;

	if (*mode == PAPI_DEFGRN) {
		result = PAPI_get_opt(PAPI_DEFGRN, NULL);
		*check = result < 0 ? result : PAPI_OK;
		if (result >= 0)
			*granularity = result;
		return;
	}
	if (*mode != PAPI_GRANUL) {
		*check = PAPI_EINVAL;
		return;
	}
	option.granularity.eventset = *set;
	*check = PAPI_get_opt(PAPI_GRANUL, &option);
	if (*check == PAPI_OK)
		*granularity = option.granularity.granularity;
}

void fortran_set_event_domain(int *set, int *domain, int *check)
{
	PAPI_option_t option = { 0 };

	option.domain.eventset = *set;
	option.domain.domain = *domain;
	*check = PAPI_set_opt(PAPI_DOMAIN, &option);
}

/*
 * This call never had an argument for the EventSet that it is about, and
 * libpapi passes on whatever is on its stack. What it gets here is no set.
 */
void fortran_set_inherit(int *inherit, int *check)
{
	PAPI_option_t option = { 0 };

	option.inherit.eventset = PAPI_NULL;
	option.inherit.inherit = *inherit;
	*check = PAPI_set_opt(PAPI_INHERIT, &option);
}

/* Devices. A handle is a number: 0, 1, 2 in the order of enumeration. */

static int device_number(const void *handle)
{
	void *at = NULL;
	int n = 0;

	while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &at) == PAPI_OK) {
		if (at == handle)
			return n;
		n++;
	}
	return -1;
}

static void *device_handle(int number)
{
	void *at = NULL;
	int n = 0;

	while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &at) == PAPI_OK)
		if (n++ == number)
			return at;
	return NULL;
}

/*
 * Programs begin with a variable that was never set, as C programs do; so
 * where a walk stands is kept for each thread and not taken from it.
 */
void fortran_enum_dev_type(int *modifier, int *handle, int *check)
{
	static _Thread_local void *at;

	*check = PAPI_enum_dev_type(*modifier, &at);
	*handle = *check == PAPI_OK ? device_number(at) : -1;
}

void fortran_get_dev_type_attr(int *handle, int *attr, int *value, char *string,
			       int *check, size_t string_len)
{
	PAPI_dev_type_attr_e which = (PAPI_dev_type_attr_e)*attr;
	void *device = device_handle(*handle);
	const char *text;

	if (which != PAPI_DEV_TYPE_ATTR__CHAR_NAME &&
	    which != PAPI_DEV_TYPE_ATTR__CHAR_STATUS) {
		*check = PAPI_get_dev_type_attr(device, which, value);
		return;
	}
	*check = PAPI_get_dev_type_attr(device, which, &text);
	if (*check == PAPI_OK)
		put_text(string, string_len, text);
}

void fortran_get_dev_attr(int *handle, int *id, int *attr, int *value,
			  char *string, int *check, size_t string_len)
{
	PAPI_dev_attr_e which = (PAPI_dev_attr_e)*attr;
	void *device = device_handle(*handle);
	const char *text;

	if (which != PAPI_DEV_ATTR__CPU_CHAR_NAME) {
		*check = PAPI_get_dev_attr(device, *id, which, value);
		return;
	}
	*check = PAPI_get_dev_attr(device, *id, which, &text);
	if (*check == PAPI_OK)
		put_text(string, string_len, text);
}
