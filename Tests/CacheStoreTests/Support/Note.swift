// SPDX-License-Identifier: MIT

import CacheStore

/// The entity of the tests.
final class Note: ManagedObject {
    @Attribute(.indexed) var number: Int
    @Attribute(validate: [.maximumLength(100)]) var text: String?
    @Attribute var author: String = "nobody"
    @Relationship(inverse: \Label.notes) var labels: Set<Label>
    /// What the test wants done in the middle of a save.
    var onWillSave: (() -> Void)?

    override func willSave() {
        onWillSave?()
        onWillSave = nil
    }
}

/// What notes have many of, and that has many notes.
final class Label: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var notes: Set<Note>
}

extension ManagedObjectModel {
    /// The model of the tests.
    static let notes = ManagedObjectModel(Note.self, Label.self)
}
