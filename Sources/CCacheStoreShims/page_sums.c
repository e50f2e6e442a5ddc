// SPDX-License-Identifier: MIT
#include "page_sums.h"
#include "checked_file.h"
#include "page_sums_file.h"

#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { database_header_size = 100 };

void page_sums_open(page_sums *sums, const char *database) {
    memset(sums, 0, sizeof *sums);
    sums->descriptor = -1;
    if (database) sums->path = sqlite3_mprintf("%s-sums", database);
}

void page_sums_close(page_sums *sums) {
    page_sums_drop(sums);
    for (int place = 0; place < kept_blocks; place++) sqlite3_free(sums->kept[place]);
    memset(sums->kept, 0, sizeof sums->kept);
    sqlite3_free(sums->blocks);
    sums->blocks = NULL;
    page_sums_close_file(sums);
    sqlite3_free(sums->path);
    sums->path = NULL;
}

// MARK: The generation of the database

// That of the file; 0 where it has none, or is not known to be written by nobody but us.
static int read_generation(
    checked_file *file, int page_size, uint64_t *generation, int *has_field) {
    unsigned char header[database_header_size];
    static const unsigned char none[generation_size] = {0};
    int result = file->real->pMethods->xRead(file->real, header, sizeof header, 0);
    *generation = 0;
    *has_field = 0;
    if (result == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    if (result != SQLITE_OK) return result;
    *has_field = memcmp(header + generation_offset, none, sizeof none) != 0;
    if (is_sealed_header(header) && page_size_in_header(header) == page_size)
        *generation = page_sums_generation_at(header + generation_offset);
    return SQLITE_OK;
}

static int write_generation(checked_file *file, uint64_t generation) {
    unsigned char field[generation_size] = {0};
    if (generation) page_sums_put_generation(field, generation);
    return file->real->pMethods->xWrite(file->real, field, sizeof field, generation_offset);
}

// MARK: Comparing

// The sum that the side file has for a page of this generation; 0 where it says nothing.
static uint32_t proven_sum(
    checked_file *file, int size, uint32_t number, uint64_t *generation, int *is_useless) {
    page_sums *sums = &file->sums;
    uint32_t index = (number - 1) / sums_per_block, sum = 0;
    uint64_t digest = 0;
    int has_field = 0;
    page_sums_head head;
    *is_useless = 1;
    if (read_generation(file, size, generation, &has_field) != SQLITE_OK
        || !page_sums_read_head(sums->descriptor, &head, size)
        || !page_sums_is_of(&head, *generation)
        || !page_sums_digest_of_all(sums->descriptor, &digest) || digest != head.header.digest)
        return 0;
    *is_useless = 0;
    if (page_sums_is_marked(&head, index)) return 0;
    int64_t offset = page_sums_offset(index) + 4 * (int64_t)((number - 1) % sums_per_block);
    return page_sums_read_at(sums->descriptor, &sum, sizeof sum, offset) ? sum : 0;
}

int page_sums_is_stale(checked_file *file, unsigned char *page, int size, uint32_t number) {
    page_sums *sums = &file->sums;
    // Where the two generations or sums differ, somebody has written meanwhile.
    int is_stale = 0;
    for (int attempt = 0; attempt < 3 && !is_stale; attempt++) {
        uint64_t before = 0, after = 0;
        int is_useless = 0;
        uint32_t expected = proven_sum(file, size, number, &before, &is_useless);
        if (expected == 0) {
            if (is_useless) page_sums_give_up_reading(sums);
            if (is_useless && !page_sums_is_in_place(sums)) page_sums_close_file(sums);
            return 0;
        }
        sqlite3_int64 offset = (sqlite3_int64)(number - 1) * size;
        if (file->real->pMethods->xRead(file->real, page, size, offset) != SQLITE_OK) return 0;
        uint64_t checksum = stamp_of(page, size);
        if (checksum != expected_stamp(page, size, number)) continue;
        if (page_sum_of(checksum) == expected) break;
        is_stale = proven_sum(file, size, number, &after, &is_useless) == expected
            && after == before;
    }
    page_sums_forget(sums);
    return is_stale;
}

// MARK: Writing

static void end_run(page_sums *sums) {
    if (sums->is_keeping && sums->descriptor >= 0) flock(sums->descriptor, LOCK_UN);
    for (uint32_t block = 0; block < sums->block_count; block++) sqlite3_free(sums->blocks[block]);
    sums->block_count = sums->last_block = 0;
    sums->is_running = sums->is_keeping = 0;
    page_sums_forget(sums);
}

void page_sums_drop(page_sums *sums) {
    if (sums->is_running) end_run(sums);
}

// The database is written without its sums: it must not have the generation of any.
static int give_up(checked_file *file) {
    page_sums *sums = &file->sums;
    uint64_t generation = 0;
    int has_field = 0;
    end_run(sums);
    sums->is_running = 1;
    int result = read_generation(file, file->page_size, &generation, &has_field);
    return result == SQLITE_OK && has_field ? write_generation(file, 0) : result;
}

static page_sums_block *block_in_run(page_sums *sums, uint32_t index, uint32_t *place) {
    uint32_t low = 0, high = sums->block_count;
    if (sums->last_block < high && sums->blocks[sums->last_block]->index == index)
        return sums->blocks[sums->last_block];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sums->blocks[middle]->index < index) low = middle + 1;
        else high = middle;
    }
    *place = low;
    if (low == sums->block_count || sums->blocks[low]->index != index) return NULL;
    sums->last_block = low;
    return sums->blocks[low];
}

