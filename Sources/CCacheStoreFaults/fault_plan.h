// SPDX-License-Identifier: MIT
#ifndef FAULT_PLAN_H
#define FAULT_PLAN_H

#include "CCacheStoreFaults.h"

#include <sqlite3.h>
#include <stddef.h>

// What was there before a write or a truncation that was not synced yet.
typedef struct remembered_write {
    struct remembered_write *earlier;
    sqlite3_int64 offset, size_before;
    size_t count;
    unsigned char bytes[];
} remembered_write;

typedef struct remembered_file {
    struct remembered_file *next;
    remembered_write *latest;
    char path[];
} remembered_file;

struct cachestore_fault_plan {
    cachestore_fault_plan *next;
    // Open files, and one for the owner.
    int references;
    int has_ended;
    uint64_t random;

    int is_armed;
    cachestore_fault_operation operation;
    cachestore_fault_kind kind;
    uint64_t remaining;
    int repeats, result, files;

    uint64_t counts[CACHESTORE_FAULT_OPERATIONS];
    uint64_t faults;

    int remembers, is_off;
    // Counts the power cuts: a file of an earlier time is dead.
    uint64_t time;
    remembered_file *unsynced;
    char prefix[];
};

typedef struct {
    // Whether the operation is to fail; how; and with what.
    int fails;
    cachestore_fault_kind kind;
    int result;
    uint64_t random;
} fault;

// All take the lock that guards every plan.

// The plan for a path, with a reference; NULL where there is none.
cachestore_fault_plan *fault_plan_for(const char *path, uint64_t *time);
void fault_plan_release(cachestore_fault_plan *plan);

// Counts an operation and says whether it fails.
fault fault_plan_next(
    cachestore_fault_plan *plan, cachestore_fault_operation operation, int file, uint64_t time);
int fault_plan_is_dead(cachestore_fault_plan *plan, uint64_t time);

// Remembers what a write or a truncation is about to replace.
int fault_plan_remember(
    cachestore_fault_plan *plan, const char *path, sqlite3_file *real, sqlite3_int64 offset,
    sqlite3_int64 count);
// The file was synced, or deleted.
void fault_plan_forget(cachestore_fault_plan *plan, const char *path);

uint64_t fault_plan_random(uint64_t *state);

// Gives each sector of a file that was not synced its old or its new content. Takes no lock.
int fault_plan_lose_unsynced(remembered_file *file, uint64_t *random);

#endif
