import HTTPCore
import Testing

@testable import Administration

/// What filters and patterns fit.
struct FilterTests {
    @Test(
        "a pattern is for the whole URL: * stays within a segment, ** does not; the query counts only with a ?",
        arguments: [
            ("http://h.example/**", "http://h.example/a/b?c", true), ("http://h.example/**", "http://h.example/", true),
            ("http://h.example/**", "http://hh.example/a", false), ("http://h.example/*", "http://h.example/a", true),
            ("http://h.example/*", "http://h.example/a/b", false), ("http://*/a", "http://h.example/a", true),
            ("http://*/a", "http://h.example/b/a", false), ("**/a", "http://h.example/b/a", true),
            ("**", "http://h.example/", true),
            ("http://h.example/a*c", "http://h.example/abc", true),
            ("http://h.example/a*c", "http://h.example/ac", true),
            ("http://h.example/a*c", "http://h.example/acd", false), ("*", "http://h.example/", false),
            ("http://h.example/**/z", "http://h.example/a/b/z", true),
            ("http://h.example/a***", "http://h.example/a/b", true),
            ("http://h.example/*c", "http://h.example/abc?d", true),
            ("http://h.example/a?b=*", "http://h.example/a?b=1", true),
            ("http://{h,i}.example/a", "http://i.example/a", true),
            ("HTTP://H.example:80/**", "http://h.example/a", true),
        ]
    )
    func patterns(pattern: String, uri: String, fits: Bool) throws {
        #expect(try ResourceFilter(pattern).matches(TargetURI(parsing: uri)) == fits)
    }

    @Test(
        "a pattern that does not parse is refused with the place",
        arguments: [
            ("http://h.example:0/*", "(character 18)"), ("ab* http://u@h.example/**", "(character 9)"),
            ("http://h.example/{a", "(character 18)"),
            ("http://h.example/*#x", "(character 19)"),
        ]
    )
    func wrongPatterns(text: String, place: String) throws {
        let refusal = try #require(throws: AdminRefusal.self) { try ResourceFilter(text) }
        #expect(refusal.status == 400 && refusal.detail.contains("is wrong: ") && refusal.detail.hasSuffix(place))
    }

    @Test(
        "the bytes of a stored URI match as the URI does, in each spelling",
        arguments: [
            "http://h.example/abc", "http://h.example/%61bc", "http://h.example/x/../abc", "http://h.example./abc?q",
            "http://h.example/abd", "http://g.example/abc",
        ]
    )
    func storedBytes(text: String) throws {
        let uri = try TargetURI(parsing: text)
        for words in [
            "", "http://h.example/a*c", "abc", "%61", "http://*/abc http://h.example/**", "{**/abc,**/abd} status:404",
            "abd x",
        ] {
            let filter = try ResourceFilter(words)
            let found = filter.uri(of: uri.bytes.span)
            #expect(found == (filter.matches(uri) ? uri : nil), "\(words)")
        }
        #expect(
            try ResourceFilter("http://h.example/a*c").matches(uri) == ![
                "http://h.example/abd", "http://g.example/abc",
            ].contains(text)
        )
        #expect(ResourceFilter(uri).matches(uri))
    }

    @Test("a term without star is part of the URL; all terms must hold")
    func terms() throws {
        let uri = try TargetURI(parsing: "http://org.example/a/b?c=d")
        for text in ["example", "/a/b", "c=d", "example /a", "http://org.example/** b?c"] {
            #expect(try ResourceFilter(text).matches(uri), "\(text)")
        }
        for text in ["exemple", "example /x", "/b/a"] { #expect(try !ResourceFilter(text).matches(uri), "\(text)") }
        #expect(try ResourceFilter("").isEmpty && ResourceFilter("  ").isEmpty)
        #expect(try ResourceFilter("a **").isAboutURIs && !ResourceFilter("a status:404").isAboutURIs)
    }

    @Test(
        "a filter that cannot be understood is refused with a reason",
        arguments: [
            "status:", "status:20", "status:6xx", "status:abc", "state:old", "state:", "status:0xx", "status:99",
            "status:600", "status:4xxx", "status:44xx", "status:+404", "status:+4x",
        ]
    )
    func wrongTerms(text: String) {
        #expect(throws: AdminRefusal.self) { try ResourceFilter(text) }
    }

    @Test("a filter of more than 8192 bytes or 16 terms is refused with 400")
    func limits() throws {
        _ = try ResourceFilter(String(repeating: "a", count: 8192))
        _ = try ResourceFilter(String(repeating: "a ", count: 16))
        for text in [String(repeating: "a", count: 8193), String(repeating: "a ", count: 17)] {
            let refusal = try #require(throws: AdminRefusal.self) { try ResourceFilter(text) }
            #expect(refusal.status == 400)
        }
    }

    @Test(
        "a part occurs anywhere in the URL, also where its beginning occurs before",
        arguments: [
            ("aab", true), ("/aaab", true), ("aabc", false), ("http://h.example/aaab", true),
            ("http://h.example/aaabc", false),
            ("b", true),
        ]
    )
    func parts(part: String, fits: Bool) throws {
        #expect(try ResourceFilter(part).matches(TargetURI(parsing: "http://h.example/aaab")) == fits)
    }

    @Test("identifiers are stable, opaque, and of canonical URIs only")
    func identifiers() throws {
        for text in [
            "http://h.example/", "https://org.example:8443/a?b=%20&c", "http://[::1]:80/".replacing(":80", with: ""),
        ] {
            let uri = try TargetURI(parsing: text)
            let id = ResourceIdentifier(uri).text
            #expect(ResourceIdentifier(text: id)?.uri == uri)
            #expect(id.utf8.allSatisfy { $0 != 0x2F && $0 != 0x2B && $0 != 0x3D })
        }
        for bytes in [
            "", "http://H.example/", "HTTP://h.example/", "http://h.example:80/", "http://h.example/#f",
            "ftp://h.example/", "x",
        ] {
            #expect(ResourceIdentifier(text: Base64URL.encode(Array(bytes.utf8))) == nil, "\(bytes)")
        }
        for text in ["a", "a=", "aHR0cDovL2gvYR", "****"] { #expect(ResourceIdentifier(text: text) == nil, "\(text)") }
        for count in 0..<10 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 0xFF) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test("a cursor reads back as written; anything else is refused")
    func cursors() throws {
        for cursor in [ListingCursor.memory(0), .memory(77), .store(0, listed: 5), .store(.max, listed: .max)] {
            #expect(try ListingCursor(cursor.text) == cursor)
        }
        for text in ["x", "m", "m-1", "s1", "s1-", "s-1-1", "m99999999999999999999999", "", "mé"] {
            #expect(throws: AdminRefusal.self, "\(text)") { try ListingCursor(text) }
        }
    }
}
