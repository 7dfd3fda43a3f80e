/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding programs, and telling launchers from programs. */

#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "console/console.h"

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

static char *find_in_path(const char *name)
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	for (path = path ? path : "/usr/bin:/bin"; *path;) {
		size_t n = strcspn(path, ":");
		char *file = str_format("%.*s%s%s", (int)n, path,
					n ? "/" : "./", name);
		int e = file ? check_file(file) : ENOMEM;

		if (e == 0)
			return file;
		/* the first file that is there but cannot be run says why */
		if (e != ENOENT && e != ENOTDIR && error == ENOENT)
			error = e;
		free(file);
		path += n + (path[n] == ':');
	}
	errno = error;
	return NULL;
}

char *program_find(const char *name)
{
	int error;

	if (!*name) {
		errno = ENOENT;
		return NULL;
	}
	if (!strchr(name, '/'))
		return find_in_path(name);
	error = check_file(name);
	if (error == 0)
		return strdup(name);
	errno = error;
	return NULL;
}

int program_need(const struct console *console, const char *name, char **path)
{
	int error;

	*path = program_find(name);
	if (*path)
		return CMD_OK;
	error = errno;
	if (error == ENOENT && !strchr(name, '/') && access(name, X_OK) == 0) {
		say_error(console, "'%s' is not in PATH; did you mean ./%s?",
			  name, name);
		return CMD_NOT_FOUND;
	}
	if (error == ENOENT || error == ENOTDIR) {
		say_error(console, "there is no program '%s'", name);
		return CMD_NOT_FOUND;
	}
	say_error(console, "cannot execute '%s': %s", name, strerror(error));
	return CMD_CANNOT_EXECUTE;
}

static bool is_launcher(const char *name)
{
	static const char *const launchers[] = {
		"mpirun",
		"mpiexec",
		"mpiexec.hydra",
		"mpiexec.openmpi",
		"srun",
		"mpirun.openmpi",
		"mpirun.mpich",
		"orterun",
		"prun",
		"prterun",
		"aprun",
		"jsrun",
		"poe",
		"flux",
		NULL,
	};
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	for (size_t i = 0; launchers[i]; i++)
		if (strcmp(launchers[i], name) == 0)
			return true;
	return false;
}

/*
 * Where the program stands after a launcher's own options: the first word
 * that could be executed. Values of options ("4", "host1") hardly ever could.
 */
static size_t find_program_word(char **argv)
{
	for (size_t i = 1; argv[i]; i++) {
		char *path = argv[i][0] == '-' ? NULL : program_find(argv[i]);

		if (path) {
			free(path);
			return i;
		}
	}
	return 0;
}

char *program_launcher_order(const char *as, char **argv)
{
	struct strbuf order = { 0 };
	size_t at;

	if (!argv[0] || !is_launcher(argv[0]))
		return NULL;
	at = find_program_word(argv);
	strbuf_add(&order, argv[0]);
	for (size_t i = 1; argv[i]; i++) {
		if (i == at)
			strbuf_addf(&order, " %s", as);
		strbuf_addf(&order, " %s", argv[i]);
	}
	if (at == 0)
		strbuf_addf(&order, " %s ./program", as);
	return strbuf_take(&order);
}

int program_exec_failed(const struct console *console, const char *name,
			int error)
{
	if (error == ENOEXEC)
		say_error(console,
			  "cannot execute '%s': it is not a program, or it is "
			  "a script without a #! line",
			  name);
	else
		say_error(console, "cannot execute '%s': %s", name,
			  strerror(error));
	return error == ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_EXECUTE;
}
