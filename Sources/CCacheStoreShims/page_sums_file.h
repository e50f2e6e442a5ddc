// SPDX-License-Identifier: MIT
//
// The side file itself: reading and writing it, and whether it may be believed.
#ifndef PAGE_SUMS_FILE_H
#define PAGE_SUMS_FILE_H

#include "page_sums.h"

#include <stddef.h>

// A header, a list of blocks whose sums are being changed, and from 4096 on the sums, in blocks of
// 256, in the byte order of the machine: on another one it begins anew.
typedef struct {
    uint64_t magic;
    uint64_t page_size;
    // The generations of the database that the sums are of: during a run there are two.
    uint64_t generation, next_generation;
    // Of all blocks. A file of which something was lost or changed says nothing.
    uint64_t digest;
    uint64_t checksum;
} page_sums_header;

enum {
    page_sums_header_size = 64,
    page_sums_maximum_marks = 1000,
    page_sums_blocks_offset = 4096,
    page_sums_block_size = 4 * sums_per_block,
};

// Stands for all blocks in the list.
static const uint32_t page_sums_all_blocks = UINT32_MAX;

typedef struct {
    page_sums_header header;
    unsigned char unused[page_sums_header_size - sizeof(page_sums_header)];
    uint32_t marks[page_sums_maximum_marks];
} page_sums_head;

static inline int64_t page_sums_offset(uint32_t index) {
    return page_sums_blocks_offset + (int64_t)index * page_sums_block_size;
}

int page_sums_open_file(page_sums *sums, int writes);
void page_sums_close_file(page_sums *sums);
// Whether the file that is open is still the one at its place.
int page_sums_is_in_place(const page_sums *sums);
// What is behind the end is 0.
int page_sums_read_at(int file, void *buffer, size_t count, int64_t offset);
int page_sums_write_at(int file, const void *buffer, size_t count, int64_t offset);
int page_sums_sync(int file);

static inline int page_sums_read_block(int file, uint32_t *sums, uint32_t index) {
    return page_sums_read_at(file, sums, page_sums_block_size, page_sums_offset(index));
}

static inline int page_sums_write_block(int file, const uint32_t *sums, uint32_t index) {
    return page_sums_write_at(file, sums, page_sums_block_size, page_sums_offset(index));
}

// The generation in 16 bytes of the database; 0 where there is none.
uint64_t page_sums_generation_at(const unsigned char *field);
void page_sums_put_generation(unsigned char *field, uint64_t generation);
uint64_t page_sums_new_generation(void);

int page_sums_read_head(int file, page_sums_head *head, int page_size);
int page_sums_write_head(const page_sums *sums, int page_size, uint32_t marks_to_clear);
// Whether the sums are those of a database with this generation.
int page_sums_is_of(const page_sums_head *head, uint64_t generation);
// Whether the sums of a block are being changed.
int page_sums_is_marked(const page_sums_head *head, uint32_t index);
uint64_t page_sums_digest_of_block(const uint32_t *sums, uint32_t index);
// Whether a run has begun and not ended, or was interrupted. Where that cannot be read, too.
int page_sums_is_being_written(const page_sums *sums);
int page_sums_digest_of_all(int file, uint64_t *digest);

#endif
