// SPDX-License-Identifier: MIT
//
// The log: its pages are compared with the checksums that SQLite's own format has for them, and
// that SQLite itself looks at in recovery only. What does not fit is never moved into the database,
// where it would get a checksum of ours.
#include "checked_file.h"

#include <string.h>

// Sizes and offsets: https://sqlite.org/fileformat2.html#the_write_ahead_log
enum {
    log_header_size = 32,
    log_checksum_offset = 24,
    frame_header_size = 24,
    frame_checksum_offset = 16,
    // SQLite moves a log of that length: https://sqlite.org/pragma.html#pragma_wal_autocheckpoint.
    remembered_frames = 1024,
};

static void add_to_checksum(
    const unsigned char *bytes, int count, int is_big_endian, uint32_t sum[2]) {
    uint32_t first = sum[0], second = sum[1];
    int swaps = is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    for (int index = 0; index < count; index += 8) {
        uint32_t words[2];
        memcpy(words, bytes + index, 8);
        if (swaps) {
            words[0] = __builtin_bswap32(words[0]);
            words[1] = __builtin_bswap32(words[1]);
        }
        first += words[0] + second;
        second += words[1] + first;
    }
    sum[0] = first;
    sum[1] = second;
}

// What a connection remembers of the frames that it has read, and room for one.
struct log_memory {
    int page_size;
    // The sum that a frame goes on from, by its number; where nothing is known, the frame is 0.
    struct {
        sqlite3_int64 frame;
        unsigned char sum[8];
    } before[remembered_frames];
    unsigned char frame[];
};

static log_memory *memory_for(checked_file *log, int page_size) {
    if (log->memory && log->memory->page_size == page_size) return log->memory;
    sqlite3_free(log->memory);
    log->memory = sqlite3_malloc((int)sizeof(log_memory) + frame_header_size + page_size);
    if (!log->memory) return NULL;
    memset(log->memory, 0, sizeof(log_memory));
    log->memory->page_size = page_size;
    return log->memory;
}

static int place_of(const log_memory *memory, sqlite3_int64 frame) {
    sqlite3_int64 number = (frame - log_header_size) / (memory->page_size + frame_header_size);
    return (int)(number % remembered_frames);
}

static void remember_sum(log_memory *memory, sqlite3_int64 frame, const unsigned char *sum) {
    int place = place_of(memory, frame);
    memory->before[place].frame = frame;
    memcpy(memory->before[place].sum, sum, 8);
}

// The sum that the checksum of a frame goes on from: that of the frame before, or of the header.
static int sum_before(checked_file *log, sqlite3_int64 frame, unsigned char *sum) {
    log_memory *memory = log->memory;
    int place = place_of(memory, frame);
    if (memory->before[place].frame == frame) {
        memcpy(sum, memory->before[place].sum, 8);
        return SQLITE_OK;
    }
    sqlite3_int64 sum_at = frame == log_header_size
        ? log_checksum_offset
        : frame - memory->page_size - frame_header_size + frame_checksum_offset;
    int result = log->real->pMethods->xRead(log->real, sum, 8, sum_at);
    if (result == SQLITE_OK) remember_sum(memory, frame, sum);
    return result;
}

// Compares the frame that was read with the checksum in its header, which goes on from that of the
// frame before: https://sqlite.org/fileformat2.html#checksum_algorithm.
static int compare_frame(checked_file *log, sqlite3_int64 frame, int *fits) {
    log_memory *memory = log->memory;
    const unsigned char *header = memory->frame;
    unsigned char before[8];
    int result = sum_before(log, frame, before);
    if (result != SQLITE_OK) return result;
    uint32_t sum[2] = {big_endian_at(before), big_endian_at(before + 4)};
    add_to_checksum(header, 8, log->log_is_big_endian, sum);
    add_to_checksum(
        header + frame_header_size, memory->page_size, log->log_is_big_endian, sum);
    *fits = sum[0] == big_endian_at(header + frame_checksum_offset)
        && sum[1] == big_endian_at(header + frame_checksum_offset + 4);
    if (*fits)
        remember_sum(
            memory, frame + frame_header_size + memory->page_size, header + frame_checksum_offset);
    return SQLITE_OK;
}

// The byte order is that of the machine which began the log: nearly always this one.
static int learn_byte_order(checked_file *log) {
    unsigned char magic[4];
    int result = log->real->pMethods->xRead(log->real, magic, 4, 0);
    if (result == SQLITE_OK) log->log_is_big_endian = magic[3] & 1;
    return result;
}

