/* SPDX-License-Identifier: BSD-3-Clause */
/* A view as one page: everything the server would give, in blocks. */

#include <stdlib.h>

#include "base/memfile.h"
#include "base/strbuf.h"
#include "view/view.h"
#include "write/html.h"

/* Put a block into the page under @id, unless writing it gave @err. */
static int block_close(struct memfile *b, int err, const char *id,
		       const char *kind, FILE *page)
{
	if (memfile_close(b) || !id)
		err = PAPI_ENOMEM;
	if (!err)
		html_block(id, kind, b->text, b->len, page);
	free(b->text);
	return err;
}

static int put_data(const struct view *v, FILE *page)
{
	struct memfile b;

	if (memfile_open(&b))
		return PAPI_ENOMEM;
	return block_close(&b, view_write_json(v, b.to), "data", "sections",
			   page);
}

/* Block number @i of a kind. */
static int put_numbered(const struct view *v, const char *kind, size_t i,
			int (*write)(const struct view *, size_t, FILE *),
			FILE *page)
{
	OWNED char *id = str_format("%s-%zu", kind, i);
	struct memfile b;
	int err = memfile_open(&b);

	if (!err)
		err = block_close(&b, write(v, i, b.to), id, kind, page);
	return err;
}

static int put_rows(const struct view *v, size_t run, size_t section,
		    FILE *page)
{
	OWNED char *id = str_format("rows-%zu-%zu", run, section);
	struct memfile b;
	int err = memfile_open(&b);

	if (!err)
		err = block_close(&b, view_write_rows(v, run, section, b.to),
				  id, "rows", page);
	return err;
}

int view_write_page(const struct view *v, FILE *to)
{
	int err = html_begin(view_title(v), HTML_FROM_DISK, to);

	if (!err)
		err = put_data(v, to);
	for (size_t i = 0; !err && i < v->n_runs; i++)
		for (size_t k = 0; !err && k < v->runs[i]->n_sections; k++)
			err = put_rows(v, i, k, to);
	for (size_t i = 0; !err && i < v->n_sources; i++)
		err = put_numbered(v, "source", i, view_write_source, to);
	for (size_t i = 0; !err && i < v->n_profiles; i++)
		err = put_numbered(v, "profile", i, view_write_profile, to);
	for (size_t i = 0; !err && i < v->n_profiles; i++)
		err = put_numbered(v, "assembly", i, view_write_assembly, to);
	return err ? err : html_end(to);
}
