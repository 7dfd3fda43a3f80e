/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The database of machines, in SQLite. Its application_id and user_version
 * tell whose it is and how old; nothing is written before both are known.
 */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "machine/store.h"

#define APPLICATION 0x61737379 /* "assy" */
#define VERSION     1
#define PATIENCE_MS 5000
#define TEXT(x)     #x
#define NUMBER(x)   TEXT(x)

struct machine_db {
	sqlite3 *sqlite;
	char *path;
};

static const char schema[] =
	"CREATE TABLE machine(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT "
	"NULL, cpu TEXT, vendor TEXT, kernel TEXT, family INTEGER, model "
	"INTEGER, stepping INTEGER, cpus INTEGER, virtual INTEGER, simulated "
	"INTEGER, quick INTEGER, measured REAL, seconds REAL, discarded REAL);"
	"CREATE TABLE constant(machine INTEGER NOT NULL REFERENCES machine(id) "
	"ON DELETE CASCADE, position INTEGER, name TEXT NOT NULL, value REAL, "
	"unit TEXT, nominal REAL, spread REAL, stable INTEGER, method TEXT, "
	"reason TEXT, note TEXT);"
	"CREATE INDEX constant_machine ON constant(machine, position);"
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, machine INTEGER NOT NULL "
	"REFERENCES machine(id) ON DELETE CASCADE, name TEXT NOT NULL, x_label "
	"TEXT, y_label TEXT);"
	"CREATE TABLE point(sweep INTEGER NOT NULL REFERENCES sweep(id) ON "
	"DELETE CASCADE, x REAL, y REAL, low REAL, high REAL);"
	"CREATE INDEX point_sweep ON point(sweep);"
	"PRAGMA application_id = " NUMBER(
		APPLICATION) ";"
			     "PRAGMA user_version = " NUMBER(VERSION) ";";

static int fail(struct machine_db *db, struct diag *diag)
{
	int code = sqlite3_errcode(db->sqlite);

	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s is damaged or not a database; it was not changed",
			db->path);
	return diag_fail(diag, PAPI_ESYS, "%s: %s", db->path,
			 sqlite3_errmsg(db->sqlite));
}

static int execute(struct machine_db *db, const char *sql, struct diag *diag)
{
	if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(db, diag);
	return 0;
}

/* ---- statements ---- */

/*
 * Prepare @sql and bind values by the letters of @types: i an int64, d a
 * double (NaN is NULL), s a string or NULL.
 */
struct bound {
	char type;
	union {
		sqlite3_int64 i;
		double d;
		const char *s;
	};
};

static int prepare(struct machine_db *db, const char *sql,
		   const struct bound *values, size_t n, sqlite3_stmt **out,
		   struct diag *diag)
{
	if (sqlite3_prepare_v2(db->sqlite, sql, -1, out, NULL) != SQLITE_OK)
		return fail(db, diag);
	for (size_t i = 0; i < n; i++) {
		int at = (int)i + 1;

		if (values[i].type == 'i')
			sqlite3_bind_int64(*out, at, values[i].i);
		else if (values[i].type == 'd' && !isnan(values[i].d))
			sqlite3_bind_double(*out, at, values[i].d);
		else if (values[i].type == 's' && values[i].s)
			sqlite3_bind_text(*out, at, values[i].s, -1,
					  SQLITE_STATIC);
	}
	return 0;
}

#define INT(v)    ((struct bound){ .type = 'i', .i = (sqlite3_int64)(v) })
#define DOUBLE(v) ((struct bound){ .type = 'd', .d = (v) })
#define STRING(v) ((struct bound){ .type = 's', .s = (v) })

/* A statement without rows. */
static int run(struct machine_db *db, const char *sql,
	       const struct bound *values, size_t n, struct diag *diag)
{
	sqlite3_stmt *statement;
	int err = prepare(db, sql, values, n, &statement, diag);

	if (err)
		return err;
	if (sqlite3_step(statement) != SQLITE_DONE)
		err = fail(db, diag);
	sqlite3_finalize(statement);
	return err;
}

static int read_pragma(struct machine_db *db, const char *sql, int *value,
		       struct diag *diag)
{
	sqlite3_stmt *statement;
	int err = prepare(db, sql, NULL, 0, &statement, diag);

