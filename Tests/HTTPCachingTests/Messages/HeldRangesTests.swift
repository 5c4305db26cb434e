import HTTPCaching
import HTTPCore
import Testing

@Suite struct HeldRangesTests {
    private func extent(_ text: String) throws -> ContentExtent {
        try #require(ContentExtent(text: Array(text.utf8)[...]))
    }

    @Test(
        "several ranges are written as one text, and read again (C-22.1)",
        arguments: ["0-4/10", "0-0,2-3,9-9/10", "5-6,8-9/*"]
    )
    func text(_ text: String) throws {
        #expect(try extent(text).text == text)
    }

    @Test(
        "ranges out of order, that touch or lie beyond the end, are nothing",
        arguments: [
            "4-5,0-1/10", "0-1,2-3/10", "0-3,2-5/10", "0-1,9-10/10", "0-1,/10", ",/10", "/10", "1-0/10", "0-1,3-x/10",
        ]
    )
    func malformed(_ text: String) {
        #expect(ContentExtent(text: Array(text.utf8)[...]) == nil)
    }

    @Test("the first hole ends at the next range, or at the end of what is wanted (C-22.1)")
    func holes() throws {
        let held = try extent("2-3,6-7/10")
        #expect(held.firstHole(in: 0..<10) == 0..<2)
        #expect(held.firstHole(in: 2..<10) == 4..<6)
        #expect(held.firstHole(in: 3..<5) == 4..<5)
        #expect(held.firstHole(in: 7..<10) == 8..<10)
        #expect(held.firstHole(in: 2..<4) == nil)
        #expect(held.rest(from: 3) == 3..<4)
        #expect(held.rest(from: 4) == nil)
        #expect(held.count(before: 7) == 3)
        #expect(held.count == 4)
    }

    @Test(
        "numbers beyond 63 bits are the largest range, and overflow nothing (H-109)",
        arguments: [("0-99999999999999999999", 0), ("9223372036854775807-", Int64.max), ("5-9223372036854775807", 5)]
    )
    func large(_ value: String, first: Int64) {
        #expect(ContentExtent.asked(Fields([("Range", "bytes=\(value)")])) == first..<Int64.max)
    }

    @Test("content of an impossible length is not assembled (C-22.2)")
    func impossible() {
        let fields = Fields([("Range", "bytes=0-9223372036854770000,9223372036854771000-")])
        let stored = response([("ETag", "\"a\"")], status: 206)
        for (length, isPlanned) in [(Int64.max - 1, false), (1 << 50, false), (1 << 40, true)] {
            let plan = RangePlan(assembling: length, of: stored, fields: fields, options: CachingOptions())
            #expect((plan != nil) == isPlanned)
        }
    }

    @Test("one Range is assembled as it asks, two of them and none as the whole content")
    func assembling() {
        let stored = response([("ETag", "\"a\"")], status: 206)
        func plan(_ values: String...) -> RangePlan? {
            let fields = Fields(values.map { ("Range", $0) })
            return RangePlan(assembling: 10_000, of: stored, fields: fields, options: CachingOptions())
        }
        #expect(plan("bytes=2-3") == .single(2..<4) && plan("bytes=2-3", "bytes=4-5") == .whole && plan() == .whole)
        #expect(plan("bytes=0-0,9999-") == .multiple([0..<1, 9999..<10_000]) && plan("bytes=10000-") == nil)
    }

    @Test("ranges that are added join those that they touch (C-22.1)")
    func adding() throws {
        let held = try extent("2-3,6-7/10")
        #expect(held.adding(4..<6)?.text == "2-7/10")
        #expect(held.adding(9..<10)?.text == "2-3,6-7,9-9/10")
        #expect(held.adding(0..<10)?.isWhole == true)
        #expect(held.adding(5..<11) == nil)
        #expect(ContentExtent(nothingOf: 10).adding(0..<10)?.isWhole == true)
    }
}
