// SPDX-License-Identifier: MIT
//
// Calls of the system on files that fail as they are told to: for tests, and never in a product.
#ifndef CCACHESTORESYSTEMFAULTS_H
#define CCACHESTORESYSTEMFAULTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What can fail. A set of bits.
enum {
    CACHESTORE_CALL_OPEN = 1,
    CACHESTORE_CALL_READ = 2,
    CACHESTORE_CALL_WRITE = 4,
    CACHESTORE_CALL_SYNC = 8,
    CACHESTORE_CALL_TRUNCATE = 16,
    CACHESTORE_CALL_REMOVE = 32,
    CACHESTORE_CALL_RENAME = 64,
    CACHESTORE_CALL_MAKE_DIRECTORY = 128,
    CACHESTORE_CALL_LOOK = 256,
    CACHESTORE_CALL_LOCK = 512,
    CACHESTORE_CALL_MAP = 1024,
    CACHESTORE_CALL_ALL = 2047,
};

/// How it fails.
typedef enum {
    /// Nothing is done, and the call returns an error.
    CACHESTORE_CALL_FAILS,
    /// Of a write, the first half is done, and the call returns an error. Else as the first.
    CACHESTORE_CALL_TEARS,
    /// Of a write, the first half is done, and the call says so. Others succeed.
    CACHESTORE_CALL_IS_SHORT,
    /// Nothing is done: the process is killed.
    CACHESTORE_CALL_KILLS,
    /// Of a write, the first half is done; and the process is killed.
    CACHESTORE_CALL_TEARS_AND_KILLS,
} cachestore_call_effect;

/// Whether this build can let calls fail at all.
int cachestore_system_faults_are_available(void);

/// Begins to watch the files whose path begins with a prefix. Returns a number for it, or -1 when
/// too many are watched already, or it is not available.
int cachestore_system_faults_begin(const char *prefix);

/// Ends it. Files that are open work as usual.
void cachestore_system_faults_end(int watch);

/// Lets the n-th call from now on (1 is the next) fail; and, if it `repeats`, all after it.
void cachestore_system_faults_arm(
    int watch, int calls, cachestore_call_effect effect, uint64_t nth, int repeats, int error);

void cachestore_system_faults_disarm(int watch);

/// Calls so far, and faults so far.
uint64_t cachestore_system_faults_calls(int watch);
uint64_t cachestore_system_faults_count(int watch);

/// Puts the last call that failed into a buffer, as `write /path`.
void cachestore_system_faults_last(int watch, char *buffer, int size);

#ifdef __cplusplus
}
#endif
#endif
