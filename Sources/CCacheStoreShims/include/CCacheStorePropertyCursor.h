// SPDX-License-Identifier: MIT
#ifndef CCACHESTOREPROPERTYCURSOR_H
#define CCACHESTOREPROPERTYCURSOR_H

// Which property wrapper of the object under construction on this thread comes next, and whether the
// object is made in order to describe its class. A thread-local variable, which Swift does not have:
// it is read once for each wrapper of each new object. The initial-exec model makes that one
// instruction; the few bytes fit into what the loader keeps for libraries loaded late.
typedef struct {
    // The next wrapper; with bit 16 set while a class is being described.
    unsigned int next;
    void *collector;
} cachestore_property_cursor;

extern _Thread_local cachestore_property_cursor cachestore_current_property_cursor
    __attribute__((tls_model("initial-exec")));

static inline unsigned int cachestore_property_cursor_advance(void) {
    return cachestore_current_property_cursor.next++;
}

static inline void cachestore_property_cursor_reset(void) {
    cachestore_current_property_cursor.next =
        cachestore_current_property_cursor.collector ? 1u << 16 : 0;
}

static inline void *cachestore_property_cursor_collector(void) {
    return cachestore_current_property_cursor.collector;
}

static inline void cachestore_property_cursor_set_collector(void *collector) {
    cachestore_current_property_cursor.collector = collector;
}

#endif
