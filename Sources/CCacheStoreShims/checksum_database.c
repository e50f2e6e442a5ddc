// SPDX-License-Identifier: MIT
//
// The main database file: its pages get their checksum as they are written, and are compared as
// they are read. Documentation/Decisions/0004-page-checksums.md explains the format, and why.
#include "checked_file.h"

#include <string.h>

// Offsets in the header: https://sqlite.org/fileformat2.html#the_database_header
enum {
    header_size = 100,
    reserved_offset = 20,
    change_counter_offset = 24,
};

// MARK: The header

static int is_database(const unsigned char *header) {
    return memcmp(header, "SQLite format 3", 16) == 0;
}

// What every SQLite since 3.7.0 writes.
static int is_written_by_sqlite(const unsigned char *header) {
    return memcmp(header + version_valid_for_offset, header + change_counter_offset, 4) == 0;
}

static int can_be_sealed(const unsigned char *header) {
    uint32_t pages = big_endian_at(header + page_count_offset);
    return is_written_by_sqlite(header) && pages > 0 && pages < 1u << 31;
}

static void seal(unsigned char *header) {
    uint32_t pages = big_endian_at(header + page_count_offset);
    put_big_endian(header + version_valid_for_offset, ~pages);
    put_big_endian(header + page_count_offset, 0);
}

static void unseal(unsigned char *header) {
    uint32_t pages = ~big_endian_at(header + version_valid_for_offset);
    put_big_endian(header + page_count_offset, pages);
    memcpy(header + version_valid_for_offset, header + change_counter_offset, 4);
    // True of every sealed header. Were it damaged, SQLite could not reset the file to another
    // number: it never takes fewer reserved bytes than it has found.
    header[reserved_offset] = stamp_size;
}

// Takes note of a header as it is in the file. A sealed one has checksums whatever it says about
// reserved bytes: were that byte damaged, nothing would be compared any more.
static void note_header(checked_file *file, const unsigned char *header) {
    int sealed = is_database(header) && is_sealed_header(header);
    file->statistics.is_active =
        sealed || (is_database(header) && header[reserved_offset] == stamp_size);
    // Neither sealed nor as SQLite writes it is damage, and found by comparing.
    file->statistics.is_sealed = file->statistics.is_active && !is_written_by_sqlite(header);
    file->page_size = page_size_in_header(header);
}

// MARK: Reading and writing

// The generation is nothing that SQLite knows of: it is neither in its memory nor in its log, and a
// page has the same checksum without it.
static void hide_generation(unsigned char *first_page) {
    memset(first_page + generation_offset, 0, generation_size);
}

static int failure(checked_file *file, uint32_t number) {
    file->statistics.failed += 1;
    file->statistics.last_failed_page = number;
    sqlite3_log(SQLITE_IOERR_DATA, "the checksum of page %u does not fit", number);
    return SQLITE_IOERR_DATA;
}

// A page that the file has only a part of. SQLite would take zeros for the rest.
static int check_short_page(checked_file *file, int count, sqlite3_int64 offset) {
    sqlite3_int64 size = 0;
    int result = file->real->pMethods->xFileSize(file->real, &size);
    if (result != SQLITE_OK) return result;
    if (size <= offset) return SQLITE_IOERR_SHORT_READ;
    return failure(file, (uint32_t)(offset / count + 1));
}

static int stale_page(checked_file *file, uint32_t number) {
    file->statistics.failed += 1;
    file->statistics.stale += 1;
    file->statistics.last_failed_page = number;
    sqlite3_log(SQLITE_IOERR_DATA, "page %u is that of an older version of the file", number);
    return SQLITE_IOERR_DATA;
}

