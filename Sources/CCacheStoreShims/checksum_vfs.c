// SPDX-License-Identifier: MIT
//
// A VFS over another one. It wraps two kinds of file, the main database and its log; all others are
// those of the VFS below.
#include "checked_file.h"

#include <pthread.h>
#include <string.h>

static int is_database_file(const sqlite3_file *file) {
    for (int version = 0; version < 3; version++)
        if (file->pMethods == &cachestore_checked_database_methods[version]) return 1;
    return 0;
}

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    checked_file *file = checked(base);
    checked_file *database = NULL;
    if (flags & SQLITE_OPEN_WAL && name) {
        sqlite3_file *main = sqlite3_database_file_object(name);
        // Under another shim the database is a file of that one, which we cannot look into.
        if (main && main->pMethods && is_database_file(main)) database = checked(main);
    }
    if (!(flags & SQLITE_OPEN_MAIN_DB) && !database)
        return below(vfs)->xOpen(below(vfs), name, base, flags, out_flags);

    memset(file, 0, sizeof *file);
    file->real = (sqlite3_file *)(file + 1);
    file->database = database;
    file->statistics.verifies = 1;
    file->frame_header_at = file->unsettled_from = nowhere;
    file->log_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    page_sums_open(&file->sums, NULL);
    int result = below(vfs)->xOpen(below(vfs), name, file->real, flags, out_flags);
    const sqlite3_io_methods *methods = file->real->pMethods;
    if (!methods) return result;
    if (!database && name && !(flags & SQLITE_OPEN_DELETEONCLOSE))
        page_sums_open(&file->sums, name);
    int version = methods->iVersion > 3 ? 3 : methods->iVersion;
    base->pMethods = database ? &cachestore_checked_log_methods
                               : &cachestore_checked_database_methods[version - 1];
    return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    return below(vfs)->xDelete(below(vfs), name, syncs);
}
static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return below(vfs)->xAccess(below(vfs), name, flags, result);
}
static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    return below(vfs)->xFullPathname(below(vfs), name, size, path);
}
static void *open_library(sqlite3_vfs *vfs, const char *name) {
    return below(vfs)->xDlOpen(below(vfs), name);
}
static void library_error(sqlite3_vfs *vfs, int size, char *message) {
    below(vfs)->xDlError(below(vfs), size, message);
}
static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    return below(vfs)->xDlSym(below(vfs), library, name);
}
static void close_library(sqlite3_vfs *vfs, void *library) {
    below(vfs)->xDlClose(below(vfs), library);
}
static int randomness(sqlite3_vfs *vfs, int size, char *bytes) {
    return below(vfs)->xRandomness(below(vfs), size, bytes);
}
static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
    return below(vfs)->xSleep(below(vfs), microseconds);
}
static int current_time(sqlite3_vfs *vfs, double *time) {
    return below(vfs)->xCurrentTime(below(vfs), time);
}
static int last_error(sqlite3_vfs *vfs, int size, char *message) {
    return below(vfs)->xGetLastError(below(vfs), size, message);
}
static int current_time_in_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return below(vfs)->xCurrentTimeInt64(below(vfs), time);
}

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;

static int register_new(const char *name, sqlite3_vfs *base) {
    // Never freed: a VFS stays registered as long as the process lives.
    size_t name_size = strlen(name) + 1;
    sqlite3_vfs *vfs = sqlite3_malloc64(sizeof *vfs + name_size);
    if (!vfs) return SQLITE_NOMEM;
    memset(vfs, 0, sizeof *vfs);
    // Version 3 would let programs replace the system calls of the VFS below.
    vfs->iVersion = base->iVersion < 2 ? base->iVersion : 2;
    vfs->szOsFile = (int)sizeof(checked_file) + base->szOsFile;
    vfs->mxPathname = base->mxPathname;
    vfs->zName = memcpy(vfs + 1, name, name_size);
    vfs->pAppData = base;
    vfs->xOpen = open_file;
    vfs->xDelete = delete_file;
    vfs->xAccess = access_file;
    vfs->xFullPathname = full_path;
    vfs->xDlOpen = open_library;
    vfs->xDlError = library_error;
    vfs->xDlSym = library_symbol;
    vfs->xDlClose = close_library;
    vfs->xRandomness = randomness;
    vfs->xSleep = sleep_for;
    vfs->xCurrentTime = current_time;
    vfs->xGetLastError = last_error;
    if (vfs->iVersion >= 2) vfs->xCurrentTimeInt64 = current_time_in_milliseconds;
    int result = sqlite3_vfs_register(vfs, 0);
    if (result != SQLITE_OK) sqlite3_free(vfs);
    return result;
}

int cachestore_register_checksum_vfs(const char *name, const char *base_name) {
    pthread_mutex_lock(&registration);
    // Without this, sqlite3_vfs_find() finds nothing in a process that has not opened a database.
    int result = sqlite3_initialize();
    sqlite3_vfs *base = sqlite3_vfs_find(base_name);
    sqlite3_vfs *existing = sqlite3_vfs_find(name);
    if (result == SQLITE_OK) {
        if (!base)
            result = SQLITE_NOTFOUND;
        else if (!existing)
            result = register_new(name, base);
        else if (existing->xOpen != open_file || below(existing) != base)
            result = SQLITE_MISUSE;
    }
    pthread_mutex_unlock(&registration);
    return result;
}
