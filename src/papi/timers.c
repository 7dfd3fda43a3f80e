/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time: real and of this thread, in nanoseconds, microseconds and cycles.
 *
 * Cycles are those of the machine's constant clock (TSC on x86, CNTVCT on
 * arm64), which runs at one rate whatever the cores do. The timers work before
 * PAPI_library_init() too.
 */
#include <stdatomic.h>

#include <papi.h>

#include "base/clock.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

static inline uint64_t cycles(void)
{
	return __rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t cycles(void)
{
	uint64_t now;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
	return now;
}
#elif defined(__powerpc64__)
static inline uint64_t cycles(void)
{
	return __builtin_ppc_get_timebase();
}
#else
static inline uint64_t cycles(void)
{
	return clock_real_ns();
}
#endif

long long PAPI_get_real_cyc(void)
{
	return (long long)cycles();
}

long long PAPI_get_real_nsec(void)
{
	return (long long)clock_real_ns();
}

long long PAPI_get_real_usec(void)
{
	return (long long)(clock_real_ns() / 1000);
}

long long PAPI_get_virt_nsec(void)
{
	return (long long)clock_thread_ns();
}

long long PAPI_get_virt_usec(void)
{
	return (long long)(clock_thread_ns() / 1000);
}

/*
 * Both clocks at one moment: of several readings the one that took least, so
 * that nothing came between the two.
 */
static void read_both(uint64_t *ns, uint64_t *cyc)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = cycles();
		uint64_t now = clock_real_ns();
		uint64_t took = cycles() - before;

		if (took < least) {
			least = took;
			*ns = now;
			*cyc = before + took / 2;
		}
	}
}

/*
 * Cycles in a second of the constant clock, taken once against the kernel's
 * clock. Over 2 ms the error of reading both (some 50 ns) is 25 millionths.
 */
static uint64_t measure_hz(void)
{
	uint64_t ns = 0, cyc = 0, ns_later = 0, cyc_later = 0;

	read_both(&ns, &cyc);
	while (clock_real_ns() - ns < 2000000)
		continue;
	read_both(&ns_later, &cyc_later);
	return (uint64_t)((double)(cyc_later - cyc) * 1e9 /
			  (double)(ns_later - ns));
}

static uint64_t clock_hz(void)
{
	static _Atomic uint64_t known;
	uint64_t hz = atomic_load_explicit(&known, memory_order_relaxed);
	uint64_t none = 0;

	if (hz)
		return hz;
	hz = measure_hz();
	/* All must use the same number, or time would step back. */
	return atomic_compare_exchange_strong(&known, &none, hz) ? hz : none;
}

long long PAPI_get_virt_cyc(void)
{
	uint64_t ns = clock_thread_ns();
	uint64_t hz = clock_hz();

	return (long long)((ns / 1000000000U) * hz +
			   (uint64_t)((double)(ns % 1000000000U) * 1e-9 *
				      (double)hz));
}
