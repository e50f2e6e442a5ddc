// SPDX-License-Identifier: MIT
#ifndef CCACHESTOREPAGESUMS_H
#define CCACHESTOREPAGESUMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the side file of a database knows of its pages, for whoever reads the database without
/// SQLite, while nobody writes it. Documentation/Decisions/0009-page-sums.md explains the format.
///
/// - Parameters:
///   - path: the side file.
///   - header: the first 100 bytes of the database.
///   - count: how many pages are known of.
/// - Returns: the sum of each page, 0 where it is unknown, to be freed with free(); NULL where the
///   side file does not belong to the database as it is.
uint32_t *cachestore_read_page_sums(const char *path, const void *header, uint32_t *count);

/// The sum of a page with this checksum.
uint32_t cachestore_page_sum(uint64_t checksum);

#ifdef __cplusplus
}
#endif
#endif
