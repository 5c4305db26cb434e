import HTTPCaching
import HTTPCore
import Testing

@Suite("parts of representations (RFC 9111 §3.3, §3.4)")
struct PartialContentTests {
    private func plan(
        _ request: [FieldLine],
        _ range: Range<Int64> = 10..<20,
        total: Int64? = 100,
        method: Method = .get
    ) -> RangePlan? {
        ContentExtent(range, total: total).flatMap { extent in
            RangePlan(
                method: method,
                fields: Fields(request),
                stored: response([("ETag", "\"a\"")], status: 206),
                extent: extent,
                options: CachingOptions()
            )
        }
    }

    @Test(
        "Content-Range tells first, last and total (C-22.2)",
        arguments: [
            ("bytes 0-4/10", 0..<5, 10), ("bytes 5-5/*", 5..<6, nil), ("BYTES 0-0/1", 0..<1, 1),
            ("bytes 0-9223372036854775805/*", 0..<9_223_372_036_854_775_806, nil),
        ] as [(String, Range<Int64>, Int64?)]
    )
    func contentRange(text: String, range: Range<Int64>, total: Int64?) {
        let extent = ContentExtent(
            partialContent: Fields([("Content-Range", text)]),
            length: nil,
            for: Fields([("Range", "bytes=0-")])
        )
        #expect(extent == ContentExtent(range, total: total))
        #expect(extent != nil)
    }

    @Test(
        "a Content-Range that contradicts itself, the length, or what was asked, is not relied on (C-22.2, H-109)",
        arguments: [
            ("bytes 2-5/10", 3, "bytes=2-5"), ("bytes 2-5/10", nil, "bytes=3-5"), ("bytes 2-5/10", nil, "bytes=2-4"),
            ("bytes 2-5/10", nil, "bytes=-3"), ("bytes 2-5/10", nil, "bytes=6-7,8-9"),
            ("bytes 2-5/10", nil, "lines=2-5"),
            ("bytes 2-5/10", nil, "bytes=5-2"), ("bytes 2-5/5", nil, "bytes=2-5"), ("bytes 5-2/10", nil, "bytes=0-"),
            ("bytes */10", nil, "bytes=0-"), ("bytes 2-/10", nil, "bytes=0-"), ("bytes -5/10", nil, "bytes=0-"),
            ("bytes 2-5", nil, "bytes=0-"), ("bytes=2-5/10", nil, "bytes=0-"), ("lines 2-5/10", nil, "bytes=0-"),
            ("bytes 2-5/99999999999999999999", nil, "bytes=0-"), ("bytes 2-9223372036854775807/*", nil, "bytes=0-"),
            ("", nil, "bytes=0-"),
        ] as [(String, Int64?, String)]
    )
    func unreliable(text: String, length: Int64?, range: String) {
        let fields = Fields([("Content-Range", text)])
        #expect(ContentExtent(partialContent: fields, length: length, for: Fields([("Range", range)])) == nil)
    }

    @Test("several Content-Range lines, several parts, and what nobody asked for, are not relied on (C-22.2)")
    func severalLines() {
        let asked = Fields([("Range", "bytes=2-5")])
        let line = ("Content-Range", "bytes 2-5/10")
        #expect(ContentExtent(partialContent: Fields([line]), length: 4, for: asked) != nil)
        #expect(ContentExtent(partialContent: Fields([line, line]), length: 4, for: asked) == nil)
        let type = ("Content-Type", "Multipart/ByteRanges; boundary=a")
        #expect(ContentExtent(partialContent: Fields([line, type]), length: 4, for: asked) == nil)
        #expect(ContentExtent(partialContent: Fields([line]), length: 4, for: Fields()) == nil)
    }

    @Test(
        "an origin may leave out what it was asked for, join ranges, and say where a suffix lies (H-109)",
        arguments: [
            "bytes=0-9", "bytes=2-3,5-5", "bytes=0-1,8-9", "bytes=-4", "bytes=-100", "bytes=0-", "bytes=0-0,-1",
        ]
    )
    func fits(range: String) {
        let fields = Fields([("Content-Range", "bytes 2-5/10")])
        #expect(ContentExtent(partialContent: fields, length: 4, for: Fields([("Range", range)])) != nil)
    }