	if (err)
		return err;
	if (sqlite3_step(statement) == SQLITE_ROW)
		*value = sqlite3_column_int(statement, 0);
	else
		err = fail(db, diag);
	sqlite3_finalize(statement);
	return err;
}

/* ---- opening ---- */

static int make_folders(const char *path, struct diag *diag)
{
	char *copy = strdup(path);
	int err = copy ? 0 : PAPI_ENOMEM;

	for (char *p = copy ? copy + 1 : NULL; !err && p && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			err = diag_fail(diag, PAPI_ESYS,
					"cannot create the directory %s: %s",
					copy, strerror(errno));
		*p = '/';
	}
	free(copy);
	return err;
}

/* Whose it is; a new one is given our marks. */
static int check_marks(struct machine_db *db, bool write, struct diag *diag)
{
	int application = 0, version = 0, tables = 0;
	int err = read_pragma(db, "PRAGMA application_id", &application, diag);

	if (!err)
		err = read_pragma(db, "PRAGMA user_version", &version, diag);
	if (!err)
		err = read_pragma(db, "SELECT count(*) FROM sqlite_master",
				  &tables, diag);
	if (err)
		return err;
	if (application == 0 && version == 0 && tables == 0 && write)
		return execute(db, schema, diag);
	if (application != APPLICATION)
		return diag_fail(
			diag, PAPI_EINVAL,
			"%s is not a database of machines; it was not changed",
			db->path);
	if (version != VERSION)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s was written by another version of assay "
				 "(%d, not %d); it was not changed",
				 db->path, version, VERSION);
	return 0;
}

static int open_checked(struct machine_db *db, bool write, struct diag *diag)
{
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
			  : SQLITE_OPEN_READONLY;
	int err;

	if (sqlite3_open_v2(db->path, &db->sqlite, flags, NULL) != SQLITE_OK)
		return fail(db, diag);
	sqlite3_busy_timeout(db->sqlite, PATIENCE_MS);
	/* One transaction: two who make it at once are not in each other's
	 * way. */
	err = execute(db, write ? "BEGIN IMMEDIATE" : "BEGIN", diag);
	if (!err)
		err = check_marks(db, write, diag);
	if (!err)
		err = execute(db, "COMMIT", diag);
	if (!err)
		err = execute(db, "PRAGMA foreign_keys = ON", diag);
	return err;
}

int machine_db_open(const char *path, bool write, struct machine_db **out,
		    struct diag *diag)
{
	struct machine_db *db = calloc(1, sizeof(*db));
	struct stat st;
	int err = 0;

	if (!db)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	db->path = path ? strdup(path) : machine_store_path("machines.db");
	if (!db->path)
		err = diag_fail(
			diag, PAPI_ESYS,
			"no directory to store machines in: HOME is not set");
	else if (!write && stat(db->path, &st))
		err = diag_fail(diag, PAPI_ENOEVNT,
				"no machine was measured yet: there is no %s",
				db->path);
	else if (write && !path)
		err = make_folders(db->path, diag);
	if (!err)
		err = open_checked(db, write, diag);
	if (err) {
		machine_db_close(db);
		return err;
	}
	*out = db;
	return 0;
}

void machine_db_close(struct machine_db *db)
{
	if (!db)
		return;
	sqlite3_close(db->sqlite);
	free(db->path);
	free(db);
}

/* ---- saving ---- */

static int save_head(struct machine_db *db, const struct machine *m,
		     struct diag *diag)
{
	const struct bound name[] = { STRING(m->name) };
	const struct bound values[] = {
		STRING(m->name),    STRING(m->cpu),       STRING(m->vendor),
		STRING(m->kernel),  INT(m->family),       INT(m->model),
		INT(m->stepping),   INT(m->cpus),         INT(m->virtual_),
		INT(m->simulated),  INT(m->quick),        DOUBLE(m->measured),
		DOUBLE(m->seconds), DOUBLE(m->discarded),
	};
	int err = run(db, "DELETE FROM machine WHERE name = ?", name, 1, diag);

