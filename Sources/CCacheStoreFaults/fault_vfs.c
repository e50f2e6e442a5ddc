// SPDX-License-Identifier: MIT
#include "fault_plan.h"

#include <pthread.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    cachestore_fault_plan *plan;
    // The name lives as long as the file does (https://sqlite.org/c3ref/vfs.html).
    const char *path;
    int kind;
    uint64_t time;
} faulty_file;

static faulty_file *faulty(sqlite3_file *file) { return (faulty_file *)file; }

static sqlite3_file *real(sqlite3_file *file) { return faulty(file)->real; }

static fault next_fault(faulty_file *file, cachestore_fault_operation operation) {
    return fault_plan_next(file->plan, operation, file->kind, file->time);
}

static int returns_error(fault fault) {
    return fault.fails
        && (fault.kind == CACHESTORE_FAULT_FAILS || fault.kind == CACHESTORE_FAULT_STOPS_HALFWAY);
}

static int pretends(fault fault) {
    return fault.fails
        && (fault.kind == CACHESTORE_FAULT_PRETENDS || fault.kind == CACHESTORE_FAULT_TEARS);
}

// MARK: Files

static int close_file(sqlite3_file *base) {
    faulty_file *file = faulty(base);
    int result = file->real->pMethods->xClose(file->real);
    fault_plan_release(file->plan);
    return result;
}

static int read_file(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    faulty_file *file = faulty(base);
    fault fault = next_fault(file, CACHESTORE_FAULT_READ);
    if (returns_error(fault)) return fault.result;
    int result = file->real->pMethods->xRead(file->real, buffer, count, offset);
    if (result == SQLITE_OK && fault.fails && fault.kind == CACHESTORE_FAULT_FLIPS_BIT)
        ((unsigned char *)buffer)[fault.random / 8 % (unsigned)count] ^= 1 << fault.random % 8;
    return result;
}

static int write_file(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    faulty_file *file = faulty(base);
    fault fault = next_fault(file, CACHESTORE_FAULT_WRITE);
    if (fault.fails && fault.kind == CACHESTORE_FAULT_FAILS) return fault.result;
    if (fault.fails && fault.kind == CACHESTORE_FAULT_PRETENDS) return SQLITE_OK;
    if (returns_error(fault) || pretends(fault)) count = (int)(fault.random % (unsigned)count);
    int result = fault_plan_remember(file->plan, file->path, file->real, offset, count);
    if (result == SQLITE_OK && count > 0)
        result = file->real->pMethods->xWrite(file->real, buffer, count, offset);
    return returns_error(fault) ? fault.result : result;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    faulty_file *file = faulty(base);
    fault fault = next_fault(file, CACHESTORE_FAULT_TRUNCATE);
    if (returns_error(fault)) return fault.result;
    if (pretends(fault)) return SQLITE_OK;
    int result = fault_plan_remember(file->plan, file->path, file->real, size, INT64_MAX);
    if (result != SQLITE_OK) return result;
    return file->real->pMethods->xTruncate(file->real, size);
}

static int sync_file(sqlite3_file *base, int flags) {
    faulty_file *file = faulty(base);
    fault fault = next_fault(file, CACHESTORE_FAULT_SYNC);
    if (returns_error(fault)) return fault.result;
    if (pretends(fault)) return SQLITE_OK;
    int result = file->real->pMethods->xSync(file->real, flags);
    if (result == SQLITE_OK) fault_plan_forget(file->plan, file->path);
    return result;
}

static int size_of_file(sqlite3_file *base, sqlite3_int64 *size) {
    fault fault = next_fault(faulty(base), CACHESTORE_FAULT_SIZE);
    if (returns_error(fault)) return fault.result;
    return real(base)->pMethods->xFileSize(real(base), size);
}

static int lock_file(sqlite3_file *base, int level) {
    fault fault = next_fault(faulty(base), CACHESTORE_FAULT_LOCK);
    if (returns_error(fault)) return fault.result;
    return real(base)->pMethods->xLock(real(base), level);
}

static int unlock_file(sqlite3_file *base, int level) {
    return real(base)->pMethods->xUnlock(real(base), level);
}

static int check_reserved_lock(sqlite3_file *base, int *result) {
    return real(base)->pMethods->xCheckReservedLock(real(base), result);
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
    int result = real(base)->pMethods->xFileControl(real(base), operation, argument);
    if (operation == SQLITE_FCNTL_VFSNAME && result == SQLITE_OK)
        *(char **)argument =
            sqlite3_mprintf(CACHESTORE_FAULT_VFS_NAME "/%z", *(char **)argument);
    return result;
}

static int sector_size(sqlite3_file *base) {
    return real(base)->pMethods->xSectorSize(real(base));
}

// Not what the disk below promises: the power cut breaks any promise about sectors.
static int device_characteristics(sqlite3_file *base) {
    (void)base;
    return 0;
}

static int map_shared(
    sqlite3_file *base, int region, int size, int extends, void volatile **address) {
    fault fault = next_fault(faulty(base), CACHESTORE_FAULT_SHARED_MEMORY);
    if (returns_error(fault)) return fault.result;
    return real(base)->pMethods->xShmMap(real(base), region, size, extends, address);
}

