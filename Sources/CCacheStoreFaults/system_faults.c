// SPDX-License-Identifier: MIT
#include <limits.h>

#include "system_faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { watch_count = 64, file_count = 4096 };

typedef struct {
    int is_used;
    char prefix[PATH_MAX];
    size_t prefix_size;

    int is_armed, calls, repeats, error;
    cachestore_call_effect effect;
    uint64_t remaining;

    uint64_t call_count, fault_count;
    char last[256];
} watch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static watch watches[watch_count];
// So that calls in a process that watches nothing cost next to nothing.
static atomic_int used_watches;
// By file descriptor: the watch, + 1.
static atomic_uchar watch_of_file[file_count];

int cachestore_system_faults_are_available(void) { return SYSTEM_FAULTS_ARE_AVAILABLE; }

int cachestore_system_faults_begin(const char *prefix) {
    size_t size = strlen(prefix);
    int found = -1;
    if (!SYSTEM_FAULTS_ARE_AVAILABLE || size >= PATH_MAX) return -1;
    pthread_mutex_lock(&lock);
    for (int index = 0; index < watch_count && found < 0; index++)
        if (!watches[index].is_used) found = index;
    if (found >= 0) {
        memset(&watches[found], 0, sizeof watches[found]);
        watches[found].is_used = 1;
        watches[found].prefix_size = size;
        memcpy(watches[found].prefix, prefix, size + 1);
        atomic_fetch_add(&used_watches, 1);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void cachestore_system_faults_end(int number) {
    pthread_mutex_lock(&lock);
    watches[number].is_used = 0;
    for (int file = 0; file < file_count; file++)
        if (atomic_load(&watch_of_file[file]) == number + 1) atomic_store(&watch_of_file[file], 0);
    atomic_fetch_sub(&used_watches, 1);
    pthread_mutex_unlock(&lock);
}

void cachestore_system_faults_arm(
    int number, int calls, cachestore_call_effect effect, uint64_t nth, int repeats, int error) {
    pthread_mutex_lock(&lock);
    watch *watch = &watches[number];
    watch->is_armed = nth > 0;
    watch->calls = calls;
    watch->effect = effect;
    watch->remaining = nth;
    watch->repeats = repeats;
    watch->error = error;
    pthread_mutex_unlock(&lock);
}

void cachestore_system_faults_disarm(int number) {
    pthread_mutex_lock(&lock);
    watches[number].is_armed = 0;
    pthread_mutex_unlock(&lock);
}

uint64_t cachestore_system_faults_calls(int number) {
    pthread_mutex_lock(&lock);
    uint64_t count = watches[number].call_count;
    pthread_mutex_unlock(&lock);
    return count;
}

uint64_t cachestore_system_faults_count(int number) {
    pthread_mutex_lock(&lock);
    uint64_t count = watches[number].fault_count;
    pthread_mutex_unlock(&lock);
    return count;
}

void cachestore_system_faults_last(int number, char *buffer, int size) {
    pthread_mutex_lock(&lock);
    snprintf(buffer, (size_t)size, "%s", watches[number].last);
    pthread_mutex_unlock(&lock);
}

// MARK: Calls

// Inside the lock.
static call_fault next_fault(watch *watch, int call, const char *name, const char *path) {
    call_fault fault = {0};
    watch->call_count += 1;
    if (!watch->is_armed || !(watch->calls & call)) return fault;
    if (watch->remaining > 1) {
        watch->remaining -= 1;
        return fault;
    }
    watch->is_armed = watch->repeats;
    watch->fault_count += 1;
    snprintf(watch->last, sizeof watch->last, "%s %s", name, path);
    return (call_fault){1, watch->effect, watch->error};
}

static int watch_for(const char *path) {
    for (int index = 0; index < watch_count; index++)
        if (watches[index].is_used
            && strncmp(path, watches[index].prefix, watches[index].prefix_size) == 0)
            return index;
    return -1;
}

call_fault system_fault_at_path(const char *path, int call, const char *name) {
    call_fault fault = {0};
    if (atomic_load(&used_watches) == 0 || !path) return fault;
    pthread_mutex_lock(&lock);
    int number = watch_for(path);
    if (number >= 0) fault = next_fault(&watches[number], call, name, path);
    pthread_mutex_unlock(&lock);
    return fault;
}

call_fault system_fault_at_file(int file, int call, const char *name) {
    call_fault fault = {0};
    if (file < 0 || file >= file_count || atomic_load(&watch_of_file[file]) == 0) return fault;
    pthread_mutex_lock(&lock);
    int number = atomic_load(&watch_of_file[file]) - 1;
    if (number >= 0) fault = next_fault(&watches[number], call, name, "");
    pthread_mutex_unlock(&lock);
    return fault;
}

void system_faults_note_open(int file, const char *path) {
    if (file < 0 || file >= file_count) return;
    if (atomic_load(&used_watches) == 0 || !path) {
        atomic_store(&watch_of_file[file], 0);
        return;
    }
    pthread_mutex_lock(&lock);
    atomic_store(&watch_of_file[file], (unsigned char)(watch_for(path) + 1));
    pthread_mutex_unlock(&lock);
}

void system_faults_note_close(int file) {
    if (file >= 0 && file < file_count) atomic_store(&watch_of_file[file], 0);
}
