// SPDX-License-Identifier: MIT
//
// What a disk holds after a power cut: each sector that was not synced is old or new.
#include "fault_plan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { sector_size = 512 };

typedef struct {
    unsigned char *bytes;
    size_t count, capacity;
} content;

static int make_room(content *content, size_t count) {
    if (count <= content->capacity) return 1;
    unsigned char *bytes = realloc(content->bytes, count);
    if (!bytes) return 0;
    memset(bytes + content->capacity, 0, count - content->capacity);
    content->bytes = bytes;
    content->capacity = count;
    return 1;
}

static int read_all(int descriptor, content *content) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !make_room(content, (size_t)status.st_size)) return 0;
    while (content->count < (size_t)status.st_size) {
        ssize_t count = pread(
            descriptor, content->bytes + content->count, (size_t)status.st_size - content->count,
            (off_t)content->count);
        if (count <= 0) return 0;
        content->count += (size_t)count;
    }
    return 1;
}

static int write_all(int descriptor, const content *content) {
    size_t done = 0;
    while (done < content->count) {
        ssize_t count =
            pwrite(descriptor, content->bytes + done, content->count - done, (off_t)done);
        if (count <= 0) return 0;
        done += (size_t)count;
    }
    return ftruncate(descriptor, (off_t)content->count) == 0;
}

// Turns the content as it is into that of the last sync.
static int undo_writes(const remembered_file *file, content *content) {
    for (remembered_write *write = file->latest; write; write = write->earlier) {
        if (!make_room(content, (size_t)write->offset + write->count)) return 0;
        memcpy(content->bytes + write->offset, write->bytes, write->count);
        size_t size = (size_t)write->size_before;
        if (!make_room(content, size)) return 0;
        if (size < content->count) memset(content->bytes + size, 0, content->count - size);
        content->count = size;
    }
    return 1;
}

int fault_plan_lose_unsynced(remembered_file *file, uint64_t *random) {
    int descriptor = open(file->path, O_RDWR | O_CLOEXEC);
    // It may have been deleted since.
    if (descriptor < 0) return SQLITE_OK;
    content now = {0}, then = {0};
    int works = read_all(descriptor, &now) && make_room(&then, now.count);
    if (works && now.count > 0) memcpy(then.bytes, now.bytes, now.count);
    then.count = now.count;
    works = works && undo_writes(file, &then);
    size_t longer = now.count > then.count ? now.count : then.count;
    works = works && make_room(&now, longer) && make_room(&then, longer);
    if (works) {
        // What was cut off is there, whole, or is not: cutting writes no zeros.
        if (then.count > now.count)
            memcpy(now.bytes + now.count, then.bytes + now.count, then.count - now.count);
        for (size_t offset = 0; offset < longer; offset += sector_size) {
            size_t count = longer - offset < sector_size ? longer - offset : sector_size;
            if (fault_plan_random(random) & 1)
                memcpy(now.bytes + offset, then.bytes + offset, count);
        }
        if (fault_plan_random(random) & 1) now.count = then.count;
        works = write_all(descriptor, &now);
    }
    free(now.bytes);
    free(then.bytes);
    close(descriptor);
    return works ? SQLITE_OK : SQLITE_IOERR;
}
