import Configurations
import HTTPCaching
import HTTPCore
import ResourceCore
import Testing
import TransportSecurity

@testable import Proxying

/// The key by which the hot path finds a question.
@Suite struct QuestionKeyTests {
    private static let url = Array("http://o.example/a".utf8)

    private static func proxy() throws -> TestProxy {
        try TestProxy { $0.service.caching.rules = [CachingRule(name: "r", keyBody: .bytes)] }
    }

    private static func key(_ questions: FastQuestions, _ request: RequestHead, _ content: [UInt8]) -> [UInt8]? {
        var key = url
        return questions.identify(&key, request, content.span) ? key : nil
    }

    private static func expected(_ request: RequestHead, _ content: [UInt8]) throws -> [UInt8] {
        var hash = ContentHash()
        hash.append(ContentKeying.bytes.preamble(request.fields)[...])
        hash.append(content[...])
        return try TargetURI(parsing: url).question(.post, hash.finish()).bytes
    }

    private static func request(_ fields: String...) throws -> RequestHead {
        try head("POST http://o.example/a HTTP/1.1", ["Host: h", "Content-Length: 1"] + fields)
    }

    @Test("it is the URI of the question: target, method, and the digest of what decides about it")
    func identity() throws {
        let questions = FastQuestions(try Self.proxy().service, limit: 1 << 20)
        for fields in [[], ["Content-Type: a/b"], ["Content-Type: a/b", "Content-Encoding: gzip"]] {
            let request = try head("POST http://o.example/a HTTP/1.1", ["Host: h"] + fields)
            for content in ["x", "", "y"] {
                let bytes = Array(content.utf8)
                #expect(try Self.key(questions, request, bytes) == Self.expected(request, bytes), "\(fields)")
            }
        }
    }

    @Test("content up to the limit has a key, and up to 32 KiB whatever the limit is")
    func limits() throws {
        let (service, request) = (try Self.proxy().service, try Self.request())
        func hasKey(_ count: Int, limit: Int) -> Bool {
            Self.key(FastQuestions(service, limit: limit), request, [UInt8](repeating: 0x78, count: count)) != nil
        }
        #expect(hasKey(10, limit: 10) && !hasKey(11, limit: 10) && hasKey(0, limit: 0))
        #expect(hasKey(32_768, limit: 1 << 20) && !hasKey(32_769, limit: 1 << 20))
    }

    @Test(
        "a request that names fields of its connection has none, one that only keeps or closes it has one",
        arguments: [
            (["Connection: keep-alive"], true), (["Connection: Close"], true), (["Connection: Content-Type"], false),
            (["Connection: keep-alive, close"], false), (["Connection: close", "Connection: close"], false), ([], true),
        ] as [([String], Bool)]
    )
    func connections(fields: [String], hasKey: Bool) throws {
        let request = try head("POST http://o.example/a HTTP/1.1", ["Host: h"] + fields)
        let questions = FastQuestions(try Self.proxy().service, limit: 100)
        #expect((Self.key(questions, request, [0x78]) != nil) == hasKey)
    }

    @Test("nine targets and more are told apart, each by its own key, in whatever order they come")
    func targets() throws {
        let questions = FastQuestions(try Self.proxy().service, limit: 100)
        let request = try Self.request()
        for number in Array(0..<9) + Array((0..<9).reversed()) {
            var key = Array("http://o.example/\(number)".utf8)
            #expect(questions.identify(&key, request, [0x78].span))
            #expect(key.starts(with: Array("http://o.example/\(number)#POST:".utf8)))
        }
    }

    @Test("where no rule keys content there is no key")
    func none() throws {
        let questions = FastQuestions(try TestProxy().service, limit: 100)
        #expect(try Self.key(questions, Self.request(), [0x78]) == nil)
    }
}
