// SPDX-License-Identifier: MIT
import CCacheStoreShims
import Testing

@Suite struct PageChecksumTests {
    private func page(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 5) }
    }

    // Pages without their stamp, which the processor reads in two halves, and other lengths.
    @Test(
        arguments: [8, 16, 24, 248, 496, 512, 4080, 4096, 131_064] + (9...16).map { (1 << $0) - 8 })
    func `the processor and the table agree`(count: Int) {
        let page = page(count)
        for number in [1, 2, 77, UInt32.max] {
            #expect(
                cachestore_page_checksum(page, count, number)
                    == cachestore_page_checksum_portable(page, count, number))
        }
    }

    @Test func `the checksum is that of the file format`() {
        // Written down so that a change, which would make every store look damaged, is noticed.
        #expect(cachestore_page_checksum(page(504), 504, 3) == 7_888_143_160_490_015_519)
    }

    @Test func `one bit anywhere changes it`() {
        var page = page(504)
        let sound = cachestore_page_checksum(page, 504, 1)
        for bit in 0..<504 * 8 {
            page[bit / 8] ^= 1 << (bit % 8)
            #expect(cachestore_page_checksum(page, 504, 1) != sound)
            page[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test func `another page number changes it`() {
        let page = page(504)
        let all = Set((1...10_000).map { cachestore_page_checksum(page, 504, $0) })
        #expect(all.count == 10_000)
    }

    @Test func `a page of zeros has no checksum of zero`() {
        let page = [UInt8](repeating: 0, count: 4088)
        for number in UInt32(1)...1_000 {
            #expect(cachestore_page_checksum(page, 4088, number) != 0)
        }
    }
}
