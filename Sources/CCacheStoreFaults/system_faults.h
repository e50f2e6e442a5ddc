// SPDX-License-Identifier: MIT
#ifndef SYSTEM_FAULTS_H
#define SYSTEM_FAULTS_H

#include "CCacheStoreSystemFaults.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// Sanitizers stand in for the same functions of the C library.
#define SYSTEM_FAULTS_ARE_AVAILABLE 0
#endif
#endif
#ifndef SYSTEM_FAULTS_ARE_AVAILABLE
// Where the structures of the kernel are those of the C library.
#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define SYSTEM_FAULTS_ARE_AVAILABLE 1
#else
#define SYSTEM_FAULTS_ARE_AVAILABLE 0
#endif
#endif

typedef struct {
    int fails;
    cachestore_call_effect effect;
    int error;
} call_fault;

// Counts a call on a path, or on an open file, and says whether it fails.
call_fault system_fault_at_path(const char *path, int call, const char *name);
call_fault system_fault_at_file(int file, int call, const char *name);

// Takes note that a path was opened, or a file closed.
void system_faults_note_open(int file, const char *path);
void system_faults_note_close(int file);

#endif
