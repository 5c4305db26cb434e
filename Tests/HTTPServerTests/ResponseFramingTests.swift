import HTTPCore
import Testing

@testable import HTTPServer

/// How the content of responses is delimited (RFC 9112 §6).
@Suite struct ResponseFramingTests {
    private static func framing(
        _ content: ResponseContent,
        _ status: UInt16 = 200,
        _ method: HTTPCore.Method = .get,
        _ version: HTTPVersion = .http11
    ) -> [Framing] {
        let framing = ResponseFraming(of: content, status: status, method: method, version: version)
        return [framing.content, framing.announced]
    }

    @Test("a length is announced and sent; an unknown one makes chunks, or the end of the connection")
    func contents() {
        #expect(Self.framing(.length(5)) == [.length(5), .length(5)])
        #expect(Self.framing(.length(-5)) == [.none, .length(0)] && Self.framing(.length(0)) == [.none, .length(0)])
        #expect(Self.framing(.none) == [.none, .length(0)])
        #expect(Self.framing(.unknown) == [.chunked, .chunked])
        #expect(Self.framing(.unknown, 200, .get, .http10) == [.untilClose, .untilClose])
    }

    @Test("in response to HEAD the length is announced, and nothing is sent")
    func head() {
        #expect(Self.framing(.length(5), 200, .head) == [.none, .length(5)])
        #expect(Self.framing(.none, 200, .head) == [.none, .none])
        #expect(Self.framing(.unknown, 200, .head) == [.none, .chunked])
    }

    @Test(
        "some statuses have no content, and successes of CONNECT have none",
        arguments: [
            (204, .get, true), (304, .get, true), (101, .get, true), (200, .connect, true), (299, .connect, true),
            (300, .connect, false), (199, .connect, false), (203, .get, false), (205, .get, false), (303, .get, false),
            (305, .get, false), (100, .get, false), (102, .get, false),
        ] as [(UInt16, HTTPCore.Method, Bool)]
    )
    func statuses(status: UInt16, method: HTTPCore.Method, isEmpty: Bool) {
        #expect(Self.framing(.length(5), status, method) == (isEmpty ? [.none, .none] : [.length(5), .length(5)]))
    }
}
