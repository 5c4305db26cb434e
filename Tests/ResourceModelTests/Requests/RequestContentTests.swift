import TestDoubles
import Formats
import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: content")
struct RequestContentTests {
    private func sent(_ make: (Resource) -> Request) -> (type: String?, text: String?, request: HTTPRequest?) {
        let world = ProgramWorld { _ in .answer() }
        _ = make(world.resource())
        let request = world.networking.requests.first
        return (
            request?[field: "content-type"], request?.body.map { String(decoding: $0, as: UTF8.self) }, request
        )
    }

    @Test("bytes are sent as they are, with their type (T-063, S-112)")
    func data() {
        let bytes: [UInt8] = [0x00, 0xFF, 0x17, 0xCA]
        let sent = sent { $0.request(.post, data: bytes, contentType: "application/x-sample") }
        #expect(sent.request?.body == bytes && sent.type == "application/x-sample")
        #expect(sent.request?.method == .post)
    }

    @Test("text is sent as UTF-8 with its charset, or in the encoding asked for (T-064, S-113)")
    func text() {
        let sent = sent { $0.request(.post, text: "Grüße") }
        #expect(sent.type?.lowercased() == "text/plain; charset=utf-8" && sent.text == "Grüße")
        let latin = self.sent { $0.request(.post, text: "ü", contentType: "text/x", encoding: .isoLatin1) }
        #expect(latin.type == "text/x; charset=iso-8859-1" && latin.request?.body == [0xFC])
    }

    @Test("text the encoding does not know fails at once, without network, and hooks still work (S-113, S-116)")
    func unencodableText() {
        let world = ProgramWorld { _ in .answer() }
        let request = world.resource().request(.post, text: "Ω", encoding: .isoLatin1)
        let cause = request.result?.response.error?.cause as? RequestError.Cause.UnencodableText
        #expect(cause?.text == "Ω" && cause?.encoding == .isoLatin1 && world.networking.exchanges.isEmpty)
        request.follow(on: world.context) { _ in
        } then: { _ in
        }
        let log = HookLog(request)
        world.runUntilIdle()
        #expect(log.notes.value.contains("failure") && request.result?.response.error?.httpStatusCode == nil)
    }

    @Test(
        "encodings write what they know and refuse the rest (S-113)",
        arguments: [
            (.ascii, "aé", nil), (.ascii, "a", [0x61]), (.windows1252, "€", [0x80]), (.windows1252, "Ω", nil),
            (.windows1252, "é", [0xE9]), (.utf16, "aΩ", [0xFE, 0xFF, 0x00, 0x61, 0x03, 0xA9]),
            (.utf16LittleEndian, "𝄞", [0x34, 0xD8, 0x1E, 0xDD]), (.utf16BigEndian, "a", [0x00, 0x61]),
            (.isoLatin1, "ÿ", [0xFF]), (.isoLatin1, "Ā", nil), (.utf8, "Ā", [0xC4, 0x80]),
        ] as [(TextEncoding, String, [UInt8]?)]
    )
    func encodings(encoding: TextEncoding, text: String, expected: [UInt8]?) {
        #expect(encoding.encode(text) == expected)
        #expect(TextEncoding(ianaName: encoding.ianaName.uppercased()) == encoding)
    }

    @Test("objects and arrays are sent as JSON (T-065, S-114)")
    func json() {
        let nested: [String: any Sendable] = [
            "b": [1, 2.5, true, JSONNull()] as [any Sendable], "a": "x\"\\\n\u{1}ü", "c": ["d": -7] as [String: Int],
            "e": [String](), "f": Float(0.1), "g": UInt64.max,
        ]
        let sent = sent { $0.request(.put, json: nested) }
        #expect(sent.type == "application/json")
        let expected =
            #"{"a":"x\"\\\u000a\u0001ü","b":[1,2.5,true,null],"c":{"d":-7},"e":[],"f":0.1,"#
            + #""g":18446744073709551615}"#
        #expect(sent.text == expected)
        #expect(self.sent { $0.request(.put, json: ["a", 1] as [any Sendable]) }.text == #"["a",1]"#)
    }

