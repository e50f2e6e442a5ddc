// SPDX-License-Identifier: MIT
//
// A VFS over SQLite's own one that fails as it is told to: for tests, and never in a product.
#ifndef CCACHESTOREFAULTS_H
#define CCACHESTOREFAULTS_H

#include "CCacheStoreSystemFaults.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The name of the VFS.
#define CACHESTORE_FAULT_VFS_NAME "cachestore-faults"

/// What can fail.
typedef enum {
    CACHESTORE_FAULT_ANY,
    CACHESTORE_FAULT_OPEN,
    CACHESTORE_FAULT_READ,
    CACHESTORE_FAULT_WRITE,
    CACHESTORE_FAULT_SYNC,
    CACHESTORE_FAULT_TRUNCATE,
    CACHESTORE_FAULT_SIZE,
    CACHESTORE_FAULT_DELETE,
    CACHESTORE_FAULT_ACCESS,
    CACHESTORE_FAULT_LOCK,
    CACHESTORE_FAULT_SHARED_MEMORY,
    CACHESTORE_FAULT_OPERATIONS,
} cachestore_fault_operation;

/// How it fails.
typedef enum {
    /// Nothing is done, and the result code is returned.
    CACHESTORE_FAULT_FAILS,
    /// Of a write: a part is done, and the result code is returned. Else as the first.
    CACHESTORE_FAULT_STOPS_HALFWAY,
    /// Of a write: a part is done, and success is returned. Else as the next one.
    CACHESTORE_FAULT_TEARS,
    /// Of a write, sync, truncation or deletion: nothing is done, and success is returned.
    CACHESTORE_FAULT_PRETENDS,
    /// Of a read: one bit of what was read is turned round. Else nothing.
    CACHESTORE_FAULT_FLIPS_BIT,
} cachestore_fault_kind;

/// Which files. A set of bits.
enum {
    CACHESTORE_FAULT_DATABASE = 1,
    CACHESTORE_FAULT_LOG = 2,
    CACHESTORE_FAULT_JOURNAL = 4,
    CACHESTORE_FAULT_OTHER = 8,
    CACHESTORE_FAULT_ALL_FILES = 15,
};

typedef struct cachestore_fault_plan cachestore_fault_plan;

/// Registers the VFS over the default one. Again is nothing, unless it is to be made the default.
int cachestore_register_fault_vfs(int makes_default);

/// A plan for all files whose full path begins with a prefix. NULL when memory is short.
cachestore_fault_plan *cachestore_fault_plan_create(const char *prefix, uint64_t seed);

/// Ends the plan. Files that are still open work as if there had been none.
void cachestore_fault_plan_destroy(cachestore_fault_plan *plan);

/// Lets the n-th operation from now on (1 is the next) fail; and, if it `repeats`, all after it.
/// Replaces what was told before.
void cachestore_fault_plan_arm(
    cachestore_fault_plan *plan, cachestore_fault_operation operation, cachestore_fault_kind kind,
    uint64_t nth, int repeats, int result, int files);

/// Nothing fails any more.
void cachestore_fault_plan_disarm(cachestore_fault_plan *plan);

/// Operations of a kind so far.
uint64_t cachestore_fault_plan_count(
    cachestore_fault_plan *plan, cachestore_fault_operation operation);

/// Faults so far.
uint64_t cachestore_fault_plan_faults(cachestore_fault_plan *plan);

/// Whether to remember what was there before each write since the last sync of a file, as a power
/// cut needs it.
void cachestore_fault_plan_remember_unsynced(cachestore_fault_plan *plan, int remembers);

/// Cuts the power: each 512 bytes that were not synced are, at random, as they were or as they were
/// to be, and every operation from now on fails with SQLITE_IOERR, until the power is back. Returns
/// a result code.
int cachestore_fault_plan_cut_power(cachestore_fault_plan *plan);

/// The power is back. The files that were open stay dead.
void cachestore_fault_plan_restore_power(cachestore_fault_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
