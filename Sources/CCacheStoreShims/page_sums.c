// SPDX-License-Identifier: MIT
#include "page_sums.h"
#include "CCacheStorePageSums.h"
#include "checked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// The side file: a header, a list of blocks whose sums are being changed, and from 4096 on the sums,
// in blocks of 256, in the byte order of the machine: it never leaves it, and begins anew there.
typedef struct {
    uint64_t magic;
    uint64_t page_size;
    // The generations of the database that the sums are of: during a run there are two.
    uint64_t generation, next_generation;
    // Of all blocks. A file of which something was lost or changed says nothing.
    uint64_t digest;
    uint64_t checksum;
} sums_header;

enum {
    header_size = 64,
    maximum_marks = 1000,
    blocks_offset = 4096,
    block_size = 4 * sums_per_block,
    database_header_size = 100,
};

static const uint64_t sums_magic = 0x31736d7573736370;
// Stands for all blocks in the list.
static const uint32_t all_blocks = UINT32_MAX;

// MARK: Files

static int read_fully(int file, void *buffer, size_t count, int64_t offset, size_t *done) {
    unsigned char *bytes = buffer;
    *done = 0;
    while (*done < count) {
        ssize_t result = pread(file, bytes + *done, count - *done, (off_t)offset + (off_t)*done);
        if (result < 0 && errno == EINTR) continue;
        if (result < 0) return 0;
        if (result == 0) break;
        *done += (size_t)result;
    }
    memset(bytes + *done, 0, count - *done);
    return 1;
}

static int read_at(int file, void *buffer, size_t count, int64_t offset) {
    size_t done = 0;
    return read_fully(file, buffer, count, offset, &done);
}

static int write_at(int file, const void *buffer, size_t count, int64_t offset) {
    const unsigned char *bytes = buffer;
    for (size_t done = 0; done < count;) {
        ssize_t result = pwrite(file, bytes + done, count - done, (off_t)offset + (off_t)done);
        if (result < 0 && errno == EINTR) continue;
        if (result <= 0) return 0;
        done += (size_t)result;
    }
    return 1;
}

static int sync_sums(int file) {
#if defined(__APPLE__)
    return fsync(file) == 0;
#else
    return fdatasync(file) == 0;
#endif
}

static int64_t offset_of_block(uint32_t index) {
    return blocks_offset + (int64_t)index * block_size;
}

static void close_sums(page_sums *sums) {
    if (sums->descriptor >= 0) close(sums->descriptor);
    sums->descriptor = -1;
    sums->is_writable = sums->is_proven = 0;
}

void page_sums_open(page_sums *sums, const char *database) {
    memset(sums, 0, sizeof *sums);
    sums->descriptor = -1;
    sums->cached_index = -1;
    if (database) sums->path = sqlite3_mprintf("%s-sums", database);
}

void page_sums_close(page_sums *sums) {
    page_sums_drop(sums);
    sqlite3_free(sums->blocks);
    sums->blocks = NULL;
    close_sums(sums);
    sqlite3_free(sums->path);
    sums->path = NULL;
}

static int database_status(const page_sums *sums, struct stat *status) {
    char *path = sqlite3_mprintf("%.*s", (int)strlen(sums->path) - 5, sums->path);
    if (!path) return 0;
    int result = stat(path, status) == 0;
    sqlite3_free(path);
    return result;
}

