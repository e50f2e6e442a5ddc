// SPDX-License-Identifier: MIT
#include "fault_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cachestore_fault_plan *plans;

// SplitMix64.
uint64_t fault_plan_random(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

// MARK: Life

cachestore_fault_plan *cachestore_fault_plan_create(const char *prefix, uint64_t seed) {
    size_t size = strlen(prefix) + 1;
    cachestore_fault_plan *plan = calloc(1, sizeof *plan + size);
    if (!plan) return NULL;
    memcpy(plan->prefix, prefix, size);
    plan->random = seed;
    plan->references = 1;
    pthread_mutex_lock(&lock);
    plan->next = plans;
    plans = plan;
    pthread_mutex_unlock(&lock);
    return plan;
}

static void forget_writes(remembered_file *file) {
    while (file->latest) {
        remembered_write *write = file->latest;
        file->latest = write->earlier;
        free(write);
    }
}

static void forget_all(cachestore_fault_plan *plan) {
    while (plan->unsynced) {
        remembered_file *file = plan->unsynced;
        plan->unsynced = file->next;
        forget_writes(file);
        free(file);
    }
}

static void release_locked(cachestore_fault_plan *plan) {
    plan->references -= 1;
    if (plan->references > 0) return;
    forget_all(plan);
    free(plan);
}

void fault_plan_release(cachestore_fault_plan *plan) {
    pthread_mutex_lock(&lock);
    release_locked(plan);
    pthread_mutex_unlock(&lock);
}

void cachestore_fault_plan_destroy(cachestore_fault_plan *plan) {
    pthread_mutex_lock(&lock);
    for (cachestore_fault_plan **place = &plans; *place; place = &(*place)->next)
        if (*place == plan) {
            *place = plan->next;
            break;
        }
    plan->has_ended = 1;
    forget_all(plan);
    release_locked(plan);
    pthread_mutex_unlock(&lock);
}

cachestore_fault_plan *fault_plan_for(const char *path, uint64_t *time) {
    if (!path) return NULL;
    pthread_mutex_lock(&lock);
    cachestore_fault_plan *plan = plans;
    while (plan && strncmp(path, plan->prefix, strlen(plan->prefix)) != 0) plan = plan->next;
    if (plan) {
        plan->references += 1;
        *time = plan->time;
    }
    pthread_mutex_unlock(&lock);
    return plan;
}

// MARK: Faults

void cachestore_fault_plan_arm(
    cachestore_fault_plan *plan, cachestore_fault_operation operation, cachestore_fault_kind kind,
    uint64_t nth, int repeats, int result, int files) {
    pthread_mutex_lock(&lock);
    plan->is_armed = nth > 0;
    plan->operation = operation;
    plan->kind = kind;
    plan->remaining = nth;
    plan->repeats = repeats;
    plan->result = result;
    plan->files = files;
    pthread_mutex_unlock(&lock);
}

void cachestore_fault_plan_disarm(cachestore_fault_plan *plan) {
    pthread_mutex_lock(&lock);
    plan->is_armed = 0;
    pthread_mutex_unlock(&lock);
}

static int is_meant(cachestore_fault_plan *plan, cachestore_fault_operation operation, int file) {
    if (!plan->is_armed || !(plan->files & file)) return 0;
    return plan->operation == CACHESTORE_FAULT_ANY || plan->operation == operation;
}

fault fault_plan_next(
    cachestore_fault_plan *plan, cachestore_fault_operation operation, int file, uint64_t time) {
    fault next = {0};
    pthread_mutex_lock(&lock);
    if (plan->has_ended) {
        // As if there had been none.
    } else if (plan->is_off || plan->time != time) {
        next = (fault){1, CACHESTORE_FAULT_FAILS, SQLITE_IOERR, 0};
    } else {
        plan->counts[CACHESTORE_FAULT_ANY] += 1;
        plan->counts[operation] += 1;
        if (is_meant(plan, operation, file)) {
            if (plan->remaining > 1) {
                plan->remaining -= 1;
            } else {
                plan->is_armed = plan->repeats;
                plan->faults += 1;
                next = (fault){1, plan->kind, plan->result, fault_plan_random(&plan->random)};
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return next;
}

int fault_plan_is_dead(cachestore_fault_plan *plan, uint64_t time) {
    pthread_mutex_lock(&lock);
    int is_dead = !plan->has_ended && (plan->is_off || plan->time != time);
    pthread_mutex_unlock(&lock);
    return is_dead;
}

uint64_t cachestore_fault_plan_count(
    cachestore_fault_plan *plan, cachestore_fault_operation operation) {
    pthread_mutex_lock(&lock);
    uint64_t count = plan->counts[operation];
    pthread_mutex_unlock(&lock);
    return count;
}

uint64_t cachestore_fault_plan_faults(cachestore_fault_plan *plan) {
    pthread_mutex_lock(&lock);
    uint64_t count = plan->faults;
    pthread_mutex_unlock(&lock);
    return count;
}

// MARK: What was not synced

void cachestore_fault_plan_remember_unsynced(cachestore_fault_plan *plan, int remembers) {
    pthread_mutex_lock(&lock);
    plan->remembers = remembers;
    if (!remembers) forget_all(plan);
    pthread_mutex_unlock(&lock);
}

static remembered_file *file_named(cachestore_fault_plan *plan, const char *path) {
    for (remembered_file *file = plan->unsynced; file; file = file->next)
        if (strcmp(file->path, path) == 0) return file;
    size_t size = strlen(path) + 1;
    remembered_file *file = calloc(1, sizeof *file + size);
    if (!file) return NULL;
    memcpy(file->path, path, size);
    file->next = plan->unsynced;
    plan->unsynced = file;
    return file;
}

static int remember_locked(
    cachestore_fault_plan *plan, const char *path, sqlite3_file *real, sqlite3_int64 offset,
    sqlite3_int64 count) {
    sqlite3_int64 size = 0;
    int result = real->pMethods->xFileSize(real, &size);
    if (result != SQLITE_OK) return result;
    sqlite3_int64 kept = offset >= size ? 0 : size - offset;
    if (kept > count) kept = count;
    remembered_file *file = file_named(plan, path);
    remembered_write *write = malloc(sizeof *write + (size_t)kept);
    if (!file || !write) {
        free(write);
        return SQLITE_IOERR_NOMEM;
    }
    *write = (remembered_write){file->latest, offset, size, (size_t)kept};
    if (kept > 0) result = real->pMethods->xRead(real, write->bytes, (int)kept, offset);
    if (result != SQLITE_OK) {
        free(write);
        return result;
    }
    file->latest = write;
    return SQLITE_OK;
}

int fault_plan_remember(
    cachestore_fault_plan *plan, const char *path, sqlite3_file *real, sqlite3_int64 offset,
    sqlite3_int64 count) {
    int result = SQLITE_OK;
    pthread_mutex_lock(&lock);
    if (plan->remembers && !plan->has_ended)
        result = remember_locked(plan, path, real, offset, count);
    pthread_mutex_unlock(&lock);
    return result;
}

void fault_plan_forget(cachestore_fault_plan *plan, const char *path) {
    pthread_mutex_lock(&lock);
    for (remembered_file *file = plan->unsynced; file; file = file->next)
        if (strcmp(file->path, path) == 0) forget_writes(file);
    pthread_mutex_unlock(&lock);
}

// MARK: Power

int cachestore_fault_plan_cut_power(cachestore_fault_plan *plan) {
    int result = SQLITE_OK;
    pthread_mutex_lock(&lock);
    plan->is_off = 1;
    plan->time += 1;
    for (remembered_file *file = plan->unsynced; file; file = file->next) {
        int lost = file->latest ? fault_plan_lose_unsynced(file, &plan->random) : SQLITE_OK;
        if (lost != SQLITE_OK) result = lost;
    }
    forget_all(plan);
    pthread_mutex_unlock(&lock);
    return result;
}

void cachestore_fault_plan_restore_power(cachestore_fault_plan *plan) {
    pthread_mutex_lock(&lock);
    plan->is_off = 0;
    pthread_mutex_unlock(&lock);
}
