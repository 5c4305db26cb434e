import HTTPCore
import Observability
import Testing

@testable import Administration

/// Filters of recent requests, term by term.
@Suite struct RequestFilterTests {
    private static func document(
        _ target: [UInt8] = Array("http://a.example/x".utf8),
        _ change: (inout RequestRecord) -> Void = { _ in }
    ) -> RequestDocument {
        var record = RequestRecord(
            id: RequestID(number: 1),
            milliseconds: 0,
            client: .v4(0xC000_0201),
            method: .get,
            target: target,
            status: 200,
            outcome: "hit",
            contentBytes: 0,
            duration: 0
        )
        change(&record)
        return RequestDocument(record, masking: SecretParameters([]))
    }

    @Test(
        "what took just as long as a time is not slower, what took a nanosecond longer is",
        arguments: [
            ("2ms", 2_000_000, false), ("2ms", 2_000_001, true), ("2s", 2_000_000_000, false),
            ("2s", 2_000_000_001, true), ("0ms", 0, false), ("0s", 1, true), ("999999999s", 1, false),
        ] as [(String, Int64, Bool)]
    )
    func slower(time: String, duration: Int64, isSlower: Bool) throws {
        let filter = try RequestFilter("slower=\(time)")
        #expect(filter.matches(Self.document { $0.duration = duration }) == isSlower)
    }

    @Test(
        "a time has up to nine digits and a unit",
        arguments: ["1000000000s", "0000000001s", "s", "1", "1m", "1 s", "-1s", "+1s", "1.5s", "１s", "1S"]
    )
    func wrongTimes(time: String) {
        #expect(throws: AdminRefusal.self) { try RequestFilter("slower=\(time)") }
    }

    @Test(
        "a client is found in either form of its address, and a request by a Unix socket by none",
        arguments: [
            ("192.0.2.1", .v4(0xC000_0201), true), ("::ffff:192.0.2.1", .v4(0xC000_0201), true),
            ("192.0.2.1", .v6(0, 0xFFFF_C000_0201), true), ("192.0.2.2", .v4(0xC000_0201), false),
            ("192.0.2.1", nil, false), ("::1", .v6(0, 1), true),
        ] as [(String, IPAddress?, Bool)]
    )
    func clients(address: String, client: IPAddress?, isFound: Bool) throws {
        let filter = try RequestFilter("client=\(address)")
        #expect(filter.matches(Self.document { $0.client = client }) == isFound)
    }

    @Test(
        "a pattern fits a target with bytes beyond ASCII as if they were escaped",
        arguments: [0x7E, 0x80, 0xC3, 0xFF] as [UInt8]
    )
    func bytes(byte: UInt8) throws {
        let document = Self.document(Array("http://a.example/x".utf8) + [byte])
        #expect(try RequestFilter("http://a.example/x*").matches(document))
        #expect(try !RequestFilter("http://b.example/x*").matches(document))
    }

    @Test("a target that is no URL fits no pattern, but its parts are found")
    func noURL() throws {
        let document = Self.document(Array("a.example:443".utf8))
        #expect(try !RequestFilter("**").matches(document))
        #expect(try RequestFilter("example:443").matches(document) && RequestFilter("").matches(document))
    }

    @Test(
        "what stands before a sign is a name if it is one, and a status may be given with a colon",
        arguments: [
            ("status:200", true), ("status=2xx", true), ("status=404,200", true), ("status:404", false),
            ("http:", true), ("method:GET", false), ("method=get", true), ("method=POST", false),
            ("cache=miss,hit", true), ("cache=miss", false), ("service=here", true), ("service=there", false),
            ("a.example", true), ("=x", false), ("status=200 http:", true), ("status=200 https:", false),
        ]
    )
    func terms(text: String, isFound: Bool) throws {
        #expect(try RequestFilter(text).matches(Self.document { $0.service = "here" }) == isFound)
    }

    @Test("a filter has up to 8192 bytes and 16 terms")
    func limits() throws {
        _ = try RequestFilter(String(repeating: "a", count: 8192))
        _ = try RequestFilter(String(repeating: "a ", count: 16))
        for (text, sentence) in [
            (String(repeating: "a", count: 8193), "the filter is longer than 8192 bytes"),
            (String(repeating: "a ", count: 17), "the filter has more than 16 terms"),
        ] {
            let refusal = try #require(throws: AdminRefusal.self) { try RequestFilter(text) }
            #expect(refusal.status == 400 && refusal.detail == sentence)
        }
    }

    @Test("a fault is told with the character where it stands, in an error of the pattern, too")
    func positions() throws {
        for (text, position) in [
            ("status=x", 8), ("a status=x", 10), ("ää status=x", 11), ("a  http://h.example/{a", 21), ("a b=c", 3),
        ] {
            let refusal = try #require(throws: AdminRefusal.self) { try RequestFilter(text) }
            #expect(refusal.detail.hasPrefix("the filter is wrong at character \(position): "), "\(refusal.detail)")
        }
    }
}
