/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests at the end of bundles: written, read. */

#include "bundle/request.h"

#include <inttypes.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"

#define FIRST "assay-request 1"
#define LAST  "assay-bundle 1 "

uint64_t request_hash(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* One word more, and a NULL after the last. */
static int add_word(char ***words, size_t *n, const char *word)
{
	char *copy = strdup(word);

	if (!copy || array_grow(words, *n, sizeof(**words))) {
		free(copy);
		return PAPI_ENOMEM;
	}
	(*words)[(*n)++] = copy;
	if (array_grow(words, *n, sizeof(**words)))
		return PAPI_ENOMEM;
	(*words)[*n] = NULL;
	return 0;
}

int request_add_event(struct request *request, const char *word)
{
	return add_word(&request->events, &request->n_events, word);
}

int request_add_kernel(struct request *request, const char *word)
{
	return add_word(&request->kernels, &request->n_kernels, word);
}

static char *format_request(const struct request *request)
{
	struct strbuf text = { 0 };

	strbuf_addf(&text, FIRST "\nrepeats %u\n%s", request->repeats,
		    request->gpu ? "gpu\n" : "");
	for (size_t i = 0; i < request->n_events; i++)
		strbuf_addf(&text, "event %s\n", request->events[i]);
	for (size_t i = 0; i < request->n_kernels; i++)
		strbuf_addf(&text, "kernel %s\n", request->kernels[i]);
	return strbuf_take(&text);
}

int request_write(const struct request *request, const char *program,
		  size_t program_bytes, FILE *to)
{
	OWNED char *text = format_request(request);
	size_t n = text ? strlen(text) : 0;
	char line[REQUEST_END_BYTES + 1];
	uint64_t hash = request_hash(HASH_START, program, program_bytes);
	bool failed;
	int used;

	if (!text)
		return PAPI_ENOMEM;
	used = snprintf(line, sizeof(line), LAST "%zu %zu %016" PRIx64,
			program_bytes, n, request_hash(hash, text, n));
	failed = used < 0 || used >= REQUEST_END_BYTES ||
		 (program_bytes &&
		  fwrite(program, 1, program_bytes, to) != program_bytes) ||
		 fwrite(text, 1, n, to) != n ||
		 fprintf(to, "%-*s\n", REQUEST_END_BYTES - 1, line) < 0;
	return failed ? PAPI_ESYS : 0;
}

/* One line of the text; a word that is not known is another version's. */
static int take_line(struct request *request, const char *line)
{
	if (strncmp(line, "event ", 6) == 0)
		return request_add_event(request, line + 6);
	if (strncmp(line, "kernel ", 7) == 0)
		return request_add_kernel(request, line + 7);
	if (sscanf(line, "repeats %u", &request->repeats) == 1)
		return request->repeats ? 0 : PAPI_EINVAL;
	if (strcmp(line, "gpu") == 0)
		request->gpu = true;
	return strcmp(line, "gpu") == 0 || strcmp(line, FIRST) == 0
		       ? 0
		       : PAPI_EINVAL;
}

static int take_lines(struct request *request, char *text)
{
	int err = strncmp(text, FIRST "\n", strlen(FIRST) + 1) == 0
			  ? 0
			  : PAPI_EINVAL;

	for (char *line = text, *end; !err && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return PAPI_EINVAL;
		*end = '\0';
		err = take_line(request, line);
	}
	return !err && !request->repeats ? PAPI_EINVAL : err;
}

/* Where the parts lie; false: this is no bundle, or a damaged one. */
static bool find_parts(const char *bytes, size_t n, size_t *program,
		       size_t *text, uint64_t *hash)
{
	char line[REQUEST_END_BYTES + 1];
	size_t end;

	if (n < REQUEST_END_BYTES)
		return false;
	end = n - REQUEST_END_BYTES;
	memcpy(line, bytes + end, REQUEST_END_BYTES);
	line[REQUEST_END_BYTES] = '\0';
	return sscanf(line, LAST "%zu %zu %16" SCNx64, program, text, hash) ==
		       3 &&
	       *program <= end && *text <= end - *program;
}

int request_read(char *bytes, size_t n, struct request *request,
		 struct diag *diag)
{
	size_t program, text;
	uint64_t hash;
	char *start;
	int err;

	*request = (struct request){ .bytes = bytes };
	if (!find_parts(bytes, n, &program, &text, &hash))
		return diag_fail(diag, PAPI_EINVAL,
				 "this program comes without a request: make a "
				 "bundle with assay classify --pack");
	start = bytes + n - REQUEST_END_BYTES - text - program;
	if (request_hash(HASH_START, start, program + text) != hash)
		return diag_fail(diag, PAPI_EINVAL,
				 "this bundle is damaged: copy it again");
	request->program = program ? start : NULL;
	request->program_bytes = program;
	start[program + text] = '\0'; /* the line after it has been read */
	err = take_lines(request, start + program);
	if (err == PAPI_EINVAL)
		diag_fail(diag, err,
			  "this bundle's request cannot be read: make it again "
			  "with assay classify --pack");
	return err;
}

void request_fini(struct request *request)
{
	for (size_t i = 0; i < request->n_events; i++)
		free(request->events[i]);
	for (size_t i = 0; i < request->n_kernels; i++)
		free(request->kernels[i]);
	free(request->events);
	free(request->kernels);
	free(request->bytes);
	*request = (struct request){ 0 };
}
