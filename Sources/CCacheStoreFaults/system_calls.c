// SPDX-License-Identifier: MIT
//
// Stands in for functions of the C library: the definitions of a program come before those of the
// libraries that it loads, so SQLite and Foundation call these as well. Each asks whether it is to
// fail, and else is the plain call of the system.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>

#include "system_faults.h"

#if SYSTEM_FAULTS_ARE_AVAILABLE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(void) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

// Returns whether the call fails now, with errno set; never when it is to kill.
static int fails(call_fault fault) {
    if (!fault.fails || fault.effect == CACHESTORE_CALL_IS_SHORT) return 0;
    if (fault.effect == CACHESTORE_CALL_KILLS || fault.effect == CACHESTORE_CALL_TEARS_AND_KILLS)
        die();
    errno = fault.error;
    return 1;
}

static int fails_at_path(const char *path, int call, const char *name) {
    return fails(system_fault_at_path(path, call, name));
}

static int fails_at_file(int file, int call, const char *name) {
    return fails(system_fault_at_file(file, call, name));
}

// MARK: Opening and closing

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    if (directory != AT_FDCWD && path && path[0] != '/')
        return (int)syscall(SYS_openat, directory, path, flags, mode);
    if (fails_at_path(path, CACHESTORE_CALL_OPEN, "open")) return -1;
    int file = (int)syscall(SYS_openat, directory, path, flags, mode);
    system_faults_note_open(file, path);
    return file;
}

#define MODE_ARGUMENT(mode)                                                                       \
    mode_t mode = 0;                                                                              \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                        \
        va_list arguments;                                                                        \
        va_start(arguments, flags);                                                               \
        mode = va_arg(arguments, mode_t);                                                         \
        va_end(arguments);                                                                        \
    }