static page_sums_block *add_block(page_sums *sums, uint32_t index, uint32_t place) {
    if (sums->block_count == sums->block_capacity) {
        uint32_t capacity = sums->block_capacity ? 2 * sums->block_capacity : 8;
        void *blocks = sqlite3_realloc64(sums->blocks, capacity * sizeof *sums->blocks);
        if (!blocks) return NULL;
        sums->blocks = blocks;
        sums->block_capacity = capacity;
    }
    page_sums_block *block = sqlite3_malloc(sizeof *block);
    if (!block) return NULL;
    block->index = index;
    if (!page_sums_read_block(sums->descriptor, block->sums, index)) {
        sqlite3_free(block);
        return NULL;
    }
    block->digest = page_sums_digest_of_block(block->sums, index);
    memmove(
        sums->blocks + place + 1, sums->blocks + place,
        (sums->block_count - place) * sizeof *sums->blocks);
    sums->blocks[place] = block;
    sums->block_count += 1;
    sums->last_block = place;
    return block;
}

// Takes over what a process left that was killed in a run: the sums of its blocks are unknown.
static int take_over_marks(page_sums *sums, const page_sums_head *head) {
    for (; sums->marks < page_sums_maximum_marks && head->marks[sums->marks] != 0; sums->marks++) {
        uint32_t mark = head->marks[sums->marks], place = 0;
        if (mark == page_sums_all_blocks) return 0;
        page_sums_block *block = block_in_run(sums, mark - 1, &place);
        if (!block) block = add_block(sums, mark - 1, place);
        if (!block) return 0;
        memset(block->sums, 0, sizeof block->sums);
    }
    return 1;
}

// Whether the sums in the side file are those of the database as it is.
static int takes_over(page_sums *sums, int page_size, uint64_t generation) {
    page_sums_head head;
    uint64_t digest = 0;
    if (!page_sums_read_head(sums->descriptor, &head, page_size)
        || !page_sums_is_of(&head, generation))
        return 0;
    int was_interrupted = head.header.next_generation != 0 || head.marks[0] != 0;
    if (!sums->is_proven || was_interrupted) {
        if (!page_sums_digest_of_all(sums->descriptor, &digest) || digest != head.header.digest)
            return 0;
        sums->is_proven = 1;
    }
    sums->generation = generation;
    sums->digest = head.header.digest;
    return take_over_marks(sums, &head);
}

static int begins_anew(page_sums *sums, int page_size) {
    for (uint32_t block = 0; block < sums->block_count; block++) sqlite3_free(sums->blocks[block]);
    sums->block_count = sums->last_block = sums->marks = 0;
    sums->generation = sums->next_generation = sums->digest = 0;
    if (ftruncate(sums->descriptor, 0) != 0 || !page_sums_write_head(sums, page_size, 0)) return 0;
    sums->is_proven = 1;
    return 1;
}

