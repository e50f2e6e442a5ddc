// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A check of the graph as the store hands it to the coordinator.
package struct GraphVerification: Sendable {
    package var report: GraphReport
    /// What was repaired, as a save of another context would say it.
    package var changes = ChangeSet()

    package init(report: GraphReport) { self.report = report }
}