	if (err)
		return err;
	return run(
		db,
		"INSERT INTO machine(name, cpu, vendor, kernel, family, "
		"model, stepping, cpus, virtual, simulated, quick, measured, "
		"seconds, discarded) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		values, 14, diag);
}

static int save_constant(struct machine_db *db, sqlite3_int64 machine,
			 size_t position, const struct machine_constant *c,
			 struct diag *diag)
{
	const struct bound values[] = {
		INT(machine),      INT(position),   STRING(c->name),
		DOUBLE(c->value),  STRING(c->unit), DOUBLE(c->nominal),
		DOUBLE(c->spread), INT(c->stable),  STRING(c->method),
		STRING(c->reason), STRING(c->note),
	};

	return run(db, "INSERT INTO constant VALUES(?,?,?,?,?,?,?,?,?,?,?)",
		   values, 11, diag);
}

static int save_sweep(struct machine_db *db, sqlite3_int64 machine,
		      const struct machine_sweep *s, struct diag *diag)
{
	const struct bound values[] = { INT(machine), STRING(s->name),
					STRING(s->x_label),
					STRING(s->y_label) };
	sqlite3_int64 id;
	int err = run(db,
		      "INSERT INTO sweep(machine, name, x_label, y_label) "
		      "VALUES(?,?,?,?)",
		      values, 4, diag);

	id = sqlite3_last_insert_rowid(db->sqlite);
	for (size_t i = 0; !err && i < s->n; i++) {
		const struct machine_point *p = &s->points[i];
		const struct bound point[] = { INT(id), DOUBLE(p->x),
					       DOUBLE(p->y), DOUBLE(p->low),
					       DOUBLE(p->high) };

		err = run(db, "INSERT INTO point VALUES(?,?,?,?,?)", point, 5,
			  diag);
	}
	return err;
}

static int save_all(struct machine_db *db, const struct machine *m,
		    struct diag *diag)
{
	sqlite3_int64 id;
	int err = save_head(db, m, diag);

	id = sqlite3_last_insert_rowid(db->sqlite);
	for (size_t i = 0; !err && i < m->n_constants; i++)
		err = save_constant(db, id, i, &m->constants[i], diag);
	for (size_t i = 0; !err && i < m->n_sweeps; i++)
		err = save_sweep(db, id, &m->sweeps[i], diag);
	return err;
}

int machine_db_save(struct machine_db *db, const struct machine *m,
		    struct diag *diag)
{
	int err = execute(db, "BEGIN IMMEDIATE", diag);

	if (err)
		return err;
	err = save_all(db, m, diag);
	if (err) {
		sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
		return err;
	}
	return execute(db, "COMMIT", diag);
}

/* ---- loading ---- */

static char *text_at(struct machine *m, sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);
	char *copy = strdup(text ? (const char *)text : "");

	if (!copy)
		m->failed = true;
	return copy;
}

