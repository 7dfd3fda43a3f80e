/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran calls that are more than a call of the C function with the same
 * arguments. scripts/fortran-gen makes their symbols, and those of all others,
 * from fortran.def.
 *
 * A Fortran string has no NUL at its end but blanks; its length comes as an
 * argument behind all others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Without the blanks at its end; false if it does not fit. */
bool fortran_get_text(char *to, size_t size, const char *text, size_t len);

void fortran_enum_dev_type(int *modifier, int *handle, int *check);
void fortran_event_code_to_name(int *code, char *name, int *check,
				size_t name_len);
void fortran_get_clockrate(int *mhz);
void fortran_get_dev_attr(int *handle, int *id, int *attr, int *value,
			  char *string, int *check, size_t string_len);
void fortran_get_dev_type_attr(int *handle, int *attr, int *value, char *string,
			       int *check, size_t string_len);
void fortran_get_dmem_info(long long *dest, int *check);
void fortran_get_domain(int *set, int *domain, int *mode, int *check);
void fortran_get_event_info(int *code, char *symbol, char *long_descr,
			    char *short_descr, int *count, char *note,
			    int *flags, int *check, size_t symbol_len,
			    size_t long_descr_len, size_t short_descr_len,
			    size_t note_len);
void fortran_get_exe_info(char *fullname, char *name, long long *text_start,
			  long long *text_end, long long *data_start,
			  long long *data_end, long long *bss_start,
			  long long *bss_end, int *check, size_t fullname_len,
			  size_t name_len);
void fortran_get_granularity(int *set, int *granularity, int *mode, int *check);
void fortran_get_hardware_info(int *ncpu, int *nnodes, int *totalcpus,
			       int *vendor, char *vendor_string, int *model,
			       char *model_string, float *revision, float *mhz,
			       size_t vendor_len, size_t model_len);
void fortran_get_preload(char *env, int *check, size_t env_len);
void fortran_library_init(int *check);
void fortran_set_event_domain(int *set, int *domain, int *check);
void fortran_set_inherit(int *inherit, int *check);