static int check_page(checked_file *file, unsigned char *page, int size, uint32_t number) {
    cachestore_checksum_statistics *statistics = &file->statistics;
    if (!statistics->verifies) return SQLITE_OK;
    uint64_t stamp = stamp_of(page, size);
    if (stamp == expected_stamp(page, size, number)) {
        statistics->verified += 1;
        // The first page has the generation that the sums are compared by: of an older one, they
        // say nothing.
        if (number == 1 || !statistics->is_sealed) return SQLITE_OK;
        uint32_t sum = page_sums_at(&file->sums, number);
        if (sum == 0 || sum == page_sum_of(stamp)) return SQLITE_OK;
        return page_sums_is_stale(file, page, size, number) ? stale_page(file, number) : SQLITE_OK;
    }
    if (stamp == no_stamp(number)) {
        statistics->unstamped += 1;
        return SQLITE_OK;
    }
    if (!statistics->is_sealed) {
        statistics->unsealed += 1;
        return SQLITE_OK;
    }
    statistics->verified += 1;
    return failure(file, number);
}

static int read_database(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    checked_file *file = checked(base);
    unsigned char *bytes = buffer;
    int result = file->real->pMethods->xRead(file->real, buffer, count, offset);
    if (result == SQLITE_IOERR_SHORT_READ && file->statistics.is_active
        && file->statistics.verifies && is_page(count, offset))
        return check_short_page(file, count, offset);
    if (result != SQLITE_OK) {
        if (result != SQLITE_IOERR_SHORT_READ) file->statistics.unread += 1;
        return result;
    }

    int has_header = offset == 0 && count >= header_size;
    if (has_header) note_header(file, bytes);
    if (!file->statistics.is_active) return SQLITE_OK;
    if (has_header) hide_generation(bytes);

    // A connection that opened the file while it was empty reads the first page in a size of its
    // own, to learn the right one: that is not a page, only a header.
    if (is_page(count, offset) && (offset > 0 || count == file->page_size)) {
        uint32_t number = (uint32_t)(offset / count + 1);
        result = check_page(file, bytes, count, number);
        if (result != SQLITE_OK) return result;
        put_stamp(bytes, count, no_stamp(number));
    }
    if (has_header) {
        if (is_sealed_header(bytes)) unseal(bytes);
    } else if (offset == change_counter_offset && count == 16) {
        // SQLite asks in this way whether somebody else has changed the file, and compares the
        // answer with the page that it has.
        unsigned char header[header_size];
        result = file->real->pMethods->xRead(file->real, header, header_size, 0);
        if (result != SQLITE_OK) return result;
        if (is_sealed_header(header)) unseal(header);
        memcpy(bytes, header + change_counter_offset, 16);
    }
    return SQLITE_OK;
}

// Writes a page with its checksum, and notes its sum.
static int write_stamped(checked_file *file, unsigned char *page, int size, uint32_t number) {
    sqlite3_int64 offset = (sqlite3_int64)(number - 1) * size;
    uint64_t stamp = expected_stamp(page, size, number);
    int result = page_sums_begin(file, size);
    if (result == SQLITE_OK && number > 1) result = page_sums_touch(file, number);
    if (result != SQLITE_OK) return result;
    if (number > 1) page_sums_note(file, number, 0);
    put_stamp(page, size, stamp);
    result = file->real->pMethods->xWrite(file->real, page, size, offset);
    if (result == SQLITE_OK && number > 1) page_sums_note(file, number, stamp);
    return result;
}

// Stamps pages that were written in this transaction, before the first page said that they need it.
static int stamp_blind_pages(checked_file *file, int size) {
    sqlite3_int64 number = file->first_blind_page, last = file->last_blind_page;
    file->first_blind_page = file->last_blind_page = 0;
    if (number == 0) return SQLITE_OK;
    unsigned char *page = sqlite3_malloc(size);
    if (!page) return SQLITE_IOERR_NOMEM;
    int result = SQLITE_OK;
    for (; number <= last && result == SQLITE_OK; number++) {
        sqlite3_int64 offset = (number - 1) * size;
        result = file->real->pMethods->xRead(file->real, page, size, offset);
        if (result == SQLITE_IOERR_SHORT_READ) {
            result = SQLITE_OK;
            continue;
        }
        if (result == SQLITE_OK) result = write_stamped(file, page, size, (uint32_t)number);
    }
    sqlite3_free(page);
    return result;
}

