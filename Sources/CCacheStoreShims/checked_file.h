// SPDX-License-Identifier: MIT
#ifndef CHECKED_FILE_H
#define CHECKED_FILE_H

#include "CCacheStoreChecksumVFS.h"
#include "CCacheStorePageChecksum.h"
#include "page_sums.h"

#include <sqlite3.h>
#include <stdint.h>

enum {
    stamp_size = 8,
};

typedef struct log_memory log_memory;

typedef struct checked_file {
    sqlite3_file base;
    sqlite3_file *real;
    // Of a log: its database.
    struct checked_file *database;

    cachestore_checksum_statistics statistics;
    // Pages that were written before the first page told whether there are checksums.
    sqlite3_int64 first_blind_page, last_blind_page;
    int page_size;
    // Of a database.
    page_sums sums;

    // Of a log: where this connection wrote the header of a frame last, and for which page.
    sqlite3_int64 frame_header_at;
    uint32_t frame_page;
    // Of a log: SQLite changed a page in place here, and has not yet corrected the checksums from
    // there on. Only the writer sees these frames. They end where it has written.
    sqlite3_int64 unsettled_from, written_to;
    int log_is_big_endian;
    // Of a log: NULL until a page of it is read.
    log_memory *memory;
} checked_file;

static const sqlite3_int64 nowhere = INT64_MAX;

static inline checked_file *checked(sqlite3_file *file) { return (checked_file *)file; }

static inline sqlite3_file *real(sqlite3_file *file) { return checked(file)->real; }

static inline uint32_t big_endian_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void put_big_endian(unsigned char *bytes, uint32_t value) {
    bytes[0] = (unsigned char)(value >> 24);
    bytes[1] = (unsigned char)(value >> 16);
    bytes[2] = (unsigned char)(value >> 8);
    bytes[3] = (unsigned char)value;
}

// Offsets in the header: https://sqlite.org/fileformat2.html#the_database_header
enum {
    page_size_offset = 16,
    page_count_offset = 28,
    version_valid_for_offset = 92,
};

// A sealed header says "0 pages" where SQLite has the page count, and keeps the complement of the
// count in "version valid for". SQLite takes a count of 0 for "look at the size of the file", and
// corrects it in the first page with the first change that it makes.
static inline int is_sealed_header(const unsigned char *header) {
    return big_endian_at(header + page_count_offset) == 0
        && header[version_valid_for_offset] & 0x80;
}

static inline int page_size_in_header(const unsigned char *header) {
    int size = header[page_size_offset] << 8 | header[page_size_offset + 1];
    return size == 1 ? 65536 : size;
}

static inline int is_page(int count, sqlite3_int64 offset) {
    return count >= 512 && count <= 65536 && (count & (count - 1)) == 0 && offset % count == 0;
}

static inline void put_stamp(unsigned char *page, int size, uint64_t stamp) {
    for (int byte = 0; byte < stamp_size; byte++)
        page[size - stamp_size + byte] = (unsigned char)(stamp >> 8 * byte);
}

static inline uint64_t stamp_of(const unsigned char *page, int size) {
    uint64_t stamp = 0;
    for (int byte = 0; byte < stamp_size; byte++)
        stamp |= (uint64_t)page[size - stamp_size + byte] << 8 * byte;
    return stamp;
}

static inline uint64_t expected_stamp(const unsigned char *page, int size, uint32_t number) {
    return cachestore_page_checksum(page, (size_t)(size - stamp_size), number);
}

// What the stamp is replaced by while a page is in memory. A page gets from there into the log, and
// another program may move it from the log into the database as it is: the mark tells that apart
// from a stamp that does not fit.
static inline uint64_t no_stamp(uint32_t number) {
    return cachestore_page_without_checksum(number);
}

// Databases of the versions 1 to 3 of a VFS, by version - 1; and the log.
extern const sqlite3_io_methods cachestore_checked_database_methods[3];
extern const sqlite3_io_methods cachestore_checked_log_methods;

// MARK: What only goes through

static inline int close_file(sqlite3_file *file) {
    page_sums_close(&checked(file)->sums);
    sqlite3_free(checked(file)->memory);
    checked(file)->memory = NULL;
    return real(file)->pMethods->xClose(real(file));
}
static inline int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}
static inline int sync_file(sqlite3_file *file, int flags) {
    return real(file)->pMethods->xSync(real(file), flags);
}
static inline int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static inline int lock_file(sqlite3_file *file, int level) {
    return real(file)->pMethods->xLock(real(file), level);
}
static inline int unlock_file(sqlite3_file *file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}
static inline int check_reserved_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static inline int control_file(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static inline int sector_size(sqlite3_file *file) {
    return real(file)->pMethods->xSectorSize(real(file));
}
static inline int device_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
// What the method is for (https://sqlite.org/c3ref/io_methods.html). The VFS of Unix also takes a
// lock that all databases of the process share, twice for each transaction that reads.
static inline void shared_barrier(sqlite3_file *file) {
    (void)file;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    return real(file)->pMethods->xUnfetch(real(file), offset, page);
}

#endif
