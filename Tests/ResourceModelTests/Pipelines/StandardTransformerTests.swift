import Formats
import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// JSON, text and images as programs get them.
@Suite("Standard transformers") struct StandardTransformerTests {
    private static let bad: [UInt8] = [0xD8]

    // MARK: Text

    @Test("text of any subtype is text (T-081, S-180)", arguments: ["text/plain", "text/foo"])
    func text(type: String) {
        #expect(TransformedLoad()("zwölf", "\(type); charset=utf-8").content as? String == "zwölf")
    }

    @Test("text without a charset is ISO-8859-1, else what its charset says (T-082, T-083, S-180)")
    func charsets() {
        #expect(TransformedLoad()("ý", "text/plain").text == "Ã½")
        #expect(TransformedLoad()("ý", "text/plain; charset=utf-8").text == "ý")
    }

    @Test("a charset nobody knows is named (T-084, S-180)")
    func unknownCharset() throws {
        let response = TransformedLoad()("abc", "text/plain; charset=no-such")
        let cause = try #require(response.error?.cause as? RequestError.Cause.InvalidTextEncoding)
        #expect(cause.encodingName == "no-such")
    }

    @Test("bytes that are no text in their charset fail, naming it (T-085, S-180)")
    func undecodable() throws {
        let response = TransformedLoad()(Self.bad, "text/plain; charset=utf-8")
        let cause = try #require(response.error?.cause as? RequestError.Cause.UndecodableText)
        #expect(cause.encoding == .utf8)
    }

    @Test("text that is text already is not taken for bytes (T-086, S-176)")
    func alreadyText() throws {
        let load = TransformedLoad { $0[.decoding].add(FullTransformer.suffix("")) }
        let response = load("abc", "text/plain")
        let cause = try #require(response.error?.cause as? RequestError.Cause.WrongInputTypeInTranformerPipeline)
        #expect(cause.expectedType == [UInt8].self && cause.actualType == String.self)
        #expect(cause.transformer is ResponseContentTransformer<[UInt8], String>)
    }

