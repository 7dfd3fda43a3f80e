/* SPDX-License-Identifier: BSD-3-Clause */
/* Some work for a static program: formatting, sorting, floating point. Prints
 * nothing that depends on where it runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int main(void)
{
	static char words[200][16];
	double sum = 0;

	for (int i = 0; i < 200; i++) {
		snprintf(words[i], sizeof(words[i]), "%d", i * 7919 % 1000);
		sum += sqrt((double)i) / (i + 1);
	}
	qsort(words, 200, sizeof(words[0]), compare);
	printf("%s %s %.6f\n", words[0], words[199], sum);
	return 0;
}
