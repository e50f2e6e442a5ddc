// SPDX-License-Identifier: MIT
//
// Packs the rows of a statement into buffers: in C, because a row of ten columns takes some thirty
// calls of SQLite's interface, and each costs about as much as the work behind it.
#ifndef CCACHESTOREROWPACKER_H
#define CCACHESTOREROWPACKER_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

#ifdef __cplusplus
extern "C" {
#endif

/// What to do with the values of one column.
enum {
    /// Kept as the storage class says.
    CACHESTORE_SLOT_PLAIN = 0,
    /// Blobs are marked as encoded.
    CACHESTORE_SLOT_OPAQUE = 1,
    /// The number of an entity, which becomes the entity's index; NULL stays NULL.
    CACHESTORE_SLOT_ENTITY = 2,
    /// An integer, whatever the file has there.
    CACHESTORE_SLOT_INTEGER = 3,
    /// The number of the row's own entity: an integer, whatever the file has there.
    CACHESTORE_SLOT_OWN_ENTITY = 4,
};

/// Where the value of one column goes.
struct cachestore_row_slot {
    int32_t cell;
    int32_t kind;
    /// The entity's index where the number is not known.
    int32_t fallback;
};

/// The form of packed rows: a tag byte for each cell, padded to `tag_bytes`, then eight bytes for
/// each cell. Text and bytes lie in a heap, and their cell has offset and length, 32 bits each.
struct cachestore_row_form {
    const struct cachestore_row_slot *slots;
    int32_t slot_count;
    int32_t tag_bytes;
    int32_t stride;
    /// A cell that is the same in all rows: the entity, where the table does not say. -1 if none.
    int32_t constant_cell;
    int64_t constant;
    /// Indexes of entities by their number; -1 where there is none.
    const int32_t *entities;
    int32_t entity_count;
    /// How many rows share a buffer.
    int32_t rows_per_batch;
};

/// The rows of one buffer. Whoever takes them frees both.
struct cachestore_packed_rows {
    void *rows;
    void *heap;
    int32_t count;
    /// Whether the heap lies behind the rows, in one piece with them: a single row is looked up more
    /// often than anything else, and each piece of memory costs as much as a few columns.
    int32_t heap_is_inside;
};

/// What the rows of one statement are packed into. Made of zeros; `form` is set before the use.
struct cachestore_row_packer {
    const struct cachestore_row_form *form;
    /// How many rows to make room for at first.
    int32_t expected_rows;
    struct cachestore_packed_rows *batches;
    int32_t batch_count;
    int32_t batch_capacity;
    int32_t row_capacity;
    size_t heap_count;
    size_t heap_capacity;
};

/// Registers `cachestore_rows(…)`: an aggregate function that packs its arguments, row by row, into
/// the packer that the connection has at the time, and returns how many there were. A statement
/// that calls it runs over all its rows in one sqlite3_step(). And `cachestore_row(…)`, which packs
/// the row that a statement steps to: for a single row that costs less.
///
/// The packer's memory belongs to the connection and is freed with it.
int cachestore_register_rows(struct sqlite3 *db, struct cachestore_row_packer **packer);

/// Packs the row that a statement stands on. The connection is used by this thread alone.
///
/// Returns whether there was memory for it.
int cachestore_pack_row(struct cachestore_row_packer *packer, struct sqlite3_stmt *statement);

/// Frees what was packed and nobody has taken.
void cachestore_row_packer_clear(struct cachestore_row_packer *packer);

#ifdef __cplusplus
}
#endif
#endif
