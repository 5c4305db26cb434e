import Cassettes
import HTTPCore
import Testing

@testable import Recording

/// The heads of responses from a cassette, and the pieces of their content.
@Suite struct RecordedHeadTests {
    private static func response(
        _ status: UInt16 = 200,
        _ content: String = "hello",
        reason: String = "OK",
        fields: [CassetteField] = [],
        trailers: [CassetteField] = [],
        pieces: [CassettePiece] = []
    ) -> CassetteResponse {
        CassetteResponse(
            status: status,
            reason: reason,
            fields: fields,
            content: Array(content.utf8),
            trailers: trailers,
            pieces: pieces
        )
    }

    @Test("a reason is sent with a space for each control character in it")
    func reasons() {
        let head = ResponseHead(Self.response(reason: "a\u{1F}b c\u{7F}d~\r\n!\u{0}é"), to: .get)
        #expect(String(decoding: head.reason, as: UTF8.self) == "a b c d~  ! é")
    }

    @Test("content without trailers and pieces has its length, other content is chunked")
    func framing() {
        let plain = ResponseHead(Self.response(), to: .get)
        #expect(plain.framing == .length(5) && plain.contentLength == 5)
        let trailed = ResponseHead(Self.response(trailers: [CassetteField("X-Sum", "1")]), to: .get)
        #expect(trailed.framing == .chunked && trailed.contentLength == nil)
        let stream = ResponseHead(Self.response(pieces: [CassettePiece(count: 5, time: 0)]), to: .get)
        #expect(stream.framing == .chunked && stream.contentLength == nil)
    }

    @Test("204, 304 and every response to HEAD have no content")
    func contentless() {
        for (status, method, expected) in [
            (204, .get, true), (304, .get, true), (200, .head, true), (200, .get, false), (203, .get, false),
            (205, .get, false), (303, .post, false), (305, .get, false),
        ] as [(UInt16, Method, Bool)] {
            #expect(ResponseHead.hasNoContent(status, method) == expected, "\(status)")
        }
        #expect(ResponseHead(Self.response(304), to: .get).contentLength == nil)
    }

    @Test("a HEAD is told the length that was recorded, else that of the content")
    func lengths() {
        let announced = Self.response(fields: [CassetteField("Content-Length", "99")])
        #expect(ResponseHead(announced, to: .head).contentLength == 99)
        #expect(ResponseHead(Self.response(), to: .head).contentLength == 5)
        #expect(ResponseHead(announced, to: .get).fields.text(of: .contentLength) == nil)
    }

    @Test("what concerns one connection is not replayed")
    func hopByHop() {
        let fields = [
            CassetteField("Connection", "X-Hop"), CassetteField("X-Hop", "1"), CassetteField("ETag", "\"x\""),
        ]
        let head = ResponseHead(Self.response(fields: fields), to: .get)
        #expect(head.fields.recorded == [CassetteField("ETag", "\"x\"")])
    }

    @Test("a request that is in no cassette gets 504, a length, and to HEAD no content")
    func missing() throws {
        func steps(_ method: Method) -> [String] {
            var response = PacedResponse(CassetteMiss(request: "GET http://a.example/", reason: .empty), to: method)
            response.credit = 100_000
            var steps: [String] = []
            while let step = response.next(after: 0) {
                switch step {
                case .head(let head):
                    let length = head.contentLength.map { $0 > 20 } ?? false
                    steps.append("\(head.status) \(head.framing == Framing.none) \(length)")
                case .content: steps.append("content")
                case .end: steps.append("end")
                }
            }
            return steps
        }
        #expect(steps(.get) == ["504 false true", "content", "end"])
        #expect(steps(.head) == ["504 true true", "end"])
    }

    @Test("pieces without bytes are left out, and trailers come last")
    func pieces() {
        let pieces = [
            CassettePiece(count: 0, time: 0), CassettePiece(count: 2, time: 1), CassettePiece(count: 3, time: 2),
        ]
        var response = PacedResponse(
            Self.response(trailers: [CassetteField("X-Sum", "1")], pieces: pieces),
            to: .get
        )
        response.credit = 2
        var texts: [String] = []
        var trailer: String?
        func take() {
            while let step = response.next(after: 0) {
                switch step {
                case .head: texts.append("head")
                case .content(let chunk): texts.append(String(decoding: chunk.bytes, as: UTF8.self))
                case .end(let trailers): trailer = trailers?.recorded.first?.value
                }
            }
        }
        take()
        #expect(texts == ["head", "he"] && trailer == nil && response.credit == 0)
        response.credit = 1
        take()
        response.credit = 5
        take()
        #expect(texts == ["head", "he", "l", "lo"] && trailer == "1" && response.credit == 3)
    }

    @Test("a piece that is due later is waited for, a day at most, and only with credit")
    func waits() {
        let pieces = [CassettePiece(count: 1, time: 1000), CassettePiece(count: 4, time: 500_000_000)]
        var response = PacedResponse(Self.response(pieces: pieces), to: .get, speed: 1)
        response.credit = 1
        #expect(response.wait(after: 0) == nil)
        guard case .head? = response.next(after: 0) else { return #expect(Bool(false), "the head comes first") }
        #expect(response.wait(after: 0.25) == .seconds(0.75) && response.next(after: 0.75) == nil)
        #expect(response.wait(after: 1) == nil)
        guard case .content? = response.next(after: 1) else { return #expect(Bool(false), "the piece is due") }
        #expect(response.wait(after: 1) == nil)
        response.credit = 1
        #expect(response.wait(after: 1) == .seconds(86_400))
    }

    @Test("milliseconds are those of the seconds and of the rest")
    func milliseconds() {
        #expect(Duration.seconds(3).milliseconds == 3000)
        #expect(Duration.microseconds(1500).milliseconds == 1.5)
        #expect((Duration.seconds(2) + .milliseconds(5)).milliseconds == 2005)
    }

    @Test("the response to a request that is in no cassette is a problem, which no cache keeps and logs can tell")
    func problem() {
        let miss = CassetteMiss(request: "GET http://a.example/", reason: .empty)
        let problem = ProblemDocument(miss)
        #expect(problem.status == 504 && problem.title == "Not in the Cassette" && problem.detail == miss.userMessage)
        #expect(problem.members == [ProblemDocument.Member("request", "GET http://a.example/")])
        let head = ResponseHead(missing: problem, length: 7, to: .get)
        #expect(head.status == 504 && head.contentLength == 7 && head.framing == .length(7))
        #expect(head.fields.text(of: .cacheControl) == "no-store")
        #expect(head.fields.text(of: .contentType) == "application/problem+json")
        let status = "respite; error=destination_unavailable; details=\"\(problem.detail)\""
        #expect(head.fields.text(of: .proxyStatus) == status)
        let other = RequestDifference("host", recorded: "1", asked: "2")
        let near = ProblemDocument(CassetteMiss(request: "R", reason: .differs(nearest: "N", [other])))
        let members = [("request", "R"), ("nearest", "N"), ("differs", "host: recorded 1, asked 2")]
        #expect(near.members == members.map { ProblemDocument.Member($0.0, $0.1) })
    }
}