// SQLite also reads whole frames, and writes pages in two pieces where a sync falls between.
static int is_whole_frame_page(checked_file *log, int count, sqlite3_int64 offset) {
    sqlite3_int64 frame = offset - frame_header_size;
    return count == log->database->page_size && is_page(count, 0) && frame >= log_header_size
        && (frame - log_header_size) % (count + frame_header_size) == 0;
}

// A read that the system refused says nothing about the log.
static int refused(checked_file *log, int result) {
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ)
        log->database->statistics.unread += 1;
    return result;
}

static int checked_page(checked_file *log, void *page, int size, sqlite3_int64 frame) {
    cachestore_checksum_statistics *statistics = &log->database->statistics;
    int fits = 0;
    int result = compare_frame(log, frame, &fits);
    if (result == SQLITE_OK && !fits) {
        // Perhaps the log has begun again since what is remembered was read.
        memset(log->memory->before, 0, sizeof log->memory->before);
        result = learn_byte_order(log);
        if (result == SQLITE_OK) result = compare_frame(log, frame, &fits);
    }
    if (result != SQLITE_OK) return refused(log, result);
    uint32_t number = big_endian_at(log->memory->frame);
    statistics->verified_in_log += 1;
    if (fits) {
        put_stamp(page, size, no_stamp(number));
        return SQLITE_OK;
    }
    statistics->failed_in_log += 1;
    statistics->last_failed_page = number;
    sqlite3_log(SQLITE_IOERR_DATA, "the frame of page %u in the log does not fit", number);
    return SQLITE_IOERR_DATA;
}

// The header of a frame lies before its page, and both are read at once.
static int read_log(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    checked_file *log = checked(base);
    const sqlite3_file *real = log->real;
    const cachestore_checksum_statistics *statistics = &log->database->statistics;
    sqlite3_int64 frame = offset - frame_header_size;
    if (!statistics->is_active || !statistics->verifies || frame >= log->unsettled_from
        || !is_whole_frame_page(log, count, offset))
        return refused(log, real->pMethods->xRead(log->real, buffer, count, offset));

    log_memory *memory = memory_for(log, count);
    if (!memory) return SQLITE_IOERR_NOMEM;
    int result =
        real->pMethods->xRead(log->real, memory->frame, frame_header_size + count, frame);
    if (result == SQLITE_OK || result == SQLITE_IOERR_SHORT_READ)
        memcpy(buffer, memory->frame + frame_header_size, (size_t)count);
    return result == SQLITE_OK ? checked_page(log, buffer, count, frame) : refused(log, result);
}

// While a page of this transaction was changed in place, SQLite writes new headers without a
// checksum, and corrects all of them, one after the other, when it commits.
static void note_frame_header(checked_file *log, const unsigned char *header, sqlite3_int64 frame) {
    static const unsigned char none[8] = {0};
    log->frame_header_at = frame;
    log->frame_page = big_endian_at(header);
    if (memcmp(header + frame_checksum_offset, none, 8) == 0) {
        if (frame < log->unsettled_from) log->unsettled_from = frame;
    } else if (frame == log->unsettled_from) {
        log->unsettled_from += log->database->page_size + frame_header_size;
        if (log->unsettled_from >= log->written_to) log->unsettled_from = nowhere;
    }
}

static void note_frame_page(checked_file *log, unsigned char *page, sqlite3_int64 frame) {
    int size = log->database->page_size;
    sqlite3_int64 end = frame + frame_header_size + size;
    if (end > log->written_to) log->written_to = end;
    if (log->frame_header_at != frame) {
        if (frame < log->unsettled_from) log->unsettled_from = frame;
    } else if (log->database->statistics.is_active) {
        // After it was written, because the header of the frame has its checksum. The page stays
        // in memory, and comes with the mark from the second time on.
        put_stamp(page, size, no_stamp(log->frame_page));
    }
    log->frame_header_at = nowhere;
}

static int write_log(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    checked_file *log = checked(base);
    int result = log->real->pMethods->xWrite(log->real, buffer, count, offset);
    if (offset == 0 && count == log_header_size) {
        log->log_is_big_endian = ((const unsigned char *)buffer)[3] & 1;
        log->unsettled_from = nowhere;
        log->written_to = 0;
    } else if (count == frame_header_size) {
        note_frame_header(log, buffer, offset);
    } else if (is_whole_frame_page(log, count, offset)) {
        note_frame_page(log, (unsigned char *)buffer, offset - frame_header_size);
    }
    return result;
}

const sqlite3_io_methods cachestore_checked_log_methods = {
    1, close_file, read_log, write_log, truncate_file, sync_file, size_of_file, lock_file,
    unlock_file, check_reserved_lock, control_file, sector_size, device_characteristics,
    NULL, NULL, NULL, NULL, NULL, NULL};
