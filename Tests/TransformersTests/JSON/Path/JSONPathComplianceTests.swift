import Transforms
import Testing

@testable import Transformers

@Suite("JSONPath compliance")
struct JSONPathComplianceTests {
    @Test("the compliance suite of RFC 9535 passes")
    func wholeSuite() throws {
        let suite = try Sample(try fixture("Fixtures/JSONPathComplianceSuite/cts.json"))
        let cases = suite.children(try #require(suite.member(0, "tests")))
        #expect(cases.count == 703)
        for node in cases { try check(node, suite) }
    }

    private func check(_ node: Int, _ suite: Sample) throws {
        let name = suite.string(try #require(suite.member(node, "name")))
        let path = suite.string(try #require(suite.member(node, "selector")))
        guard let document = suite.member(node, "document") else {
            #expect(throws: JSONPathError.self, "\(name): \(path)") { try JSONQuery(parsing: path) }
            return
        }
        let sample = try Sample(suite.text(document))
        let expected: [Int]
        if let result = suite.member(node, "result") {
            expected = [result]
        } else {
            expected = suite.children(try #require(suite.member(node, "results")))
        }
        let found = Result { "[" + (try sample.texts(path)).joined(separator: ",") + "]" }
        let minify = MinifyTransformer()
        let allowed = try expected.map { try minify.run(suite.text($0)) }
        let text = try minify.run(try found.get())
        #expect(allowed.contains(text), "\(name): \(path)")
    }
}