    @Test(
        "a part answers ranges inside it (C-16.2)",
        arguments: [
            ("bytes=10-19", .single(10..<20)), ("bytes=15-15", .single(15..<16)),
            ("bytes=12-13,16-17", .multiple([12..<14, 16..<18])), ("bytes=10-11,200-", .single(10..<12)),
        ] as [(String, RangePlan)]
    )
    func inside(text: String, plan expected: RangePlan) { #expect(plan([("Range", text)]) == expected) }

    @Test(
        "a part answers nothing else, not even a range that is not satisfiable (C-16.2)",
        arguments: [
            "bytes=9-10", "bytes=19-20", "bytes=10-", "bytes=-90", "bytes=0-", "bytes=12-13,30-31", "bytes=100-",
            "bytes=x", "lines=10-11", "",
        ]
    )
    func outside(text: String) { #expect(plan([("Range", text)]) == nil) }

    @Test("the end of the content is inside a part that reaches it (C-16.2)")
    func end() {
        #expect(plan([("Range", "bytes=-5")], 90..<100) == .single(95..<100))
        #expect(plan([("Range", "bytes=95-")], 90..<100) == .single(95..<100))
        #expect(plan([("Range", "bytes=95-500")], 90..<100) == .single(95..<100))
        for range in ["bytes=-5", "bytes=95-", "bytes=95-500"] {
            #expect(plan([("Range", range)], 90..<100, total: nil) == nil)
        }
        #expect(plan([("Range", "bytes=95-99")], 90..<100, total: nil) == .single(95..<100))
    }

    @Test("neither without Range, nor under another validator, nor for other methods, nor for too many ranges (C-16.2)")
    func notForParts() {
        let range = ("Range", "bytes=10-11")
        #expect(plan([]) == nil)
        #expect(plan([range, range]) == nil)
        #expect(plan([range, ("If-Range", "\"a\"")]) == .single(10..<12))
        #expect(plan([range, ("If-Range", "\"b\"")]) == nil)
        #expect(plan([range], method: .head) == nil)
        let many = (0..<20).map { "\($0 * 20)-\($0 * 20)" }.joined(separator: ",")
        #expect(plan([("Range", "bytes=" + many)], 0..<10_000, total: 100_000) == nil)
    }

    @Test("a 206 is stored like a 200 if it is known what it holds, and not otherwise (C-16.2)")
    func storability() {
        let extent = ContentExtent(0..<5, total: 10)
        func judged(_ lines: [FieldLine], _ extent: ContentExtent?) -> Storability {
            response(lines, status: 206).storability(
                for: RequestProfile(method: .get),
                options: CachingOptions(),
                extent: extent
            )
        }
        #expect(judged([("Cache-Control", "max-age=60")], extent) == .store(.shared, .shareable))
        #expect(judged([("Cache-Control", "max-age=60")], nil) == .refuse(.partialContent))
        #expect(judged([("Cache-Control", "no-store")], extent) == .refuse(.noStore))
        #expect(judged([], extent) == .refuse(.noLifetimeNoValidator))
    }

    // MARK: Completing

    private func length(
        _ received: [FieldLine],
        stored: [FieldLine] = [("ETag", "\"a\"")],
        length: Int64? = 6
    ) -> Int64? {
        ContentExtent(0..<4, total: 10).flatMap {
            Completion.length(of: $0, response(stored, status: 206), completedBy: Fields(received), length: length)
        }
    }

    @Test("the rest is asked for in place of the client's conditions, with If-Range under a strong tag only (C-16.3)")
    func asking() throws {
        let extent = try #require(ContentExtent(0..<4, total: 10))
        let request = Fields([
            ("Accept", "a"), ("If-None-Match", "\"b\""), ("Range", "bytes=1-2"), ("If-Range", "\"b\""),
        ])
        for (tag, sent) in [("\"a\"", "\"a\""), ("W/\"a\"", nil), ("", nil)] as [(String, String?)] {
            let stored = response(tag.isEmpty ? [] : [("ETag", tag)], status: 206)
            let fields = Completion.asking(request, behind: extent, of: stored)
            #expect(fields.text(of: .range) == "bytes=4-")
            #expect(fields.text(of: .ifRange) == sent)
            #expect(fields.text(of: .accept) == "a")
            #expect(!fields.contains(.ifNoneMatch))
        }
    }

    @Test("only the rest, all of it, under the same strong tag makes the whole (C-16.3)")
    func combining() {
        let (tag, range) = (("ETag", "\"a\""), ("Content-Range", "bytes 4-9/10"))
        #expect(length([tag, range]) == 10)
        #expect(length([tag, range], length: nil) == 10)
        #expect(length([tag, range], length: 5) == nil)
        #expect(length([range]) == nil)
        #expect(length([tag]) == nil)
        #expect(length([("ETag", "W/\"a\""), range]) == nil)
        #expect(length([("ETag", "W/\"a\""), range], stored: [("ETag", "W/\"a\"")]) == nil)
        #expect(length([tag, tag, range]) == nil)
        #expect(length([range], stored: []) == nil)
        for text in ["bytes 4-8/10", "bytes 5-9/10", "bytes 3-9/10", "bytes 4-9/*", "bytes 4-10/11"] {
            #expect(length([tag, ("Content-Range", text)], length: nil) == nil)
        }
        let dates = [
            ("Last-Modified", "Thu, 01 Jan 2015 00:00:00 GMT"), ("Last-Modified", "Thu, 01 Jan 2015 00:00:01 GMT"),
        ]
        #expect(length([tag, range, dates[0]], stored: [tag, dates[0]]) == 10)
        #expect(length([tag, range, dates[1]], stored: [tag, dates[0]]) == nil)
    }

    @Test("two responses have one representation if both have the same strong tag, and no other date (C-22.2)")
    func strongTags() {
        let (strong, weak) = (("ETag", "\"a\""), ("ETag", "W/\"a\""))
        let (one, other) = (("Last-Modified", date(-9)), ("Last-Modified", date(-8)))
        let stored = response([strong, one])
        for (lines, isSame) in [
            ([strong], true), ([strong, one], true), ([strong, other], false), ([weak], false), ([], false),
            ([("ETag", "\"b\"")], false),
        ] as [([FieldLine], Bool)] {
            #expect(stored.hasSameStrongTag(as: response(lines)) == isSame, "\(lines)")
        }
        #expect(stored.hasStrongTag && !response([weak]).hasStrongTag && !response().hasStrongTag)
        #expect(!response([weak]).hasSameStrongTag(as: response([weak])))
        #expect(!response().hasSameStrongTag(as: response()))
        for (lines, isSame) in [
            ([strong], true), ([strong, other], true), ([strong, strong], false), ([weak], false), ([], false),
        ] as [([FieldLine], Bool)] {
            #expect(stored.hasStrongTag(of: Fields(lines)) == isSame, "\(lines)")
        }
        #expect(stored.contradictsDate(date(-8).bytes) && !stored.contradictsDate(date(-9).bytes))
        #expect(!stored.contradictsDate(nil) && !response([strong]).contradictsDate(date(-8).bytes))
    }

    @Test("only two digests of the whole that differ contradict each other (RFC 9530 §3)")
    func digests() {
        let (one, other) = (Fields([("Repr-Digest", "sha-256=:a:")]), Fields([("repr-digest", "sha-256=:b:")]))
        #expect(one.contradictsDigest(of: other) && other.contradictsDigest(of: one))
        for fields in [one, Fields(), Fields([("Content-Digest", "sha-256=:b:")])] {
            #expect(!one.contradictsDigest(of: fields) && !fields.contradictsDigest(of: one))
        }
    }

    @Test("further bytes are asked for from a place on, or as one range (C-22.2)")
    func askingForRanges() {
        let stored = response([("ETag", "\"a\"")], status: 206)
        #expect(Completion.asking(Fields(), from: 7, of: stored).text == ["Range: bytes=7-", "If-Range: \"a\""])
        #expect(Completion.asking(Fields(), for: 2..<5, of: stored).text == ["Range: bytes=2-4", "If-Range: \"a\""])
    }

    @Test(
        "the whole has the stored fields, new ones in place of theirs, and its own length (RFC 9110 §15.3.7.3) (C-16.3)"
    )
    func fields() {
        let stored = Fields([
            ("ETag", "\"a\""), ("X-Old", "1"), ("X-Both", "1"), ("Age", "5"), ("Content-Length", "10"),
        ])
        let received = Fields([
            ("ETag", "\"a\""), ("X-Both", "2"), ("Content-Range", "bytes 4-9/10"), ("Content-Length", "6"),
            ("Connection", "X-Hop"), ("X-Hop", "1"),
        ])
        let whole = Completion.fields(
            stored,
            completedBy: received,
            length: 10,
            receivedAt: HTTPDate(seconds: 0),
            keepsSetCookie: true
        )
        #expect(whole == Fields([("ETag", "\"a\""), ("X-Old", "1"), ("X-Both", "2"), ("Content-Length", "10")]))
    }
}
