// SPDX-License-Identifier: MIT
//
// What a connection knows of the side file while it reads, and how long it may know it.
#include "page_sums.h"
#include "page_sums_file.h"

// Fields of the header of the log's index, in words: https://sqlite.org/walformat.html, "The
// WAL-Index Header".
enum {
    index_version = 3007000,
    version_at = 0,
    salt_at = 8,
    moved_at = 24,
};

static uint32_t word_at(const uint32_t *log_index, int word) {
    return __atomic_load_n(log_index + word, __ATOMIC_ACQUIRE);
}

// 0 where there is none: without a log, any transaction may have written to the file.
static int log_moment_now(const page_sums *sums, log_moment *moment) {
    const uint32_t *index = sums->log_index;
    if (!index || word_at(index, version_at) != index_version) return 0;
    moment->salt[0] = word_at(index, salt_at);
    moment->salt[1] = word_at(index, salt_at + 1);
    moment->moved = word_at(index, moved_at);
    return 1;
}

void page_sums_forget(page_sums *sums) {
    for (int place = 0; place < kept_blocks; place++)
        if (sums->kept[place]) sums->kept[place]->index = -1;
    sums->is_current = sums->is_useless = sums->outlasts = 0;
}

void page_sums_give_up_reading(page_sums *sums) {
    sums->is_useless = 1;
    sums->outlasts = 0;
}

// Sums change at the end of a run, and the moment with the checkpoint that it is a part of: after
// it, unless a reader let that do a part only. What is read while a run goes on, which the side
// file tells, is therefore good for this transaction, and no later one.
static void make_current(page_sums *sums) {
    log_moment now = {{0, 0}, 0};
    int has_moment = log_moment_now(sums, &now);
    int is_same = now.salt[0] == sums->moment.salt[0] && now.salt[1] == sums->moment.salt[1]
        && now.moved == sums->moment.moved;
    if (!is_same || !sums->outlasts) {
        page_sums_forget(sums);
        sums->moment = now;
        sums->is_useless = !page_sums_open_file(sums, 0);
        sums->outlasts = has_moment && !sums->is_useless && !page_sums_is_being_written(sums);
    }
    sums->is_current = 1;
}

uint32_t page_sums_load(page_sums *sums, uint32_t number) {
    uint32_t index = (number - 1) / sums_per_block;
    if (!sums->is_current) make_current(sums);
    if (sums->is_useless) return 0;
    kept_block **place = &sums->kept[index % kept_blocks];
    if (!*place) {
        *place = sqlite3_malloc(sizeof **place);
        if (!*place) return 0;
        (*place)->index = -1;
    }
    kept_block *block = *place;
    if (block->index != index) {
        block->index = -1;
        if (!page_sums_read_block(sums->descriptor, block->sums, index)) {
            page_sums_give_up_reading(sums);
            return 0;
        }
        block->index = index;
    }
    return block->sums[(number - 1) % sums_per_block];
}
