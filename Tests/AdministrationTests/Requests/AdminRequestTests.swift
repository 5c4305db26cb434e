import HTTPCore
import Testing

@testable import Administration

/// Path and query of a request to the API.
@Suite struct AdminRequestTests {
    private static func request(_ target: String) throws -> AdminRequest {
        let bytes = Array("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
        var parser = RequestParser()
        var head = RequestHead()
        let result = parser.parse(bytes.span, into: &head)
        try #require(result == .complete(consumed: bytes.count), "\(target)")
        return AdminRequest(head)
    }

    @Test(
        "an escape is a percent sign and two digits, whose letters have either case; a plus sign stays",
        arguments: [
            ("a", "a"), ("%41", "A"), ("%40%49", "@I"), ("%4A%4a", "JJ"), ("%4F%4f", "OO"), ("%e2%80%A6", "…"),
            ("a+b", "a+b"), ("%2B%26", "+&"), ("%3D=", "=="), ("%2541", "%41"), ("%%41", "%A"), ("%", "%"),
            ("%4", "%4"), ("%4g", "%4g"), ("%4G", "%4G"), ("%g4", "%g4"), ("%4/", "%4/"), ("%4:", "%4:"),
            ("%4@", "%4@"),
        ]
    )
    func escapes(text: String, value: String) throws {
        #expect(try Self.request("/v1/x?q=\(text)")["q"] == value)
    }

    @Test("a parameter without a value counts as absent, and of a repeated one all values are there, in order")
    func parameters() throws {
        let request = try Self.request("/v1/x?a=1&b&c=&&a=2&%61=3")
        #expect(request.path == "/v1/x" && request["a"] == "1" && request["b"] == nil && request["c"] == nil)
        #expect(request.values(of: "a") == ["1", "2", "3"] && request.values(of: "b") == [""])
        #expect(request["d"] == nil && request.values(of: "d").isEmpty)
        for target in ["/v1/x", "/v1/x?", "http://a.example/v1/x?a=1"] {
            #expect(try Self.request(target).path == "/v1/x", "\(target)")
        }
        #expect(try Self.request("http://a.example/v1/x?a=1")["a"] == "1")
    }

    @Test("a Boolean is true or false in small letters, and false without a value")
    func booleans() throws {
        for (query, value) in [
            ("", false), ("?reverse", false), ("?reverse=", false), ("?reverse=false", false), ("?reverse=true", true),
        ] {
            #expect(try Self.request("/v1/x\(query)").boolean(.isReversed) == value, "\(query)")
        }
        for text in ["True", "1", "yes", "true%20"] {
            let refusal = #expect(throws: AdminRefusal.self) {
                try Self.request("/v1/x?reverse=\(text)").boolean(.isReversed)
            }
            #expect(refusal?.status == 400 && refusal?.detail == "`reverse` must be true or false")
        }
    }

    @Test("a number without a value is the usual one, and where there is none it is absent")
    func numbers() throws {
        #expect(try Self.request("/v1/x?limit=").integer(.resourceLimit) == 100)
        #expect(try Self.request("/v1/x").integer(.lifetime) == nil)
        #expect(try Self.request("/v1/x?ttl=0").integer(.lifetime) == 0)
        for text in ["1.0", "%201", "0x1", "1e1", "9223372036854775808"] {
            #expect(throws: AdminRefusal.self) { try Self.request("/v1/x?ttl=\(text)").integer(.lifetime) }
        }
    }
}