    @Test(
        "the text of errors is decoded too, whatever its charset (T-087, S-177)",
        arguments: [
            ("utf-16", [0xFE, 0xFF, 0x00, 0xFD]), ("utf-16", [0xFF, 0xFE, 0xFD, 0x00]), ("UTF-16", [0x00, 0xFD]),
            ("utf-16le", [0xFD, 0x00]), ("utf-16be", [0x00, 0xFD]), ("utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xBD]),
            ("windows-1250", [0xFD]), ("iso-8859-1", [0xFD]), ("windows-1252", [0xFD]),
        ] as [(String, [UInt8])]
    )
    func errorText(charset: String, bytes: [UInt8]) {
        let response = TransformedLoad()(bytes, "text/plain; charset=\(charset)", status: 500)
        #expect(response.error?.text == "ý" && response.error?.httpStatusCode == 500)
    }

    @Test(
        "what an encoding cannot have is no text in it (S-180)",
        arguments: [
            ("utf-16", [0x00]), ("utf-16le", [0x00, 0xD8]), ("us-ascii", [0x80]), ("shift_jis", [0x81]),
            ("euc-jp", [0xFF, 0xFF]), ("utf-8", [0xC0, 0x80]),
        ] as [(String, [UInt8])]
    )
    func impossible(charset: String, bytes: [UInt8]) {
        let response = TransformedLoad()(bytes, "text/plain; charset=\(charset)")
        #expect(response.error?.cause is RequestError.Cause.UndecodableText)
    }

    @Test("encodings the system knows are read, at any length (S-180)")
    func converted() {
        let text = String(repeating: "日本", count: 5000)
        let bytes = [UInt8](repeating: 0, count: 5000).flatMap { _ in [0x93, 0xFA, 0x96, 0x7B] as [UInt8] }
        #expect(TransformedLoad()(bytes, "text/plain; charset=Shift_JIS").text == text)
    }

    @Test("the text accessor gives loaded text (T-088, S-083)")
    func textAccessor() {
        #expect(TransformedLoad()("abc", "text/plain").text == "abc")
    }

    // MARK: JSON

    @Test("objects are parsed (T-089, S-179)", arguments: ["application/json", "application/foo+json", "foo/json"])
    func objects(type: String) {
        let response = TransformedLoad()(#"{"a":{"b":[1,2.5,"c",true,null]}}"#, type)
        let list = (response.jsonDict["a"] as? [String: any Sendable])?["b"] as? [any Sendable]
        #expect(list?[0] as? Int == 1 && list?[1] as? Double == 2.5 && list?[2] as? String == "c")
        #expect(list?[3] as? Bool == true && list?[4] as? JSONNull == JSONNull())
    }

    @Test("JSON that says it is text is text (T-090, S-179)")
    func jsonAsText() {
        #expect(TransformedLoad()("{}", "text/plain").content as? String == "{}")
    }

    @Test("malformed JSON fails with the parser's error as cause (T-091, S-179, S-156)")
    func malformed() throws {
        let response = TransformedLoad()("{\"a\":}", "application/json")
        let error = try #require(response.error)
        #expect(error.userMessage.lowercased().contains("cannot parse"))
        let cause = try #require(error.cause as? JSONSyntaxError)
        #expect(cause.line == 1 && cause.column == 6)
        #expect("\(cause)".contains("line 1, column 6"))
    }

    @Test("a bare value is neither object nor array (T-092, S-179)", arguments: ["17", "\"foo\"", "null"])
    func bareValues(text: String) throws {
        let error = try #require(TransformedLoad()(text, "application/json").error)
        #expect(error.cause is RequestError.Cause.JSONResponseIsNotDictionaryOrArray)
    }

    @Test("the JSON of errors is parsed too; what is none stays as it is (T-093, S-177)")
    func errorObject() {
        let response = TransformedLoad()(#"{"why":"x"}"#, "application/problem+json", status: 500)
        #expect(response.error?.jsonDict["why"] as? String == "x")
        let other = TransformedLoad()("<html>", "application/json", status: 502)
        #expect(other.error?.httpStatusCode == 502 && other.error?.entity?.content as? [UInt8] == Array("<html>".utf8))
    }

    @Test("object and array accessors give what was loaded, else nothing (T-094 to T-097, S-083)")
    func accessors() {
        #expect(TransformedLoad()("{\"a\":1}", "application/json").jsonDict["a"] as? Int == 1)
        #expect(TransformedLoad()("", "application/json", status: 500).jsonDict.isEmpty)
        #expect(TransformedLoad()("[1]", "application/json").jsonArray.first as? Int == 1)
        #expect(TransformedLoad()("{\"a\":1}", "application/json").jsonArray.isEmpty)
    }

    // MARK: Images

    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [
            1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2,
        ]
        + [0x44, 1, 0, 0x3B]

    @Test("a GIF of one pixel is recognised as that, and its bytes are kept (T-098, S-181)")
    func gif() throws {
        let image = try #require(TransformedLoad()(Self.gif, "image/gif").content as? ImageHeader)
        #expect(image.format == .gif && image.width == 1 && image.height == 1 && image.bytes == Self.gif)
    }

    @Test("drawings in XML are no images to decode, and broken images of errors are left alone (S-174, S-181)")
    func otherImages() {
        #expect(TransformedLoad()("<svg/>", "image/svg+xml").content as? [UInt8] == Array("<svg/>".utf8))
        let response = TransformedLoad()(Self.gif, "image/gif", status: 404)
        #expect(response.error?.entity?.content as? [UInt8] == Self.gif)
    }

    // MARK: Which

    private static let bads: [(type: String, name: String)] = [
        ("application/json", "JSON"), ("text/plain; charset=utf-8", "text"), ("image/png", "image"),
    ]

    @Test("with all standard transformers a bad byte fails as JSON, as text and as image (T-099, S-006)")
    func allFail() {
        for (type, _) in Self.bads { #expect(!TransformedLoad()(Self.bad, type).isSuccess) }
    }

    @Test(
        "only what has its transformer fails, the rest are bytes as they came (T-100, S-006)",
        arguments: [[.text, .image], [.json], []] as [[StandardTransformer]]
    )
    func someFail(standard: [StandardTransformer]) {
        for (type, name) in Self.bads {
            let response = TransformedLoad(standard)(Self.bad, type)
            #expect(response.isSuccess != standard.contains { $0.name == name })
            if response.isSuccess { #expect(response.content as? [UInt8] == Self.bad) }
        }
    }

    @Test("after clearing only the transformer that was added again runs (T-101, S-169)")
    func clearedAndAdded() {
        let load = TransformedLoad {
            $0.clear()
            $0.add(.text)
        }
        #expect(Self.bads.map { load(Self.bad, $0.type).isSuccess } == [true, false, true])
    }

    // MARK: Content there is none of

    @Test(
        "HEAD and 204 with a type of JSON succeed with nothing (T-260, S-252)",
        arguments: [(.head, 200), (.get, 204)] as [(Method, UInt16)]
    )
    func noContent(method: Method, status: UInt16) {
        var load = TransformedLoad()
        load.method = method
        #expect(load([], "application/json", status: status).content as? [UInt8] == [])
        // Full transformers see such responses all the same.
        let full = FullTransformer { $0 }
        load.pipeline[.model].add(full)
        _ = load([], "application/json", status: status)
        #expect(full.count.value == 1)
        // An empty text where there should be one is no JSON.
        #expect(!TransformedLoad()("", "application/json").isSuccess)
    }

    @Test(
        "a transformer for */json and */*+json parses JSON and nothing else, in any case (T-261, S-253)",
        arguments: [
            ("application/jsonp", false), ("application/json-seq", false), ("Application/JSON", true),
            ("application/foo+json;v=1", true), ("x application/json", false), ("application/a+b+json", false),
        ]
    )
    func anchored(type: String, isParsed: Bool) {
        let content = TransformedLoad([.json])("{}", type).content
        #expect((content is [String: any Sendable]) == isParsed)
    }
}
