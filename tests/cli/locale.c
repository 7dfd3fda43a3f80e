/* SPDX-License-Identifier: BSD-3-Clause */
/* Look names of events up in a program that has the user's locale. */
#include <locale.h>
#include <stdio.h>

#include <papi.h>

int main(int argc, char **argv)
{
	int status = 0;

	if (!setlocale(LC_ALL, "") ||
	    PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	for (int i = 1; i < argc; i++) {
		int code, err = PAPI_event_name_to_code(argv[i], &code);

		if (err) {
			fprintf(stderr, "%s: %s\n", argv[i],
				PAPI_strerror(err));
			status = 1;
		}
	}
	return status;
}
