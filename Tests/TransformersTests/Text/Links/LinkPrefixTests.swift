import HTTPCore
import Testing

@testable import Transformers

/// The gateway's prefix, and the URLs that get it.
@Suite("Prefixes of links") struct LinkPrefixTests {
    private static func prefix(_ host: [UInt8], scheme: String? = nil) -> LinkPrefix? {
        var request = Fields()
        request.set(.host, host)
        if let scheme { request.append(name: Array("X-Forwarded-Proto".utf8), value: Array(scheme.utf8)) }
        return LinkPrefix(request: request)
    }

    @Test("the prefix has the host in lower case, and the scheme that was used")
    func forms() {
        let plain = Self.prefix(Array("Gate.EXAMPLE:8080".utf8))
        #expect(plain.map { String(decoding: $0.bytes, as: UTF8.self) } == "http://gate.example:8080/")
        #expect(plain?.isSecure == false && plain?.authority == Array("gate.example:8080".utf8))
        let secure = Self.prefix(Array("[::1]".utf8), scheme: "https")
        #expect(
            secure.map { String(decoding: $0.bytes, as: UTF8.self) } == "https://[::1]/" && secure?.isSecure == true
        )
        #expect(Self.prefix(Array("a".utf8), scheme: "http")?.isSecure == false)
        #expect(LinkPrefix(request: Fields()) == nil)
    }

    @Test("a host that could break out of a document is not inserted: each byte, and the length")
    func harmless() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]".utf8)
        for byte in UInt8(0x21)...0x7E {
            #expect((Self.prefix([0x61, byte, 0x61]) != nil) == allowed.contains(byte), "\(byte)")
        }
        for (count, isRight) in [(0, false), (1, true), (260, true), (261, false)] {
            #expect((Self.prefix([UInt8](repeating: 0x61, count: count)) != nil) == isRight)
        }
    }

    /// What a text is found to be, at the first byte that decides or at its end.
    private static func verdict(_ text: String) -> LinkMatcher.Verdict? {
        guard let prefix = prefix(Array("gate.example".utf8)) else { return nil }
        var matcher = LinkMatcher(prefix)
        for byte in text.utf8 {
            let verdict = matcher.consume(byte)
            if verdict != .undecided { return verdict }
        }
        return matcher.end()
    }

    @Test("absolute URLs to other hosts are foreign, wherever the authority ends")
    func foreign() {
        let host = String(repeating: "a", count: 260)
        for text in [
            "http://a.example", "HTTPS://a.example/", "http://a.example:80?x", "http://[::1]#", "http://a%20b ",
            "http://ä", "https://a.example\"",
            "http://gate.example.test", "http://\(host)", "http://\(host)/", "http://gate.example:80/",
        ] {
            #expect(Self.verdict(text) == .foreign, "\(text)")
        }
        for text in [
            "", "h", "http", "http:", "http:/", "http://", "http:///", "https", "httpss://a", "ftp://a.example",
            "http//a",
            "https//a", "http:/a", "//a", "http://gate.example", "https://GATE.example/x", "http://user@a.example/",
            "http://?",
            "http://\(host)a", "httpx://a",
        ] {
            #expect(Self.verdict(text) == LinkMatcher.Verdict.none, "\(text)")
        }
    }
}
