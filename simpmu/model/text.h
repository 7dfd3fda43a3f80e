/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings without libc: pieces of a text, and sentences made of pieces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a text; not 0-terminated. */
struct piece {
	const char *at;
	size_t length;
};

static inline struct piece piece_of(const char *text)
{
	struct piece piece = { text, 0 };

	while (text[piece.length])
		piece.length++;
	return piece;
}

static inline bool piece_is(struct piece piece, const char *text)
{
	size_t i = 0;

	while (i < piece.length && text[i] == piece.at[i])
		i++;
	return i == piece.length && !text[i];
}

/* A sentence under construction in a buffer; what does not fit is cut. */
struct sentence {
	char *text;
	size_t capacity;
	size_t length;
};

static inline void say_piece(struct sentence *s, struct piece piece)
{
	for (size_t i = 0; i < piece.length && s->length + 1 < s->capacity; i++)
		s->text[s->length++] = piece.at[i];
	if (s->capacity)
		s->text[s->length] = '\0';
}

static inline void say(struct sentence *s, const char *text)
{
	say_piece(s, piece_of(text));
}

static inline void say_number(struct sentence *s, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	say_piece(s, (struct piece){ digits + at, sizeof(digits) - at });
}
