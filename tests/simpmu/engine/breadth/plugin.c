/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is opened and closed, or with MAIN the program that does. */
#ifdef MAIN
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 50; i++) {
		void *library = dlopen(argv[argc - 1], RTLD_NOW);
		int (*next)(int) = NULL;

		if (!library)
			return 1;
		*(void **)&next = dlsym(library, "plugin_next");
		for (int j = 0; j < 100; j++)
			sum += next(j);
		dlclose(library);
	}
	printf("%d\n", sum);
	return 0;
}
#else
int plugin_next(int n);

static int state;

int plugin_next(int n)
{
	return state += n;
}
#endif