// Writes the first page with the generation that the file has.
static int write_stamped_first_page(
    checked_file *file, unsigned char *page, int size, const unsigned char *old_header) {
    hide_generation(page);
    uint64_t stamp = expected_stamp(page, size, 1);
    if (is_sealed_header(page))
        memcpy(page + generation_offset, old_header + generation_offset, generation_size);
    put_stamp(page, size, stamp);
    return file->real->pMethods->xWrite(file->real, page, size, 0);
}

static int write_first_page(checked_file *file, unsigned char *page, int size) {
    sqlite3_file *real = file->real;
    file->page_size = size;
    file->statistics.is_active = is_database(page) && page[reserved_offset] == stamp_size;
    if (!file->statistics.is_active) {
        file->statistics.is_sealed = 0;
        page_sums_drop(&file->sums);
        return real->pMethods->xWrite(real, page, size, 0);
    }
    int result = page_sums_begin(file, size);
    if (result == SQLITE_OK) result = stamp_blind_pages(file, size);
    if (result != SQLITE_OK) return result;

    // A first page that is not sealed stays so: other pages may lack their checksum. And no
    // generation of such a page is believed.
    unsigned char old[header_size] = {0}, header[header_size];
    result = real->pMethods->xRead(real, old, header_size, 0);
    if (result == SQLITE_IOERR_SHORT_READ) memset(old, 0, sizeof old);
    else if (result != SQLITE_OK) return result;
    int stays = is_database(old) && old[reserved_offset] == stamp_size
        && is_written_by_sqlite(old);
    if (!is_sealed_header(old)) hide_generation(old);

    memcpy(header, page, header_size);
    file->statistics.is_sealed = !stays && can_be_sealed(page);
    if (file->statistics.is_sealed) seal(page);
    result = write_stamped_first_page(file, page, size, old);
    memcpy(page, header, header_size);
    put_stamp(page, size, no_stamp(1));
    return result;
}

// The buffer is SQLite's page, whose reserved bytes it leaves to whoever reserved them; its own
// checksum VFS writes into it as well (https://sqlite.org/cksumvfs.html).
static int write_database(
    sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    checked_file *file = checked(base);
    sqlite3_file *real = file->real;
    if (!is_page(count, offset)) return real->pMethods->xWrite(real, buffer, count, offset);
    unsigned char *page = (unsigned char *)buffer;
    if (offset == 0) return write_first_page(file, page, count);

    sqlite3_int64 number = offset / count + 1;
    if (!file->statistics.is_active) {
        if (file->first_blind_page == 0 || number < file->first_blind_page)
            file->first_blind_page = number;
        if (number > file->last_blind_page) file->last_blind_page = number;
        return real->pMethods->xWrite(real, buffer, count, offset);
    }
    int result = write_stamped(file, page, count, (uint32_t)number);
    put_stamp(page, count, no_stamp((uint32_t)number));
    return result;
}

static int sync_database(sqlite3_file *base, int flags) {
    checked_file *file = checked(base);
    page_sums_will_end(file);
    int result = file->real->pMethods->xSync(file->real, flags);
    // After a failed sync nobody knows what the file will have.
    if (result == SQLITE_OK) page_sums_end(file, 1);
    else page_sums_drop(&file->sums);
    return result;
}

