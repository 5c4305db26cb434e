import HTTPCore
import Transforms
import Testing

@testable import Transformers

@Suite("JSON transformers")
struct JSONTransformerTests {
    private static func redact(_ paths: String..., with replacement: String = "[redacted]") throws -> RedactTransformer
    {
        try RedactTransformer(paths: paths, replacement: replacement)
    }

    // MARK: Selecting

    @Test(
        "select returns one value, or an array of values, each with its exact text",
        arguments: [
            ("$.n", "1.10"), ("/n", "1.10"), ("$.big", "1E400"), ("$.o", #"{ "b":1, "a" : "\u0041\/", "b":2 }"#),
            ("$.s", #""\u00e4ä""#),
            ("$['n','big']", "[1.10,1E400]"), ("$..b", "[2]"), ("$.none[*]", "[]"), ("$[?@==1.1]", "[1.10]"),
            ("/o/a", #""\u0041\/""#),
        ]
    )
    func selecting(path: String, expected: String) throws {
        let text = #" { "n": 1.10, "big":1E400, "o": { "b":1, "a" : "\u0041\/", "b":2 }, "s":"\u00e4ä" } "#
        let transformer = try SelectTransformer(path: path)
        for size in [1, 7, .max] { #expect(try transformer.run(text, size: size) == expected) }
    }

    @Test("select of the top value drops the white space around it")
    func selectingAll() throws {
        #expect(try SelectTransformer(path: "$").run("\u{FEFF} true\n") == "true")
        #expect(try SelectTransformer(path: "").run(" [1, 2]\n") == "[1, 2]")
    }

    @Test("a singular path that finds nothing fails", arguments: ["$.x", "/x", "$[0]", "/0"])
    func selectingNothing(path: String) throws {
        let failure = try SelectTransformer(path: path).failure("{}")
        #expect(failure == TransformFailure(.invalidContent, "the path selects nothing"))
    }

    @Test(
        "the size of a selection is limited, unless the limit is 0 (H-131)",
        arguments: [(0, false), (8, false), (7, true)]
    )
    func selectionSize(limit: Int64, isRefused: Bool) throws {
        var limits = TransformLimits()
        limits.decodedContent = limit
        let failure = try SelectTransformer(path: "$").failure("[1,2,34]", limits: limits)
        #expect(failure?.reason == (isRefused ? .limit : nil))
    }

    @Test("the number of results of a path is limited (H-131)")
    func selectingTooMuch() throws {
        var limits = TransformLimits()
        limits.decodedContent = 1000
        let text = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        #expect(try SelectTransformer(path: "$..*").failure(text, limits: limits)?.reason == .limit)
        var evaluation = JSONEvaluation(
            try Sample(text).document,
            repetition: .last,
            meter: WorkMeter(TransformBudget())
        )
        #expect(evaluation.listLimit == 1 << 24)
        evaluation.listLimit = 1000
        let failure = #expect(throws: TransformFailure.self) {
            try evaluation.nodes(try JSONQuery(parsing: "$..*..*..*..*"))
        }
        #expect(failure == TransformFailure(.limit, "the path finds more than 1000 values"))
        func finds(_ count: Int) throws -> Bool {
            let text = "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
            var evaluation = JSONEvaluation(
                try Sample(text).document,
                repetition: .last,
                meter: WorkMeter(TransformBudget())
            )
            evaluation.listLimit = 10
            return (try? evaluation.nodes(try JSONQuery(parsing: "$[*]")))?.count == count
        }
        #expect(try finds(10) && !finds(11))
    }

    // MARK: Redacting

    @Test("redact replaces values and keeps every other byte")
    func redacting() throws {
        let text =
            #" { "token" : "x", "n":1.10, "big" : 1E400,"e":"\u0041\/", "a":[{"token":{"b":[1]}} ,2],"b":1,"b":2 }  "#
            + "\r\n"
        let expected =
            #" { "token" : "[redacted]", "n":1.10, "big" : 1E400,"e":"\u0041\/", "a":[{"token":"[redacted]"} ,"[redacted]"],"b":"[redacted]","b":"[redacted]" }  "#
            + "\r\n"
        let transformer = try Self.redact("$..token", "/a/1", "$.b", "$..token.b[0]")
        for size in [1, 13, .max] { #expect(try transformer.run(text, size: size) == expected) }
    }

    @Test(
        "no spelling of a name hides a value from redaction",
        arguments: [
            (#"{"token":1,"token":2}"#, #"{"token":"*","token":"*"}"#), (#"{"\u0074oken":1}"#, #"{"\u0074oken":"*"}"#),
            (#"{"\u0074\u006F\u006b\u0065\u006E":1}"#, #"{"\u0074\u006F\u006b\u0065\u006E":"*"}"#),
            (#"{"to\/ken":1,"token":[]}"#, #"{"to\/ken":1,"token":"*"}"#),
            ("\u{FEFF}{\"token\":1}", "\u{FEFF}{\"token\":\"*\"}"),
            ("{\n\"token\"\n:\n1\n}", "{\n\"token\"\n:\n\"*\"\n}"),
            (#"[{"token":1}]"#, #"[{"token":1}]"#), (#"{"Token":1}"#, #"{"Token":1}"#),
        ]
    )
    func hiddenNames(text: String, expected: String) throws {
        for path in ["$.token", "$['token']", "$[\"tok\\u0065n\"]", "/token"] {
            #expect(try Self.redact(path, with: "*").run(text) == expected)
        }
    }

    @Test(
        "with ignore-case a name finds all spellings of it in ASCII letters, escaped ones too, and no others (H-158)",
        arguments: [
            (#"{"Token":1,"TOKEN":2,"token":3}"#, #"{"Token":"*","TOKEN":"*","token":"*"}"#),
            (#"{"t\u004Fken":4}"#, #"{"t\u004Fken":"*"}"#),
            (#"{"tokens":1,"toke":2,"t\u00D6ken":3}"#, #"{"tokens":1,"toke":2,"t\u00D6ken":3}"#),
            (#"{"value":"Token"}"#, #"{"value":"Token"}"#),
        ]
    )
    func otherCase(text: String, expected: String) throws {
        for path in ["$.token", "$..ToKen", "$['TOKEN']", "/tokeN"] {
            let transformer = try RedactTransformer(paths: [path], replacement: "*", ignoreCase: true)
            #expect(try transformer.run(text) == expected)
        }
    }

    @Test("`ignore-case` applies to names in filters; two spellings of one name there fail (fails closed)")
    func otherCaseInFilters() throws {
        let transformer = try RedactTransformer(
            paths: ["$.list[?@.kind == 'secret'].value"],
            replacement: "*",
            ignoreCase: true
        )
        let text = #"{"List":[{"Kind":"secret","VALUE":1},{"kind":"open","value":2}]}"#
        #expect(try transformer.run(text) == #"{"List":[{"Kind":"secret","VALUE":"*"},{"kind":"open","value":2}]}"#)
        let failure = transformer.failure(#"{"list":[{"kind":"open","Kind":"secret","value":1}]}"#)
        #expect(failure?.reason == .invalidContent)
    }

    @Test("the replacement is written as a JSON string")
    func replacement() throws {
        let result = try Self.redact("$", with: "\"\\\n\u{1}\u{1F}ä").run("1")
        #expect(result == #""\"\\\u000a\u0001\u001fä""#)
        #expect(try Sample(result).string(0) == "\"\\\n\u{1}\u{1F}ä")
    }

    @Test(
        "redact fails if the content is not JSON, whatever the paths (fails closed)",
        arguments: [
            "{\"token\":\"x\"", "token=x", "<token>x</token>", "{\"token\":\"x\"}{}", "{\"token\":'x'}", " ",
            "{\"a\":\"\\x\"}",
        ]
    )
    func redactingOther(text: String) throws {
        let failure = try #require(try Self.redact("$.a").failure(text))
        #expect(failure.reason == .invalidContent)
        #expect(!failure.userMessage.contains("token"))
    }

    @Test("redact fails on an invalid pattern in the content, where select finds nothing")
    func contentPattern() throws {
        let text = #"{"p":"(","a":["x"]}"#
        #expect(try SelectTransformer(path: "$.a[?match(@, $.p)]").run(text) == "[]")
        #expect(try Self.redact("$.a[?match(@, $.p)]").failure(text)?.reason == .invalidContent)
        #expect(try SelectTransformer(path: "$.a[?search(@, $.p)]").run(#"{"p":"[x-z]","a":["ax","b"]}"#) == #"["ax"]"#)
        #expect(
            try SelectTransformer(path: "$.a[?match(@, $.p)]").failure(#"{"p":"(a{999}){999}","a":["x"]}"#)?.reason
                == .limit
        )
    }

    // MARK: Layout

    static let layouts: [(String, String, String)] = [
        ("1", "1", "1"), (" \"a b\" ", "\"a b\"", "\"a b\""), ("[ ]", "[]", "[]"), ("{ }", "{}", "{}"),
        ("[[ ],{ }]", "[[],{}]", "[\n  [],\n  {}\n]"),
        (
            " {\"b\" : 1.10 ,\n\"a\":[1E400 , { \"c\":null}],\"b\":\" \\u0020 \"}\n",
            "{\"b\":1.10,\"a\":[1E400,{\"c\":null}],\"b\":\" \\u0020 \"}",
            "{\n  \"b\": 1.10,\n  \"a\": [\n    1E400,\n    {\n      \"c\": null\n    }\n  ],\n  \"b\": \" \\u0020 \"\n}"
        ),
        ("\u{FEFF}[true,\tfalse]", "[true,false]", "[\n  true,\n  false\n]"),
    ]

    @Test("minify and pretty change white space only, however the content is split", arguments: layouts)
    func laidOut(text: String, minified: String, pretty: String) throws {
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            for room in [1, 5, 1000] {
                #expect(try MinifyTransformer().run(bytes, size: size, room: room) == Array(minified.utf8))
                #expect(try PrettyTransformer().run(bytes, size: size, room: room) == Array(pretty.utf8))
            }
        }
        #expect(try ValidateTransformer().run(text) == text)
    }

    @Test("pretty indents by the given number of spaces")
    func indents() throws {
        #expect(try PrettyTransformer(indent: 0).run("[1,[2]]") == "[\n1,\n[\n2\n]\n]")
        #expect(try PrettyTransformer(indent: 4).run("[1]") == "[\n    1\n]")
        #expect(throws: JSONOptionError.self) { try PrettyTransformer(indent: -1) }
        #expect(throws: JSONOptionError.self) { try PrettyTransformer(indent: 17) }
    }

    @Test("minify and pretty output each piece at once")
    func streams() throws {
        var head = EntityHead(status: 200, fields: Fields())
        let transformer = try #require(try MinifyTransformer().begin(&head, .sample()))
        #expect(!transformer.needsWholeContent)
        var output: [UInt8] = []
        _ = try transformer.transform(Array("[1, \"ab".utf8).span, into: &output, room: 1000)
        #expect(output == Array("[1,\"ab".utf8))
    }

    @Test("deep nesting cannot expand content without limit (H-131)")
    func ratio() throws {
        func nested(_ count: Int) -> String {
            let one = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
            return "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
        }
        let message = "formatted, the content is more than 100 times as large; see `decoded-ratio`"
        #expect(try PrettyTransformer(indent: 16).failure(nested(400)) == TransformFailure(.limit, message))
        #expect(try PrettyTransformer(indent: 0).failure(nested(400)) == nil)
        // Up to 1 MiB there is no limit, and 0 or less is none.
        #expect(try PrettyTransformer(indent: 16).failure(nested(4)) == nil)
        #expect(try PrettyTransformer(indent: 16).failure(nested(6))?.reason == .limit)
        var limits = TransformLimits()
        for ratio in [0, -1] {
            limits.ratio = ratio
            #expect(try PrettyTransformer(indent: 16).failure(nested(6), limits: limits) == nil)
        }
    }

    // MARK: All

    private static func all() throws -> [any StreamingTransformer] {
        [
            try SelectTransformer(path: "$.a"), try Self.redact("$.a"), ValidateTransformer(), MinifyTransformer(),
            try PrettyTransformer(),
        ]
    }

    @Test("empty content stays empty (S-252)")
    func empty() throws {
        for transformer in try Self.all() { #expect(try transformer.run("") == "") }
    }

    @Test("content that is not JSON fails with the position (S-179)")
    func notJSON() throws {
        for transformer in try Self.all() {
            for text in ["{\"a\":1", "\n{\"a\":1 x", "{\"a\":\"\u{1}\"}", "[1,]", " "] {
                let failure = try #require(transformer.failure(text))
                #expect(failure.reason == .invalidContent)
                #expect(failure.userMessage.contains("line"))
            }
        }
    }

    @Test("depth beyond the limit fails as a limit (H-131)")
    func depth() throws {
        var limits = TransformLimits()
        limits.jsonDepth = 3
        for transformer in try Self.all() {
            #expect(transformer.failure("{\"a\":[[1]]}", limits: limits) == nil)
            #expect(transformer.failure("{\"a\":[[{}]]}", limits: limits)?.reason == .limit)
        }
    }

    @Test("a spent budget ends long work (H-131)")
    func budget() throws {
        let text = "[" + Array(repeating: "{\"a\":1}", count: 5000).joined(separator: ",") + "]"
        let context = TransformContext(
            uri: TargetURI(scheme: .http, host: Array("org.example".utf8), port: 80, path: []),
            request: Fields(),
            limits: TransformLimits(),
            budget: TransformBudget(limit: .seconds(-1)) { MonotonicTime(nanoseconds: 0) }
        )
        for transformer in try Self.all() {
            var head = EntityHead(status: 200, fields: Fields())
            let content = try #require(try transformer.begin(&head, context))
            var output: [UInt8] = []
            let failure = #expect(throws: TransformFailure.self) {
                _ = try content.transform(Array(text.utf8).span, into: &output, room: .max / 2)
                _ = try content.finish(into: &output, room: .max / 2)
            }
            #expect(failure?.reason == .limit)
        }
    }

    @Test("name, fingerprint and traits of each transformer")
    func traits() throws {
        let all = try Self.all()
        #expect(all.map(\.name) == ["json select", "redact", "json validate", "json minify", "json pretty"])
        #expect(all.map(\.isRedaction) == [false, true, false, false, false])
        #expect(all.allSatisfy { $0.needsDecodedContent && $0.variation(for: Fields()).isEmpty })
        let others: [any StreamingTransformer] = [
            try SelectTransformer(path: "$.b"), try Self.redact("$.a", "$.a"), try Self.redact("$.b"),
            try Self.redact("$.a", with: ""), try PrettyTransformer(indent: 3), try Self.redact("$['a1:b']"),
            try Self.redact("$.a", "$.b"), try RedactTransformer(paths: ["$.a"], ignoreCase: true),
        ]
        #expect(Set((all + others).map(\.fingerprint)).count == 13)
    }

    @Test("an invalid path is rejected with its column and its index in the list")
    func options() {
        let one = #expect(throws: JSONOptionError.self) { try SelectTransformer(path: "$.a[") }
        #expect(one?.column == 5 && one?.pathIndex == nil)
        let other = #expect(throws: JSONOptionError.self) { try RedactTransformer(paths: ["$.a", "$x"]) }
        #expect(other?.column == 2 && other?.pathIndex == 1)
        #expect(throws: JSONOptionError.self) { try RedactTransformer(paths: []) }
    }

    @Test(
        "JSON is what ends in `/json` or `+json`, in any case (T-261)",
        arguments: [
            ("application/json", true), ("Application/JSON", true), ("application/foo+json;v=1", true),
            ("foo/json", true),
            ("text/json; charset=utf-8", true), ("application/jsonp", false), ("application/json-seq", false),
            ("text/plain", false), ("application/jsonx+xml", false),
        ]
    )
    func mediaTypes(text: String, isJSON: Bool) throws {
        let type = try #require(MediaType(Array(text.utf8)))
        #expect(JSONMediaTypes.patterns.contains { $0.matches(type) } == isJSON)
    }
}
