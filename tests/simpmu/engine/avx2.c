/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 and FMA: vector arithmetic with memory operands, gathers, shuffles. */
#include <immintrin.h>
#include <stdio.h>

#define N 512

static float a[N], b[N], c[N];
static double d[N], e[N];
static int index_of[N];

__attribute__((target("avx2,fma"))) static double work(void)
{
	__m256d sum = _mm256_setzero_pd();
	__m256i ints = _mm256_setzero_si256();

	for (int i = 0; i < N; i += 8) {
		__m256 x = _mm256_loadu_ps(a + i);

		x = _mm256_fmadd_ps(x, _mm256_load_ps(b + i),
				    _mm256_loadu_ps(c + i));
		_mm256_storeu_ps(c + i, _mm256_sqrt_ps(x));
		ints = _mm256_add_epi32(
			ints, _mm256_i32gather_epi32(
				      index_of,
				      _mm256_loadu_si256(
					      (const __m256i *)(index_of + i)),
				      4));
	}
	for (int i = 0; i < N; i += 4)
		sum = _mm256_fmadd_pd(_mm256_loadu_pd(d + i),
				      _mm256_loadu_pd(e + i), sum);
	for (int i = 0; i < N; i++)
		d[i] = __builtin_fma(d[i], e[i], (double)c[i]);
	return sum[0] + sum[1] + sum[2] + sum[3] + d[7] +
	       _mm256_extract_epi32(ints, 3);
}

int main(void)
{
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
		puts("no AVX2");
		return 77;
	}
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 1.0f / (float)(i + 1);
		d[i] = i;
		e[i] = i * 0.5;
		index_of[i] = i * 7 % N;
	}
	for (int round = 0; round < 20; round++)
		work();
	printf("%g\n", work());
	return 0;
}