// What somebody else may write at any time says nothing.
static int is_trusted(const page_sums *sums) {
    struct stat status, database;
    if (fstat(sums->descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    if (status.st_uid == geteuid() || status.st_uid == 0) return 1;
    return database_status(sums, &database) && database.st_uid == status.st_uid;
}

static int open_sums(page_sums *sums, int writes) {
    if (sums->descriptor >= 0 && (sums->is_writable || !writes)) return 1;
    close_sums(sums);
    int flags = (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    sums->descriptor = open(sums->path, flags);
    if (sums->descriptor < 0 && writes && errno == ENOENT) {
        // It belongs to whom the database belongs to, as SQLite's own side files do.
        struct stat database;
        if (!database_status(sums, &database)) return 0;
        sums->descriptor = open(sums->path, flags | O_CREAT | O_EXCL, database.st_mode & 0666);
        if (sums->descriptor >= 0) {
            (void)!fchmod(sums->descriptor, database.st_mode & 0666);
            if (geteuid() == 0)
                (void)!fchown(sums->descriptor, database.st_uid, database.st_gid);
        }
    }
    // Never a standard stream of the program, which somebody else writes to.
    if (sums->descriptor >= 0 && (sums->descriptor <= 2 || !is_trusted(sums))) close_sums(sums);
    sums->is_writable = sums->descriptor >= 0 && writes;
    return sums->descriptor >= 0;
}

// Whether the file that is open is still the one at its place.
static int is_in_place(const page_sums *sums) {
    struct stat here, there;
    return fstat(sums->descriptor, &here) == 0 && stat(sums->path, &there) == 0
        && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// MARK: The generation of the database

// The remainder that the page's checksum makes of four bytes.
static uint32_t remainder_of(uint32_t half) {
    unsigned char word[8] = {0};
    for (int byte = 0; byte < 4; byte++) word[4 + byte] = (unsigned char)(half >> 8 * byte);
    // The checksum of a page of zeros is its start value, advanced: two of them differ by the
    // content alone.
    unsigned char none[8] = {0};
    uint64_t sum = cachestore_page_checksum(word, 8, 0) ^ cachestore_page_checksum(none, 8, 0);
    return (uint32_t)(sum >> 32);
}

static uint32_t half_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
        | (uint32_t)bytes[3] << 24;
}

static void put_half(unsigned char *bytes, uint32_t half) {
    for (int byte = 0; byte < 4; byte++) bytes[byte] = (unsigned char)(half >> 8 * byte);
}

// Four bytes and their remainder: the two together add nothing to the checksum of the page, which is
// therefore the same whatever its generation is, none included. So the generation is changed by one
// write within a sector, and no page with half of it is ever damaged.
static void put_generation(unsigned char *field, uint64_t generation) {
    for (int part = 0; part < 2; part++) {
        uint32_t half = (uint32_t)(generation >> 32 * part);
        put_half(field + 8 * part, half);
        put_half(field + 8 * part + 4, remainder_of(half));
    }
}

// 0 where there is none.
static uint64_t generation_at(const unsigned char *field) {
    uint64_t generation = 0;
    for (int part = 0; part < 2; part++) {
        uint32_t half = half_at(field + 8 * part);
        if (half_at(field + 8 * part + 4) != remainder_of(half)) return 0;
        generation |= (uint64_t)half << 32 * part;
    }
    return generation;
}

// That of the file; 0 where it has none, or is not known to be written by nobody but us.
static int read_generation(checked_file *file, int page_size, uint64_t *generation, int *has_field) {
    unsigned char header[database_header_size];
    static const unsigned char none[generation_size] = {0};
    int result = file->real->pMethods->xRead(file->real, header, sizeof header, 0);
    *generation = 0;
    *has_field = 0;
    if (result == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    if (result != SQLITE_OK) return result;
    *has_field = memcmp(header + generation_offset, none, sizeof none) != 0;
    if (is_sealed_header(header) && page_size_in_header(header) == page_size)
        *generation = generation_at(header + generation_offset);
    return SQLITE_OK;
}

static int write_generation(checked_file *file, uint64_t generation) {
    unsigned char field[generation_size] = {0};
    if (generation) put_generation(field, generation);
    return file->real->pMethods->xWrite(file->real, field, sizeof field, generation_offset);
}

static uint64_t new_generation(void) {
    uint64_t generation = 0;
    // Not SQLite's generator: after a fork, both processes would go on with the same numbers.
    return getentropy(&generation, sizeof generation) == 0 ? generation : 0;
}

// MARK: The header and the digest

static uint64_t digest_of_header(const sums_header *header) {
    return cachestore_page_checksum(header, offsetof(sums_header, checksum), 0);
}

// Unknown sums count for nothing, so that blocks that are not there yet need no digest.
static uint64_t digest_of_block(const uint32_t *sums, uint32_t index) {
    uint32_t any = 0;
    for (int position = 0; position < sums_per_block; position++) any |= sums[position];
    return any ? cachestore_page_checksum(sums, block_size, index) : 0;
}

static int digest_of_all(int file, uint64_t *digest) {
    uint32_t blocks[16][sums_per_block];
    *digest = 0;
    for (uint32_t index = 0;;) {
        size_t done = 0;
        if (!read_fully(file, blocks, sizeof blocks, offset_of_block(index), &done)) return 0;
        for (int block = 0; block < 16; block++, index++)
            *digest += digest_of_block(blocks[block], index);
        if (done < sizeof blocks) return 1;
    }
}

typedef struct {
    sums_header header;
    unsigned char unused[header_size - sizeof(sums_header)];
    uint32_t marks[maximum_marks];
} sums_head;

static int read_head(int file, sums_head *head, int page_size) {
    if (!read_at(file, head, sizeof *head, 0)) return 0;
    return head->header.magic == sums_magic && head->header.page_size == (uint64_t)page_size
        && head->header.checksum == digest_of_header(&head->header);
}

static int is_of(const sums_head *head, uint64_t generation) {
    return generation
        && (head->header.generation == generation || head->header.next_generation == generation);
}

static int write_head(const page_sums *sums, int page_size, uint32_t marks_to_clear) {
    sums_head head;
    memset(&head, 0, sizeof head);
    head.header.magic = sums_magic;
    head.header.page_size = (uint64_t)page_size;
    head.header.generation = sums->generation;
    head.header.next_generation = sums->next_generation;
    head.header.digest = sums->digest;
    head.header.checksum = digest_of_header(&head.header);
    return write_at(sums->descriptor, &head, header_size + 4 * (size_t)marks_to_clear, 0);
}

// MARK: Reading

uint32_t page_sums_load(page_sums *sums, uint32_t number) {
    uint32_t index = (number - 1) / sums_per_block;
    if (!open_sums(sums, 0)
        || !read_at(sums->descriptor, sums->cached, block_size, offset_of_block(index))) {
        sums->is_useless = 1;
        return 0;
    }
    sums->cached_index = index;
    return sums->cached[(number - 1) % sums_per_block];
}

static int is_marked(const sums_head *head, uint32_t index) {
    for (int mark = 0; mark < maximum_marks && head->marks[mark] != 0; mark++)
        if (head->marks[mark] == index + 1 || head->marks[mark] == all_blocks) return 1;
    return 0;
}

// The sum that the side file has for a page of this generation; 0 where it says nothing.
static uint32_t proven_sum(
    checked_file *file, int size, uint32_t number, uint64_t *generation, int *is_useless) {
    page_sums *sums = &file->sums;
    uint32_t index = (number - 1) / sums_per_block, sum = 0;
    uint64_t digest = 0;
    int has_field = 0;
    sums_head head;
    *is_useless = 1;
    if (read_generation(file, size, generation, &has_field) != SQLITE_OK
        || !read_head(sums->descriptor, &head, size) || !is_of(&head, *generation)
        || !digest_of_all(sums->descriptor, &digest) || digest != head.header.digest)
        return 0;
    *is_useless = 0;
    if (is_marked(&head, index)) return 0;
    int64_t offset = offset_of_block(index) + 4 * (int64_t)((number - 1) % sums_per_block);
    return read_at(sums->descriptor, &sum, sizeof sum, offset) ? sum : 0;
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
            sums->is_useless = is_useless;
            if (is_useless && !is_in_place(sums)) close_sums(sums);
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
    if (!read_at(sums->descriptor, block->sums, block_size, offset_of_block(index))) {
        sqlite3_free(block);
        return NULL;
    }
    block->digest = digest_of_block(block->sums, index);
    memmove(
        sums->blocks + place + 1, sums->blocks + place,
        (sums->block_count - place) * sizeof *sums->blocks);
    sums->blocks[place] = block;
    sums->block_count += 1;
    sums->last_block = place;
    return block;
}

// Takes over what a process left that was killed in a run: the sums of its blocks are unknown.
static int take_over_marks(page_sums *sums, const sums_head *head) {
    for (; sums->marks < maximum_marks && head->marks[sums->marks] != 0; sums->marks++) {
        uint32_t mark = head->marks[sums->marks], place = 0;
        if (mark == all_blocks) return 0;
        page_sums_block *block = block_in_run(sums, mark - 1, &place);
        if (!block) block = add_block(sums, mark - 1, place);
        if (!block) return 0;
        memset(block->sums, 0, sizeof block->sums);
    }
    return 1;
}

// Whether the sums in the side file are those of the database as it is.
static int takes_over(page_sums *sums, int page_size, uint64_t generation) {
    sums_head head;
    uint64_t digest = 0;
    if (!read_head(sums->descriptor, &head, page_size) || !is_of(&head, generation)) return 0;
    int was_interrupted = head.header.next_generation != 0 || head.marks[0] != 0;
    if (!sums->is_proven || was_interrupted) {
        if (!digest_of_all(sums->descriptor, &digest) || digest != head.header.digest) return 0;
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
    if (ftruncate(sums->descriptor, 0) != 0 || !write_head(sums, page_size, 0)) return 0;
    sums->is_proven = 1;
    return 1;
}

// The lock keeps those apart that have another database open at the same place: one that was renamed.
static int lock_sums(page_sums *sums) {
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!open_sums(sums, 1) || flock(sums->descriptor, LOCK_EX | LOCK_NB) != 0) return 0;
        if (is_in_place(sums)) return 1;
        close_sums(sums);
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
    if (sums->generation && sums->marks <= maximum_marks) {
        uint32_t mark = sums->marks < maximum_marks ? index + 1 : all_blocks;
        uint32_t slot = sums->marks < maximum_marks ? sums->marks : 0;
        if (!write_at(sums->descriptor, &mark, sizeof mark, header_size + 4 * (int64_t)slot))
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
    sums->next_generation = new_generation();
    // The side file first: whichever of the two the database has, it is of one of its generations.
    if (result != SQLITE_OK || !is_sealed_header(header) || !sums->next_generation
        || !write_head(sums, file->page_size, 0)
        || write_generation(file, sums->next_generation) != SQLITE_OK)
        end_run(sums);
}

void page_sums_end(checked_file *file, int syncs) {
    page_sums *sums = &file->sums;
    if (sums->is_keeping && sums->next_generation) {
        int works = 1;
        for (uint32_t position = 0; position < sums->block_count && works; position++) {
            page_sums_block *block = sums->blocks[position];
            sums->digest += digest_of_block(block->sums, block->index) - block->digest;
            works = write_at(
                sums->descriptor, block->sums, block_size, offset_of_block(block->index));
        }
        sums->generation = sums->next_generation;
        sums->next_generation = 0;
        uint32_t marks = sums->marks < maximum_marks ? sums->marks : maximum_marks;
        // What fails here leaves a file that its digest does not fit, and is not believed.
        if (works && write_head(sums, file->page_size, marks) && syncs)
            (void)!sync_sums(sums->descriptor);
    }
    page_sums_drop(sums);
}

// MARK: Without SQLite

uint32_t cachestore_page_sum(uint64_t checksum) { return page_sum_of(checksum); }

static uint32_t *read_all_sums(int file, const sums_head *head, uint32_t *count) {
    struct stat status;
    uint64_t digest = 0;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
    if (status.st_uid != geteuid() && status.st_uid != 0 && geteuid() != 0) return NULL;
    if (status.st_size <= blocks_offset || status.st_size > INT32_MAX) return NULL;
    uint32_t blocks = (uint32_t)((status.st_size - blocks_offset + block_size - 1) / block_size);
    uint32_t *sums = calloc(blocks, block_size);
    if (!sums) return NULL;
    int works = read_at(file, sums, (size_t)blocks * block_size, blocks_offset);
    for (uint32_t index = 0; works && index < blocks; index++) {
        uint32_t *block = sums + (size_t)index * sums_per_block;
        digest += digest_of_block(block, index);
        if (is_marked(head, index)) memset(block, 0, block_size);
    }
    if (works && digest == head->header.digest) {
        *count = blocks * sums_per_block;
        return sums;
    }
    free(sums);
    return NULL;
}

uint32_t *cachestore_read_page_sums(const char *path, const void *header, uint32_t *count) {
    const unsigned char *bytes = header;
    uint32_t *sums = NULL;
    sums_head head;
    *count = 0;
    if (!is_sealed_header(bytes)) return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return NULL;
    if (read_head(file, &head, page_size_in_header(bytes))
        && is_of(&head, generation_at(bytes + generation_offset)))
        sums = read_all_sums(file, &head, count);
    close(file);
    return sums;
}
