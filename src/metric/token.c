/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers, names and signs of formulas. Which may follow which, the parsers
 * know.
 */
#include "metric/token.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_digits(const char *s)
{
	while (is_digit(*s))
		s++;
	return s;
}

/* The end of a number by its form alone; NULL if there is none at @s. */
static const char *number_end(const char *s)
{
	const char *whole = skip_digits(s);
	const char *end = whole;

	if (*end == '.')
		end = skip_digits(end + 1);
	if (end == s || (whole == s && end == s + 1))
		return NULL;
	if (*end == 'e' || *end == 'E') {
		const char *digits = end + 1;

		if (*digits == '+' || *digits == '-')
			digits++;
		if (!is_digit(*digits))
			return NULL;
		end = skip_digits(digits);
	}
	return end;
}

const char *token_parse_number(const char *text, double *value)
{
	const char *end = number_end(text);
	char *stop;
	locale_t c_locale;

	if (!end)
		return NULL;
	/* "1.5" must not depend on the program's own locale. */
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		return NULL;
	*value = strtod_l(text, &stop, c_locale);
	freelocale(c_locale);
	/* strtod() also reads "0x10"; this grammar does not. */
	if (stop != end || !isfinite(*value))
		return NULL;
	return end;
}

static void begin(struct tokens *from, struct token *token)
{
	while (is_blank(*from->next))
		from->next++;
	*token = (struct token){
		.start = from->next,
		.column = (size_t)(from->next - from->text) + 1,
	};
}

/* A name in quotes: all up to the same quote. */
static int read_quoted(struct tokens *from, struct token *token,
		       struct diag *diag)
{
	const char *end = strchr(token->start + 1, *token->start);

	if (!end)
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "this quote is never closed");
	if (end == token->start + 1)
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "the quoted name is empty");
	token->kind = TOKEN_NAME;
	token->quote = *token->start;
	token->start++;
	token->len = (size_t)(end - token->start);
	from->next = end + 1;
	return 0;
}

static int refuse_character(const struct token *token, struct diag *diag)
{
	unsigned char c = (unsigned char)*token->start;

	if (c <= ' ' || c > '~')
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "unexpected byte 0x%02x", c);
	return diag_fail_at(diag, PAPI_EINVAL, token->column,
			    "'%c' is not an operator", c);
}

static bool is_in_infix_name(char c)
{
	return is_letter(c) || is_digit(c) || c == ':' || c == '.' ||
	       c == '=' || c == '@';
}

static int read_infix_number(struct tokens *from, struct token *token,
			     struct diag *diag)
{
	const char *end = token_parse_number(token->start, &token->value);

	if (!end || is_in_infix_name(*end)) {
		const char *to = token->start;

		while (is_in_infix_name(*to))
			to++;
		token->len = (size_t)(to - token->start);
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "'%.*s' is not a number",
				    TOKEN_SHOWN(token));
	}
	token->kind = TOKEN_NUMBER;
	token->len = (size_t)(end - token->start);
	from->next = end;
	return 0;
}

int token_read_infix(struct tokens *from, struct token *token,
		     struct diag *diag)
{
	char c;

	begin(from, token);
	c = *token->start;
	if (c == '\0')
		return 0;
	if (c == '"' || c == '\'')
		return read_quoted(from, token, diag);
	if (is_digit(c) || c == '.')
		return read_infix_number(from, token, diag);
	if (is_letter(c)) {
		token->kind = TOKEN_NAME;
		while (is_in_infix_name(token->start[token->len]))
			token->len++;
	} else if (c == '#') {
		token->kind = TOKEN_NAME; /* the clock rate, in PAPI's files */
		token->len = 1;
	} else if (strchr("+-*/(),", c)) {
		token->kind = TOKEN_OPERATOR;
		token->op = c;
		token->len = 1;
	} else {
		return refuse_character(token, diag);
	}
	from->next = token->start + token->len;
	return 0;
}

static bool is_in_rpn_word(char c)
{
	return c > ' ' && c <= '~' && !strchr("|\"'()", c);
}

/* Whether a word is meant as a number: "5", ".5", "-5", "+.5". */
static bool is_numeric(const struct token *token)
{
	const char *s = token->start;

	if (*s == '-' || *s == '+')
		s++;
	if (*s == '.')
		s++;
	return is_digit(*s);
}

static int rpn_number(struct token *token, struct diag *diag)
{
	bool negative = *token->start == '-';
	const char *digits = token->start;
	const char *end;

	if (*digits == '-' || *digits == '+')
		digits++;
	end = token_parse_number(digits, &token->value);
	if (end != token->start + token->len)
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "'%.*s' is not a number",
				    TOKEN_SHOWN(token));
	if (negative)
		token->value = -token->value;
	token->kind = TOKEN_NUMBER;
	return 0;
}

int token_read_rpn(struct tokens *from, struct token *token, struct diag *diag)
{
	char c;

	begin(from, token);
	c = *token->start;
	if (c == '\0')
		return 0;
	if (c == '"' || c == '\'')
		return read_quoted(from, token, diag);
	while (is_in_rpn_word(token->start[token->len]))
		token->len++;
	if (c == '|' || (token->len == 1 && strchr("+-*/", c))) {
		token->kind = TOKEN_OPERATOR;
		token->op = c;
		token->len = 1;
	} else if (token->len == 0) {
		return refuse_character(token, diag);
	} else if (is_numeric(token)) {
		int err = rpn_number(token, diag);

		if (err)
			return err;
	} else if (is_letter(c) || (c == '#' && token->len == 1)) {
		token->kind = TOKEN_NAME;
	} else {
		return diag_fail_at(diag, PAPI_EINVAL, token->column,
				    "'%.*s' is not an operator",
				    TOKEN_SHOWN(token));
	}
	from->next = token->start + token->len;
	return 0;
}
