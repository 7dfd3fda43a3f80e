/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that profiles itself by PAPI_sprofil() and saves what it saw. */
#include <stdint.h>
#include <stdio.h>

#include <assay/record.h>
#include <papi.h>

#define LOOP(n)                                                                \
	__asm__ volatile("1: dec %0\n nop\n jnz 1b\n" : "+r"(n) : : "cc")

#define TEXT_BYTES 65536

__attribute__((noinline, noipa)) static void long_work(uint64_t n)
{
	LOOP(n);
}

__attribute__((noinline, noipa)) static void short_work(uint64_t n)
{
	LOOP(n);
}

static uint32_t buckets[TEXT_BYTES / 2];

int main(int argc, char **argv)
{
	PAPI_sprofil_t region = { .pr_base = buckets,
				  .pr_size = sizeof(buckets),
				  .pr_scale = 65536 };
	int set = PAPI_NULL;
	int err;

	region.pr_off = (vptr_t)((uintptr_t)long_work & ~(uintptr_t)0xfff);
	if (argc < 2 || PAPI_library_init(PAPI_VER_CURRENT) < 0 ||
	    PAPI_create_eventset(&set) ||
	    PAPI_add_named_event(set, "PAPI_TOT_INS") ||
	    PAPI_sprofil(&region, 1, set, PAPI_TOT_INS, 10000,
			 PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32) ||
	    PAPI_start(set))
		return 1;
	long_work(3000000);
	short_work(1000000);
	PAPI_stop(set, NULL);
	err = assay_profil_write(argv[1], &region, 1, PAPI_PROFIL_BUCKET_32,
				 "PAPI_TOT_INS", 10000);
	if (err)
		fprintf(stderr, "%s\n", PAPI_strerror(err));
	return err ? 1 : 0;
}
