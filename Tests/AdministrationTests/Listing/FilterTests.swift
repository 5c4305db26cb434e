import HTTPCore
import Testing

@testable import Administration

/// What filters and patterns fit.
struct FilterTests {
    @Test(
        "a pattern is for the whole URL: * stays within a segment, ** does not; the query counts only with a ?",
        arguments: [
            ("http://h/**", "http://h/a/b?c", true), ("http://h/**", "http://h/", true),
            ("http://h/**", "http://hh/a", false), ("http://h/*", "http://h/a", true),
            ("http://h/*", "http://h/a/b", false), ("http://*/a", "http://h/a", true),
            ("http://*/a", "http://h/b/a", false), ("**/a", "http://h/b/a", true), ("**", "http://h/", true),
            ("http://h/a*c", "http://h/abc", true), ("http://h/a*c", "http://h/ac", true),
            ("http://h/a*c", "http://h/acd", false), ("*", "http://h/", false),
            ("http://h/**/z", "http://h/a/b/z", true), ("http://h/a***", "http://h/a/b", true),
            ("http://h/*c", "http://h/abc?d", true), ("http://h/a?b=*", "http://h/a?b=1", true),
            ("http://{h,i}/a", "http://i/a", true), ("HTTP://H:80/**", "http://h/a", true),
        ]
    )
    func patterns(pattern: String, uri: String, fits: Bool) throws {
        #expect(try ResourceFilter(pattern).matches(TargetURI(parsing: uri)) == fits)
    }

    @Test(
        "a pattern that does not parse is refused with the place",
        arguments: [
            ("http://h:0/*", "(character 10)"), ("ab* http://u@h/**", "(character 9)"),
            ("http://h/{a", "(character 10)"),
            ("http://h/*#x", "(character 11)"),
        ]
    )
    func wrongPatterns(text: String, place: String) throws {
        let refusal = try #require(throws: AdminRefusal.self) { try ResourceFilter(text) }
        #expect(refusal.status == 400 && refusal.detail.contains("is wrong: ") && refusal.detail.hasSuffix(place))
    }

    @Test(
        "the bytes of a stored URI match as the URI does, in each spelling",
        arguments: [
            "http://h/abc", "http://h/%61bc", "http://h/x/../abc", "http://h./abc?q", "http://h/abd", "http://g/abc",
        ]
    )
    func storedBytes(text: String) throws {
        let uri = try TargetURI(parsing: text)
        for words in [
            "", "http://h/a*c", "abc", "%61", "http://*/abc http://h/**", "{**/abc,**/abd} status:404", "abd x",
        ] {
            let filter = try ResourceFilter(words)
            let found = filter.uri(of: uri.bytes.span)
            #expect(found == (filter.matches(uri) ? uri : nil), "\(words)")
        }
        #expect(try ResourceFilter("http://h/a*c").matches(uri) == !["http://h/abd", "http://g/abc"].contains(text))
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
            ("aab", true), ("/aaab", true), ("aabc", false), ("http://h/aaab", true), ("http://h/aaabc", false),
            ("b", true),
        ]
    )
    func parts(part: String, fits: Bool) throws {
        #expect(try ResourceFilter(part).matches(TargetURI(parsing: "http://h/aaab")) == fits)
    }

    @Test("identifiers are stable, opaque, and of canonical URIs only")
    func identifiers() throws {
        for text in ["http://h/", "https://org.example:8443/a?b=%20&c", "http://[::1]:80/".replacing(":80", with: "")] {
            let uri = try TargetURI(parsing: text)
            let id = ResourceIdentifier(uri).text
            #expect(ResourceIdentifier(text: id)?.uri == uri)
            #expect(id.utf8.allSatisfy { $0 != 0x2F && $0 != 0x2B && $0 != 0x3D })
        }
        for bytes in ["", "http://H/", "HTTP://h/", "http://h:80/", "http://h/#f", "ftp://h/", "x"] {
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
