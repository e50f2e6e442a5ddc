// SPDX-License-Identifier: MIT

import Foundation

/// `peak-memory`: by how much a full fetch raises the most memory that a process has ever had
/// resident. Every measurement is made in a process of its own.
@MainActor
enum PeakMemory {
    static func run(rounds: Int, ours: URL, raw: URL) throws -> Comparison {
        try .inTurns(
            BenchmarkTask.peakMemory.rawValue, rounds: rounds, unit: .kibibytes,
            ours: { try measureInChild("ours", ours) }, raw: { try measureInChild("raw", raw) })
    }

    private static func measureInChild(_ contestant: String, _ store: URL) throws -> Outcome {
        let child = try ChildProcess(.peakMemory(contestant: contestant, store: store))
        let numbers = try child.readToEnd().split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 2 else { throw BenchmarkError("peak-memory: the child failed") }
        return Outcome(value: Double(numbers[0]), checksum: numbers[1])
    }

    /// In the child: prints the growth in KiB and the checksum of the rows.
    static func measure(_ name: String, store: URL) throws {
        // Ours reads on a connection with this page cache. The rival would fill a larger one with
        // pages, which are not what is compared here.
        let contestant: any Contestant =
            name == "ours" ? OurContestant() : RawContestant(cacheSize: 16_384)
        try contestant.open(in: store)
        // What is set up at first use is not part of a fetch.
        _ = try contestant.lookUp([SampleRow.name(ofSerial: 0)])
        // https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html: 5 resets the peak.
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try status("VmRSS")
        let checksum = try contestant.fetchAndReadAll()
        let after = try status("VmHWM")
        try contestant.close()
        StandardStreams.printResult("\(max(0, after - before)) \(checksum) ")
    }

    private static func status(_ field: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field + ":") }),
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                .compactMap({ Int($0) }).first
        else { throw BenchmarkError("/proc/self/status has no \(field)") }
        return number
    }
}
