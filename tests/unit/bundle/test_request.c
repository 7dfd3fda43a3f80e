/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests at the end of a program: read back, and damaged. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/request.h"
#include "tests/unit/testing.h"

/* A bundle of a "program" and a request; to be freed. */
static char *bundle_of(const struct request *request, const char *second,
		       size_t *n)
{
	char *bytes = NULL;
	FILE *to = open_memstream(&bytes, n);

	fputs("the program", to);
	assert_int_equal(
		request_write(request, second, second ? strlen(second) : 0, to),
		0);
	fclose(to);
	return bytes;
}

TEST(test_request_comes_back)
{
	struct request asked = { .repeats = 3, .gpu = true }, read;
	struct diag diag = { .text = "" };
	size_t n;
	char *bytes;

	request_add_event(&asked, "cuda::a b");
	request_add_event(&asked, "BR_*");
	request_add_kernel(&asked, "gpu/*");
	bytes = bundle_of(&asked, "second", &n);
	assert_int_equal(request_read(bytes, n, &read, &diag), 0);
	assert_int_equal(read.n_events, 2);
	assert_string_equal(read.events[0], "cuda::a b");
	assert_string_equal(read.kernels[0], "gpu/*");
	assert_null(read.kernels[1]);
	assert_int_equal(read.repeats, 3);
	assert_true(read.gpu);
	assert_int_equal(read.program_bytes, 6);
	assert_memory_equal(read.program, "second", 6);
	request_fini(&read);
	request_fini(&asked);
}

TEST(test_damage_is_noticed)
{
	struct request asked = { .repeats = 1 }, read;
	struct diag diag = { .text = "" };
	size_t n;
	char *bytes = bundle_of(&asked, NULL, &n);

	bytes[n - REQUEST_END_BYTES - 3] ^= 1;
	assert_int_equal(request_read(bytes, n, &read, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "damaged"));
	request_fini(&read);
	bytes = bundle_of(&asked, NULL, &n);
	assert_int_equal(request_read(bytes, n - 40, &read, &diag),
			 PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "without a request"));
	request_fini(&read);
}

RUN_ALL_TESTS