int open(const char *path, int flags, ...) {
    MODE_ARGUMENT(mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_ARGUMENT(mode)
    return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MODE_ARGUMENT(mode)
    return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    MODE_ARGUMENT(mode)
    return open_at(directory, path, flags | O_LARGEFILE, mode);
}

int close(int file) {
    system_faults_note_close(file);
    return (int)syscall(SYS_close, file);
}

// MARK: Reading and writing

ssize_t read(int file, void *buffer, size_t count) {
    if (fails_at_file(file, CACHESTORE_CALL_READ, "read")) return -1;
    return syscall(SYS_read, file, buffer, count);
}

static ssize_t read_at(int file, void *buffer, size_t count, off_t offset) {
    if (fails_at_file(file, CACHESTORE_CALL_READ, "pread")) return -1;
    return syscall(SYS_pread64, file, buffer, count, offset);
}

ssize_t pread(int file, void *buffer, size_t count, off_t offset) {
    return read_at(file, buffer, count, offset);
}

ssize_t pread64(int file, void *buffer, size_t count, off64_t offset) {
    return read_at(file, buffer, count, offset);
}

static ssize_t write_or_fail(int file, const void *buffer, size_t count, const off_t *offset) {
    call_fault fault = system_fault_at_file(file, CACHESTORE_CALL_WRITE, "write");
    int writes_half = fault.fails
        && (fault.effect == CACHESTORE_CALL_TEARS || fault.effect == CACHESTORE_CALL_IS_SHORT
            || fault.effect == CACHESTORE_CALL_TEARS_AND_KILLS);
    ssize_t written = 0;
    // One byte has no half; a write of nothing would look like a full disk.
    if (writes_half && fault.effect == CACHESTORE_CALL_IS_SHORT && count < 2) writes_half = 0;
    if (writes_half) count /= 2;
    if (!fault.fails || writes_half || fault.effect == CACHESTORE_CALL_IS_SHORT)
        written = offset ? syscall(SYS_pwrite64, file, buffer, count, *offset)
                         : syscall(SYS_write, file, buffer, count);
    return fails(fault) ? -1 : written;
}

ssize_t write(int file, const void *buffer, size_t count) {
    return write_or_fail(file, buffer, count, NULL);
}

ssize_t pwrite(int file, const void *buffer, size_t count, off_t offset) {
    return write_or_fail(file, buffer, count, &offset);
}

ssize_t pwrite64(int file, const void *buffer, size_t count, off64_t offset) {
    off_t place = offset;
    return write_or_fail(file, buffer, count, &place);
}

ssize_t sendfile(int target, int source, off_t *offset, size_t count) {
    if (fails_at_file(target, CACHESTORE_CALL_WRITE, "sendfile")) return -1;
    return syscall(SYS_sendfile, target, source, offset, count);
}

ssize_t copy_file_range(
    int source, off64_t *source_offset, int target, off64_t *target_offset, size_t count,
    unsigned flags) {
    if (fails_at_file(target, CACHESTORE_CALL_WRITE, "copy_file_range")) return -1;
    return syscall(
        SYS_copy_file_range, source, source_offset, target, target_offset, count, flags);
}

int fsync(int file) {
    if (fails_at_file(file, CACHESTORE_CALL_SYNC, "fsync")) return -1;
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    if (fails_at_file(file, CACHESTORE_CALL_SYNC, "fdatasync")) return -1;
    return (int)syscall(SYS_fdatasync, file);
}

int ftruncate(int file, off_t size) {
    if (fails_at_file(file, CACHESTORE_CALL_TRUNCATE, "ftruncate")) return -1;
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off64_t size) {
    if (fails_at_file(file, CACHESTORE_CALL_TRUNCATE, "ftruncate")) return -1;
    return (int)syscall(SYS_ftruncate, file, size);
}

// MARK: Names

int unlink(const char *path) {
    if (fails_at_path(path, CACHESTORE_CALL_REMOVE, "unlink")) return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    if (fails_at_path(path, CACHESTORE_CALL_REMOVE, "rmdir")) return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int rename(const char *old, const char *new) {
    if (fails_at_path(new, CACHESTORE_CALL_RENAME, "rename")) return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int link(const char *old, const char *new) {
    if (fails_at_path(new, CACHESTORE_CALL_RENAME, "link")) return -1;
    return (int)syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int mkdir(const char *path, mode_t mode) {
    if (fails_at_path(path, CACHESTORE_CALL_MAKE_DIRECTORY, "mkdir")) return -1;
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

// MARK: Looking

static int status_at(const char *path, void *status, int flags) {
    if (fails_at_path(path, CACHESTORE_CALL_LOOK, "stat")) return -1;
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, flags);
}

int stat(const char *path, struct stat *status) { return status_at(path, status, 0); }

int stat64(const char *path, struct stat64 *status) { return status_at(path, status, 0); }

int lstat(const char *path, struct stat *status) {
    return status_at(path, status, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *status) {
    return status_at(path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat *status) {
    if (fails_at_file(file, CACHESTORE_CALL_LOOK, "fstat")) return -1;
    return (int)syscall(SYS_fstat, file, status);
}

int fstat64(int file, struct stat64 *status) {
    if (fails_at_file(file, CACHESTORE_CALL_LOOK, "fstat")) return -1;
    return (int)syscall(SYS_fstat, file, status);
}

int access(const char *path, int mode) {
    if (fails_at_path(path, CACHESTORE_CALL_LOOK, "access")) return -1;
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

// MARK: Locks and mappings

int flock(int file, int operation) {
    // Giving a lock back does not fail.
    if (!(operation & LOCK_UN) && fails_at_file(file, CACHESTORE_CALL_LOCK, "flock")) return -1;
    return (int)syscall(SYS_flock, file, operation);
}

static int control(int file, int command, void *argument) {
    int locks = command == F_SETLK || command == F_SETLKW
        || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (locks && ((struct flock *)argument)->l_type != F_UNLCK
        && fails_at_file(file, CACHESTORE_CALL_LOCK, "fcntl"))
        return -1;
    return (int)syscall(SYS_fcntl, file, command, argument);
}

#define CONTROL                                                                                   \
    va_list arguments;                                                                            \
    va_start(arguments, command);                                                                 \
    void *argument = va_arg(arguments, void *);                                                   \
    va_end(arguments);                                                                            \
    return control(file, command, argument);

int fcntl(int file, int command, ...) { CONTROL }

int fcntl64(int file, int command, ...) { CONTROL }

static void *map(void *place, size_t size, int access, int flags, int file, off_t offset) {
    if (file >= 0 && fails_at_file(file, CACHESTORE_CALL_MAP, "mmap")) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, place, size, access, flags, file, offset);
}

void *mmap(void *place, size_t size, int access, int flags, int file, off_t offset) {
    return map(place, size, access, flags, file, offset);
}

void *mmap64(void *place, size_t size, int access, int flags, int file, off64_t offset) {
    return map(place, size, access, flags, file, offset);
}

#endif
