// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

/// Tells whether code runs where the main actor's does.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on the main thread or the main queue.
    ///
    /// Both, because on Linux a program with an asynchronous `main` (or one that calls
    /// `dispatchMain()`) has its main queue served by any thread.
    package static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