// The lock keeps those apart that have two databases open which were at the same place.
static int lock_sums(page_sums *sums) {
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!page_sums_open_file(sums, 1)) return 0;
        if (flock(sums->descriptor, LOCK_EX | LOCK_NB) != 0) return 0;
        if (page_sums_is_in_place(sums)) return 1;
        page_sums_close_file(sums);
    }
    return 0;
}

int page_sums_begin(checked_file *file, int page_size) {
    page_sums *sums = &file->sums;
    if (sums->is_running) return SQLITE_OK;
    uint64_t generation = 0;
    int has_field = 0;
    int result = read_generation(file, page_size, &generation, &has_field);
    if (result != SQLITE_OK) return result;
    sums->is_running = 1;
    sums->marks = 0;
    sums->generation = sums->next_generation = sums->digest = 0;
    if (!sums->path || !lock_sums(sums)) return has_field ? write_generation(file, 0) : SQLITE_OK;
    sums->is_keeping = 1;
    if (takes_over(sums, page_size, generation) || begins_anew(sums, page_size)) return SQLITE_OK;
    return give_up(file);
}

int page_sums_touch(checked_file *file, uint32_t number) {
    page_sums *sums = &file->sums;
    if (!sums->is_keeping) return SQLITE_OK;
    uint32_t index = (number - 1) / sums_per_block, place = 0;
    if (block_in_run(sums, index, &place)) return SQLITE_OK;
    // Nothing is known of any block where the file has no generation yet.
    if (sums->generation && sums->marks <= page_sums_maximum_marks) {
        uint32_t mark = sums->marks < page_sums_maximum_marks ? index + 1 : page_sums_all_blocks;
        uint32_t slot = sums->marks < page_sums_maximum_marks ? sums->marks : 0;
        int64_t offset = page_sums_header_size + 4 * (int64_t)slot;
        if (!page_sums_write_at(sums->descriptor, &mark, sizeof mark, offset))
            return give_up(file);
        sums->marks += 1;
    }
    return add_block(sums, index, place) ? SQLITE_OK : give_up(file);
}

void page_sums_note(checked_file *file, uint32_t number, uint64_t checksum) {
    page_sums *sums = &file->sums;
    uint32_t place = 0;
    if (!sums->is_keeping) return;
    page_sums_block *block = block_in_run(sums, (number - 1) / sums_per_block, &place);
    if (block) block->sums[(number - 1) % sums_per_block] = checksum ? page_sum_of(checksum) : 0;
}

void page_sums_will_end(checked_file *file) {
    page_sums *sums = &file->sums;
    unsigned char header[database_header_size];
    if (!sums->is_keeping) return;
    int result = file->real->pMethods->xRead(file->real, header, sizeof header, 0);
    sums->next_generation = page_sums_new_generation();
    // The side file first: whichever of the two the database has, it is of one of its generations.
    if (result != SQLITE_OK || !is_sealed_header(header) || !sums->next_generation
        || !page_sums_write_head(sums, file->page_size, 0)
        || write_generation(file, sums->next_generation) != SQLITE_OK)
        end_run(sums);
}

void page_sums_end(checked_file *file, int syncs) {
    page_sums *sums = &file->sums;
    if (sums->is_keeping && sums->next_generation) {
        int works = 1;
        for (uint32_t position = 0; position < sums->block_count && works; position++) {
            page_sums_block *block = sums->blocks[position];
            sums->digest += page_sums_digest_of_block(block->sums, block->index) - block->digest;
            works = page_sums_write_block(sums->descriptor, block->sums, block->index);
        }
        sums->generation = sums->next_generation;
        sums->next_generation = 0;
        uint32_t marks = sums->marks;
        if (marks > page_sums_maximum_marks) marks = page_sums_maximum_marks;
        // What fails here leaves a file that its digest does not fit, and is not believed.
        if (works && page_sums_write_head(sums, file->page_size, marks) && syncs)
            (void)!page_sums_sync(sums->descriptor);
    }
    page_sums_drop(sums);
}
