// SPDX-License-Identifier: MIT
#include "page_sums_file.h"
#include "CCacheStorePageSums.h"
#include "checked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t sums_magic = 0x31736d7573736370;

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

int page_sums_read_at(int file, void *buffer, size_t count, int64_t offset) {
    size_t done = 0;
    return read_fully(file, buffer, count, offset, &done);
}

int page_sums_write_at(int file, const void *buffer, size_t count, int64_t offset) {
    const unsigned char *bytes = buffer;
    for (size_t done = 0; done < count;) {
        ssize_t result = pwrite(file, bytes + done, count - done, (off_t)offset + (off_t)done);
        if (result < 0 && errno == EINTR) continue;
        if (result <= 0) return 0;
        done += (size_t)result;
    }
    return 1;
}

int page_sums_sync(int file) {
#if defined(__APPLE__)
    return fsync(file) == 0;
#else
    return fdatasync(file) == 0;
#endif
}

void page_sums_close_file(page_sums *sums) {
    if (sums->descriptor >= 0) close(sums->descriptor);
    sums->descriptor = -1;
    sums->is_writable = sums->is_proven = 0;
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

int page_sums_open_file(page_sums *sums, int writes) {
    if (sums->descriptor >= 0 && (sums->is_writable || !writes)) return 1;
    page_sums_close_file(sums);
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
    if (sums->descriptor >= 0 && (sums->descriptor <= 2 || !is_trusted(sums)))
        page_sums_close_file(sums);
    sums->is_writable = sums->descriptor >= 0 && writes;
    return sums->descriptor >= 0;
}

int page_sums_is_in_place(const page_sums *sums) {
    struct stat here, there;
    return fstat(sums->descriptor, &here) == 0 && stat(sums->path, &there) == 0
        && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// MARK: The generation

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

// Four bytes and their remainder: the two together add nothing to the checksum of the page, which
// is therefore the same whatever its generation is, none included. So the generation is changed by
// one write within a sector, and no page with half of it is ever damaged.
void page_sums_put_generation(unsigned char *field, uint64_t generation) {
    for (int part = 0; part < 2; part++) {
        uint32_t half = (uint32_t)(generation >> 32 * part);
        put_half(field + 8 * part, half);
        put_half(field + 8 * part + 4, remainder_of(half));
    }
}

uint64_t page_sums_generation_at(const unsigned char *field) {
    uint64_t generation = 0;
    for (int part = 0; part < 2; part++) {
        uint32_t half = half_at(field + 8 * part);
        if (half_at(field + 8 * part + 4) != remainder_of(half)) return 0;
        generation |= (uint64_t)half << 32 * part;
    }
    return generation;
}

uint64_t page_sums_new_generation(void) {
    uint64_t generation = 0;
    // Not SQLite's generator: after a fork, both processes would go on with the same numbers.
    return getentropy(&generation, sizeof generation) == 0 ? generation : 0;
}

// MARK: The header and the digest

static uint64_t digest_of_header(const page_sums_header *header) {
    return cachestore_page_checksum(header, offsetof(page_sums_header, checksum), 0);
}

// Unknown sums count for nothing, so that blocks that are not there yet need no digest.
uint64_t page_sums_digest_of_block(const uint32_t *sums, uint32_t index) {
    uint32_t any = 0;
    for (int position = 0; position < sums_per_block; position++) any |= sums[position];
    return any ? cachestore_page_checksum(sums, page_sums_block_size, index) : 0;
}

int page_sums_digest_of_all(int file, uint64_t *digest) {
    uint32_t blocks[16][sums_per_block];
    *digest = 0;
    for (uint32_t index = 0;;) {
        size_t done = 0;
        if (!read_fully(file, blocks, sizeof blocks, page_sums_offset(index), &done)) return 0;
        for (int block = 0; block < 16; block++, index++)
            *digest += page_sums_digest_of_block(blocks[block], index);
        if (done < sizeof blocks) return 1;
    }
}

int page_sums_read_head(int file, page_sums_head *head, int page_size) {
    if (!page_sums_read_at(file, head, sizeof *head, 0)) return 0;
    return head->header.magic == sums_magic && head->header.page_size == (uint64_t)page_size
        && head->header.checksum == digest_of_header(&head->header);
}

int page_sums_is_of(const page_sums_head *head, uint64_t generation) {
    return generation
        && (head->header.generation == generation || head->header.next_generation == generation);
}

int page_sums_is_being_written(const page_sums *sums) {
    struct {
        unsigned char header[page_sums_header_size];
        uint32_t first_mark;
    } head;
    page_sums_header header;
    if (!page_sums_read_at(sums->descriptor, &head, sizeof head, 0)) return 1;
    memcpy(&header, head.header, sizeof header);
    return header.next_generation != 0 || head.first_mark != 0;
}

int page_sums_write_head(const page_sums *sums, int page_size, uint32_t marks_to_clear) {
    page_sums_head head;
    memset(&head, 0, sizeof head);
    head.header.magic = sums_magic;
    head.header.page_size = (uint64_t)page_size;
    head.header.generation = sums->generation;
    head.header.next_generation = sums->next_generation;
    head.header.digest = sums->digest;
    head.header.checksum = digest_of_header(&head.header);
    size_t size = page_sums_header_size + 4 * (size_t)marks_to_clear;
    return page_sums_write_at(sums->descriptor, &head, size, 0);
}

int page_sums_is_marked(const page_sums_head *head, uint32_t index) {
    for (int mark = 0; mark < page_sums_maximum_marks && head->marks[mark] != 0; mark++)
        if (head->marks[mark] == index + 1 || head->marks[mark] == page_sums_all_blocks) return 1;
    return 0;
}

// MARK: Without SQLite

uint32_t cachestore_page_sum(uint64_t checksum) { return page_sum_of(checksum); }

static uint32_t *read_all_sums(int file, const page_sums_head *head, uint32_t *count) {
    struct stat status;
    uint64_t digest = 0;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
    if (status.st_uid != geteuid() && status.st_uid != 0 && geteuid() != 0) return NULL;
    if (status.st_size <= page_sums_blocks_offset || status.st_size > INT32_MAX) return NULL;
    int64_t bytes = status.st_size - page_sums_blocks_offset;
    uint32_t blocks = (uint32_t)((bytes + page_sums_block_size - 1) / page_sums_block_size);
    uint32_t *sums = calloc(blocks, page_sums_block_size);
    if (!sums) return NULL;
    size_t size = (size_t)blocks * page_sums_block_size;
    int works = page_sums_read_at(file, sums, size, page_sums_blocks_offset);
    for (uint32_t index = 0; works && index < blocks; index++) {
        uint32_t *block = sums + (size_t)index * sums_per_block;
        digest += page_sums_digest_of_block(block, index);
        if (page_sums_is_marked(head, index)) memset(block, 0, page_sums_block_size);
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
    page_sums_head head;
    *count = 0;
    if (!is_sealed_header(bytes)) return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return NULL;
    if (page_sums_read_head(file, &head, page_size_in_header(bytes))
        && page_sums_is_of(&head, page_sums_generation_at(bytes + generation_offset)))
        sums = read_all_sums(file, &head, count);
    close(file);
    return sums;
}
