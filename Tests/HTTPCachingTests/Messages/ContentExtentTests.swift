import HTTPCore
import Testing

@testable import HTTPCaching

@Suite("Extents of content")
struct ContentExtentTests {
    private func extent(_ text: String) throws -> ContentExtent { try #require(ContentExtent(text: text.bytes[...])) }

    @Test(
        "an extent is read as it is written",
        arguments: ["0-0/1", "0-4/*", "0-4/5", "3-4,6-9/20", "0-9223372036854775805/*", "0-0,2-2/3"]
    )
    func text(text: String) throws { #expect(try extent(text).text == text) }

    @Test(
        "ranges that touch, overlap, go back, or end behind the whole are none",
        arguments: [
            "", "0-4", "0-4/", "0-4/4", "5-4/9", "0-4,5-6/9", "0-4,3-6/9", "6-7,0-1/9", "/5", "-4/9", "0-/9", "0-4,/9",
            "a-4/9", "0-4/x", "0-4/9223372036854775807", "0-9223372036854775807/*", " 0-4/9", "0-4/**",
        ]
    )
    func refused(text: String) { #expect(ContentExtent(text: text.bytes[...]) == nil) }

    @Test("a range is within the whole, and has at least one byte")
    func bounds() {
        #expect(ContentExtent(0..<5, total: 5)?.text == "0-4/5" && ContentExtent(0..<6, total: 5) == nil)
        #expect(ContentExtent(3..<3, total: 5) == nil && ContentExtent(-1..<3, total: 5) == nil)
        #expect(ContentExtent(0..<1, total: nil)?.isWhole == false && ContentExtent(0..<1, total: 1)?.isWhole == true)
        #expect(ContentExtent(0..<1, total: 2)?.isWhole == false && ContentExtent(nothingOf: 0).isWhole == false)
        #expect(ContentExtent(nothingOf: 7).count == 0 && ContentExtent(nothingOf: 7).end == 0)
    }

    @Test("a range that is added joins those that it touches")
    func adding() throws {
        let held = try extent("2-3,6-7/20")
        #expect(held.count == 4 && held.end == 8)
        let sums: [(Range<Int64>, String?)] = [
            (4..<6, "2-7/20"), (4..<5, "2-4,6-7/20"), (8..<9, "2-3,6-8/20"), (0..<2, "0-3,6-7/20"),
            (9..<10, "2-3,6-7,9-9/20"),
            (0..<20, "0-19/20"), (0..<21, nil), (7..<7, nil), (3..<7, "2-7/20"),
        ]
        for (range, expected) in sums { #expect(held.adding(range)?.text == expected) }
    }

    @Test("what is held, what follows it, and the first hole are told for each place")
    func places() throws {
        let held = try extent("2-3,6-8/20")
        #expect(held.contains(2..<4) && held.contains(6..<9) && held.contains(7..<8))
        #expect(!held.contains(2..<5) && !held.contains(1..<3) && !held.contains(3..<7))
        let rests: [Range<Int64>?] = [nil, nil, 2..<4, 3..<4, nil, nil, 6..<9, 7..<9, 8..<9, nil]
        for (place, rest) in rests.enumerated() { #expect(held.rest(from: Int64(place)) == rest, "\(place)") }
        let counts: [Int64] = [0, 0, 0, 1, 2, 2, 2, 3, 4, 5, 5]
        for (place, count) in counts.enumerated() { #expect(held.count(before: Int64(place)) == count, "\(place)") }
        let holes: [(Range<Int64>, Range<Int64>?)] = [
            (0..<20, 0..<2), (2..<20, 4..<6), (2..<5, 4..<5), (2..<4, nil), (3..<4, nil), (4..<6, 4..<6),
            (5..<7, 5..<6),
            (6..<20, 9..<20), (9..<20, 9..<20), (6..<9, nil),
        ]
        for (part, hole) in holes { #expect(held.firstHole(in: part) == hole, "\(part)") }
    }

    @Test("a beginning of one range is a range of the same whole")
    func prefixes() throws {
        let held = try extent("2-5/20")
        #expect(held.prefix(2)?.text == "2-3/20" && held.prefix(4) == held && held.prefix(5) == nil)
        #expect(held.prefix(0) == ContentExtent(nothingOf: 20) && held.prefix(-1) == nil)
        #expect(try extent("2-5/*").prefix(0) == nil && extent("2-5,7-7/20").prefix(1) == nil)
    }

    @Test(
        "the one range that a request asks for, without regard to the length",
        arguments: [
            ("bytes=2-5", 2..<6), ("bytes=2-", 2..<Int64.max), ("bytes=-5", nil), ("bytes=2-5,7-8", nil),
            ("x=2-5", nil),
            ("bytes=0-9223372036854775807", 0..<Int64.max), ("bytes=5-2", nil), ("bytes=", nil), ("BYTES=0-0", 0..<1),
        ] as [(String, Range<Int64>?)]
    )
    func asked(value: String, range: Range<Int64>?) {
        #expect(ContentExtent.asked(Fields([("Range", value)])) == range)
        #expect(ContentExtent.asked(Fields([("Range", value), ("Range", value)])) == nil)
        #expect(ContentExtent.asksForSeveral(Fields([("Range", value)])) == (value == "bytes=2-5,7-8"))
        #expect(!ContentExtent.asksForSeveral(Fields([("Range", value), ("Range", value)])))
    }

    @Test("the whole's fields have its length, or none, and no range")
    func ofWhole() {
        let part = Fields([("Content-Range", "bytes 0-1/5"), ("Content-Length", "2"), ("ETag", "\"a\"")])
        #expect(StoredFields.ofWhole(part, length: 5).text == ["ETag: \"a\"", "Content-Length: 5"])
        #expect(StoredFields.ofWhole(part, length: nil).text == ["ETag: \"a\""])
    }
}