static int lock_shared(sqlite3_file *base, int offset, int count, int flags) {
    faulty_file *file = faulty(base);
    if (flags & SQLITE_SHM_LOCK && fault_plan_is_dead(file->plan, file->time)) return SQLITE_IOERR;
    return file->real->pMethods->xShmLock(file->real, offset, count, flags);
}

static void shared_barrier(sqlite3_file *base) { real(base)->pMethods->xShmBarrier(real(base)); }

static int unmap_shared(sqlite3_file *base, int deletes) {
    return real(base)->pMethods->xShmUnmap(real(base), deletes);
}

#define METHODS(version)                                                                          \
    {                                                                                             \
        version, close_file, read_file, write_file, truncate_file, sync_file, size_of_file,       \
            lock_file, unlock_file, check_reserved_lock, control_file, sector_size,               \
            device_characteristics, map_shared, lock_shared, shared_barrier, unmap_shared, NULL,  \
            NULL                                                                                  \
    }

// Never version 3: what is read through a mapping cannot fail.
static const sqlite3_io_methods methods[2] = {METHODS(1), METHODS(2)};

// MARK: The VFS

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int kind_of(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return CACHESTORE_FAULT_DATABASE;
    if (flags & SQLITE_OPEN_WAL) return CACHESTORE_FAULT_LOG;
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) return CACHESTORE_FAULT_JOURNAL;
    return CACHESTORE_FAULT_OTHER;
}

static int kind_of_path(const char *path) {
    size_t size = strlen(path);
    if (size > 4 && strcmp(path + size - 4, "-wal") == 0) return CACHESTORE_FAULT_LOG;
    if (size > 8 && strcmp(path + size - 8, "-journal") == 0) return CACHESTORE_FAULT_JOURNAL;
    return CACHESTORE_FAULT_OTHER;
}

static int open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    faulty_file *file = faulty(base);
    uint64_t time = 0;
    cachestore_fault_plan *plan = fault_plan_for(name, &time);
    if (!plan) return below(vfs)->xOpen(below(vfs), name, base, flags, out_flags);
    *file = (faulty_file){
        {0}, (sqlite3_file *)(file + 1), plan, name, kind_of(flags), time};
    fault fault = next_fault(file, CACHESTORE_FAULT_OPEN);
    int result = returns_error(fault)
        ? fault.result
        : below(vfs)->xOpen(below(vfs), name, file->real, flags, out_flags);
    if (returns_error(fault) || !file->real->pMethods) {
        fault_plan_release(plan);
        return result;
    }
    base->pMethods = &methods[file->real->pMethods->iVersion > 1];
    return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    uint64_t time = 0;
    cachestore_fault_plan *plan = fault_plan_for(name, &time);
    if (!plan) return below(vfs)->xDelete(below(vfs), name, syncs);
    fault fault = fault_plan_next(plan, CACHESTORE_FAULT_DELETE, kind_of_path(name), time);
    int result = SQLITE_OK;
    if (returns_error(fault)) {
        result = fault.result;
    } else if (!pretends(fault)) {
        result = below(vfs)->xDelete(below(vfs), name, syncs);
        if (result == SQLITE_OK) fault_plan_forget(plan, name);
    }
    fault_plan_release(plan);
    return result;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    uint64_t time = 0;
    cachestore_fault_plan *plan = fault_plan_for(name, &time);
    if (!plan) return below(vfs)->xAccess(below(vfs), name, flags, answer);
    fault fault = fault_plan_next(plan, CACHESTORE_FAULT_ACCESS, kind_of_path(name), time);
    fault_plan_release(plan);
    if (returns_error(fault)) return fault.result;
    return below(vfs)->xAccess(below(vfs), name, flags, answer);
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

static sqlite3_vfs faults = {
    .iVersion = 1,
    .zName = CACHESTORE_FAULT_VFS_NAME,
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_path,
    .xDlOpen = open_library,
    .xDlError = library_error,
    .xDlSym = library_symbol,
    .xDlClose = close_library,
    .xRandomness = randomness,
    .xSleep = sleep_for,
    .xCurrentTime = current_time,
    .xGetLastError = last_error,
};

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;

int cachestore_register_fault_vfs(int makes_default) {
    pthread_mutex_lock(&registration);
    int result = sqlite3_initialize();
    if (result == SQLITE_OK && !faults.pAppData) {
        sqlite3_vfs *base = sqlite3_vfs_find(NULL);
        if (base) {
            faults.szOsFile = (int)sizeof(faulty_file) + base->szOsFile;
            faults.mxPathname = base->mxPathname;
            faults.pAppData = base;
            result = sqlite3_vfs_register(&faults, makes_default);
        } else {
            result = SQLITE_NOTFOUND;
        }
    } else if (result == SQLITE_OK && makes_default) {
        result = sqlite3_vfs_register(&faults, 1);
    }
    pthread_mutex_unlock(&registration);
    return result;
}
