/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model files: "key = value" lines in [sections], with comments, on top of a
 * model that is compiled in.
 */

#include "simpmu/model/keys.h"
#include "simpmu/model/params.h"
#include "simpmu/model/text.h"

#define CACHES 4

/* A size that was given; the sets follow when the line and ways are known. */
struct given_size {
	struct cache_params *cache;
	uint64_t bytes;
	unsigned line;
	unsigned column;
};

struct parser {
	struct params *params;
	struct params_error *error;
	struct piece section;
	unsigned line;
	const char *start; /* of the line */
	bool begun;        /* something other than include was seen */
	struct given_size size[CACHES];
	size_t sizes;
	unsigned given[PARAMS_MAX_KEYS]; /* the line that gave each key; 0: none
					    did */
};

/* ---- errors ---- */

/* A sentence about the text at @at; more words may be added. */
static struct sentence complain(struct parser *p, const char *at)
{
	struct params_error *error = p->error;

	error->line = p->line;
	error->column = (unsigned)(at - p->start) + 1;
	return (struct sentence){ error->text, sizeof(error->text), 0 };
}

static bool refuse(struct parser *p, const char *at, const char *text)
{
	struct sentence s = complain(p, at);

	say(&s, text);
	return false;
}

static bool refuse_word(struct parser *p, struct piece word, const char *text)
{
	struct sentence s = complain(p, word.at);

	say(&s, "'");
	say_piece(&s, word);
	say(&s, "' ");
	say(&s, text);
	return false;
}

/* ---- lexing ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(struct piece piece)
{
	while (piece.length && is_space(*piece.at)) {
		piece.at++;
		piece.length--;
	}
	while (piece.length && is_space(piece.at[piece.length - 1]))
		piece.length--;
	return piece;
}

static struct piece cut_comment(struct piece piece)
{
	size_t i = 0;

	while (i < piece.length && piece.at[i] != '#')
		i++;
	return trim((struct piece){ piece.at, i });
}

/* Take the first word off @rest. */
static struct piece next_word(struct piece *rest)
{
	struct piece word;

	*rest = trim(*rest);
	word = (struct piece){ rest->at, 0 };
	while (word.length < rest->length && !is_space(word.at[word.length]) &&
	       word.at[word.length] != ',')
		word.length++;
	rest->at += word.length;
	rest->length -= word.length;
	if (rest->length && *rest->at == ',') {
		rest->at++;
		rest->length--;
	}
	return word;
}

static bool parse_number(struct parser *p, struct piece word, uint64_t *number)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < word.length && word.at[i] >= '0' && word.at[i] <= '9'; i++) {
		value = value * 10 + (uint64_t)(word.at[i] - '0');
		if (value > UINT64_C(1) << 40)
			return refuse_word(p, word, "is too large");
	}
	if (i && i + 1 == word.length && word.at[i] == 'K') {
		value <<= 10;
		i++;
	} else if (i && i + 1 == word.length && word.at[i] == 'M') {
		value <<= 20;
		i++;
	}
	if (!i || i < word.length)
		return refuse_word(p, word, "is not a number");
	*number = value;
	return true;
}

/* ---- values ---- */

static bool check_range(struct parser *p, struct piece word,
			const struct key *key, uint64_t value)
{
	struct sentence s;

	if (value >= key->min && value <= key->max)
		return true;
	s = complain(p, word.at);
	say(&s, key->name);
	say(&s, " must be from ");
	say_number(&s, key->min);
	say(&s, " to ");
	say_number(&s, key->max);
	return false;
}

static uint32_t *field_of(struct parser *p, uint16_t offset)
{
	return (uint32_t *)(void *)((char *)p->params + offset);
}

static bool set_number(struct parser *p, const struct key *key,
		       struct piece value)
{
	uint64_t number;

	if (!parse_number(p, value, &number) ||
	    !check_range(p, value, key, number))
		return false;
	*field_of(p, key->offset) = (uint32_t)number;
	return true;
}

static bool set_size(struct parser *p, const struct key *key,
		     struct piece value)
{
	struct cache_params *cache =
		(struct cache_params *)(void *)((char *)p->params +
						key->offset);
	struct given_size given = { cache, 0, p->line,
				    (unsigned)(value.at - p->start) + 1 };
	size_t i = 0;

