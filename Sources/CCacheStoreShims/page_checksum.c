// SPDX-License-Identifier: MIT
#include "CCacheStorePageChecksum.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
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

#define ACCELERATED __attribute__((target("sse4.2")))
ACCELERATED static inline uint64_t next_crc(uint64_t crc, uint64_t word) {
    return _mm_crc32_u64(crc, word);
}

#elif defined(__aarch64__)

#define ACCELERATED __attribute__((target("crc")))
ACCELERATED static inline uint64_t next_crc(uint64_t crc, uint64_t word) {
    return __crc32cd((uint32_t)crc, word);
}

#endif

#if defined(ACCELERATED)

ACCELERATED static uint64_t accelerated_words(const void *bytes, size_t count, uint32_t number) {
    const unsigned char *next = bytes;
    uint64_t first = first_start(number), second = second_start(number);
    for (; count >= 16; count -= 16, next += 16) {
        first = next_crc(first, word_at(next));
        second = next_crc(second, word_at(next + 8));
    }
    if (count >= 8) first = next_crc(first, word_at(next));
    return joined((uint32_t)first, (uint32_t)second);
}

#endif

#if defined(__x86_64__)

// What multiplies by the zeros of half a page: x^(64 n - 33) modulo the polynomial, bits reversed,
// where n is the number of words that a lane has in the later half. For the page sizes from 512 on.
static const uint32_t half_a_page[8] = {
    0x2AD91C30, 0xFFD852C6, 0x4E36F0B0, 0x6C23E841, 0xAE1175C2, 0xF90D0213, 0x32E9638C, 0x3C8B3748,
};

__attribute__((target("sse4.2,pclmul"))) static uint64_t moved_on(uint64_t crc, uint32_t by) {
    __m128i product = _mm_clmulepi64_si128(
        _mm_cvtsi64_si128((long long)crc), _mm_cvtsi64_si128(by), 0);
    return next_crc(0, (uint64_t)_mm_cvtsi128_si64(product));
}

// The processor needs three cycles for a word, and could begin the next one after each of them: so
// both halves of the two lanes go side by side, and are joined in the end. The bytes are a page.
__attribute__((target("sse4.2,pclmul"))) static uint64_t accelerated_page(
    const void *bytes, size_t count, uint32_t number) {
    const unsigned char *next = bytes;
    size_t pairs = count / 16, later_pairs = count / 32;
    const unsigned char *later = next + (pairs - later_pairs) * 16;
    uint64_t first = first_start(number), second = second_start(number);
    uint64_t later_first = 0, later_second = 0;
    for (size_t pair = 0; pair < later_pairs; pair++, next += 16, later += 16) {
        first = next_crc(first, word_at(next));
        second = next_crc(second, word_at(next + 8));
        later_first = next_crc(later_first, word_at(later));
        later_second = next_crc(later_second, word_at(later + 8));
    }
    // The earlier half has one word more of each lane; the first lane has the last word of all.
    first = next_crc(first, word_at(next));
    second = next_crc(second, word_at(next + 8));
    uint32_t by = half_a_page[__builtin_ctzll(count + 8) - 9];
    first = moved_on(first, by) ^ later_first;
    second = moved_on(second, by) ^ later_second;
    first = next_crc(first, word_at(later));
    return joined((uint32_t)first, (uint32_t)second);
}

static int is_page_without_stamp(size_t count) {
    size_t size = count + 8;
    return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

static int multiplies;

static uint64_t accelerated(const void *bytes, size_t count, uint32_t number) {
    return multiplies && is_page_without_stamp(count) ? accelerated_page(bytes, count, number)
                                                      : accelerated_words(bytes, count, number);
}

static int is_supported(void) {
    multiplies = __builtin_cpu_supports("pclmul") != 0;
    return __builtin_cpu_supports("sse4.2") != 0;
}

#elif defined(__aarch64__)

static uint64_t accelerated(const void *bytes, size_t count, uint32_t number) {
    return accelerated_words(bytes, count, number);
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
