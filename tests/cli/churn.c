/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes threads that end at once, eight at a time, until it is killed. */
#include <pthread.h>

#define THREADS 8

static void *work(void *unused)
{
	for (volatile int i = 0; i < 20000;)
		i = i + 1;
	return unused;
}

int main(void)
{
	for (;;) {
		pthread_t threads[THREADS];
		int n = 0;

		while (n < THREADS &&
		       pthread_create(&threads[n], NULL, work, NULL) == 0)
			n++;
		while (n > 0)
			pthread_join(threads[--n], NULL);
	}
}