	if (!parse_number(p, value, &given.bytes) ||
	    !check_range(p, value, key, given.bytes))
		return false;
	while (i < p->sizes && p->size[i].cache != cache)
		i++;
	p->size[i] = given;
	if (i == p->sizes)
		p->sizes++;
	return true;
}

static bool set_word(struct parser *p, const struct key *key,
		     struct piece value)
{
	struct sentence s;

	for (uint32_t i = 0; key->words[i]; i++)
		if (piece_is(value, key->words[i])) {
			*field_of(p, key->offset) = i;
			return true;
		}
	s = complain(p, value.at);
	say(&s, key->name);
	say(&s, " must be one of:");
	for (uint32_t i = 0; key->words[i]; i++) {
		say(&s, " ");
		say(&s, key->words[i]);
	}
	return false;
}

static bool set_list(struct parser *p, const struct key *key,
		     struct piece value)
{
	uint32_t count = 0;

	while (value.length) {
		struct piece word = next_word(&value);
		uint64_t number;

		if (count == PARAMS_TAGE_TABLES)
			return refuse_word(p, word, "is one number too many");
		if (!parse_number(p, word, &number) ||
		    !check_range(p, word, key, number))
			return false;
		field_of(p, key->offset)[count++] = (uint32_t)number;
		value = trim(value);
	}
	*field_of(p, key->count) = count;
	return true;
}

static bool set_text(struct parser *p, const struct key *key,
		     struct piece value)
{
	char *field = (char *)p->params + key->offset;

	if (value.length >= key->max)
		return refuse(p, value.at, "the text is too long");
	for (size_t i = 0; i < value.length; i++)
		field[i] = value.at[i];
	field[value.length] = '\0';
	return true;
}

static bool set_value(struct parser *p, const struct key *key,
		      struct piece value)
{
	if (!value.length)
		return refuse(p, value.at, "there is no value after '='");
	switch (key->kind) {
	case KEY_TEXT:
		return set_text(p, key, value);
	case KEY_NUMBER:
		return set_number(p, key, value);
	case KEY_SIZE:
		return set_size(p, key, value);
	case KEY_WORD:
		return set_word(p, key, value);
	default:
		return set_list(p, key, value);
	}
}

/* ---- lines ---- */

static bool parse_section(struct parser *p, struct piece line)
{
	if (line.at[line.length - 1] != ']')
		return refuse(p, line.at, "a section ends with ']'");
	p->section = trim((struct piece){ line.at + 1, line.length - 2 });
	for (size_t i = 0; i < params_key_count; i++)
		if (p->section.length &&
		    piece_is(p->section, params_keys[i].section))
			return true;
	return refuse_word(p, p->section, "is not a section");
}

/* Key number @i is given; once is enough. */
static bool give(struct parser *p, size_t i, struct piece name)
{
	struct sentence s;

	if (!p->given[i]) {
		p->given[i] = p->line;
		return true;
	}
	s = complain(p, name.at);
	say(&s, "'");
	say_piece(&s, name);
	say(&s, "' was given in line ");
	say_number(&s, p->given[i]);
	say(&s, " already");
	return false;
}

static bool parse_pair(struct parser *p, struct piece line, size_t equals)
{
	struct piece name = trim((struct piece){ line.at, equals });
	struct piece value = trim((struct piece){ line.at + equals + 1,
						  line.length - equals - 1 });
	struct sentence s;

	for (size_t i = 0; i < params_key_count; i++)
		if (piece_is(p->section, params_keys[i].section) &&
		    piece_is(name, params_keys[i].name))
			return give(p, i, name) &&
			       set_value(p, &params_keys[i], value);
	s = complain(p, name.at);
	say(&s, "'");
	say_piece(&s, name);
	say(&s, p->section.length ? "' is not a key of section ["
				  : "' is not a key before the first section");
	say_piece(&s, p->section);
	say(&s, p->section.length ? "]" : "");
	return false;
}

static bool parse_lines(struct parser *p, const char *text);

