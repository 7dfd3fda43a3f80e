/* SPDX-License-Identifier: BSD-3-Clause */
/* From what host/ knows to PAPI's structures. */
#pragma once

#include <papi.h>

#include "core/component.h"
#include "host/host.h"
#include "host/process.h"

/* Fill in PAPI's structures; what does not fit or is not known is left out. */
void hwinfo_from_host(const struct host *host, PAPI_hw_info_t *out);
/* The machine that is modelled in place of what @out has of this one. */
void hwinfo_put_machine(const struct component_machine *m, PAPI_hw_info_t *out);
void hwinfo_from_memory(const struct process_memory *memory,
			PAPI_dmem_info_t *out);
void hwinfo_from_object(const struct process_object *object,
			PAPI_address_map_t *out);

/* This machine, read at the first call and kept; NULL if memory ran out. */
const struct host *hwinfo_host(void);
