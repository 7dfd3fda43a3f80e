/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that uses a GPU and knows nothing of counting: it does as much
 * work as its argument says, on the driver that ASSAY_CUDA_LIBRARIES holds. A
 * second argument has it end without a word (_exit), so that nothing can be
 * told; a third is the number of children that do the same.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *call(void *library, const char *name)
{
	void *address = dlsym(library, name);

	if (!address) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	return address;
}

static void work(uint64_t n)
{
	const char *folder = getenv("ASSAY_CUDA_LIBRARIES");
	int (*init)(unsigned);
	int (*retain)(void **, int);
	void (*fake_work)(int, uint64_t);
	char path[4096];
	void *library, *context;

	snprintf(path, sizeof(path), "%s/libcuda.so.1", folder ? folder : "");
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&init = call(library, "cuInit");
	*(void **)&retain = call(library, "cuDevicePrimaryCtxRetain");
	*(void **)&fake_work = call(library, "fake_work");
	if (init(0) || retain(&context, 0))
		exit(1);
	fake_work(0, n);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	int children = argc > 3 ? atoi(argv[3]) : 0;

	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			work(n);
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	work(n);
	if (argc > 2 && strcmp(argv[2], "quick") == 0)
		_exit(0);
	return 0;
}