static bool parse_include(struct parser *p, struct piece name)
{
	struct parser base = { .params = p->params, .error = p->error };
	const char *text = NULL;

	if (p->begun)
		return refuse(p, p->start, "include must come first");
	for (size_t i = 0; params_builtin_name(i); i++)
		if (piece_is(name, params_builtin_name(i)))
			text = params_builtin_text(params_builtin_name(i));
	if (!text)
		return refuse_word(p, name, "is not a model that is built in");
	return parse_lines(&base, text);
}

static bool parse_line(struct parser *p, struct piece line)
{
	struct piece rest = line;
	size_t equals = 0;

	if (!line.length)
		return true;
	if (piece_is(next_word(&rest), "include"))
		return parse_include(p, trim(rest));
	p->begun = true;
	if (*line.at == '[')
		return parse_section(p, line);
	while (equals < line.length && line.at[equals] != '=')
		equals++;
	if (equals == line.length)
		return refuse(
			p, line.at,
			"expected 'key = value', '[section]' or 'include'");
	return parse_pair(p, line, equals);
}

/* Refuse a size if the sets, whose field it is, were given as well. */
static bool is_only_size(struct parser *p, const struct given_size *size)
{
	size_t sets = (size_t)((char *)&size->cache->sets - (char *)p->params);

	for (size_t i = 0; i < params_key_count; i++) {
		if (params_keys[i].kind != KEY_NUMBER ||
		    params_keys[i].offset != sets || !p->given[i])
			continue;
		p->line = p->given[i] > size->line ? p->given[i] : size->line;
		return refuse(p, p->start,
			      "give the size or the sets, not both");
	}
	return true;
}

static bool derive_sets(struct parser *p)
{
	for (size_t i = 0; i < p->sizes; i++) {
		const struct given_size *size = &p->size[i];
		uint64_t way =
			(uint64_t)size->cache->ways * p->params->line_bytes;

		if (!is_only_size(p, size))
			return false;
		if (!way || size->bytes % way) {
			struct sentence s;

			p->line = size->line;
			s = complain(p, p->start);
			p->error->column = size->column;
			say(&s,
			    "the size must be a multiple of ways times line, ");
			say_number(&s, way);
			say(&s, " bytes");
			return false;
		}
		size->cache->sets = (uint32_t)(size->bytes / way);
	}
	return true;
}

static bool parse_lines(struct parser *p, const char *text)
{
	p->section = (struct piece){ text, 0 };
	while (*text) {
		struct piece line = { text, 0 };

		p->line++;
		p->start = text;
		while (text[line.length] && text[line.length] != '\n')
			line.length++;
		text += line.length + (text[line.length] == '\n');
		if (!parse_line(p, cut_comment(line)))
			return false;
	}
	return derive_sets(p);
}

static bool begins_with(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word && (*text == ' ' || !*text);
}

/*
 * What is wrong with the machine as a whole is said of a key or of a section:
 * point to where that was given, or to the end, where it could be.
 */
static void point_at_cause(const struct parser *p)
{
	unsigned line = 0;

	for (size_t i = 0; i < params_key_count; i++)
		if (p->given[i] > line &&
		    (begins_with(p->error->text, params_keys[i].name) ||
		     (*params_keys[i].section &&
		      begins_with(p->error->text, params_keys[i].section))))
			line = p->given[i];
	p->error->line = line ? line : p->line ? p->line : 1;
	p->error->column = 1;
}

bool params_parse(struct params *params, const char *text,
		  struct params_error *error)
{
	struct params_error ignored;
	struct parser parser = { .params = params,
				 .error = error ? error : &ignored,
				 .start = text };

	*params = (struct params){ .line_bytes = 64 };
	for (size_t i = 0; i < INSN_CLASSES; i++)
		params->insn[i] = (struct unit_params){ 1, 1, UNIT_INT };
	if (!parse_lines(&parser, text))
		return false;
	if (params_check(params, parser.error))
		return true;
	point_at_cause(&parser);
	return false;
}

bool params_builtin(struct params *params, const char *name)
{
	const char *text = params_builtin_text(name);

	return text && params_parse(params, text, NULL);
}
