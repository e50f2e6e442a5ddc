// SPDX-License-Identifier: MIT
#include "CCacheStorePageChecksum.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

// The lanes start apart, and each start differs for each page number: for equal content, another
// start always gives another CRC.
static uint32_t first_start(uint32_t number) { return number * 2654435761u; }
static uint32_t second_start(uint32_t number) { return ~number; }

static uint64_t joined(uint32_t first, uint32_t second) {
    return (uint64_t)first << 32 | second;
}

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// MARK: Portable

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
        tables[0][byte] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = tables[table - 1][byte];
            tables[table][byte] = crc >> 8 ^ tables[0][crc & 0xFF];
        }
}

static uint32_t crc_of_word(uint32_t crc, uint64_t word) {
    word ^= crc;
    crc = 0;
    for (int byte = 0; byte < 8; byte++) crc ^= tables[7 - byte][word >> 8 * byte & 0xFF];
    return crc;
}

uint64_t cachestore_page_checksum_portable(const void *bytes, size_t count, uint32_t number) {
    pthread_once(&tables_once, make_tables);
    const unsigned char *next = bytes;
    uint32_t first = first_start(number), second = second_start(number);
    for (; count >= 16; count -= 16, next += 16) {
        first = crc_of_word(first, word_at(next));
        second = crc_of_word(second, word_at(next + 8));
    }
    if (count >= 8) first = crc_of_word(first, word_at(next));
    return joined(first, second);
}

// MARK: Accelerated

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint64_t accelerated(
    const void *bytes, size_t count, uint32_t number) {
    const unsigned char *next = bytes;
    uint64_t first = first_start(number), second = second_start(number);
    for (; count >= 16; count -= 16, next += 16) {
        first = _mm_crc32_u64(first, word_at(next));
        second = _mm_crc32_u64(second, word_at(next + 8));
    }
    if (count >= 8) first = _mm_crc32_u64(first, word_at(next));
    return joined((uint32_t)first, (uint32_t)second);
}

static int is_supported(void) { return __builtin_cpu_supports("sse4.2") != 0; }

#elif defined(__aarch64__)

__attribute__((target("crc"))) static uint64_t accelerated(
    const void *bytes, size_t count, uint32_t number) {
    const unsigned char *next = bytes;
    uint32_t first = first_start(number), second = second_start(number);
    for (; count >= 16; count -= 16, next += 16) {
        first = __crc32cd(first, word_at(next));
        second = __crc32cd(second, word_at(next + 8));
    }
    if (count >= 8) first = __crc32cd(first, word_at(next));
    return joined(first, second);
}

static int is_supported(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & 1 << 7) != 0; // HWCAP_CRC32
#else
    return 1; // Every 64-bit processor of Apple has them.
#endif
}

#else

static uint64_t accelerated(const void *bytes, size_t count, uint32_t number) {
    return cachestore_page_checksum_portable(bytes, count, number);
}

static int is_supported(void) { return 0; }

#endif

static int accelerates;
static pthread_once_t accelerates_once = PTHREAD_ONCE_INIT;

static void ask_processor(void) { accelerates = is_supported(); }

int cachestore_page_checksum_is_accelerated(void) {
    pthread_once(&accelerates_once, ask_processor);
    return accelerates;
}

uint64_t cachestore_page_checksum(const void *bytes, size_t count, uint32_t number) {
    return cachestore_page_checksum_is_accelerated()
        ? accelerated(bytes, count, number)
        : cachestore_page_checksum_portable(bytes, count, number);
}
