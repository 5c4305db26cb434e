import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What an origin's answer means for a reader that has the first bytes of a content.
@Suite("The rest of a content") struct CatchUpPlanTests {
    private let bench = Workbench()
    private static let tag = ("ETag", "\"v1\"")

    private func plan(
        _ lines: [(String, String)] = [Self.tag],
        status: UInt16 = 200,
        length: Int64? = 10,
        request: [(String, String)] = [("Accept", "a/b")]
    ) -> CatchUpPlan {
        bench.plan(lines, status: status, length: length, request: request)
    }

    private func verdict(
        _ plan: CatchUpPlan,
        _ status: UInt16,
        _ lines: [(String, String)],
        length: Int64?,
        from offset: Int64 = 4
    ) -> String {
        let framing: Framing = length.map { .length($0) } ?? .chunked
        let head = ResponseHead(status: status, fields: Workbench.fields(lines), framing: framing)
        return switch plan.judge(head, from: offset) {
        case .begins(let position, let total): "begins at \(position) of \(total.map { "\($0)" } ?? "?")"
        case .mayRepeat(let pause): "may repeat after \(pause.map { "\($0.components.seconds)" } ?? "?") s"
        case .refused(let reason): reason
        }
    }

    private func range(_ value: String) -> (String, String) { ("Content-Range", "bytes \(value)") }
    private static let changedReason = "the content has changed since"
    private static let otherReason = "the origin sent another range than it was asked for"

    // MARK: What is asked for

    @Test("under a strong tag the rest is asked for, else everything; neither with the conditions of a client")
    func requests() {
        let conditional = [("Accept", "a/b"), ("If-None-Match", "\"x\"")]
        let tagged = plan(request: conditional)
        let request = tagged.request(from: 4)
        #expect(tagged.hasStrongTag && request.fields.text(of: .range) == "bytes=4-")
        #expect(request.fields.text(of: .ifRange) == "\"v1\"" && request.fields.text(of: .accept) == "a/b")
        #expect(!request.fields.contains(.ifNoneMatch))
        for lines in [[], [("ETag", "W/\"v1\"")]] as [[(String, String)]] {
            let untagged = plan(lines, request: conditional)
            let whole = untagged.request(from: 4)
            #expect(!untagged.hasStrongTag && !whole.fields.contains(.range) && !whole.fields.contains(.ifRange))
            #expect(!whole.fields.contains(.ifNoneMatch) && whole.fields.text(of: .accept) == "a/b")
        }
    }

    @Test("of a part the bytes of its own range that are missing are asked for, at least its last one")
    func requestOfPart() {
        let part = plan([Self.tag, range("3-9/20")], status: 206, length: 7, request: [("Range", "bytes=3-9")])
        #expect(part.request(from: 0).fields.text(of: .range) == "bytes=3-9")
        #expect(part.request(from: 2).fields.text(of: .range) == "bytes=5-9")
        #expect(part.request(from: 6).fields.text(of: .range) == "bytes=9-9")
        #expect(part.request(from: 7).fields.text(of: .range) == "bytes=9-9")
    }

    // MARK: What the answer means

    @Test(
        "where the origin cannot answer now, a later attempt may succeed",
        arguments: [429, 502, 503, 504] as [UInt16]
    )
    func later(status: UInt16) {
        #expect(verdict(plan(), status, [], length: 0) == "may repeat after ? s")
        #expect(verdict(plan([]), status, [Self.tag], length: 0) == "may repeat after ? s")
        if status == 429 || status == 503 {
            #expect(verdict(plan(), status, [("Retry-After", "7")], length: 0) == "may repeat after 7 s")
        }
    }

    @Test("any other status than that of the response refuses", arguments: [204, 404, 410, 416, 500, 501] as [UInt16])
    func otherStatus(status: UInt16) {
        #expect(verdict(plan(), status, [Self.tag], length: 10) == "the origin answered \(status)")
        #expect(verdict(plan([]), status, [], length: 10) == "the origin answers differently now")
    }

