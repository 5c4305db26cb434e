import HTTPCore
import TestSupport
import Testing

/// The quick test before a match.
@Suite("Required text")
struct RequiredTextTests {
    private func mayMatch(_ pattern: String, _ uri: String) throws -> Bool {
        let text = RequiredText(of: try URLGlob(pattern))
        let uri = try TargetURI(parsing: uri)
        return text.mayMatch(uri.bytes.span)
    }

    @Test(
        "a URI without a literal text of the pattern does not pass",
        arguments: [
            ("http://*/*/999999", "http://h.example/g/123456", false),
            ("http://*/*/999999", "http://h.example/999999", true),
            ("http://*/*/999999", "http://h.example/x999999", false), ("https://**", "http://h.example/", false),
            ("https://**", "http://h.example/https://", true), ("http://a.example/**", "http://b.example/", false),
            ("http://h.example:80/a*", "http://h.example/b", false),
            ("http://h.example:81/a*", "http://h.example/a", false),
            ("*://h.example/a", "https://h.example/a", true), ("*://h.example/a", "https://g.example/a", false),
            ("*://h.example:443/a", "https://h.example/a", true),
            ("http://h.example:*/ab", "http://h.example:8080/ab", true),
            ("http://h.example:*/ab", "http://h.example:8080/a", false),
            ("http://h.example/**?id=7", "http://h.example/a?id=8", false),
            ("http://h.example/**?id=7", "http://h.example/a?id=7", true),
            ("**/x.json", "http://h.example/y.json", false), ("**/x.json", "http://h.example/x.json", true),
            ("http://{ab,cd}.example/x", "http://cd.example/x", true),
            ("http://{ab,cd}.example/x", "http://ef.example/x", false),
            ("http://h.example/aaab", "http://h.example/aaaab", false),
            ("http://h.example/**aaab", "http://h.example/aaaaaaaab", true),
        ]
    )
    func literals(pattern: String, uri: String, passes: Bool) throws {
        #expect(try mayMatch(pattern, uri) == passes)
    }

    @Test(
        "a URI of another spelling passes",
        arguments: [
            ("http://h.example/abc", "http://h.example/%61bc"),
            ("http://h.example/a?b=cd", "http://h.example/a?b=%63d"),
            ("http://h.example/abc", "http://h.example/x/../abc"),
            ("http://h.example/a/b", "http://h.example/a/./b"), ("http://h.example/x/?q", "http://h.example/x/y/..?q"),
            ("http://h.example/x/?q", "http://h.example/x/.?q"),
            ("http://h.example/abc", "http://h.example./abc"),
            ("http://h.example:81/abc", "http://h.example.:81/abc"),
            ("http://127.0.0.1/abc", "http://[::ffff:127.0.0.1]/abc"), ("http://[::1]/abc", "http://[0:0::1]/abc"),
            ("http://[::ffff:127.0.0.1]/abc", "http://127.0.0.1/abc"),
        ]
    )
    func spellings(pattern: String, uri: String) throws {
        #expect(try URLGlob(pattern).matches(TargetURI(parsing: uri)) && mayMatch(pattern, uri))
    }

    @Test(
        "a pattern of wildcards, or with an alternative of wildcards, lets all pass",
        arguments: ["**", "*://**", "{**,abc}"]
    )
    func wildcards(pattern: String) throws {
        #expect(try RequiredText(of: URLGlob(pattern)).isEmpty && mayMatch(pattern, "http://h.example/"))
    }

    @Test("a part of a URL is looked for as it is, escapes too")
    func parts() {
        func occurs(_ part: [UInt8], in uri: [UInt8]) -> Bool { RequiredText(part).mayMatch(uri.span) }
        for (part, passes) in [("abc", true), ("%61bc", false), ("abcd", false), ("", true), ("h.example/abc", true)] {
            #expect(occurs(Array(part.utf8), in: Array("http://h.example/abc".utf8)) == passes, "\(part)")
        }
        let letters = Array(repeating: UInt8(ascii: "a"), count: 50)
        let long = Array("http://h.example/".utf8) + letters + Array("b".utf8)
        for count in 1...50 {
            let part = Array(letters.prefix(count)) + [UInt8(ascii: "b")]
            #expect(occurs(part, in: long) && !occurs(part + part, in: long))
        }
    }

