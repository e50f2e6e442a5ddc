// SPDX-License-Identifier: MIT

extension StoreOpening {
    static func name(of action: StoreOpeningStateMachine.Action) -> String {
        switch action {
        case .lock: "lock"
        case .lockExclusively: "lock exclusively"
        case .lockToHeal: "lock to heal"
        case .inspect: "inspect"
        case .openDatabase: "open"
        case .readMeta: "read meta"
        case .verify: "verify"
        case .verifyDeeply: "verify deeply"
        case .seal: "seal"
        case .checkSchema: "check schema"
        case .announce: "announce"
        case .migrate: "migrate"
        case .quarantine: "quarantine"
        case .setAside: "set aside"
        case .salvage: "salvage"
        case .reset: "reset"
        case .create: "create"
        case .putBack: "put back"
        case .shareLock: "share lock"
        case .finish: "finish"
        case .fail: "fail"
        }
    }

    static func message(for code: PersistentStoreError.Code) -> String {
        switch code {
        case .damaged: "The store is damaged."
        case .foreignFile: "The file belongs to another application."
        case .newerFormat: "The store was written by a later version."
        case .unmigratable: "The store was written for another model."
        case .crashLoop:
            "The store was healed, or the healing crashed, too often; it is left alone for now."
        case .readOnly: "A store that is opened to be read cannot be reset."
        default: "There is no store that could be opened."
        }
    }

    static func cause(
        for error: PersistentStoreError, found: StoreOpenReport.Cause
    ) -> StoreOpenReport.Cause {
        switch error.code {
        case .busy: .storeLocked
        case .noSpace: .noSpace
        case .permissionDenied, .readOnly: .permissionDenied
        case .damaged: .damaged
        case .crashLoop: .crashLoop
        case .foreignFile: .foreignFile
        case .newerFormat: .newerFormat
        case .unmigratable where found.unmigratableReason != nil: found
        case .unmigratable: .modelChanged
        default: .unavailable
        }
    }
}