    @Test("under a strong tag the rest begins at the reader's place, and the whole at its first byte")
    func tagged() {
        #expect(verdict(plan(), 206, [Self.tag, range("4-9/10")], length: 6) == "begins at 4 of 10")
        #expect(verdict(plan(), 206, [Self.tag, range("4-9/10")], length: nil) == "begins at 4 of 10")
        #expect(verdict(plan(), 200, [Self.tag], length: 10) == "begins at 0 of 10")
        #expect(verdict(plan(), 200, [Self.tag], length: nil) == "begins at 0 of 10")
        #expect(verdict(plan(length: nil), 200, [Self.tag], length: 12) == "begins at 0 of 12")
        #expect(verdict(plan(length: nil), 206, [Self.tag, range("4-11/12")], length: 8) == "begins at 4 of 12")
        #expect(verdict(plan(length: nil), 200, [Self.tag], length: nil) == "begins at 0 of ?")
        #expect(verdict(plan(), 200, [Self.tag], length: 11) == "the origin answered 200")
    }

    @Test(
        "another range, another length or an unknown one is not the rest",
        arguments: ["5-9/10", "3-9/10", "4-8/10", "4-9/11", "4-10/11", "4-9/*"]
    )
    func otherRange(value: String) {
        #expect(verdict(plan(), 206, [Self.tag, range(value)], length: nil) == Self.otherReason)
    }

    @Test("another tag, a weak one or none, another digest or another date is another content")
    func changed() {
        for lines in [[], [("ETag", "\"v2\"")], [("ETag", "W/\"v1\"")]] as [[(String, String)]] {
            #expect(verdict(plan(), 200, lines, length: 10) == Self.changedReason)
            #expect(verdict(plan(), 206, lines + [range("4-9/10")], length: 6) == Self.changedReason)
        }
        let digested = plan([Self.tag, ("Repr-Digest", "sha-256=:AAAA:")])
        #expect(
            verdict(digested, 200, [Self.tag, ("Repr-Digest", "sha-256=:BBBB:")], length: 10) == Self.changedReason
        )
        #expect(
            verdict(digested, 200, [Self.tag, ("Repr-Digest", "sha-256=:AAAA:")], length: 10) == "begins at 0 of 10"
        )
        let dated = plan([Self.tag, ("Last-Modified", "Thu, 01 Jan 1970 00:00:01 GMT")])
        let other = ("Last-Modified", "Thu, 01 Jan 1970 00:00:02 GMT")
        #expect(verdict(dated, 200, [Self.tag, other], length: 10) == Self.changedReason)
    }

    @Test("the rest of a part is the rest of its range, and never the whole")
    func part() {
        let part = plan([Self.tag, range("3-9/20")], status: 206, length: 7, request: [("Range", "bytes=3-9")])
        #expect(verdict(part, 206, [Self.tag, range("7-9/20")], length: 3) == "begins at 4 of 7")
        #expect(verdict(part, 206, [Self.tag, range("4-9/20")], length: 6) == Self.otherReason)
        #expect(verdict(part, 206, [Self.tag, range("7-9/21")], length: 3) == Self.otherReason)
        #expect(verdict(part, 200, [Self.tag], length: 20) == "the origin answered 200")
        #expect(verdict(part, 206, [Self.tag, range("9-9/20")], length: 1, from: 6) == "begins at 6 of 7")
    }

    @Test("without a strong tag everything comes again, with the same status, coding and length as far as known")
    func untagged() {
        #expect(verdict(plan([]), 200, [], length: 10) == "begins at 0 of 10")
        #expect(verdict(plan([]), 200, [], length: nil) == "begins at 0 of 10")
        #expect(verdict(plan([], length: nil), 200, [], length: 10) == "begins at 0 of 10")
        #expect(verdict(plan([], length: nil), 200, [], length: nil) == "begins at 0 of ?")
        let different = "the origin answers differently now"
        #expect(
            verdict(plan([]), 200, [], length: 11) == different && verdict(plan([]), 203, [], length: 10) == different
        )
        let coding = ("Content-Encoding", "gzip")
        #expect(verdict(plan([]), 200, [coding], length: 10) == different)
        #expect(verdict(plan([coding]), 200, [], length: 10) == different)
        #expect(verdict(plan([coding]), 200, [coding], length: 10) == "begins at 0 of 10")
    }
}
