// SPDX-License-Identifier: MIT
#ifndef CCACHESTORECHECKSUMVFS_H
#define CCACHESTORECHECKSUMVFS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Registers a VFS that keeps a checksum in the last 8 bytes of each page of a database with 8
/// reserved bytes, over another VFS (the default one where `base` is NULL). Registering a name
/// again does nothing. How it works: Documentation/Decisions/0004-page-checksums.md.
///
/// - Returns: an SQLite result code; SQLITE_NOTFOUND when there is no VFS `base`, and
///   SQLITE_MISUSE when `name` is taken by another VFS.
int cachestore_register_checksum_vfs(const char *name, const char *base);

/// What sqlite3_file_control() of a database on this VFS understands beside SQLite's operations.
enum {
    /// int *: 1 switches verification on, 0 off; a negative number only asks. Gives back the state
    /// before. Checksums are written in both states.
    CACHESTORE_FCNTL_VERIFY = 0x43530001,
    /// cachestore_checksum_statistics *
    CACHESTORE_FCNTL_STATISTICS = 0x43530002,
    /// Writes the checksum of every page of an unsealed database, then seals it. Nothing where it
    /// is sealed. The caller keeps every other writer and checkpoint away, and the log is empty.
    CACHESTORE_FCNTL_SEAL = 0x43530003,
    /// cachestore_page_scrub *: compares the checksums of some pages of the file, past SQLite.
    CACHESTORE_FCNTL_SCRUB = 0x43530004,
};

typedef struct {
    /// The first page to be compared, and how many.
    uint32_t first;
    uint32_t count;
    /// The last page of the database; 0 where it has no checksums that could be compared.
    uint32_t last_page;
    /// The first page that does not fit; 0 where all do.
    uint32_t failed_page;
} cachestore_page_scrub;

typedef struct {
    /// Pages whose checksum was compared, and how many of them failed.
    uint64_t verified;
    uint64_t failed;
    /// Pages that are of an older version of the file, in a scrub or among the failed ones: their
    /// checksum fits.
    uint64_t stale;
    /// Pages of the log whose frame was compared, and how many of them failed.
    uint64_t verified_in_log;
    uint64_t failed_in_log;
    /// Pages marked as having no checksum: another program moved them out of our log.
    uint64_t unstamped;
    /// Pages of an unsealed database whose checksum does not fit: somebody else wrote them.
    uint64_t unsealed;
    /// Reads of the database or its log that the system refused: nothing is known of what is there.
    uint64_t unread;
    /// The number of the page that failed last; 0 where none has.
    uint32_t last_failed_page;
    /// Whether the database has checksums; whether nobody else has written to it since it was
    /// sealed; whether they are compared.
    int is_active;
    int is_sealed;
    int verifies;
} cachestore_checksum_statistics;

#ifdef __cplusplus
}
#endif
#endif
