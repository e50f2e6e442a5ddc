// SPDX-License-Identifier: MIT
#include "CCacheStoreRowPacker.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct cachestore_row_packer packer_t;
typedef struct cachestore_row_form form_t;
typedef struct cachestore_row_slot slot_t;
typedef struct cachestore_packed_rows batch_t;

// The tags of RowBatch.Tag.
enum { TAG_INTEGER = 1, TAG_REAL = 2, TAG_TEXT = 3, TAG_BLOB = 4, TAG_ENCODED = 5 };

// Offsets into the heap have 32 bits.
static const size_t full_heap = (size_t)1 << 30;

// The texts of most single rows.
static const size_t inside_heap = 136;

// MARK: Room

// Gives back what the last heap does not need: objects keep their buffers for long.
static void trim_heap(packer_t *packer, batch_t *batch) {
    if (batch->heap_is_inside || packer->heap_capacity - packer->heap_count < 512) return;
    void *smaller = realloc(batch->heap, packer->heap_count > 0 ? packer->heap_count : 1);
    if (smaller) batch->heap = smaller;
}

static batch_t *new_batch(packer_t *packer) {
    const form_t *form = packer->form;
    int32_t capacity = packer->expected_rows;
    size_t heap_capacity = 0;
    if (packer->batch_count > 0) {
        // Rows of one statement are alike, so the next buffer will be about as large.
        capacity = form->rows_per_batch;
        heap_capacity = packer->heap_count + packer->heap_count / 16 + 64;
        trim_heap(packer, &packer->batches[packer->batch_count - 1]);
    }
    if (capacity > form->rows_per_batch) capacity = form->rows_per_batch;
    if (capacity < 1) capacity = 1;
    if (packer->batch_count == packer->batch_capacity) {
        int32_t more = packer->batch_capacity > 0 ? packer->batch_capacity * 2 : 4;
        batch_t *batches = realloc(packer->batches, (size_t)more * sizeof(batch_t));
        if (!batches) return NULL;
        packer->batches = batches;
        packer->batch_capacity = more;
    }
    batch_t *batch = &packer->batches[packer->batch_count];
    size_t size = (size_t)capacity * (size_t)form->stride;
    batch->heap_is_inside = capacity == 1;
    batch->rows = malloc(batch->heap_is_inside ? size + inside_heap : size);
    if (!batch->rows) return NULL;
    if (batch->heap_is_inside) {
        heap_capacity = inside_heap;
        batch->heap = (char *)batch->rows + size;
    } else {
        batch->heap = heap_capacity > 0 ? malloc(heap_capacity) : NULL;
        if (heap_capacity > 0 && !batch->heap) {
            free(batch->rows);
            return NULL;
        }
    }
    batch->count = 0;
    packer->row_capacity = capacity;
    packer->heap_count = 0;
    packer->heap_capacity = heap_capacity;
    packer->batch_count += 1;
    return batch;
}

// A heap of its own, for what does not fit behind the rows.
static int move_heap_out(packer_t *packer, batch_t *batch, size_t capacity) {
    void *heap = malloc(capacity);
    if (!heap) return 0;
    memcpy(heap, batch->heap, packer->heap_count);
    batch->heap = heap;
    batch->heap_is_inside = 0;
    packer->heap_capacity = capacity;
    return 1;
}

static int grow_rows(packer_t *packer, batch_t *batch) {
    if (batch->heap_is_inside && !move_heap_out(packer, batch, 2 * inside_heap)) return 0;
    int32_t capacity = packer->row_capacity * 2;
    if (capacity > packer->form->rows_per_batch) capacity = packer->form->rows_per_batch;
    void *rows = realloc(batch->rows, (size_t)capacity * (size_t)packer->form->stride);
    if (!rows) return 0;
    batch->rows = rows;
    packer->row_capacity = capacity;
    return 1;
}

static int grow_heap(packer_t *packer, batch_t *batch, size_t count) {
    size_t capacity = packer->heap_capacity * 2;
    if (capacity < packer->heap_count + count) capacity = packer->heap_count + count;
    if (capacity < 256) capacity = 256;
    if (batch->heap_is_inside) return move_heap_out(packer, batch, capacity);
    void *heap = realloc(batch->heap, capacity);
    if (!heap) return 0;
    batch->heap = heap;
    packer->heap_capacity = capacity;
    return 1;
}

// MARK: Rows

static int64_t entity_index(const form_t *form, int64_t number, int32_t fallback) {
    if (number < 0 || number >= form->entity_count) return fallback;
    int32_t index = form->entities[number];
    return index < 0 ? fallback : index;
}

// Most texts are short, and a call of memcpy() costs more than copying them.
static void copy_bytes(unsigned char *to, const unsigned char *from, size_t count) {
    if (count >= 16 && count <= 32) {
        memcpy(to, from, 16);
        memcpy(to + count - 16, from + count - 16, 16);
    } else if (count >= 8 && count < 16) {
        memcpy(to, from, 8);
        memcpy(to + count - 8, from + count - 8, 8);
    } else if (count > 0) {
        memcpy(to, from, count);
    }
}