static double number_at(sqlite3_stmt *row, int column)
{
	if (sqlite3_column_type(row, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(row, column);
}

static unsigned whole_at(sqlite3_stmt *row, int column)
{
	return (unsigned)sqlite3_column_int(row, column);
}

#define HEAD                                                                    \
	"SELECT id, name, cpu, vendor, kernel, family, model, stepping, cpus, " \
	"virtual, simulated, quick, measured, seconds, discarded FROM machine "

static void take_head(struct machine *m, sqlite3_stmt *row)
{
	m->name = text_at(m, row, 1);
	m->cpu = text_at(m, row, 2);
	m->vendor = text_at(m, row, 3);
	m->kernel = text_at(m, row, 4);
	m->family = whole_at(row, 5);
	m->model = whole_at(row, 6);
	m->stepping = whole_at(row, 7);
	m->cpus = whole_at(row, 8);
	m->virtual_ = sqlite3_column_int(row, 9) != 0;
	m->simulated = sqlite3_column_int(row, 10) != 0;
	m->quick = sqlite3_column_int(row, 11) != 0;
	m->measured = number_at(row, 12);
	m->seconds = number_at(row, 13);
	m->discarded = number_at(row, 14);
}

static void take_constant(struct machine *m, sqlite3_stmt *row)
{
	const char *name = (const char *)sqlite3_column_text(row, 0);
	const char *unit = (const char *)sqlite3_column_text(row, 2);
	const char *method = (const char *)sqlite3_column_text(row, 6);
	const char *reason = (const char *)sqlite3_column_text(row, 7);
	const char *note = (const char *)sqlite3_column_text(row, 8);
	struct machine_constant *c =
		machine_add(m, name ? name : "", number_at(row, 1),
			    unit ? unit : "", method ? method : "");

	if (!c)
		return;
	c->nominal = number_at(row, 3);
	c->spread = number_at(row, 4);
	c->stable = sqlite3_column_int(row, 5) != 0;
	if (!c->stable)
		machine_doubt(m, c, reason ? reason : "");
	if (note)
		machine_remark(m, c, note);
}

/* Step through @statement; 0 at its end. */
static int next_row(struct machine_db *db, sqlite3_stmt *statement, bool *more,
		    struct diag *diag)
{
	int code = sqlite3_step(statement);

	*more = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : fail(db, diag);
}

static int load_constants(struct machine_db *db, sqlite3_int64 id,
			  struct machine *m, struct diag *diag)
{
	const struct bound machine[] = { INT(id) };
	sqlite3_stmt *row;
	bool more = true;
	int err =
		prepare(db,
			"SELECT name, value, unit, nominal, spread, stable, "
			"method, reason, note FROM constant WHERE machine = ? "
			"ORDER BY position",
			machine, 1, &row, diag);

	if (err)
		return err;
	while (!(err = next_row(db, row, &more, diag)) && more)
		take_constant(m, row);
	sqlite3_finalize(row);
	return err;
}

/* Rows of curves and points come joined; a new curve begins with its id. */
static int load_sweeps(struct machine_db *db, sqlite3_int64 id,
		       struct machine *m, struct diag *diag)
{
	const struct bound machine[] = { INT(id) };
	struct machine_sweep *s = NULL;
	sqlite3_int64 last = -1;
	sqlite3_stmt *row;
	bool more = true;
	int err =
		prepare(db,
			"SELECT sweep.id, name, x_label, y_label, x, y, low, "
			"high FROM sweep JOIN point ON point.sweep = sweep.id "
			"WHERE machine = ? ORDER BY sweep.id, point.rowid",
			machine, 1, &row, diag);

	if (err)
		return err;
	while (!(err = next_row(db, row, &more, diag)) && more) {
		const char *x = (const char *)sqlite3_column_text(row, 2);
		const char *y = (const char *)sqlite3_column_text(row, 3);
		const char *name = (const char *)sqlite3_column_text(row, 1);

		if (sqlite3_column_int64(row, 0) != last)
			s = machine_add_sweep(m, name ? name : "", x ? x : "",
					      y ? y : "");
		last = sqlite3_column_int64(row, 0);
		machine_add_point(m, s,
				  (struct machine_point){ number_at(row, 4),
							  number_at(row, 5),
							  number_at(row, 6),
							  number_at(row, 7) });
	}
	sqlite3_finalize(row);
	return err;
}

int machine_db_load(struct machine_db *db, const char *name, struct machine *m,
		    struct diag *diag)
{
	const struct bound which[] = { STRING(name) };
	sqlite3_stmt *row;
	sqlite3_int64 id = 0;
	bool more = false;
	int err = prepare(db, HEAD "WHERE name = ?", which, 1, &row, diag);

	if (err)
		return err;
	err = next_row(db, row, &more, diag);
	if (!err && more) {
		id = sqlite3_column_int64(row, 0);
		take_head(m, row);
	}
	sqlite3_finalize(row);
	if (!err && !more)
		err = diag_fail(diag, PAPI_ENOEVNT,
				"there is no machine '%s' in %s", name,
				db->path);
	if (!err)
		err = load_constants(db, id, m, diag);
	if (!err)
		err = load_sweeps(db, id, m, diag);
	if (!err && m->failed)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (err)
		machine_fini(m);
	return err;
}

int machine_db_list(struct machine_db *db, machine_db_fn each, void *context,
		    struct diag *diag)
{
	sqlite3_stmt *row;
	bool more = true;
	int err = prepare(db, HEAD "ORDER BY name", NULL, 0, &row, diag);

	if (err)
		return err;
	while (!(err = next_row(db, row, &more, diag)) && more) {
		struct machine m = { 0 };

		take_head(&m, row);
		err = m.failed ? diag_fail(diag, PAPI_ENOMEM, "out of memory")
			       : each(context, &m);
		machine_fini(&m);
		if (err)
			break;
	}
	sqlite3_finalize(row);
	return err;
}
