import Transforms
import Testing

@testable import Transformers

@Suite("JSON work")
struct JSONWorkTests {
    /// The number of steps to parse `text` and evaluate `path`.
    private static func steps(_ path: String, _ text: [UInt8], _ repetition: JSONEvaluation.Repetition) throws -> Int {
        var meter = WorkMeter(TransformBudget())
        let document = try JSONDocument(copying: text.span, depthLimit: 128, meter: &meter)
        var evaluation = JSONEvaluation(document, repetition: repetition, meter: meter)
        _ = try evaluation.nodes(try JSONQuery(parsing: path))
        return evaluation.meter.steps
    }

    private static func array(of element: String, bytes: Int) -> [UInt8] {
        let count = bytes / (element.utf8.count + 1)
        return [0x5B] + Array(Array(repeating: Array(element.utf8), count: count).joined(separator: [0x2C])) + [0x5D]
    }

    @Test(
        "steps grow in proportion to the content",
        arguments: [
            "$[*]", "$..a", "$..*", "$..[0]", "$..[::-1]", "$[?@.a == 1].b", "$..[?@.a]", "$[?@.a == $[0].b]",
            "$[?count($..*) > 1]",
            "$[?match(@.c, '[a-z]*')]", "$..*..*", "$[?@ == $[0]]", "$[?length(@.c) == 3 && search(@.c, 'y')]", "/1/b",
            "$[-1]",
        ]
    )
    func linear(path: String) throws {
        let element = #"{"a":1,"b":[1,2,{"a":"x"}],"c":"xyz"}"#
        for repetition in [JSONEvaluation.Repetition.last, .all] {
            let one = try Self.steps(path, Self.array(of: element, bytes: 10_000), repetition)
            let two = try Self.steps(path, Self.array(of: element, bytes: 20_000), repetition)
            #expect(two < one * 21 / 10 + 100)
        }
    }

    @Test("comparing objects takes steps in proportion to their size")
    func wideObjects() throws {
        func steps(_ count: Int) throws -> Int {
            let members = (0..<count).map { "\"m\($0)\":\($0)" }
            let text = "[{\(members.joined(separator: ","))},{\(members.reversed().joined(separator: ","))}]"
            return try Self.steps("$[?@ == $[0]]", Array(text.utf8), .all)
        }
        let one = try steps(1000)
        #expect(try steps(2000) < one * 23 / 10)
    }

    private static let longMember = "{\"a\":\"" + String(repeating: "b", count: 500) + "\"}"

    @Test(
        "content is read and searched within steps in proportion, also 8 MiB (H-131)",
        arguments: [("0", 256), (#"{"a":"\u0062"}"#, 256), (longMember, 8192), ("\"\\u0041\"", 256), ("[[]]", 256)]
    )
    func large(element: String, kibibytes: Int) throws {
        let text = Self.array(of: element, bytes: kibibytes * 1024 - 2)
        let steps = try Self.steps("$..a", text, .all)
        #expect(steps < text.count * 4)
    }

    /// The number of steps to evaluate `path` in `text`, which is parsed before.
    private static func evaluationSteps(
        _ path: String,
        _ text: String,
        _ repetition: JSONEvaluation.Repetition = .last
    ) throws -> Int {
        var meter = WorkMeter(TransformBudget())
        let document = try JSONDocument(copying: Array(text.utf8).span, depthLimit: 128, meter: &meter)
        let before = meter.steps
        var evaluation = JSONEvaluation(document, repetition: repetition, meter: meter)
        _ = try evaluation.nodes(try JSONQuery(parsing: path))
        return evaluation.meter.steps - before
    }

    @Test("each value, member, byte of a string and byte of a name that is looked at is a step (H-131)")
    func counted() throws {
        let ones = "[" + Array(repeating: "1", count: 1000).joined(separator: ",") + "]"
        let members = "{" + (0..<1000).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
        let text = "[\"" + String(repeating: "a", count: 1000) + "\"]"
        let named = "[{\"" + String(repeating: "n", count: 1000) + "\":1}]"
        let works: [(path: String, text: String, repetition: JSONEvaluation.Repetition, least: Int)] = [
            ("$[*]", ones, .last, 1000), ("$[999]", ones, .last, 1000), ("$[::1]", ones, .last, 1000),
            ("$.x", members, .last, 1000), ("$..a", ones, .last, 1001),
            // The element, the condition, and the number that is compared.
            ("$[?@ == 1]", ones, .last, 3000), ("$[?@ == 'b']", text, .last, 1000),
            ("$[?length(@) > 1]", text, .last, 1000),
            ("$[?@ == $[0]]", named, .last, 2000), ("$[?@ == $[0]]", named, .all, 4000),
            // The elements, and their order.
            ("$[::-1]", ones, .all, 2000),
        ]
        for work in works {
            let steps = try Self.evaluationSteps(work.path, work.text, work.repetition)
            #expect(steps >= work.least && steps < work.least + work.least / 2 + 100, "\(work.path): \(steps)")
        }
    }

    @Test("a pattern in the content is read for each value, and compiled once (H-131)")
    func compiledOnce() throws {
        let text = "{\"p\":\"" + String(repeating: "a", count: 1000) + "\",\"a\":[\"b\",\"b\",\"b\"]}"
        let steps = try Self.evaluationSteps("$.a[?match(@, $.p)]", text)
        #expect(steps >= 3 * 1002 + 1000 && steps < 3 * 1002 + 1200, "\(steps)")
        let failure = #expect(throws: TransformFailure.self) {
            try Self.evaluationSteps("$.a[?match(@, $.p)]", #"{"p":"(a{999}){999}","a":["x"]}"#)
        }
        #expect(failure == TransformFailure(.limit, "a pattern in the content is too large"))
        let other = #expect(throws: TransformFailure.self) {
            try Self.evaluationSteps("$.a[?match(@, $.p)]", #"{"p":"(","a":["x"]}"#, .all)
        }
        #expect(
            other == TransformFailure(.invalidContent, "a pattern in the content is not an I-Regexp (RFC 9485)")
        )
    }

    @Test("one string of 8 MiB is one value")
    func longString() throws {
        let text = [0x22] + [UInt8](repeating: 0x61, count: 8 * 1024 * 1024 - 2) + [0x22]
        #expect(try RedactTransformer(paths: ["$"]).run(text) == Array("\"[redacted]\"".utf8))
        #expect(try MinifyTransformer().run(text, size: 65_536) == text)
    }
}