static int pack(packer_t *packer, sqlite3_value **values) {
    const form_t *form = packer->form;
    batch_t *batch = packer->batch_count > 0 ? &packer->batches[packer->batch_count - 1] : NULL;
    if (!batch || batch->count == form->rows_per_batch || packer->heap_count > full_heap) {
        batch = new_batch(packer);
        if (!batch) return 0;
    } else if (batch->count == packer->row_capacity && !grow_rows(packer, batch)) {
        return 0;
    }
    unsigned char *row = (unsigned char *)batch->rows + (size_t)batch->count * (size_t)form->stride;
    unsigned char *cells = row + form->tag_bytes;
    static const uint64_t no_tags = 0;
    for (unsigned char *tags = row; tags < cells; tags += 8) memcpy(tags, &no_tags, 8);
    if (form->constant_cell >= 0) {
        row[form->constant_cell] = TAG_INTEGER;
        memcpy(cells + form->constant_cell * 8, &form->constant, 8);
    }
    const slot_t *end = form->slots + form->slot_count;
    for (const slot_t *slot = form->slots; slot < end; slot++, values++) {
        sqlite3_value *value = *values;
        unsigned char *cell = cells + (size_t)slot->cell * 8;
        int64_t integer;
        if (slot->kind >= CACHESTORE_SLOT_INTEGER) {
            integer = sqlite3_value_int64(value);
            if (slot->kind == CACHESTORE_SLOT_OWN_ENTITY) {
                integer = entity_index(form, integer, slot->fallback);
            }
            row[slot->cell] = TAG_INTEGER;
            memcpy(cell, &integer, 8);
            continue;
        }
        // Storage classes are asked first: asking for another form would convert the value
        // (https://sqlite.org/c3ref/value_blob.html).
        int type = sqlite3_value_type(value);
        switch (type) {
        case SQLITE_INTEGER:
            integer = sqlite3_value_int64(value);
            if (slot->kind == CACHESTORE_SLOT_ENTITY) {
                integer = entity_index(form, integer, slot->fallback);
            }
            row[slot->cell] = TAG_INTEGER;
            memcpy(cell, &integer, 8);
            break;
        case SQLITE_FLOAT: {
            double real = sqlite3_value_double(value);
            row[slot->cell] = TAG_REAL;
            memcpy(cell, &real, 8);
            break;
        }
        case SQLITE_TEXT:
        case SQLITE_BLOB: {
            int is_text = type == SQLITE_TEXT;
            const void *bytes =
                is_text ? (const void *)sqlite3_value_text(value) : sqlite3_value_blob(value);
            size_t count = (size_t)sqlite3_value_bytes(value);
            // Without memory for the conversion there is no pointer; an empty blob has none either.
            if (!bytes) {
                if (count > 0 || is_text) return 0;
            }
            if (packer->heap_count + count > packer->heap_capacity
                && !grow_heap(packer, batch, count)) {
                return 0;
            }
            copy_bytes((unsigned char *)batch->heap + packer->heap_count, bytes, count);
            uint32_t place[2] = {(uint32_t)packer->heap_count, (uint32_t)count};
            row[slot->cell] = is_text                              ? TAG_TEXT
                              : slot->kind == CACHESTORE_SLOT_OPAQUE ? TAG_ENCODED
                                                                     : TAG_BLOB;
            memcpy(cell, place, 8);
            packer->heap_count += count;
            break;
        }
        default: break;
        }
    }
    batch->count += 1;
    return 1;
}

// MARK: The function

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
    packer_t *packer = sqlite3_user_data(context);
    if (!packer->form || count != packer->form->slot_count) {
        sqlite3_result_error(context, "rows are packed with other columns than were asked for", -1);
    } else if (!pack(packer, values)) {
        sqlite3_result_error_nomem(context);
    }
}

// The result of cachestore_row() is NULL: nobody looks at it.
static void row(sqlite3_context *context, int count, sqlite3_value **values) {
    step(context, count, values);
}

static void finish(sqlite3_context *context) {
    const packer_t *packer = sqlite3_user_data(context);
    int64_t count = 0;
    for (int32_t index = 0; index < packer->batch_count; index++) {
        count += packer->batches[index].count;
    }
    sqlite3_result_int64(context, count);
}

static void destroy(void *data) {
    packer_t *packer = data;
    cachestore_row_packer_clear(packer);
    free(packer->batches);
    free(packer);
}

int cachestore_register_rows(sqlite3 *db, packer_t **packer) {
    *packer = calloc(1, sizeof(packer_t));
    if (!*packer) return SQLITE_NOMEM;
    // Direct only: nothing in a schema, which comes from a file, may call it
    // (https://sqlite.org/c3ref/c_deterministic.html).
    int result = sqlite3_create_function_v2(
        db, "cachestore_rows", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, *packer, NULL, step, finish,
        destroy);
    // SQLite has freed the packer if it failed.
    if (result != SQLITE_OK) {
        *packer = NULL;
        return result;
    }
    return sqlite3_create_function_v2(
        db, "cachestore_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, *packer, row, NULL, NULL, NULL);
}

int cachestore_pack_row(packer_t *packer, sqlite3_stmt *statement) {
    enum { FEW = 64 };
    sqlite3_value *few[FEW];
    int32_t count = packer->form->slot_count;
    sqlite3_value **values = few;
    if (count > FEW) {
        values = malloc((size_t)count * sizeof *values);
        if (!values) return 0;
    }
    // The values are unprotected: no other thread may use the connection meanwhile, and none does
    // (https://sqlite.org/c3ref/value.html).
    for (int32_t column = 0; column < count; column++) {
        values[column] = sqlite3_column_value(statement, column);
    }
    int packed = pack(packer, values);
    if (values != few) free(values);
    return packed;
}

void cachestore_row_packer_clear(packer_t *packer) {
    for (int32_t index = 0; index < packer->batch_count; index++) {
        batch_t *batch = &packer->batches[index];
        free(batch->rows);
        if (!batch->heap_is_inside) free(batch->heap);
    }
    packer->batch_count = 0;
    packer->heap_count = 0;
    packer->heap_capacity = 0;
    packer->row_capacity = 0;
}
