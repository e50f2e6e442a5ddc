// SPDX-License-Identifier: MIT
//
// Many rows for one statement. SQLite spends about half of a small INSERT on beginning and ending
// it and on finding its place in the table again; one statement that reads its rows from memory does
// that once. It reads them by
//
// - cachestore_row_source(?): a table-valued function with the columns key, c0, c1, …
// - cachestore_takes(?, key, version): whether the row with the key is among the rows and has the
//   version given there; it is then marked as taken
// - cachestore_cell(?, key, n): the n-th cell of the row with the key
//
// where ? is bound with cachestore_bind_row_source(). Views and triggers cannot use them.
#ifndef CCACHESTOREROWSOURCE_H
#define CCACHESTOREROWSOURCE_H

#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CACHESTORE_CELL_NULL = 0,
    CACHESTORE_CELL_INTEGER = 1,
    CACHESTORE_CELL_REAL = 2,
    CACHESTORE_CELL_TEXT = 3,
    CACHESTORE_CELL_BLOB = 4,
};

/// How many cells a row can have.
enum { CACHESTORE_ROW_WIDTH = 100 };

/// One value: its 64 bits, or the address of its bytes.
typedef struct {
    uint64_t bits;
    uint32_t length;
    uint32_t kind;
} cachestore_cell;

/// Rows of equal width. Whoever fills it in keeps it, and all bytes that cells name, unchanged while
/// a statement runs that it is bound to.
typedef struct {
    int32_t count;
    int32_t width;
    const cachestore_cell *cells;
    /// Ascending for cachestore_takes() and cachestore_cell().
    const int64_t *keys;
    const int64_t *versions;
    /// Which rows were taken, one byte each.
    uint8_t *taken;
    /// The row that cachestore_row_source() gave out last; where it begins, before a statement runs.
    int32_t scanned;
    /// The row that was asked for last, near which the next is looked for.
    int32_t current;
} cachestore_row_source;

/// Registers the three functions on a connection, and returns a result code.
int cachestore_register_row_source(struct sqlite3 *db);

/// Binds rows to a parameter that is the first argument of the functions.
int cachestore_bind_row_source(
    struct sqlite3_stmt *statement, int index, cachestore_row_source *rows);

#ifdef __cplusplus
}
#endif
#endif
