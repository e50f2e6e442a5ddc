// SPDX-License-Identifier: MIT
//
// The little C that Swift cannot do: calls that take a variable number of arguments, the
// destructor constants that are casts of integers to function pointers, the fork handler, a VFS, and
// rows for statements to read.
#ifndef CCACHESTORESHIMS_H
#define CCACHESTORESHIMS_H

#include <stddef.h>

#include "CCacheStoreChecksumVFS.h"
#include "CCacheStorePageChecksum.h"
#include "CCacheStorePageSums.h"
#include "CCacheStorePropertyCursor.h"
#include "CCacheStoreRowPacker.h"
#include "CCacheStoreRowSource.h"

// Declared here rather than by including sqlite3.h, so that each SQLite symbol belongs to one
// Clang module only (CCacheStoreSQLite).
struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_context;

#ifdef __cplusplus
extern "C" {
#endif

/// sqlite3_db_config() for the options of the form (int onoff, int *result). A negative value only
/// asks.
int cachestore_db_config_flag(struct sqlite3 *db, int option, int value, int *result);

/// sqlite3_config(SQLITE_CONFIG_MEMSTATUS). Only before the library is initialised.
int cachestore_config_memory_statistics(int enabled);

/// sqlite3_config(SQLITE_CONFIG_LOG). Only before the library is initialised.
int cachestore_config_log(void (*log)(void *, int, const char *), void *context);

/// Binds a copy of the text; an empty text is never NULL, whatever its address.
int cachestore_bind_text(
    struct sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// Binds a copy of the bytes; no bytes are an empty blob, never NULL, whatever their address.
int cachestore_bind_blob(
    struct sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// Binds without copying. The caller keeps the bytes alive and unchanged until the parameter is
/// bound again or cleared, or the statement is finalised.
int cachestore_bind_text_static(
    struct sqlite3_stmt *statement, int index, const void *bytes, size_t count);
int cachestore_bind_blob_static(
    struct sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// Sets a copy of the bytes as the result of an SQL function.
void cachestore_result_text(struct sqlite3_context *context, const void *bytes, size_t count);
void cachestore_result_blob(struct sqlite3_context *context, const void *bytes, size_t count);

/// How many fork() calls lie between this process and the one that loaded the library. Written only
/// by the fork handler, in a child that has a single thread.
extern volatile unsigned cachestore_forks_so_far;

static inline unsigned cachestore_fork_generation(void) { return cachestore_forks_so_far; }

// Which of a pool's readers this thread had last: where to look first, whatever the pool. A
// thread-local variable, as in CCacheStorePropertyCursor.h.
extern _Thread_local unsigned int cachestore_last_reader __attribute__((tls_model("initial-exec")));

static inline unsigned int cachestore_preferred_reader(void) { return cachestore_last_reader; }

static inline void cachestore_prefer_reader(unsigned int index) { cachestore_last_reader = index; }

#ifdef __cplusplus
}
#endif
#endif