    @Test(
        "what JSON cannot hold fails at once (T-066, S-114, S-116)",
        arguments: [Double.infinity, Double.nan, HTTPDate(seconds: 1), Optional<Int>.none, [1: "a"]] as [any Sendable]
    )
    func invalidJSON(value: any Sendable) {
        let world = ProgramWorld { _ in .answer() }
        let request = world.resource().request(.post, json: ["a": [value] as [any Sendable]])
        #expect(request.result?.response.error?.cause is RequestError.Cause.InvalidJSONObject)
        #expect(request.result?.response.error?.httpStatusCode == nil && world.networking.exchanges.isEmpty)
    }

    @Test("what is nested deeper than anybody reads fails instead of exhausting the stack (S-114)")
    func deepJSON() {
        var value: [any Sendable] = []
        for _ in 0..<600 { value = [value] }
        let world = ProgramWorld { _ in .answer() }
        let request = world.resource().request(.post, json: value)
        #expect(request.result?.response.error?.cause is RequestError.Cause.InvalidJSONObject)
    }

    @Test("form fields are sorted, escaped and joined (T-067, T-243, S-115)")
    func form() {
        let sent = sent { $0.request(.patch, urlEncoded: ["b": "x y+z&", "a=": "ü", "c": ""]) }
        #expect(sent.type == "application/x-www-form-urlencoded")
        #expect(sent.text == "a%3D=%C3%BC&b=x%20y%2Bz%26&c=")
        let one = self.sent { $0.request(.post, urlEncoded: ["foo": "bar"]) }
        let plain = self.sent { $0.request(.post, urlEncoded: ["": "09AZaz-._~"]) }
        #expect(plain.text == "=09AZaz-._~")
        let escaped = self.sent { $0.request(.post, urlEncoded: ["": ",/:@[^`{}\u{7F}\u{0})\u{9}"]) }
        #expect(escaped.text == "=%2C%2F%3A%40%5B%5E%60%7B%7D%7F%00%29%09")
        #expect(one.text == "foo=bar" && one.type == "application/x-www-form-urlencoded")
        #expect(sent.request?.method == .patch)
    }

    @Test("the convenience's type wins over a configured one, and is sent once; it may be given (T-068, T-242, S-111)")
    func typeOverConfigured() {
        let world = ProgramWorld { _ in .answer() }
        world.service.configure { $0.headers["content-type"] = "text/configured" }
        world.resource().request(.post, json: ["a": 1])
        world.resource().request(.post, json: ["a": 1], contentType: "application/own+json")
        #expect(world.networking.requests[0].fields.values(of: .contentType) == [Array("application/json".utf8)])
        #expect(world.networking.requests[1].fields.values(of: .contentType) == [Array("application/own+json".utf8)])
    }

    @Test("configured mutations win over the ad hoc one, and that over the convenience (T-069, S-111)")
    func typePriority() {
        let world = ProgramWorld { _ in .answer() }
        world.resource().request(.post, json: ["a": 1]) { $0[field: "Content-Type"] = "text/adhoc" }
        #expect(world.networking.requests[0].fields.values(of: .contentType) == [Array("text/adhoc".utf8)])
        world.service.configure { configuration in
            configuration.mutateRequests { $0[field: "Content-Type"] = "text/mutated" }
        }
        world.resource().request(.post, json: ["a": 1]) { $0[field: "Content-Type"] = "text/adhoc" }
        #expect(world.networking.requests[1].fields.values(of: .contentType) == [Array("text/mutated".utf8)])
    }

    @Test("a method given as text must be one of the seven (T-245, S-160)", arguments: ["BREW", "get", "", "CONNECT"])
    func unknownMethod(name: String) {
        let world = ProgramWorld { _ in .answer() }
        let request = world.resource().request(methodNamed: name)
        let cause = request.result?.response.error?.cause as? RequestError.Cause.InvalidRequestMethod
        #expect(cause?.method == name && world.networking.exchanges.isEmpty)
        for known in Method.configurable { world.resource().request(methodNamed: known.text) }
        #expect(world.networking.requests.map(\.method) == [.options, .get, .head, .post, .put, .patch, .delete])
    }
}
