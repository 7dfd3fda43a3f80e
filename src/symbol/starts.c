/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where functions begin in an object without symbols: in the table that the
 * unwinder of exceptions searches (.eh_frame_hdr; Linux Standard Base, Core,
 * 10.6.2), which stripping leaves. Only the form that linkers write is read.
 */

#include <stdlib.h>
#include <string.h>

#include "symbol/object.h"

#define VERSION       1
#define UDATA4        0x03
#define DATA_SDATA4   0x3b /* four bytes, from the table's own address */
#define OMIT          0xff
#define SIZE_OF_PLACE 4 /* of .eh_frame, in the usual encoding */

static bool find_table(const struct symbol_object *object, GElf_Phdr *head)
{
	size_t n = 0;

	elf_getphdrnum(object->elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(object->elf, (int)i, head) &&
		    head->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void object_read_starts(struct symbol_object *object)
{
	const unsigned char *table;
	Elf_Data *data;
	GElf_Phdr head;
	uint32_t n;

	if (!find_table(object, &head))
		return;
	data = elf_getdata_rawchunk(object->elf, (int64_t)head.p_offset,
				    head.p_filesz, ELF_T_BYTE);
	if (!data || data->d_size < 8 + SIZE_OF_PLACE)
		return;
	table = data->d_buf;
	if (table[0] != VERSION || table[1] == OMIT || table[2] != UDATA4 ||
	    table[3] != DATA_SDATA4)
		return;
	memcpy(&n, table + 4 + SIZE_OF_PLACE, sizeof(n));
	if (n > (data->d_size - 8 - SIZE_OF_PLACE) / 8)
		return;
	object->starts = calloc((size_t)n + 1, sizeof(*object->starts));
	for (uint32_t i = 0; object->starts && i < n; i++) {
		int32_t place;

		memcpy(&place, table + 8 + SIZE_OF_PLACE + 8 * (size_t)i,
		       sizeof(place));
		object->starts[object->n_starts++] =
			head.p_vaddr + (uint64_t)(int64_t)place;
	}
	if (object->starts)
		qsort(object->starts, object->n_starts, sizeof(*object->starts),
		      compare);
}

bool object_find_start(const struct symbol_object *object, uint64_t address,
		       uint64_t *start, uint64_t *next)
{
	size_t low = 0, high = object->n_starts;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (object->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*start = object->starts[low - 1];
	*next = low < object->n_starts ? object->starts[low] : 0;
	return true;
}
