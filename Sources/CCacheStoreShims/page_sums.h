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
    // What a connection keeps for reading: 64 KiB, for 64 MiB of pages of 4 KiB.
    kept_blocks = 64,
};

typedef struct page_sums_block {
    uint32_t index;
    // What the block counts for in the digest as it is in the file.
    uint64_t digest;
    uint32_t sums[sums_per_block];
} page_sums_block;

// What a connection has read of the side file.
typedef struct kept_block {
    // The block it is; -1 where nothing is known any more.
    int64_t index;
    uint32_t sums[sums_per_block];
} kept_block;

// Which state of the file a log belongs to: it changes with each checkpoint that has moved pages.
typedef struct log_moment {
    uint32_t salt[2], moved;
} log_moment;

// Of one open database. What is written between two syncs is a run.
typedef struct page_sums {
    // NULL where the database has no side file.
    char *path;
    int descriptor;
    int is_writable;
    // Whether the sums in the file were compared with their digest by this connection.
    int is_proven;

    // For reading: sums of the moment, if they may be kept beyond the transaction; whether that was
    // looked at in this one; and whether the side file says nothing about the database as it is.
    const uint32_t *log_index;
    log_moment moment;
    int outlasts, is_current, is_useless;
    kept_block *kept[kept_blocks];

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

// MARK: Reading

// Called when a transaction begins: the file may have changed since.
static inline void page_sums_recheck(page_sums *sums) { sums->is_current = 0; }

void page_sums_forget(page_sums *sums);
// For the rest of the transaction.
void page_sums_give_up_reading(page_sums *sums);
uint32_t page_sums_load(page_sums *sums, uint32_t number);

// The sum of a page that was read, as the side file has it; 0 where it is unknown.
static inline uint32_t page_sums_at(page_sums *sums, uint32_t number) {
    if (!sums->path) return 0;
    int64_t index = (int64_t)(number - 1) / sums_per_block;
    const kept_block *block = sums->kept[index % kept_blocks];
    if (sums->is_current && !sums->is_useless && block && block->index == index)
        return block->sums[(number - 1) % sums_per_block];
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
