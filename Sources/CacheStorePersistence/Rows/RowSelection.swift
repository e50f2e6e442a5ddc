// SPDX-License-Identifier: MIT

/// What a statement selects, and so how its rows get into a ``RowPacker``.
enum RowSelection: Sendable {
    /// The columns of the form: each row is packed where the statement stands.
    case columns
    /// A call of `cachestore_row`: the step that comes to a row packs it. For statements with at most
    /// one row, or whose order SQLite need not sort: it would run the call before.
    case rowCall
    /// A call of `cachestore_rows`: one step packs all rows. They come in the order in which the
    /// statement finds them: for statements whose order does not matter, or is that of the one table
    /// they read.
    case tableCall
}
