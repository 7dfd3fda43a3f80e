/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which library a program gets is asked of its own dynamic linker, the only one
 * that knows: a program may name directories of its own (RPATH), and may be
 * linked with libpapi through another library.
 */
#include "process/process.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "console/console.h"

#define NAME "libpapi.so."

static char *find_directory(void)
{
	static const struct companion library = {
		.build = "compat/" NAME "7.0",
		.installed = "../../" ASSAY_LIBDIR "/assay/papi/" NAME "7.0",
		.variable = "ASSAY_LIBPAPI",
		.mode = R_OK,
		.missing = "assay's libpapi is not installed",
	};
	char *path = companion_find(&library, NULL);

	if (path)
		*strrchr(path, '/') = '\0';
	return path;
}

static void put_first(const char *directory)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	OWNED char *all = old && *old ? str_format("%s:%s", directory, old)
				      : strdup(directory);

	if (all)
		setenv("LD_LIBRARY_PATH", all, 1);
}

/* The dynamic linker that @program names, to be freed; NULL: it needs none. */
static char *find_linker(const char *program)
{
	FILE *file = fopen(program, "re");
	char *linker = NULL;
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (!file)
		return NULL;
	if (fread(&head, sizeof(head), 1, file) == 1 &&
	    memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	    head.e_ident[EI_CLASS] == ELFCLASS64 &&
	    head.e_phentsize == sizeof(part))
		for (unsigned i = 0; i < head.e_phnum && !linker; i++) {
			long at = (long)(head.e_phoff + i * sizeof(part));

			if (fseek(file, at, SEEK_SET) ||
			    fread(&part, sizeof(part), 1, file) != 1)
				break;
			if (part.p_type != PT_INTERP || part.p_filesz > 4096)
				continue;
			linker = calloc(1, part.p_filesz + 1);
			if (linker &&
			    (fseek(file, (long)part.p_offset, SEEK_SET) ||
			     fread(linker, part.p_filesz, 1, file) != 1)) {
				free(linker);
				linker = NULL;
				break;
			}
		}
	fclose(file);
	return linker;
}

/* What "@linker --list @program" prints of libpapi, to be freed; or NULL. */
static char *ask(const char *linker, const char *program)
{
	char line[8192], *found = NULL;
	int ends[2];
	FILE *from;
	pid_t child;

	if (pipe(ends))
		return NULL;
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execl(linker, linker, "--list", program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from && fgets(line, sizeof(line), from))
		if (!found && strstr(line, NAME))
			found = strdup(line + strspn(line, " \t"));
	if (from)
		fclose(from);
	else
		close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return found;
}

/* "libpapi.so.7.1 => /path/libpapi.so.7.1 (0x...)" in words; @directory: of
 * assay's own, or NULL. */
static void tell(const struct console *console, char *line,
		 const char *directory)
{
	char *path = strstr(line, " => ");
	char *end;

	if (!path)
		return;
	*path = '\0';
	path += strlen(" => ");
	end = strstr(path, " (");
	if (!end)
		say_note(console,
			 "no %s is installed, and assay provides only %s7.0, "
			 "7.1 and 7.2",
			 line, NAME);
	else if (*end = '\0',
		 directory && strncmp(path, directory, strlen(directory)) == 0)
		say_note(console, "%s is assay's", line);
	else
		say_note(console,
			 "%s is %s, so the program counts without assay", line,
			 path);
}

void dropin_use(const struct console *console, const char *program)
{
	OWNED char *directory = find_directory();
	OWNED char *linker = find_linker(program);
	char *line = NULL;

	if (directory)
		put_first(directory);
	if (linker)
		line = ask(linker, program);
	if (line)
		tell(console, line, directory);
	free(line);
}
