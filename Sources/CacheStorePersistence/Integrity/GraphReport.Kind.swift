// SPDX-License-Identifier: MIT

extension GraphReport {
    /// A kind of fault in the graph, and with it what a repair does.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String, Sendable {
            case unknownEntity = "rows of an unknown entity"
            case impossibleRow = "rows with an impossible key or version"
            case danglingReference = "references to nothing"
            case strayReference = "references in rows that cannot have them"
            case wrongReferenceEntity = "references with a wrong entity"
            case oneSidedReference = "references that the other end does not return"
            case danglingPair = "pairs with a missing end"
            case wrongPairEntity = "pairs with a wrong entity"
            case oneSidedPair = "pairs without the other direction"
            case unclearOrder = "owners whose members have no clear order"
            case lowKeyCount = "keys that would be given out twice"
            case missingFile = "missing files of large values"
            case damagedFile = "damaged files of large values"
            case orphanedFile = "files that no row names"
        }

        private let name: Name

        /// A row's entity is not one of its table. The row is removed: no object can be made of it.
        public static let unknownEntity = Kind(name: .unknownEntity)
        /// A row's key is not positive, and the row is removed; or its version is not a positive
        /// number, and becomes 1.
        public static let impossibleRow = Kind(name: .impossibleRow)
        /// A to-one relationship leads to a row that does not exist, or to one of an entity it cannot
        /// lead to. It is emptied; one that is required is left as it is, and so is its object.
        public static let danglingReference = Kind(name: .danglingReference)
        /// A row refers to another in a relationship that its entity does not have. It is emptied.
        public static let strayReference = Kind(name: .strayReference)
        /// The entity that is noted beside a reference is not that of the row. It is corrected.
        public static let wrongReferenceEntity = Kind(name: .wrongReferenceEntity)
        /// In a one-to-one relationship one end refers to the other, which does not refer back.
        ///
        /// If the other end refers to nothing, it is completed, by the oldest object that claims it;
        /// else the reference is emptied, unless it is required.
        public static let oneSidedReference = Kind(name: .oneSidedReference)
        /// An object is a member of a relationship, but one of the two does not exist or is of an
        /// entity that cannot be there. The membership is removed.
        public static let danglingPair = Kind(name: .danglingPair)
        /// The entity that is noted in a membership is not that of the row. It is corrected.
        public static let wrongPairEntity = Kind(name: .wrongPairEntity)
        /// In a relationship that is its own inverse, one object has the other, but not the other way
        /// round. It is completed.
        public static let oneSidedPair = Kind(name: .oneSidedPair)
        /// Members of an ordered relationship share a place, or have none or an impossible one.
        ///
        /// They are numbered anew, in the order in which they are read anyway. Gaps between places are
        /// no fault: they are left by members that were removed.
        public static let unclearOrder = Kind(name: .unclearOrder)
        /// The last key that was given out is below one that a row has: new objects would get keys
        /// that are taken. It is raised.
        public static let lowKeyCount = Kind(name: .lowKeyCount)
        /// The file of a large value is missing. The value is emptied; where it is required, the row
        /// is left as it is.
        public static let missingFile = Kind(name: .missingFile)
        /// The file of a large value is not what was written. It is treated like a missing one.
        public static let damagedFile = Kind(name: .damagedFile)
        /// A file is left over from a save that was cut short. It is removed.
        public static let orphanedFile = Kind(name: .orphanedFile)

        /// A few words for the fault.
        public var description: String { name.rawValue }
        /// A word for the fault that stays the same, for programs.
        package var identifier: String { "\(name)" }
    }
}
