// SPDX-License-Identifier: MIT

import Testing

@testable import CacheStoreHealing

@Suite struct HealingRecordTests {
    private func intent(_ step: HealingRecord.Step) -> HealingRecord.Intent {
        HealingRecord.Intent(step: step, cause: "the file was damaged", process: 42)
    }

    /// One try, to its end or not.
    private func tried(
        _ record: HealingRecord, _ step: HealingRecord.Step = .reset, isDone: Bool?
    ) -> HealingRecord {
        var record = record
        record.begin(intent(step))
        if let isDone { record.end(isDone: isDone) }
        return record.taken(over: record.boot)
    }

    @Test func `what is written is read`() {
        var record = HealingRecord(boot: "a-b-c")
        record.crashes = 2
        record.healings = 7
        record.skipped = 1
        #expect(HealingRecord(parsing: record.text) == record)
        for step in [HealingRecord.Step.reset, .setAside, .migration, .creation] {
            record.intent = intent(step)
            #expect(HealingRecord(parsing: record.text) == record)
        }
        record.intent?.cause = ""
        #expect(HealingRecord(parsing: record.text) == record)
    }

    @Test(arguments: [
        "", "\n", "CacheStore healing 1", "CacheStore healing 2\nboot a\n",
        "CacheStore healing 1\nboot a\ncrashes -1\nhealings 0\nskipped 0\n",
        "CacheStore healing 1\nboot a\ncrashes 99999999999999999999\nhealings 0\nskipped 0\n",
        "CacheStore healing 1\nboot a\ncrashes 1\nhealings 0\nskipped 0\nintent dance 1 x\n",
        "CacheStore healing 1\nboot a\ncrashes 1\nhealings 0\nskipped 0\nintent reset\n",
    ])
    func `what is no record is none`(text: String) {
        #expect(HealingRecord(parsing: text) == nil)
    }

    @Test func `an intent that is left is a crash, whatever it was`() {
        for step in [HealingRecord.Step.reset, .setAside, .migration, .creation] {
            let record = tried(HealingRecord(boot: "a"), step, isDone: nil)
            #expect(record.crashes == 1)
            #expect(record.healings == 0)
            #expect(record.intent == nil)
        }
    }

    @Test func `what was done counts where objects are given up, and a failure never`() {
        #expect(tried(HealingRecord(boot: "a"), .reset, isDone: true).healings == 1)
        #expect(tried(HealingRecord(boot: "a"), .setAside, isDone: true).healings == 1)
        #expect(tried(HealingRecord(boot: "a"), .migration, isDone: true).isEmpty)
        #expect(tried(HealingRecord(boot: "a"), .creation, isDone: true).isEmpty)
        #expect(tried(HealingRecord(boot: "a"), .reset, isDone: false).isEmpty)
    }

    @Test func `after as many as the limit it is refused`() {
        var record = HealingRecord(boot: "a")
        for isDone in [true, nil, true] {
            #expect(record.permits(.reset, limit: 3))
            record = tried(record, isDone: isDone)
        }
        #expect(!record.permits(.reset, limit: 3))
        #expect(record.permits(.reset, limit: 4))
    }

    @Test func `what builds is refused only for crashes`() {
        var record = HealingRecord(boot: "a")
        for _ in 0..<3 { record = tried(record, isDone: true) }
        #expect(!record.permits(.setAside, limit: 3))
        #expect(record.permits(.migration, limit: 3))
        #expect(record.permits(.creation, limit: 3))
        for _ in 0..<3 { record = tried(record, .migration, isDone: nil) }
        #expect(!record.permits(.migration, limit: 3))
        #expect(!record.permits(.creation, limit: 3))
    }

    @Test func `a store that always crashes is tried ever more rarely`() {
        var record = HealingRecord(boot: "a")
        var tries: [Int] = []
        for opening in 0..<200 {
            if record.permits(.reset, limit: 3) {
                tries.append(opening)
                record = tried(record, isDone: nil)
            } else {
                record.skip()
            }
        }
        #expect(tries == [0, 1, 2, 7, 16, 33, 66, 131])
    }

    @Test func `sessions with a whole store make up for it`() {
        var record = HealingRecord(boot: "a")
        for _ in 0..<3 { record = tried(record, isDone: true) }
        record = tried(record, isDone: nil)
        record.noteHealthySession()
        record.noteHealthySession()
        #expect(record.permits(.reset, limit: 3))
        record.noteHealthySession()
        #expect(record.isEmpty)
        record.noteHealthySession()
        #expect(record.isEmpty)
    }

    @Test func `a restart of the machine begins anew, with the crash that it may have been`() {
        var record = HealingRecord(boot: "a")
        for _ in 0..<5 { record = tried(record, isDone: true) }
        #expect(record.taken(over: "b").isEmpty)
        record.begin(intent(.reset))
        #expect(record.taken(over: "b").crashes == 1)
        #expect(record.taken(over: "b").healings == 0)
    }

    @Test func `a limit of nothing is one`() {
        let record = HealingRecord(boot: "a")
        #expect(record.permits(.reset, limit: 0))
        #expect(!tried(record, isDone: nil).permits(.reset, limit: 0))
    }
}
