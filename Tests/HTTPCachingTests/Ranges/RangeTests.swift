import HTTPCaching
import HTTPCore
import Testing

@Suite("ranges of complete content (RFC 9110 §14)")
struct RangeTests {
    private func plan(
        _ request: [FieldLine],
        _ stored: [FieldLine] = [],
        length: Int64 = 100,
        method: Method = .get,
        status: UInt16 = 200
    ) -> RangePlan {
        RangePlan(
            method: method,
            fields: Fields(request),
            stored: response(stored, status: status),
            length: length,
            options: CachingOptions()
        )
    }

    private func plan(_ range: String, length: Int64 = 100) -> RangePlan { plan([("Range", range)], length: length) }

    @Test(
        "a single range is cut to the content (C-16.1, C-22.4)",
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=1-", 1..<100), ("bytes=-1", 99..<100), ("bytes=0-99", 0..<100),
            ("bytes=0-1000", 0..<100), ("bytes=-1000", 0..<100), ("BYTES=5-5", 5..<6), ("bytes= 1-2 ,", 1..<3),
            ("bytes=0-99999999999999999999999", 0..<100), ("bytes=-99999999999999999999999", 0..<100),
            ("bytes=0-1,200-", 0..<2), ("bytes=0-1,2-3", 0..<4), ("bytes=0-10,5-20", 0..<21),
        ] as [(String, Range<Int64>)]
    )
    func single(text: String, range: Range<Int64>) { #expect(plan(text) == .single(range)) }

    @Test(
        "what is malformed or of another unit is ignored (H-121)",
        arguments: [
            "bytes=2-1", "bytes=", "bytes", "bytes=a-b", "bytes=1", "bytes=--1", "bytes=1-2-3", "lines=0-1",
            "bytes 0-1",
            "bytes=0-1,x", "bytes=-", "bytes=+1-2", "bytes=1 -2", "bytes=0-1;2-3", "",
        ]
    )
    func ignored(text: String) { #expect(plan(text) == .whole) }

    @Test(
        "what begins behind the end is not satisfiable (C-22.4)",
        arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-", "bytes=100-,-0"]
    )
    func notSatisfiable(text: String) { #expect(plan(text) == .notSatisfiable) }

    @Test("several ranges are parts in the order asked, overlapping ones are joined (C-22.4)")
    func multiple() {
        #expect(plan("bytes=50-59,0-9", length: 1000) == .multiple([50..<60, 0..<10]))
        #expect(plan("bytes=50-59,0-9,5-19", length: 1000) == .multiple([0..<20, 50..<60]))
        #expect(plan("bytes=0-9,-5", length: .max) == .multiple([0..<10, (.max - 5)..<(.max)]))
        #expect(plan("bytes=0-9,2000-,-5", length: 1000) == .multiple([0..<10, 995..<1000]))
    }

    @Test("more than 16 ranges, many overlaps, or an answer too large give the whole (C-22.4, H-122)")
    func abusive() {
        let separate = { (count: Int) in
            "bytes=" + (0..<count).map { "\($0 * 10)-\($0 * 10 + 1)" }.joined(separator: ",")
        }
        #expect(plan(separate(17), length: 100_000) == .whole)
        guard case .multiple(let ranges) = plan(separate(16), length: 100_000) else {
            Issue.record("16 ranges are answered")
            return
        }
        #expect(ranges.count == 16)
        let overlapping = "bytes=" + (0..<10).map { "\($0)-\($0 + 50)" }.joined(separator: ",") + ",500-510"
        #expect(plan(overlapping, length: 100_000) == .whole)
        #expect(plan(separate(16), length: 200) == .whole)
        #expect(plan("bytes=" + Array(repeating: "0-", count: 1000).joined(separator: ","), length: 1000) == .whole)
    }

    @Test("a Range has 200 members, two overlaps and twice the bytes of the content at most (H-122)")
    func limits() {
        func same(_ count: Int) -> String { "bytes=" + Array(repeating: "0-0", count: count).joined(separator: ",") }
        #expect(plan(same(200)) == .single(0..<1) && plan(same(201)) == .whole)
        #expect(plan("bytes=0-10,5-15,12-20,500-510", length: 100_000) == .multiple([0..<21, 500..<511]))
        #expect(plan("bytes=0-10,5-15,12-20,18-30,500-510", length: 100_000) == .whole)
        // Each part counts 160 bytes more, and content of less than two parts as much as these.
        #expect(plan("bytes=0-99,102-149,152-163", length: 300) == .multiple([0..<100, 102..<150, 152..<164]))
        #expect(plan("bytes=0-99,102-149,152-164", length: 300) == .whole)
        #expect(plan("bytes=0-0,2-2,4-4,6-6", length: 320) == .whole)
        #expect(plan("bytes=0-0,2-2,4-4,6-6", length: 322) == .multiple([0..<1, 2..<3, 4..<5, 6..<7]))
    }

    @Test("a plan has the ranges that are sent")
    func ranges() {
        #expect(RangePlan.whole.ranges(of: 5) == [0..<5] && RangePlan.single(1..<2).ranges(of: 5) == [1..<2])
        #expect(RangePlan.multiple([3..<4, 1..<2]).ranges(of: 5) == [3..<4, 1..<2])
        #expect(RangePlan.notSatisfiable.ranges(of: 5).isEmpty)
    }

    @Test("Range is for GET, for a stored 200 with content, and given once (H-121)")
    func scope() {
        let request: [FieldLine] = [("Range", "bytes=0-1")]
        #expect(plan(request, method: .head) == .whole)
        #expect(plan(request, status: 404) == .whole)
        #expect(plan("bytes=0-1", length: 0) == .whole)
        #expect(plan(request + [("Range", "bytes=0-1")]) == .whole)
    }

    @Test(
        "If-Range needs a strong validator that is the same (H-121)",
        arguments: [
            ("\"a\"", true), ("W/\"a\"", false), ("\"b\"", false), (date(-100), true), (date(-99), false), ("a", false),
        ]
    )
    func ifRange(value: String, matches: Bool) {
        let stored: [FieldLine] = [("ETag", "\"a\""), ("Last-Modified", date(-100)), ("Date", date(0))]
        let judged = plan([("Range", "bytes=0-1"), ("If-Range", value)], stored)
        #expect(judged == (matches ? .single(0..<2) : .whole))
    }

    @Test("weak validators never match If-Range (H-121)")
    func weakIfRange() {
        let range: FieldLine = ("Range", "bytes=0-1")
        #expect(plan([range, ("If-Range", "W/\"a\"")], [("ETag", "W/\"a\"")]) == .whole)
        let sameSecond: [FieldLine] = [("Last-Modified", date(0)), ("Date", date(0))]
        #expect(plan([range, ("If-Range", date(0))], sameSecond) == .whole)
        #expect(plan([range, ("If-Range", date(-10))], [("Last-Modified", date(-10))]) == .whole)
    }

    @Test("Content-Range tells places inclusively (C-22.4)")
    func contentRange() {
        #expect(ContentRange.bytes(of: 0..<2, length: 10) == "bytes 0-1/10".bytes)
        #expect(ContentRange.bytes(unsatisfiedLength: 10) == "bytes */10".bytes)
    }

    @Test("multipart content has a head for each part and the length it announces (C-22.4)")
    func multipart() {
        let ranges: [Range<Int64>] = [0..<2, 5..<7]
        let content = Array("abcdefghij".utf8)
        let plan = MultipartRanges(ranges: ranges, length: 10, contentType: "text/plain".bytes, boundary: "XX".bytes)
        var text: [UInt8] = []
        for part in plan.parts { text += part.head + content[Int(part.range.lowerBound)..<Int(part.range.upperBound)] }
        text += plan.end
        #expect(plan.contentType == "multipart/byteranges; boundary=XX".bytes)
        #expect(plan.contentLength == Int64(text.count))
        let expected = """
            --XX\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n\
            --XX\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-6/10\r\n\r\nfg\r\n--XX--\r\n
            """
        #expect(text == expected.bytes)
    }

    @Test("a part has no type that the content has not, and no length that is not known (C-22.4)")
    func multipartWithout() {
        let plan = MultipartRanges(ranges: [0..<2], length: nil, contentType: nil, boundary: "XX".bytes)
        #expect(plan.parts.map(\.head) == ["--XX\r\nContent-Range: bytes 0-1/*\r\n\r\n".bytes])
        #expect(plan.end == "\r\n--XX--\r\n".bytes && plan.contentLength == Int64(plan.parts[0].head.count + 2 + 10))
    }
}
