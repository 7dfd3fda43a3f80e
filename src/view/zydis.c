/* SPDX-License-Identifier: BSD-3-Clause */
/* The disassembler, found by the soname that the build saw (ZYDIS). */
#include "view/view.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <pthread.h>

static ZyanStatus (*disassemble)(ZydisMachineMode mode, ZyanU64 address,
				 const void *code, ZyanUSize n,
				 ZydisDisassembledInstruction *out);

static void load(void)
{
	void *library = dlopen(ZYDIS, RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&disassemble =
			dlsym(library, "ZydisDisassembleIntel");
}

static size_t one(uint64_t address, const unsigned char *code, size_t n,
		  char *text, size_t capacity)
{
	ZydisDisassembledInstruction out;

	if (!ZYAN_SUCCESS(disassemble(ZYDIS_MACHINE_MODE_LONG_64, address, code,
				      n, &out)))
		return 0;
	snprintf(text, capacity, "%s", out.text);
	return out.info.length;
}

assembly_fn assembly_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return disassemble ? one : NULL;
}
