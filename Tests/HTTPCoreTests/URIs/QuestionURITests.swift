import HTTPCore
import Testing

@Suite("URIs of questions")
struct QuestionURITests {
    private let digest = [UInt8](0..<32)
    private let target = TargetURI(scheme: .http, host: Array("h.example".utf8), port: 8080, path: Array("/a?b=c".utf8))
    private let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test("a question has its method and digest behind its target, whose parts it keeps (C-24.4)")
    func identity() {
        for (method, name) in [(Method.query, "QUERY"), (.post, "POST")] {
            let question = target.question(method, digest)
            #expect(question.text == "http://h.example:8080/a?b=c#\(name):\(digits)")
            #expect(question.path == target.path && question.query.map { Array($0) } == Array("b=c".utf8))
            #expect(question.hasSameOrigin(as: target) && question.authority == target.authority)
            #expect(question.isQuestion && question.questionMethod == method)
            #expect(question.withoutQuestion == target)
            #expect(question.isQuestion(of: target) && !question.isQuestion(of: question))
            // A question of a question is one of its target.
            #expect(question.question(method, digest) == question)
        }
        #expect(!target.isQuestion && target.questionMethod == nil && target.withoutQuestion == target)
        #expect(target.question(.post, digest) != target.question(.query, digest))
    }

    @Test("a target that resembles a question is none: no target of a client contains a number sign")
    func resemblance() throws {
        for path in ["/:\(digits)", "/POST:\(digits)", "/%23POST:\(digits)", "/?#POST:\(digits)"] {
            #expect(try !TargetURI(parsing: "http://h.example\(path)").isQuestion, "\(path)")
        }
    }

    @Test("the canonical text of a question is read back; other fragments do not identify anything")
    func parsing() throws {
        let question = target.question(.post, digest)
        #expect(TargetURI(canonical: question.bytes.span) == question)
        #expect(try TargetURI(identifying: question.text) == question)
        #expect(try TargetURI(identifying: "HTTP://H.example:8080/a?b=c#POST:\(digits)") == question)
        #expect(try TargetURI(parsing: question.text) == target)
        let other = [
            "", "#", "#top", "#POST:", "#PUT:\(digits)", "#POST:\(digits)0", "#POST:\(digits.uppercased())",
            "#POST:g\(digits.dropFirst())", "#x#POST:\(digits)",
        ]
        for fragment in other { #expect(try TargetURI(identifying: target.text + fragment) == target, "\(fragment)") }
    }

    @Test("query rules do not apply to a question again: they made its target")
    func rules() throws {
        let rule = QueryRule(try URLGlob("**"), dropping: ["b"])
        let question = target.question(.query, digest)
        #expect(question.applying([rule], for: .query) == question)
        #expect(target.applying([rule], for: .query).text == "http://h.example:8080/a")
    }

    @Test("QUERY is safe and idempotent, and usually has content (RFC 10008)")
    func method() {
        let method = Method("QUERY")
        #expect(method == .query && method.text == "QUERY" && method.bytes == Array("QUERY".utf8))
        #expect(method.isSafe && method.isIdempotent && method.definesContent)
        #expect(Method("query") == .other(Array("query".utf8)))
    }
}
