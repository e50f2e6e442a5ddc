// SPDX-License-Identifier: MIT
#ifndef CCACHESTOREPAGECHECKSUM_H
#define CCACHESTOREPAGECHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The checksum of `count` bytes, a multiple of 8, as page `number`: two CRC32C values, one over
/// the even and one over the odd 8-byte words, both started with the page number. The same on
/// every processor and in every byte order. One changed bit, and the same bytes under another
/// number, always give another checksum.
uint64_t cachestore_page_checksum(const void *bytes, size_t count, uint32_t number);

/// The same without the instructions of the processor.
uint64_t cachestore_page_checksum_portable(const void *bytes, size_t count, uint32_t number);

/// Whether the processor's instructions are used: about 10 GB/s instead of 1.
int cachestore_page_checksum_is_accelerated(void);

/// What a page has in the place of its checksum while it is in memory, or in the log.
static inline uint64_t cachestore_page_without_checksum(uint32_t number) {
    return 0x6E6F5F7374616D70u ^ (uint64_t)number * 0x9E3779B97F4A7C15u;
}

#ifdef __cplusplus
}
#endif
#endif
