// SPDX-License-Identifier: MIT
#include "CCacheStoreRowSource.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

// The name that keeps other pointers out (https://sqlite.org/bindptr.html).
static const char *const pointer_type = "cachestore_row_source";

enum { KEY_COLUMN = 0, FIRST_CELL_COLUMN = 1 };
enum { SOURCE_COLUMN = FIRST_CELL_COLUMN + CACHESTORE_ROW_WIDTH };

static void give(sqlite3_context *context, const cachestore_cell *cell) {
    const void *bytes = cell->bits ? (const void *)(uintptr_t)cell->bits : "";
    double real;
    switch (cell->kind) {
    case CACHESTORE_CELL_INTEGER:
        sqlite3_result_int64(context, (sqlite3_int64)cell->bits);
        break;
    case CACHESTORE_CELL_REAL:
        memcpy(&real, &cell->bits, sizeof real);
        sqlite3_result_double(context, real);
        break;
    case CACHESTORE_CELL_TEXT:
        sqlite3_result_text64(context, bytes, cell->length, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case CACHESTORE_CELL_BLOB:
        sqlite3_result_blob64(context, bytes, cell->length, SQLITE_STATIC);
        break;
    default: sqlite3_result_null(context);
    }
}

// MARK: The table (https://sqlite.org/vtab.html#epovtab)

typedef struct {
    sqlite3_vtab_cursor base;
    cachestore_row_source *rows;
    int32_t row;
} cursor;

static int table_connect(
    sqlite3 *db, void *data, int count, const char *const *arguments, sqlite3_vtab **table,
    char **error) {
    (void)data, (void)count, (void)arguments, (void)error;
    char sql[64 + 8 * CACHESTORE_ROW_WIDTH];
    int length = snprintf(sql, sizeof sql, "CREATE TABLE rows (key INTEGER");
    for (int cell = 0; cell < CACHESTORE_ROW_WIDTH; cell++) {
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", c%d", cell);
    }
    snprintf(sql + length, sizeof sql - (size_t)length, ", source HIDDEN)");
    int result = sqlite3_declare_vtab(db, sql);
    if (result != SQLITE_OK) return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    *table = sqlite3_malloc(sizeof **table);
    if (!*table) return SQLITE_NOMEM;
    memset(*table, 0, sizeof **table);
    return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int table_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int index = 0; index < info->nConstraint; index++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[index];
        if (constraint->iColumn != SOURCE_COLUMN
            || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || !constraint->usable) {
            continue;
        }
        info->aConstraintUsage[index].argvIndex = 1;
        info->aConstraintUsage[index].omit = 1;
        info->estimatedCost = 100;
        info->estimatedRows = 100;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
    (void)table;
    cursor *opened = sqlite3_malloc(sizeof *opened);
    if (!opened) return SQLITE_NOMEM;
    memset(opened, 0, sizeof *opened);
    *result = &opened->base;
    return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *base) {
    sqlite3_free(base);
    return SQLITE_OK;
}

static int table_filter(
    sqlite3_vtab_cursor *base, int number, const char *name, int count, sqlite3_value **values) {
    (void)number, (void)name;
    cursor *self = (cursor *)base;
    self->rows = count > 0 ? sqlite3_value_pointer(values[0], pointer_type) : NULL;
    self->row = self->rows ? self->rows->scanned : 0;
    return SQLITE_OK;
}

static int table_next(sqlite3_vtab_cursor *base) {
    cursor *self = (cursor *)base;
    self->rows->scanned = ++self->row;
    return SQLITE_OK;
}

static int table_eof(sqlite3_vtab_cursor *base) {
    cursor *self = (cursor *)base;
    return !self->rows || self->row >= self->rows->count;
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    cursor *self = (cursor *)base;
    const cachestore_row_source *rows = self->rows;
    int cell = column - FIRST_CELL_COLUMN;
    if (column == KEY_COLUMN) {
        sqlite3_result_int64(context, rows->keys[self->row]);
    } else if (cell < rows->width) {
        give(context, &rows->cells[(size_t)self->row * (size_t)rows->width + (size_t)cell]);
    }
    return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module table_module = {
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column,
    .xRowid = table_rowid,
};

// MARK: The functions

// Makes the row with a key the current one, and returns whether there is one. The rows of a table
// mostly come in the order of their keys, so the next row is tried before the others.
static int find(cachestore_row_source *rows, sqlite3_int64 key) {
    int32_t near = rows->current;
    if (near < rows->count && rows->keys[near] == key) return 1;
    if (near + 1 < rows->count && rows->keys[near + 1] == key) {
        rows->current = near + 1;
        return 1;
    }
    int32_t low = 0, high = rows->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (rows->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low >= rows->count || rows->keys[low] != key) return 0;
    rows->current = low;
    return 1;
}

static void takes(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    cachestore_row_source *rows = sqlite3_value_pointer(values[0], pointer_type);
    int is_taken = rows && find(rows, sqlite3_value_int64(values[1]))
        && rows->versions[rows->current] == sqlite3_value_int64(values[2]);
    if (is_taken) rows->taken[rows->current] = 1;
    sqlite3_result_int(context, is_taken);
}

static void cell(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    cachestore_row_source *rows = sqlite3_value_pointer(values[0], pointer_type);
    int number = sqlite3_value_int(values[2]);
    if (!rows || number < 0 || number >= rows->width
        || !find(rows, sqlite3_value_int64(values[1]))) {
        sqlite3_result_error(context, "no such cell", -1);
        return;
    }
    give(context, &rows->cells[(size_t)rows->current * (size_t)rows->width + (size_t)number]);
}

int cachestore_register_row_source(sqlite3 *db) {
    int result = sqlite3_create_module_v2(db, "cachestore_row_source", &table_module, NULL, NULL);
    if (result != SQLITE_OK) return result;
    // Not deterministic: what they give depends on what is bound, and one of them leaves a mark.
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    result = sqlite3_create_function_v2(
        db, "cachestore_takes", 3, flags, NULL, takes, NULL, NULL, NULL);
    if (result != SQLITE_OK) return result;
    return sqlite3_create_function_v2(
        db, "cachestore_cell", 3, flags, NULL, cell, NULL, NULL, NULL);
}

int cachestore_bind_row_source(sqlite3_stmt *statement, int index, cachestore_row_source *rows) {
    return sqlite3_bind_pointer(statement, index, rows, pointer_type, NULL);
}