    @Test("what matches a pattern passes its quick test, for random patterns and spellings", arguments: UInt64(1)...4)
    func necessity(seed: UInt64) throws {
        var random = FixedRandom(seed: seed)
        var (matches, useful, excluded) = (0, 0, 0)
        for _ in 0..<4000 {
            let sample = Sample(&random)
            guard let pattern = try? URLGlob(sample.pattern(&random)) else { continue }
            let base = random.next(4) == 0 ? try TargetURI(parsing: "http://h.example/a/") : nil
            let glob = pattern.relative(to: base)
            let text = RequiredText(of: glob)
            useful += text.isEmpty ? 0 : 1
            for spelled in [sample.text, sample.respelled(&random), sample.respelled(&random), Sample(&random).text] {
                let uri = try TargetURI(parsing: spelled)
                let passes = text.mayMatch(uri.bytes.span)
                excluded += passes ? 0 : 1
                guard glob.matches(uri) else { continue }
                matches += 1
                #expect(passes, "\(glob.text) \(spelled)")
            }
        }
        #expect(matches > 2000 && useful > 2000 && excluded > 500, "\(matches) \(useful) \(excluded)")
    }
}

/// A URL of few different parts, so that patterns made from one often fit another.
private struct Sample {
    let scheme: String
    let host: String
    let port: String
    let segments: [String]
    let query: String

    init(_ random: inout FixedRandom) {
        scheme = ["http", "https"][random.next(2)]
        host =
            ["h.example", "www.h.example", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[2001:db8::7]"][random.next(6)]
        port = ["", "", ":80", ":443", ":8080"][random.next(5)]
        let words = ["a", "bc", "img.png", "v1.2", "..x", ".well-known", "", "~u", "a;b=c", "x[1]"]
        segments = (0..<(1 + random.next(4))).map { _ in words[random.next(words.count)] }
        query = ["", "", "?q=1", "?q=1&page=22", "?x.y=z/../w", "?"][random.next(6)]
    }

    var text: String { "\(scheme)://\(host)\(port)/\(segments.joined(separator: "/"))\(query)" }

    /// The same URL, mostly, in another spelling.
    func respelled(_ random: inout FixedRandom) -> String {
        var host = host
        switch (host, random.next(3)) {
        case ("127.0.0.1", 0): host = "[::ffff:7f00:1]"
        case ("[::1]", 0): host = "[0:0:0::1]"
        case ("[::ffff:127.0.0.1]", 0): host = "127.0.0.1"
        case ("[2001:db8::7]", 0): host = "[2001:DB8:0:0::7]"
        case (_, 1): host = host.uppercased()
        case (_, _) where host.hasSuffix(".example"): host += "."
        default: break
        }
        let path = segments.flatMap { segment in
            switch random.next(8) {
            case 0: return [".", segment]
            case 1: return ["gone", "..", segment]
            default: return [Self.escaped(segment, &random)]
            }
        }
        let query = query.isEmpty ? "" : "?" + Self.escaped(String(query.dropFirst()), &random)
        return "\(scheme)://\(host)\(port)/\(path.joined(separator: "/"))\(query)"
    }

    private static func escaped(_ text: String, _ random: inout FixedRandom) -> String {
        guard random.next(4) == 0 else { return text }
        return text.utf8.map { byte in
            let keeps = random.next(3) > 0 || "/?#&=;".utf8.contains(byte)
            return keeps ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// A pattern that this URL often fits.
    func pattern(_ random: inout FixedRandom) -> String {
        let scheme = random.next(4) == 0 ? "*" : random.next(8) == 0 ? "HTTP" : scheme
        let host = [host, host, "*", "**", "**.example", "*.example", "127.*.0.1", "{h.example,\(host)}"][
            random.next(8)
        ]
        let port = random.next(4) == 0 ? ":*" : port
        var path = segments.map { segment in
            switch random.next(10) {
            case 0: "*"
            case 1: "**"
            case 2: segment.prefix(1) + "*"
            case 3: "*" + segment.suffix(1)
            case 4: "{\(segment),zz}"
            case 5: Self.escaped(segment, &random)
            default: segment
            }
        }.joined(separator: "/")
        if random.next(6) == 0 { path += "**" }
        let query = random.next(3) == 0 ? "" : random.next(4) == 0 && !query.isEmpty ? "?**" : query
        switch random.next(8) {
        case 0: return "/\(path)\(query)"
        case 1: return "**/\(path)\(query)"
        default: return "\(scheme)://\(host)\(port)/\(path)\(query)"
        }
    }
}
