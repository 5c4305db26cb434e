import HTTPCore
import Testing

@testable import HTTPServer

/// Request content, no more of it than was asked for (H-129).
@Suite struct RequestContentTests {
    /// What came of some bytes.
    private struct Course: Equatable {
        var text = ""
        var consumed = 0
        var failure: UInt16?
        var isComplete = false
        var acceptsMore = false
    }

    private static func course(
        _ framing: Framing,
        _ text: String,
        allowing credits: [Int],
        isFailed: Bool = false
    ) -> Course {
        var content = RequestContent(framing: framing, limits: ParserLimits())
        for credit in credits { content.allow(credit) }
        if isFailed { content.fail() }
        let bytes = Array(text.utf8)
        let delivery = content.receive(bytes.span)
        return Course(
            text: String(decoding: delivery.bytes, as: UTF8.self),
            consumed: delivery.consumed,
            failure: delivery.failure?.status,
            isComplete: content.isComplete,
            acceptsMore: content.acceptsBytes
        )
    }

    @Test("of content with a length so much is read as was asked for, and nothing behind it")
    func length() {
        let whole = Course(text: "hello", consumed: 5, isComplete: true)
        #expect(Self.course(.length(5), "hello", allowing: [5]) == whole)
        #expect(Self.course(.length(5), "helloGET /", allowing: [100]) == whole)
        #expect(Self.course(.length(5), "helloGET /", allowing: [2, 3]) == whole)
        #expect(Self.course(.length(5), "helloGET /", allowing: [-7, 5]) == whole)
        #expect(Self.course(.length(5), "helloGET /", allowing: [.max, 1]) == whole)
        #expect(Self.course(.length(5), "hello", allowing: [3]) == Course(text: "hel", consumed: 3))
        let begun = Course(text: "hel", consumed: 3, acceptsMore: true)
        #expect(Self.course(.length(5), "hel", allowing: [4]) == begun)
        for credits in [[], [0], [-5]] { #expect(Self.course(.length(5), "hello", allowing: credits) == Course()) }
    }

    @Test(
        "a request without content has it whole from the start, and reads no byte",
        arguments: [Framing.none, .length(0)]
    )
    func none(framing: Framing) {
        #expect(Self.course(framing, "GET /", allowing: [10]) == Course(isComplete: true))
    }

    @Test("the frames of chunks are consumed and not delivered; a wrong one fails the content")
    func chunks() {
        let text = "3\r\nabc\r\n1\r\nd\r\n0\r\nX-A: 1\r\n\r\n"
        let whole = Course(text: "abcd", consumed: text.utf8.count, isComplete: true)
        #expect(Self.course(.chunked, text + "GET /", allowing: [100]) == whole)
        let frame = Course(consumed: 3, acceptsMore: true)
        #expect(Self.course(.chunked, text, allowing: [3]) == frame)
        let wrong = Course(consumed: 9, failure: 400, acceptsMore: true)
        #expect(Self.course(.chunked, "3 x\r\nabc\r", allowing: [100]) == wrong)
    }

    @Test("content that has failed is neither whole nor read on")
    func failed() {
        #expect(Self.course(.length(5), "hello", allowing: [5], isFailed: true) == Course())
        #expect(Self.course(.chunked, "0\r\n\r\n", allowing: [5], isFailed: true) == Course())
    }

    @Test(
        "trailers are told where there are some",
        arguments: [("0\r\nX-A: 1\r\nX-B: 2\r\n\r\n", 2), ("0\r\n\r\n", nil)] as [(String, Int?)]
    )
    func trailers(text: String, count: Int?) {
        var content = RequestContent(framing: .chunked, limits: ParserLimits())
        content.allow(100)
        let bytes = Array(text.utf8)
        let consumed = content.receive(bytes.span).consumed
        let found = content.trailers?.lines.count
        #expect(consumed == bytes.count && found == count)
    }
}
