// SPDX-License-Identifier: MIT
#include "CCacheStoreShims.h"

#include <pthread.h>
#include <sqlite3.h>

int cachestore_db_config_flag(sqlite3 *db, int option, int value, int *result) {
    return sqlite3_db_config(db, option, value, result);
}

int cachestore_config_memory_statistics(int enabled) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled);
}

int cachestore_config_log(void (*log)(void *, int, const char *), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, log, context);
}

// A null address would bind NULL (https://sqlite.org/c3ref/bind_blob.html), and Swift gives one for
// an empty buffer.
static const void *bytes_or_empty(const void *bytes) { return bytes ? bytes : ""; }

int cachestore_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_text64(
        statement, index, bytes_or_empty(bytes), count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int cachestore_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_blob64(statement, index, bytes_or_empty(bytes), count, SQLITE_TRANSIENT);
}

int cachestore_bind_text_static(
    sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_text64(
        statement, index, bytes_or_empty(bytes), count, SQLITE_STATIC, SQLITE_UTF8);
}

int cachestore_bind_blob_static(
    sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_blob64(statement, index, bytes_or_empty(bytes), count, SQLITE_STATIC);
}

void cachestore_result_text(sqlite3_context *context, const void *bytes, size_t count) {
    sqlite3_result_text64(context, bytes_or_empty(bytes), count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void cachestore_result_blob(sqlite3_context *context, const void *bytes, size_t count) {
    sqlite3_result_blob64(context, bytes_or_empty(bytes), count, SQLITE_TRANSIENT);
}

volatile unsigned cachestore_forks_so_far = 0;

static void count_fork(void) { cachestore_forks_so_far += 1; }

// getpid() is a system call on Linux, too dear for every step of a statement; this is a load.
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(NULL, NULL, count_fork);
}

_Thread_local unsigned int cachestore_last_reader __attribute__((tls_model("initial-exec"))) = 0;