static int seal_database(checked_file *file) {
    sqlite3_file *real = file->real;
    unsigned char header[header_size];
    int result = real->pMethods->xRead(real, header, header_size, 0);
    if (result == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    if (result != SQLITE_OK) return result;
    note_header(file, header);
    if (!file->statistics.is_active || file->statistics.is_sealed) return SQLITE_OK;
    int size = file->page_size;
    sqlite3_int64 length = 0;
    result = real->pMethods->xFileSize(real, &length);
    if (result != SQLITE_OK) return result;
    if (!is_page(size, 0) || !can_be_sealed(header)) return SQLITE_CORRUPT;

    unsigned char *page = sqlite3_malloc(size);
    if (!page) return SQLITE_IOERR_NOMEM;
    sqlite3_int64 last = length / size;
    result = page_sums_begin(file, size);
    // The first page comes last, so that it never claims what is not yet true.
    for (sqlite3_int64 number = 2; number <= last && result == SQLITE_OK; number++) {
        result = real->pMethods->xRead(real, page, size, (number - 1) * size);
        if (result != SQLITE_OK) break;
        result = page_sums_touch(file, (uint32_t)number);
        if (result != SQLITE_OK) break;
        uint64_t stamp = expected_stamp(page, size, (uint32_t)number);
        if (stamp == stamp_of(page, size)) page_sums_note(file, (uint32_t)number, stamp);
        else result = write_stamped(file, page, size, (uint32_t)number);
    }
    if (result == SQLITE_OK) result = real->pMethods->xSync(real, SQLITE_SYNC_NORMAL);
    if (result == SQLITE_OK) result = real->pMethods->xRead(real, page, size, 0);
    if (result == SQLITE_OK) {
        static const unsigned char none[header_size] = {0};
        seal(page);
        result = write_stamped_first_page(file, page, size, none);
    }
    if (result == SQLITE_OK) result = sync_database(&file->base, SQLITE_SYNC_NORMAL);
    page_sums_drop(&file->sums);
    if (result == SQLITE_OK) file->statistics.is_sealed = 1;
    sqlite3_free(page);
    return result;
}

// Pages that SQLite has not written since they are part of the file are not told from damaged ones.
static int scrub_database(checked_file *file, cachestore_page_scrub *scrub) {
    sqlite3_file *real = file->real;
    scrub->last_page = scrub->failed_page = 0;
    unsigned char header[header_size];
    int result = real->pMethods->xRead(real, header, header_size, 0);
    if (result == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    if (result != SQLITE_OK) return result;
    if (!is_database(header) || !is_sealed_header(header)) return SQLITE_OK;
    int size = page_size_in_header(header);
    if (!is_page(size, 0)) return SQLITE_OK;
    scrub->last_page = ~big_endian_at(header + version_valid_for_offset);
    page_sums_forget(&file->sums);
    // SQLite takes its locks there, and never writes the page.
    uint32_t lock_page = 0x40000000u / (uint32_t)size + 1;

    unsigned char *page = sqlite3_malloc(size);
    if (!page) return SQLITE_IOERR_NOMEM;
    for (uint32_t done = 0; done < scrub->count && scrub->failed_page == 0; done++) {
        uint32_t number = scrub->first + done;
        if (number == 0 || number == lock_page) continue;
        if (number > scrub->last_page) break;
        result = real->pMethods->xRead(real, page, size, (sqlite3_int64)(number - 1) * size);
        if (result == SQLITE_IOERR_SHORT_READ) {
            // Cut off, or not yet there: whoever reads it all decides.
            result = SQLITE_OK;
            scrub->failed_page = number;
        }
        if (result != SQLITE_OK) break;
        if (number == 1) hide_generation(page);
        uint64_t stamp = stamp_of(page, size);
        uint32_t sum = number > 1 ? page_sums_at(&file->sums, number) : 0;
        if (stamp != expected_stamp(page, size, number) && stamp != no_stamp(number))
            scrub->failed_page = number;
        else if (sum && stamp != no_stamp(number) && sum != page_sum_of(stamp)
            && page_sums_is_stale(file, page, size, number)) {
            file->statistics.stale += 1;
            scrub->failed_page = number;
        }
    }
    sqlite3_free(page);
    return result;
}

static int control_database(sqlite3_file *base, int operation, void *argument) {
    checked_file *file = checked(base);
    switch (operation) {
    case CACHESTORE_FCNTL_VERIFY: {
        int *value = argument, before = file->statistics.verifies;
        if (*value >= 0) file->statistics.verifies = *value != 0;
        *value = before;
        return SQLITE_OK;
    }
    case CACHESTORE_FCNTL_STATISTICS:
        *(cachestore_checksum_statistics *)argument = file->statistics;
        return SQLITE_OK;
    case CACHESTORE_FCNTL_SEAL: return seal_database(file);
    case CACHESTORE_FCNTL_SCRUB: return scrub_database(file, argument);
    default: break;
    }
    int result = file->real->pMethods->xFileControl(file->real, operation, argument);
    if (operation == SQLITE_FCNTL_VFSNAME && result == SQLITE_OK)
        *(char **)argument = sqlite3_mprintf("cachestore/%z", *(char **)argument);
    return result;
}

// SQLite syncs nothing where a checkpoint leaves a part of the log, or where it was told not to.
static void end_unsynced_run(checked_file *file) {
    if (!file->sums.is_running) return;
    page_sums_will_end(file);
    page_sums_end(file, 0);
}

static int lock_database(sqlite3_file *base, int level) {
    checked_file *file = checked(base);
    page_sums_recheck(&file->sums);
    return file->real->pMethods->xLock(file->real, level);
}

// With a log, whoever begins to read takes a shared lock, and a checkpoint gives an exclusive one
// back when it has written: https://sqlite.org/walformat.html#locks.
static int lock_log_index(sqlite3_file *base, int offset, int count, int flags) {
    checked_file *file = checked(base);
    if (flags & SQLITE_SHM_LOCK) page_sums_recheck(&file->sums);
    if (flags == (SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)) end_unsynced_run(file);
    return file->real->pMethods->xShmLock(file->real, offset, count, flags);
}

// Where the first region begins, the index says which state of the file the log belongs to.
static int map_log_index(
    sqlite3_file *base, int region, int size, int extends, void volatile **address) {
    checked_file *file = checked(base);
    sqlite3_file *real = file->real;
    int result = real->pMethods->xShmMap(real, region, size, extends, address);
    if (region == 0)
        file->sums.log_index = result == SQLITE_OK ? (const uint32_t *)*address : NULL;
    return result;
}

static int unmap_log_index(sqlite3_file *base, int deletes) {
    checked_file *file = checked(base);
    file->sums.log_index = NULL;
    return file->real->pMethods->xShmUnmap(file->real, deletes);
}

static int unlock_database(sqlite3_file *base, int level) {
    checked_file *file = checked(base);
    if (level == SQLITE_LOCK_NONE) file->first_blind_page = file->last_blind_page = 0;
    end_unsynced_run(file);
    return file->real->pMethods->xUnlock(file->real, level);
}

// A mapped page would be read past the comparison, and a stamp written past the sealing.
static int fetch_database(sqlite3_file *base, sqlite3_int64 offset, int count, void **page) {
    checked_file *file = checked(base);
    *page = NULL;
    if (file->statistics.is_active) return SQLITE_OK;
    return file->real->pMethods->xFetch(file->real, offset, count, page);
}

// A table for each version of the VFS below: what it lacks, we must not offer.
#define DATABASE_METHODS(version)                                                                 \
    {                                                                                             \
        version, close_file, read_database, write_database, truncate_file, sync_database,         \
            size_of_file, lock_database, unlock_database, check_reserved_lock, control_database,  \
            sector_size, device_characteristics, map_log_index, lock_log_index, shared_barrier,   \
            unmap_log_index, fetch_database, unfetch                                              \
    }

const sqlite3_io_methods cachestore_checked_database_methods[3] = {
    DATABASE_METHODS(1), DATABASE_METHODS(2), DATABASE_METHODS(3)};
