// SPDX-License-Identifier: MIT
package import CCacheStoreShims

extension Connection {
    /// Lets statements of this connection read rows from memory: see `CCacheStoreRowSource.h`.
    package func readsRows() throws(SQLiteError) {
        guard !hasRowSource else { return }
        try state.check()
        let result = cachestore_register_row_source(state.handle)
        guard result == 0 else { throw state.lastError(result, sql: nil) }
        hasRowSource = true
    }
}

extension Statement {
    /// Binds rows without a copy. They stay where they are until the parameter is bound again or
    /// cleared, or the statement is gone.
    package func bind(
        rows: UnsafeMutablePointer<cachestore_row_source>, at index: Int32
    ) throws(SQLiteError) {
        try confirm(cachestore_bind_row_source(handle, index, rows))
    }
}
