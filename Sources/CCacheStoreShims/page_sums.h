// SPDX-License-Identifier: MIT
//
// The side file with the sum of each page of a database, which tells a page of an older version of
// the file from the page that was written last. Documentation/Decisions/0009-page-sums.md explains
// the format, and why nothing of it can make a sound database look damaged.
#ifndef PAGE_SUMS_H
#define PAGE_SUMS_H

#include <sqlite3.h>
#include <stdint.h>

enum {
    // Where the first page of a database has the generation: SQLite reserves these bytes
    // (https://sqlite.org/fileformat2.html#the_database_header).
    generation_offset = 72,
    generation_size = 16,
    sums_per_block = 256,
};

typedef struct page_sums_block {
    uint32_t index;
    // What the block counts for in the digest as it is in the file.
    uint64_t digest;
    uint32_t sums[sums_per_block];
} page_sums_block;

// Of one open database. What is written between two syncs is a run.
typedef struct page_sums {
    // NULL where the database has no side file.
    char *path;
    int descriptor;
    int is_writable;
    // Whether the sums in the file were compared with their digest by this connection.
    int is_proven;

    // For reading: some of the sums, as they were at the beginning of the transaction; and whether
    // they turned out to say nothing about the database as it is now.
    int64_t cached_index;
    uint32_t cached[sums_per_block];
    int is_useless;

    // A run: whether there is one, and whether its sums are kept.
    int is_running;
    int is_keeping;
    uint64_t generation, next_generation, digest;
    uint32_t marks;
    page_sums_block **blocks;
    uint32_t block_count, block_capacity, last_block;
} page_sums;

struct checked_file;

void page_sums_open(page_sums *sums, const char *database);
void page_sums_close(page_sums *sums);

// The sum of a page, of its checksum; never 0, which stands for "unknown".
static inline uint32_t page_sum_of(uint64_t checksum) {
    uint32_t sum = (uint32_t)((checksum * 0x9E3779B97F4A7C15u) >> 32);
    return sum ? sum : 1;
}

// What the file may have changed in since: called when a transaction begins.
static inline void page_sums_forget(page_sums *sums) {
    sums->cached_index = -1;
    sums->is_useless = 0;
}

uint32_t page_sums_load(page_sums *sums, uint32_t number);

// The sum of a page that was read, as the side file has it; 0 where it is unknown.
static inline uint32_t page_sums_at(page_sums *sums, uint32_t number) {
    int64_t index = (int64_t)(number - 1) / sums_per_block;
    if (sums->is_useless || !sums->path) return 0;
    if (index == sums->cached_index) return sums->cached[(number - 1) % sums_per_block];
    return page_sums_load(sums, number);
}

// Whether a page whose sum is another one is of an older version, and not only of another state
// than the sums. Reads the page again, into the buffer, from a file of pages of that size.
int page_sums_is_stale(struct checked_file *file, unsigned char *page, int size, uint32_t number);

// MARK: Writing

// Before the first page of a run is written. An error is one of the database.
int page_sums_begin(struct checked_file *file, int page_size);
// Before a page is written: its sum is unknown until the run ends.
int page_sums_touch(struct checked_file *file, uint32_t number);
// After it was written.
void page_sums_note(struct checked_file *file, uint32_t number, uint64_t checksum);
// Around the sync of the database, or where there is none: gives the file a new generation, and
// then writes the sums of that.
void page_sums_will_end(struct checked_file *file);
void page_sums_end(struct checked_file *file, int syncs);
// Ends a run whose sums are not known to be those of the file.
void page_sums_drop(page_sums *sums);

#endif
